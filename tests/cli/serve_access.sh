#!/usr/bin/env bash
# film serve: limits of bodies, lists, pools and connections, slow clients, tokens, other origins, logs. serve_access.py sends
# requests; it prints TAP itself.
source "$(dirname "$0")/tap.sh"
sample 8 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --dim 12 --seed 1
"$FILM" pool create faq.pool --model faq.film || exit 1
"$FILM" pool add faq.pool "$FAQ/questions.tsv" -q || exit 1
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/serve_access.py" "$FILM" "$ROOT"
