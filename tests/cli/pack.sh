#!/usr/bin/env bash
# film pack: size, the same answers up to rounding, every verb, damaged files. Its arrays are compared by tests/golden/packed.py.
source "$(dirname "$0")/tap.sh"
heldout=$FAQ/heldout.tsv
trained m.film "$FAQ/train.tsv" --method svd --rank 32 --bits 32

run "$FILM" pack m.film -o small.film
check "prints both sizes" grep -qE '^[0-9.]+ MB to [0-9.]+ MB$' out
run "$FILM" pack m.film --bits 8 -o eight.film --json
check "--json prints them as numbers" "$PYTHON" -c 'import json, os, sys; d = json.load(open("out"))
sys.exit(d != {"before": os.path.getsize("m.film"), "after": os.path.getsize("eight.film")})'
check "a quarter with 6 bits, a third with 8" test $((4 * $(wc -c <small.film))) -le "$(wc -c <m.film)" -a \
    $((3 * $(wc -c <eight.film))) -le "$(wc -c <m.film)"
for packed in small eight; do
    check "$packed: NumPy finds the same arrays, rounded" test \
        "$("$PYTHON" "$ROOT/tests/golden/packed.py" m.film $packed.film 2>&1 | tail -n 1)" = ok
done
trained grams.film "$FAQ/train.tsv" --method svd --rank 8 --features word,char --decision threshold --bits 32
for bits in 6 4; do
    "$FILM" pack grams.film --bits $bits -o grams$bits.film -q
    check "$bits bits: the n-grams of a word keep their sum" test \
        "$("$PYTHON" "$ROOT/tests/golden/packed.py" grams.film grams$bits.film 2>&1 | tail -n 1)" = ok
done
check "4 bits are smaller than 6" test "$(wc -c <grams4.film)" -lt "$(wc -c <grams6.film)"
check "packing twice gives the same bytes" eval '"$FILM" pack small.film -o again.film -q && cmp small.film again.film'
check "onto itself" eval 'cp m.film self.film && "$FILM" pack self.film -o self.film -q && cmp small.film self.film'

for model in m small eight; do "$FILM" predict $model.film "$heldout" -q >$model.tsv; done
near() { # FILE MEAN SHARE: the mean difference of the probabilities, and verdicts that change
    paste m.tsv "$1" | awk -F'\t' -v most="$2" -v share="$3" 'NR > 1 { d = $1 - $3; sum += d < 0 ? -d : d; other += $2 != $4 }
        END { print sum / (NR - 1), other / (NR - 1); exit !(NR > 1000 && sum / (NR - 1) < most && other / (NR - 1) < share) }'
}
check "8 bits: probabilities differ by 0.001 on average" near eight.tsv 0.001 0.01
check "6 bits: probabilities differ by 0.002 on average" near small.tsv 0.002 0.01
loss() { "$FILM" eval "$1" "$heldout" --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["log_loss"])'; }
check "the log loss stays within 0.005" "$PYTHON" -c 'import sys; sys.exit(abs(float(sys.argv[1]) - float(sys.argv[2])) > 0.005)' \
    "$(loss m.film)" "$(loss small.film)"
"$FILM" predict small.film "$heldout" -t 1 -q >one.tsv
check "thread counts agree" cmp one.tsv small.tsv

a="How do I reset my password?" b="I forgot my password, what can I do?"
check "match, explain, embed, search and dedup take it" eval '
    "$FILM" match small.film "$a" "$b" >/dev/null && "$FILM" explain small.film --word password | grep -q opposed &&
    "$FILM" explain small.film --dim 3 >/dev/null && "$FILM" embed small.film "$FAQ/questions.tsv" -o v.npy -q &&
    "$FILM" pool create p.pool --model small.film -q && "$FILM" pool add p.pool "$FAQ/questions.tsv" -q &&
    "$FILM" search p.pool "$a" >/dev/null && "$FILM" dedup small.film "$FAQ/questions.tsv" -q >/dev/null &&
    "$FILM" report small.film --eval "$heldout" -o r.html -q'
run "$FILM" info small.film --json
check "info shows that it is packed" "$PYTHON" -c 'import json, sys
sys.exit(json.load(open("out"))["settings"]["packed"] != {"bits": 6, "dim": 32})'
run "$FILM" pack small.film --bits 8 -o more.film
check "a packed model cannot get more bits" eval 'test $status -eq 1 && grep -q "packed with 6 bits; it cannot have more" err'
faq_model trained.film && check "training writes the same with 8 bits" cmp trained.film eight.film
run "$FILM" pack m.film
check "-o is needed" eval 'test $status -eq 1 && grep -q "o OUT is missing" err'
run "$FILM" pack m.film --bits 5 -o x.film
check "5 bits are refused" eval 'test $status -eq 1 && grep -q "bits 5" err'

"$PYTHON" - <<'END'
data = bytearray(open("small.film", "rb").read())
data[-1000] ^= 1
open("flipped.film", "wb").write(data)
open("cut.film", "wb").write(data[:-1000])
open("later.film", "wb").write(open("small.film", "rb").read().replace(b'"format_version":"3"', b'"format_version":"4"'))
END
for file in flipped cut; do
    run "$FILM" match $file.film "$a" "$b"
    check "a damaged file is refused: $file" eval 'test $status -eq 2 && grep -q "^film: $file.film" err'
done
run "$FILM" match later.film "$a" "$b"
check "a later format is refused" test $status -eq 2
finish
