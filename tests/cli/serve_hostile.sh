#!/usr/bin/env bash
# film serve against clients that mean harm: memory, queues, deadlines, clients that leave, files that change underneath.
# serve_hostile.py asks; it prints TAP itself.
source "$(dirname "$0")/tap.sh"
sample 8 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --dim 12 --seed 1
"$FILM" pool create faq.pool --model faq.film || exit 1
"$FILM" pool add faq.pool "$FAQ/questions.tsv" -q || exit 1
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/serve_hostile.py" "$FILM" "$ROOT"
