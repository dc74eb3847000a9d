#!/usr/bin/env bash
# film serve with models that carry a BERT encoder: FILM-BERT and the black box. serve_bert.py asks; it prints TAP itself.
source "$(dirname "$0")/tap.sh"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/golden/bert_folder.py" tiny --wide || exit 1
head -150 "$FAQ/train.tsv" >train.tsv
head -60 "$FAQ/heldout.tsv" >dev.tsv
"$FILM" train train.tsv --dev dev.tsv --bert tiny --cache none --dim 8 -q -o bert.film || exit 1
"$FILM" train train.tsv --dev dev.tsv --bert tiny --method deep --set maps=2,3,4,6 --batch 16 -q -o deep.film || exit 1
rm -r tiny # the models hold all of it
for name in bert deep; do
    "$FILM" pool create $name.pool --model $name.film || exit 1
    "$FILM" pool add $name.pool "$FAQ/questions.tsv" -q || exit 1
done
"$PYTHON" "$ROOT/tests/cli/serve_bert.py" "$FILM" "$ROOT"
