#!/usr/bin/env bash
# Text that would do harm if it were ever taken for SQL, for COPY or for part of an address, in every field of a shared pool:
# it comes back as it was, as from an SQLite file, or is refused with a message. hostile_pool.py asks and prints TAP.
source "$(dirname "$0")/tap.sh"
source "$ROOT/tests/lib/postgres.sh"
postgres_start || { finish; exit; }
sample 12 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --method svd --rank 8
database hostile >uri
export PGTEST_DIR PGTEST_PORT PGTEST_BIN
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/hostile_pool.py" "$FILM" "$ROOT"
