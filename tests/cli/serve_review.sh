#!/usr/bin/env bash
# Review over HTTP: pairs to label, answers, the estimate of the accuracy, two reviewers at once, kill -9.
source "$(dirname "$0")/tap.sh"
sample 8 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --method svd --rank 8 --seed 1
"$FILM" pool create faq.pool --model faq.film || exit 1
"$FILM" pool add faq.pool "$FAQ/questions.tsv" -q || exit 1
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/serve_review.py" "$FILM" "$ROOT"
