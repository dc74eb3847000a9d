#!/usr/bin/env bash
# film serve: every endpoint, every refusal (serve_access.sh: limits and tokens, serve_reload.sh: signals). serve.py sends
# requests; it prints TAP itself.
source "$(dirname "$0")/tap.sh"
sample 8 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --dim 12 --seed 1
trained other.film train.tsv --method svd --rank 8 --seed 1
"$FILM" pool create faq.pool --model faq.film || exit 1
"$FILM" pool add faq.pool "$FAQ/questions.tsv" -q || exit 1
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/serve.py" "$FILM" "$ROOT"
