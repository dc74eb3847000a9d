#!/usr/bin/env bash
# film train --method deep: the black box on the tokens of a BERT encoder, in one model file that every verb takes.
source "$(dirname "$0")/tap.sh"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/golden/bert_folder.py" tiny --wide || echo "Bail out! cannot make a folder"
"$PYTHON" "$ROOT/tests/golden/bert_folder.py" narrow || echo "Bail out! cannot make a folder"
head -150 "$FAQ/train.tsv" >train.tsv
head -60 "$FAQ/heldout.tsv" >dev.tsv
train() { "$FILM" train train.tsv --dev dev.tsv --bert tiny --method deep --set maps=2,3,4,6 --batch 16 "$@"; }
expect_status "train --method deep" 0 train -t 1 -o one.film
expect_status "again" 0 train -t 1 -q -o two.film
check "the same seed and thread count give the same bytes" cmp one.film two.film
expect_status "two threads" 0 train -t 2 -q -o two.film
expect_status "with the N-pair loss" 0 train -t 1 -q --set loss=npair -o other.film
check "it is another" fails_with 1 cmp -s one.film other.film
expect_status "another seed" 0 train -t 1 -q --seed 2 -o other.film
check "is another too" fails_with 1 cmp -s one.film other.film

# Few steps: all vectors are alike.
sample 20 "$FAQ/heldout.tsv" >both.tsv
expect_status "few steps" 0 "$FILM" train train.tsv --dev both.tsv --bert tiny --method deep --set maps=2,3,4,6 -t 1 -q -o few.film
check "a network that is hardly better than chance is warned of" grep -qx \
    'film: warning: after [0-9]* steps the network decides hardly better than chance; train for longer (--epochs) or leave out --method deep' err

# The comparison.
COMPARE=$ROOT/examples/blackbox/run
expect_status "the comparison without an encoder" 1 "$PYTHON" "$COMPARE"
check "says what it needs" grep -q '^give a folder with a BERT encoder' err
expect_status "the comparison" 0 env FILM="$FILM" "$PYTHON" "$COMPARE" tiny train.tsv dev.tsv --rows 120 --dev-rows 40 --csv all.csv
check "has a row for each system" test "$(grep -c '^| [A-Zbe]' out)" -eq 7
check "and as CSV" test "$(wc -l <all.csv)" -eq 8
cat >page.py <<'EOF'
import json, re, sys
d = json.loads(re.search(r'id="page-data">(.*?)</script>', open(sys.argv[1]).read(), re.S).group(1))
exec(sys.argv[2])
EOF
check "and in the report, with FILM's own row marked" "$PYTHON" page.py blackbox.html '
assert [one["name"] for one in d["others"] if one["own"]] == ["FILM"], d["others"]'
check "with what each explains" "$PYTHON" page.py blackbox.html '
assert len(d["others"]) == 7 and any(one["explained"] for one in d["others"]), d["others"]'

rm -r tiny # one file holds all of it
expect_status "info" 0 "$FILM" info one.film
check "names the method" grep -q deep out
"$FILM" info one.film --json >info.json
expect_status "a report" 0 "$FILM" report one.film -q -o one.html
check "has the loss that the training stored" "$PYTHON" page.py one.html '
kept = json.load(open("info.json"))["figures"]["network"]
assert len(kept["history"]) > 0 and d["figures"]["network"]["history"] == kept["history"], d["figures"]'
expect_status "match" 0 "$FILM" match one.film "is my card lost" "the card is lost"
check "says that nothing is explained" grep -q 'A network that cannot be explained$' out
expect_status "explain" 0 "$FILM" explain one.film --pair "is my card lost" "the card is lost"
check "says so too" grep -q 'A network that cannot be explained$' out
expect_output "a dimension" 1 "film: the dimensions of a black box (method deep) cannot be explained" \
    "$FILM" explain one.film --dim 0
expect_output "embed" 0 '{"rows": 1, "dim": 6, "skipped": 0}' \
    "$FILM" embed one.film <(echo how is my card) -q --json -o v.npy
expect_status "predict" 0 "$FILM" predict one.film dev.tsv -q -o many.tsv
check "a probability for every pair" test "$(wc -l <many.tsv)" -eq "$(wc -l <dev.tsv)"
expect_status "eval" 0 "$FILM" eval one.film dev.tsv
expect_status "pool create" 0 "$FILM" pool create faq.pool --model one.film
expect_status "pool add" 0 "$FILM" pool add faq.pool "$FAQ/questions.tsv" -q
expect_status "search" 0 "$FILM" search faq.pool "how do I reset my password" -k 3

bad() { expect_output "$1" "$2" "$3" "$FILM" train train.tsv --method deep -o x.film "${@:4}"; }
bad "no encoder" 1 "film: method deep needs a BERT encoder or word vectors; give one of them"
bad "an encoder with short vectors" 1 "film: deep network: supported are 32 to 512 tokens of 32 to 4096 numbers and 1 to \
1024 maps per layer, not 32 tokens of 24 numbers and 16,32,32,16 maps" --bert narrow
bad "a full decision" 1 "film: method deep has no full decision; leave the method out to learn a decision with the same vectors" --bert narrow --decision full
bad "another similarity" 1 "film: method deep supports only the similarity cosine; choose it or leave it out" --bert narrow --sim dot
bad "a length of one's own" 1 "film: method deep derives dim from its maps and its input; do not set dim" \
    --bert narrow --dim 7
bad "no maps" 1 "film: maps: choose four numbers from 1 to 1024" --bert narrow --set maps=1,0,1,1
bad "too few tokens" 1 "film: tokens 31: choose a number from 32 to 512" --bert narrow --set tokens=31
expect_status "maps that are none" 1 "$FILM" train train.tsv --method deep --set maps=1,2 -o x.film
check "are reported" grep -q 'four whole numbers' err
check "nothing is left" test ! -e x.film
finish
