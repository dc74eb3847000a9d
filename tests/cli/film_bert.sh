#!/usr/bin/env bash
# film train --bert: a map on top of a BERT encoder, in one model file that every verb takes.
source "$(dirname "$0")/tap.sh"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/golden/bert_folder.py" tiny || echo "Bail out! cannot make a folder"
export XDG_CACHE_HOME=$PWD/xdg
head -400 "$FAQ/train.tsv" >train.tsv
head -120 "$FAQ/heldout.tsv" >dev.tsv
train() { "$FILM" train train.tsv --dev dev.tsv --bert tiny --dim 8 -t 1 "$@"; }
expect_status "train --bert" 0 train -o one.film
check "the vectors are cached where the user's caches are" bash -c 'ls xdg/film/*/*.vectors'
check "the first training found none" fails_with 1 grep -q 'read from the cache' err
expect_status "again" 0 train -o two.film
check "all vectors came from the cache" bash -c \
    'grep -qE "^([0-9,]+) of \1 vectors read from the cache$" err'
check "and the model is the same, byte by byte" cmp one.film two.film
printf 'junk' | tee xdg/film/*/*.vectors >/dev/null
expect_status "with a damaged cache" 0 train -o two.film
check "nothing comes from it" fails_with 1 grep -q 'read from the cache' err
check "and the model is still the same" cmp one.film two.film
expect_status "without a cache" 0 train --cache none -o two.film
check "the model is the same once more" cmp one.film two.film
expect_status "a cache of one's own" 0 train --cache own -q -o two.film
check "is used" bash -c 'ls own/*/*.vectors'
expect_status "a cache that cannot be written stops nothing" 0 train --cache /dev/null/x -o two.film
check "but is reported" grep -q '^vectors not cached: cannot create the folder' err

check "with --dev there is nothing to warn of" fails_with 1 grep -q 'overrates it' err
expect_status "without --dev" 0 "$FILM" train train.tsv --bert tiny --dim 8 -t 1 -o held.film
check "it reports what the encoder's weight is based on" grep -q \
    '^if the encoder was trained on this file, the model overrates it; pass pairs that it has not seen with --dev$' err
expect_status "its report" 0 "$FILM" report held.film -q -o held.html
check "tells it too" grep -q 'The weight of the encoder was learned on the training file' held.html

# ---- 8 bits ----
expect_status "train --round" 0 train --round -o round.film
check "the vectors of floats in the cache are not its own" fails_with 1 grep -q 'read from the cache' err
arithmetic() { "$FILM" info "$1" --json | jq -r .encoder.arithmetic; }
expect_output "info names the arithmetic of training" 0 "float int8 null" \
    echo "$(arithmetic one.film) $(arithmetic round.film) $(faq_model words.film && arithmetic words.film)"
for model in one round; do
    "$FILM" embed $model.film dev.tsv --columns -,text,- -q -o $model.npy
    "$FILM" embed $model.film dev.tsv --columns -,text,- -q --round -o $model.8.npy
    "$FILM" embed $model.film dev.tsv --columns -,text,- -q --no-round -o $model.32.npy
done
check "a model computes as it was trained unless told otherwise" cmp one.npy one.32.npy
check "with 8 bits, too" cmp round.npy round.8.npy
check "--round changes the vectors" fails_with 1 cmp -s one.npy one.8.npy
check "--no-round does" fails_with 1 cmp -s round.npy round.32.npy
"$FILM" embed tiny dev.tsv --columns -,text,- -q -o folder.npy
"$FILM" embed tiny dev.tsv --columns -,text,- -q --round -o folder.8.npy
check "a folder is rounded" fails_with 1 cmp -s folder.npy folder.8.npy
for verb in "predict one.film dev.tsv" "eval one.film dev.tsv --bootstrap 0" "match one.film a b" "explain one.film --pair a b" \
    "dedup one.film $FAQ/questions.tsv" "link one.film $FAQ/questions.tsv $FAQ/questions.tsv" "report one.film -o one.html"; do
    # shellcheck disable=SC2086
    expect_status "${verb%% *} --round" 0 "$FILM" $verb --round -q
    # shellcheck disable=SC2086
    expect_status "${verb%% *} --no-round" 0 "$FILM" $verb --no-round -q
done
expect_output "a model without an encoder has nothing to round" 1 \
    "film: the model has no BERT encoder; leave out the choice of its arithmetic" "$FILM" predict words.film dev.tsv --round
expect_output "nor has training" 1 "film: only a BERT encoder computes with 8 bits; give one" \
    "$FILM" train train.tsv --round -o x.film
"$FILM" pool create round.pool --model one.film && "$FILM" pool add round.pool "$FAQ/questions.tsv" -q
expect_status "search --round" 0 "$FILM" search round.pool "how do I reset my password" -k 3 -q --round
expect_status "dedup POOL --round" 0 "$FILM" dedup round.pool --round -q
expect_output "a pool that may grow is served as it was trained" 1 \
    "film serve: a pool stores vectors as its model was trained; with --round or --no-round, pass --read-only; see film serve --help" \
    "$FILM" serve round.pool --round
"$FILM" pool create rounded.pool --model round.film && "$FILM" pool add rounded.pool "$FAQ/questions.tsv" -q
expect_status "a pool of a rounded model stores its vectors" 0 "$FILM" pool check rounded.pool --full

rm -r tiny # one file holds all of it
expect_status "info" 0 "$FILM" info one.film
expect_status "match" 0 "$FILM" match one.film "how do I reset my password?" "reset the password"
check "names the encoder's part" bash -c '"$0" match one.film "is my card lost" "the card is lost" --json |
    "$PYTHON" -c "
import json, sys
v = json.load(sys.stdin)
total = v[\"bias\"] + sum(r[\"weight\"] for r in v[\"reasons\"])
sys.exit(abs(total - v[\"log_odds\"]) > 1e-6)"' "$FILM"
expect_status "explain --pair" 0 "$FILM" explain one.film --pair "is my card lost" "the card is lost"
check "prints the effect of removing a word" grep -q 'by the encoder; change when a word is removed:$' out
expect_status "explain --dim" 0 "$FILM" explain one.film --dim 3
check "goes back to the encoder's dimensions" grep -q '^dimensions of the encoder with the largest weights' out
expect_status "embed" 0 "$FILM" embed one.film <(echo how is my card) -q -o v.npy
expect_status "predict" 0 "$FILM" predict one.film dev.tsv -q -o many.tsv
check "a probability for every pair" test "$(wc -l <many.tsv)" -eq "$(wc -l <dev.tsv)"
expect_status "eval" 0 "$FILM" eval one.film dev.tsv
expect_status "dedup" 0 "$FILM" dedup one.film "$FAQ/questions.tsv" -q -o groups.tsv
expect_status "pool create" 0 "$FILM" pool create faq.pool --model one.film
expect_status "pool add" 0 "$FILM" pool add faq.pool "$FAQ/questions.tsv" -q
expect_status "search" 0 "$FILM" search faq.pool "how do I reset my password" -k 3
expect_status "pool check" 0 "$FILM" pool check faq.pool
expect_output "a method that cannot be learned there" 1 \
    "film: a BERT encoder needs method film, svd or deep; choose one of them" \
    "$FILM" train train.tsv --bert tiny --method rank -o x.film
expect_status "no such folder" 3 "$FILM" train train.tsv --bert nowhere -o x.film
check "names it" grep -q 'nowhere' err
check "and leaves nothing" test ! -e x.film
finish
