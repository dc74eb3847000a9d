#!/usr/bin/env bash
# Data as people have it: separators, encodings, workbooks, own headers, words for labels; ids and columns that pass
# through; a pool in place of a model. data.py writes the same rows in every form and compares what film reads.
source "$(dirname "$0")/tap.sh"
sample 12 "$FAQ/train.tsv" >train.tsv
trained m.film train.tsv --method svd --rank 4
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/data.py" "$FILM" "$ROOT"
