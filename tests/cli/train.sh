#!/usr/bin/env bash
# film train: every kind of input and option; the same seed and threads give the same bytes.
source "$(dirname "$0")/tap.sh"
OPTIONS="--rank 12 -q"

# trains NAME OPTIONS...: trains with them, keeps NAME.film and its JSON as NAME.json.
trains() {
    local name=$1; shift
    expect_status "train: $name" 0 "$FILM" train $OPTIONS --json -o "$name.film" "$@"
    mv out "$name.json"
    [ -s "$name.film" ] || not_ok "$name.film is there"
}
# has NAME TEXT: the JSON of that training holds TEXT.
has() { check "$1: $2" grep -qF -- "$2" "$1.json"; }

trains plain "$FAQ/train.tsv"
has plain '"labels":"pairs"'
has plain '"threshold_from":"train"'
has plain '"dim":12'
has plain '"rows":4876'
trains dev "$FAQ/train.tsv" --dev "$FAQ/heldout.tsv"
has dev '"threshold_from":"dev"'
has dev '"threshold_pairs":1174'
head -1200 "$FAQ/train.tsv" >part.tsv
for features in word bigram char word,bigram word,char bigram,char char,bigram,word; do
    trains "$features" part.tsv --features "$features" --max-features 500
    has "$features" "\"features\":[$(for group in word bigram char; do [[ ,$features, != *,$group,* ]] || echo "\"$group\""; done | paste -sd,)]"
    expect_status "match: $features" 0 "$FILM" match "$features.film" "I lost my card" "my card is gone"
done
trains stem "$FAQ/train.tsv" --stem english --stop english
has stem '"stem":"english"'
"$FILM" match --json stem.film "the cards" "a card" >out
check "stemming makes card of cards" bash -c '[ $(grep -o "\"text\": \"card\"" out | wc -l) -eq 2 ]'
printf 'card\n\nphone \n' >words
trains stopfile "$FAQ/train.tsv" --stop words
has stopfile '"stop":["card","phone"]'
trains small "$FAQ/train.tsv" --dim 5 --max-features 100 --min-df 3 --seed 7
has small '"dim":5'
has small '"word":100'
has small '"seed":7'
trains wide "$FAQ/questions.tsv" --rank 5000 --max-features 100
rank=$(grep -o '"rank":[0-9]*' wide.json | cut -d: -f2)
check "a rank beyond the data becomes theirs ($rank)" test "$rank" -le 100
trains categories "$FAQ/questions.tsv"
has categories '"labels":"categories"'
cut -f2 "$FAQ/questions.tsv" | tail -n +2 >lines.txt
trains lines lines.txt
has lines '"labels":"none"'
has lines '"rows":280'
check "without labels the summary says how the threshold came" bash -c \
    '"$0" train lines.txt --rank 4 -o x.film 2>&1 | grep -q "no labels to choose it by"' "$FILM"
trains two "$FAQ/train.tsv" "$FAQ/heldout.tsv"
has two '"rows":6050'

# ---- the same rows in another wrapping give the same model ----
same() { check "$1 gives the same model" cmp plain.film "$1.film"; }
expect_status "train: stdin" 0 bash -c 'cat "$1" | "$0" train '"$OPTIONS"' - -o stdin.film' "$FILM" "$FAQ/train.tsv"
same stdin
gzip -c "$FAQ/train.tsv" >train.tsv.gz
trains gz train.tsv.gz && same gz
if have "train: zst" zstd; then
    zstd -qc "$FAQ/train.tsv" >train.tsv.zst
    trains zst train.tsv.zst && same zst
fi
awk -F'\t' -v OFS=, '{ for (i = 1; i <= NF; i++) { gsub(/"/, "\"\"", $i); if (i > 1) $i = "\"" $i "\"" } print }' \
    "$FAQ/train.tsv" >train.csv
trains csv train.csv && same csv
awk -F'\t' 'NR > 1 { for (i = 2; i <= 3; i++) { gsub(/\\/, "\\\\", $i); gsub(/"/, "\\\"", $i) }
    printf "{\"label\": %s, \"question1\": \"%s\", \"question2\": \"%s\"}\n", $1, $2, $3 }' "$FAQ/train.tsv" >train.jsonl
trains jsonl train.jsonl && same jsonl
tail -n +2 "$FAQ/train.tsv" >bare.tsv
trains bare bare.tsv && same bare
trains columns bare.tsv --columns label,a,b --format tsv --labels pairs && same columns
sed 's/$/\r/' "$FAQ/train.tsv" >crlf.tsv
trains crlf crlf.tsv && same crlf
"$FILM" train $OPTIONS -o - "$FAQ/train.tsv" >dash.film
same dash
ln -s target.film link.film && : >target.film
trains link "$FAQ/train.tsv"
check "-o LINK writes what the link names" bash -c '[ -L link.film ] && cmp target.film plain.film'

# ---- reproducibility ----
for threads in 1 2; do
    for time in a b; do
        "$FILM" train -q --rank 16 --features word,char --max-features 1000 --seed 3 -t $threads "$FAQ/train.tsv" \
            --dev "$FAQ/heldout.tsv" -o "t$threads$time.film"
    done
    check "the same seed and $threads thread(s) give the same bytes" cmp "t${threads}a.film" "t${threads}b.film"
done
expect_status "FILM_THREADS is the default of -t" 0 env FILM_THREADS=2 "$FILM" train -q --rank 16 --features word,char \
    --max-features 1000 --seed 3 "$FAQ/train.tsv" --dev "$FAQ/heldout.tsv" -o env.film
check "and gives its bytes" cmp env.film t2a.film
sed -n '2~60p' "$FAQ/heldout.tsv" | head -20 >some.tsv
probabilities() {
    while IFS=$'\t' read -r _ a b; do
        "$FILM" match --json "$1" -- "$a" "$b" | sed 's/.*"probability": \([^,]*\),.*/\1/'
    done <some.tsv
}
check "one thread and two give the same answers to 1e-4" awk \
    'NR == FNR { p[FNR] = $1; next } { d = $1 - p[FNR]; if (d > 1e-4 || d < -1e-4) { print p[FNR], $1; bad = 1 } }
     END { exit bad || FNR != 20 }' <(probabilities t1a.film) <(probabilities t2a.film)

# ---- an independent reader ----
if have_numpy "read_safetensors.py opens the model"; then
    run "$PYTHON" "$ROOT/tests/golden/read_safetensors.py" plain.film
    check "read_safetensors.py opens the model" test "$status" -eq 0
    check "it finds the map" grep -qE '^tensor "L" F32 \[[0-9]+,12\]' out
    run "$PYTHON" "$ROOT/tests/golden/read_safetensors.py" --checksums plain.film
    check "its checksums are the documented ones ($(cat out))" grep -qE '^(ok|no libxxhash)$' out
fi

# ---- info ----
run "$FILM" info plain.film
check "info shows settings, sizes and figures" bash -c 'for w in settings sizes figures; do grep -qx "$w" out || exit 1; done'
run "$FILM" info --json plain.film
check "info --json is train --json without the times" diff out <(sed 's/,"seconds":{[^}]*}//' plain.json)
check "no temporary file is left" bash -c '! ls | grep tmp-'
finish
