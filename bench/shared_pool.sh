#!/usr/bin/env bash
# bench/shared_pool.sh: measures the delay from the acknowledgement of a write until two servers see it, for a pool in
# PostgreSQL and for an SQLite file on the same machine. WRITES: their number (10000). The database runs without fsync
# (tests/lib/postgres.sh): a disk would only delay the acknowledgement.
set -eu
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export WRITES=${WRITES:-10000}
for kind in --delivery --file; do
    [ $kind = --file ] && echo "an SQLite file:" || echo "PostgreSQL:"
    tests/e2e/shared_pool.sh $kind >"$log" || { cat "$log"; exit 1; }
    sed -n 's/^# /  /p' "$log"
done
