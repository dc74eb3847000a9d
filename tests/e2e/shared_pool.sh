#!/usr/bin/env bash
# Two servers on one pool in PostgreSQL: every acknowledged write is seen in both; then the database stops, lines are cut or
# fall silent, servers are killed in the middle of writes. Nothing is lost, nothing is there twice, no write is half done,
# and searches go on. shared_pool.py does it and prints TAP. 300 writes; FILM_TEST_LONG: 10,000 (WRITES sets another
# number) and longer silences.
source "$(dirname "$0")/../cli/tap.sh"
source "$ROOT/tests/lib/postgres.sh"
writes=${WRITES:-300}
[ -n "${WRITES:-}" ] || [ -z "${FILM_TEST_LONG:-}" ] || writes=10000
postgres_start || { finish; exit; }
sample 12 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --method svd --rank 8
database shared >uri
export PGTEST_DIR PGTEST_PORT PGTEST_BIN
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/e2e/shared_pool.py" "$FILM" "$ROOT" "$writes" "$@"
