#!/usr/bin/env bash
# Thresholds and clusters of a pool over HTTP and on the command line: estimates against numpy, edits that dedup obeys,
# removal of labels, kill -9.
source "$(dirname "$0")/tap.sh"
"$PYTHON" -c 'import numpy' 2>/dev/null || { skip "thresholds and clusters" "no numpy"; finish; exit; }
sample 8 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --method svd --rank 8 --seed 1
"$FILM" pool create faq.pool --model faq.film || exit 1
"$FILM" pool add faq.pool "$FAQ/questions.tsv" -q || exit 1
cp faq.pool other.pool
"$FILM" pool threshold other.pool 0.3 -q || exit 1 # questions.tsv has no duplicates: wrong clusters are clusters too
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/serve_view.py" "$FILM" "$ROOT"
