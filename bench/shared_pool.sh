#!/usr/bin/env bash
# bench/shared_pool.sh: how long after its acknowledgement a write is seen by two servers of a pool in PostgreSQL, and of an
# SQLite file on the same machine. WRITES: how many (10000). The database runs without fsync (tests/lib/postgres.sh):
# delays are counted from the acknowledgement, which a disk would only put off.
set -eu
cd "$(dirname "$0")/.."
export WRITES=${WRITES:-10000}
for kind in --delivery --file; do
    [ $kind = --file ] && echo "an SQLite file:" || echo "PostgreSQL:"
    tests/e2e/shared_pool.sh $kind >"${TMPDIR:-/tmp}/shared_pool.$$" || { cat "${TMPDIR:-/tmp}/shared_pool.$$"; exit 1; }
    sed -n 's/^# /  /p' "${TMPDIR:-/tmp}/shared_pool.$$"
    rm -f "${TMPDIR:-/tmp}/shared_pool.$$"
done
