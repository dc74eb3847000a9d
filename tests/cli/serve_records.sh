#!/usr/bin/env bash
# Records over HTTP: a served pool of records, explained, searched, deduplicated, reviewed; unknown fields.
source "$(dirname "$0")/tap.sh"
"$PYTHON" "$ROOT/tests/cli/records.py" || exit 1
trained shop.film train.jsonl
"$FILM" pool create shop.pool --model shop.film -q || exit 1
"$FILM" pool add shop.pool single.csv -q || exit 1
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/serve_records.py" "$FILM" "$ROOT"
