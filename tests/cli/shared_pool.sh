#!/usr/bin/env bash
# A pool in PostgreSQL answers as an SQLite file does, refuses what its user may not do, and never tells a password.
# shared_pool.py asks and prints TAP. What happens when things break: tests/e2e/shared_pool.sh.
source "$(dirname "$0")/tap.sh"
source "$ROOT/tests/lib/postgres.sh"
postgres_start || { finish; exit; }
faq_model faq.film || exit 1
awk 'NR % 4 == 1 || /^(card-lost|card-stolen|badge-lost|parcel-where)\t/' "$FAQ/questions.tsv" >questions.tsv
database answers >uri
export PGTEST_DIR PGTEST_PORT PGTEST_BIN PGTEST_PASSWORD
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/shared_pool.py" "$FILM" "$ROOT"
