#!/usr/bin/env bash
# film train --method mfilm: every kind of labels from a stream, memory that does not grow with it.
source "$(dirname "$0")/tap.sh"
OPTIONS="--method mfilm --rank 24 --dim 8 --set hard=2 --decision threshold -q --json"

# trains NAME OPTIONS...: trains with them, keeps NAME.film and its JSON as NAME.json.
trains() {
    local name=$1; shift
    expect_status "train: $name" 0 "$FILM" train $OPTIONS -o "$name.film" "$@"
    mv out "$name.json"
}
has() { check "$1: $2" grep -qF -- "$2" "$1.json"; }
# number NAME FIELD: a figure of that training.
number() { grep -oE "\"$2\":[0-9.e+-]+" "$1.json" | head -1 | cut -d: -f2; }

# Topics of 12 words each; the anchor and its positive come from one topic, the negative from another.
triplets() {
    awk -v rows="$1" 'BEGIN { srand(3); print "anchor\tpositive\tnegative"
        for (i = 0; i < rows; i++) { t = int(rand() * 40); u = (t + 1 + int(rand() * 39)) % 40
            print sentence(t) "\t" sentence(t) "\t" sentence(u) } }
        function sentence(topic,   line, w) { line = "common" int(rand() * 50)
            for (w = 0; w < 5; w++) line = line " t" topic "w" int(rand() * 12); return line }'
}

# ---- kinds of labels ----
trains pairs "$FAQ/train.tsv" --dev "$FAQ/heldout.tsv" --batch 300 --rank 150 --dim 50
has pairs '"method":"mfilm"'
has pairs '"threshold_from":"dev"'
has pairs '"rows":4876'
has pairs '"history_columns"'
check "several batches were seen" test "$(number pairs iterations)" -ge 10
check "the map separates the held-out pairs" awk -v a="$(number pairs balanced_accuracy)" 'BEGIN { exit !(a > 0.64) }'
trains categories "$FAQ/questions.tsv" --batch 100
has categories '"labels":"categories"'
triplets 3000 >three.tsv
trains three three.tsv --batch 200 --epochs 2
has three '"labels":"triplets"'
check "no full decision: the map has seen every pair" fails_with 2 "$FILM" train --method mfilm three.tsv --decision full -o full.film
awk -F'\t' -v OFS='\t' 'NR == 1 { print "score", "sentence1", "sentence2"; next } { print $1 * 5, $2, $3 }' "$FAQ/train.tsv" >scores.tsv
trains scores scores.tsv --labels scores --batch 300
trains basis "$FAQ/train.tsv" --dev "$FAQ/heldout.tsv" --batch 300 --set mfilm-basis=batch --epochs 1
has basis '"stopped":"end of data"'

# ---- holding out without a dev file ----
trains held three.tsv --batch 200 --epochs 1
check "too few held-out rows: the threshold comes from the sample" grep -q '"threshold_from":"train"' held.json
triplets 15000 | cut -f1-3 >many.tsv
awk -F'\t' -v OFS='\t' 'NR == 1 { print "label", "question1", "question2"; next } { print 1, $1, $2; print 0, $1, $3 }' many.tsv >many-pairs.tsv
trains dealt many-pairs.tsv --batch 1000 --epochs 1 --set sample=2000
has dealt '"threshold_from":"held out"'
check "about the asked share of the rows is learned from" awk -v rows="$(number dealt rows)" 'BEGIN { exit !(rows > 22500 && rows < 25500) }'

# ---- the input is read more than once ----
run bash -c 'cat "$1" | "$0" train --method mfilm - -o x.film' "$FILM" "$FAQ/train.tsv"
check "standard input is refused with a reason" bash -c '[ "$1" -eq 1 ] && grep -q "save it to a file first" err' _ "$status"
run bash -c '"$0" train --method mfilm <(cat "$1") --dev "$1" -o x.film' "$FILM" "$FAQ/train.tsv"
check "so is a pipe, once it turns out to be one" bash -c '[ "$1" -eq 2 ] || [ "$1" -eq 3 ]' _ "$status"
cut -f2 "$FAQ/questions.tsv" >lines.txt
expect_status "without labels there is nothing to learn" 2 "$FILM" train --method mfilm lines.txt -o x.film
expect_status "--batch 0 makes no sense" 1 "$FILM" train --method mfilm "$FAQ/train.tsv" --batch 0 -o x.film

# ---- reproducibility ----
"$FILM" train $OPTIONS three.tsv --batch 200 --epochs 2 -o again.film >/dev/null
check "the same seed gives the same bytes" cmp three.film again.film
"$FILM" train $OPTIONS three.tsv --batch 200 --epochs 2 --seed 2 -o other.film >/dev/null
check "another seed does not" bash -c '! cmp -s three.film other.film'

# ---- Ctrl-C ----
# At the thousandth report of progress reading and the SVD of the sample are over.
signal_at INT clock_gettime 1000 "" "$FILM" train $OPTIONS three.tsv --set sample=500 --batch 500 --epochs 100000 -o stopped.film
if [ "$status" -eq 4 ] && [ ! -e stopped.film ] && grep -q "^film: stopped during" err; then ok "Ctrl-C while the map is learned writes no model"
else not_ok "Ctrl-C while the map is learned writes no model" "exit code $status" "$(cat err)"; fi

# ---- memory ----
memory() { peak_memory "$FILM" train $OPTIONS "$1" --set sample=1000 --batch 512 --epochs 1 -t 2 -o memory.film; }
name="a hundred times the triplets take the same memory"
if is_sanitized; then skip "$name" "sanitizers keep memory of their own"
else
    triplets 2000 >small.tsv
    triplets 200000 >large.tsv
    memory small.tsv; small=$peak
    memory large.tsv; large=$peak
    if [ -z "$small" ]; then skip "$name" "no /usr/bin/time"
    else check "$name: $small and $large KB" test "$((large * 10))" -le "$((small * 12))"; fi
fi
finish
