#!/usr/bin/env bash
# film train: every kind of input and option; the same seed and threads give the same bytes.
source "$(dirname "$0")/tap.sh"
OPTIONS="--rank 12 --decision threshold -q"
sample 8 "$FAQ/train.tsv" >pairs.tsv

# trains NAME OPTIONS...: trains with them, keeps NAME.film and its JSON as NAME.json.
trains() {
    local name=$1; shift
    expect_status "train: $name" 0 "$FILM" train $OPTIONS --json -o "$name.film" "$@"
    mv out "$name.json"
    [ -s "$name.film" ] || not_ok "$name.film is there"
}
# has NAME TEXT: the JSON of that training holds TEXT.
has() { check "$1: $2" grep -qF -- "$2" "$1.json"; }

# ---- methods, similarities and labels ----
trains auto pairs.tsv --dim 12
has auto '"labels":"pairs"'
has auto '"method":"rank"'
has auto '"rows":610'
has auto '"held_out_rows":122'
has auto '"threshold_from":"held out"'
has auto '"dim":12'
trains dev pairs.tsv --dev "$FAQ/heldout.tsv" --dim 12
has dev '"threshold_from":"dev"'
has dev '"threshold_pairs":1174'
run "$FILM" train pairs.tsv --decision threshold --dim 8 -o x.film
check "the summary prints what was held out" grep -qE '^similarity threshold [0-9.-]+; balanced accuracy [0-9.]+ %, [0-9]+ to [0-9]+ \(on 122 pairs held out from training\)' err
run "$FILM" train pairs.tsv --decision threshold --method svd --rank 8 -o x.film
check "svd learns nothing from labels and holds nothing out" grep -q '(on 610 pairs of the training data; new pairs are harder)' err
printf 'text,category\nhow do I pay,pay\nwhere is my bill,bill\nhow to pay online,pay\nmy bill is wrong,bill\n' >few.csv
run "$FILM" train few.csv -o x.film
check "four rows of categories are six pairs" grep -q '(on 6 pairs of the training data; new pairs are harder)' err
for method in svd film rank; do
    for sim in cosine dot euclidean; do
        extra="--dim 8"
        [ $method != film ] || extra="$extra --iterations 2 --set positives=1 --set hard=1 --set random=1"
        trains $method-$sim pairs.tsv --method $method --sim $sim $extra
        has $method-$sim "\"method\":\"$method\""
        has $method-$sim "\"similarity\":\"$sim\""
        expect_status "match: $method-$sim" 0 "$FILM" match --json $method-$sim.film "I lost my card" "my card is gone"
        check "$method-$sim: the similarity fits its kind ($(grep -o '"similarity": [^,]*' out))" awk -v sim=$sim '{ sub(/.*"similarity": /, ""); x = $1 + 0
            exit !(sim == "cosine" ? x > -1.001 && x < 1.001 : sim == "dot" || x <= 0) }' out
    done
    cmp -s $method-cosine.film $method-dot.film && not_ok "$method: --sim changes the model"
done
has film-cosine '"stopped":"iterations"'
trains films pairs.tsv --method film --set init=eigen --set power=1 --set margin=0.5 --set positives=2 --set labelled=2 --set hard=2 --set random=2 \
    --iterations 3 --set epsilon=0 --set least-change=0 --set rho=1e-3 --set gamma=0 --set shrink=0.5 --set first-step=0.01 --dim 8
check "film with every option of its own differs" bash -c '! cmp -s films.film film-cosine.film'
trains ranks pairs.tsv --epochs 1 --batch 64 --set rate=0.1 --set temperature=20 --dim 8
check "rank with every option of its own differs" bash -c '! cmp -s ranks.film rank-cosine.film'
trains wider pairs.tsv --dim 20 --rank 12
has wider '"dim":20'
sed -n '1p; /^1/p' pairs.tsv >ones.tsv
for method in svd film rank; do
    run "$FILM" train ones.tsv --method $method --rank 12 --dim 8 --iterations 1 --decision threshold -o ones.film
    check "$method: where all pairs are the same, random ones stand for the different" \
        grep -qE '^no pair is labelled "different": [0-9,]+ random pairs took their place$' err
    run "$FILM" match ones.film "I lost my card" "which languages do you speak"
    check "$method: and not everything is the same" grep -q '^different' out
done
sed -n '1p; /^0/p' pairs.tsv >zeros.tsv
run "$FILM" train zeros.tsv --method svd --rank 8 -o x.film
check "and there is too little for a full decision" grep -qx 'too few labelled pairs for the full decision; uses a similarity threshold' err
check "where no pair is the same, svd chooses the threshold without labels" grep -q 'none is labelled "same"' err
printf 'label\tquestion1\tquestion2\n1\tlost card\tcard lost\n0\tphone broken\tphone black\n' >tiny.tsv
trains tiny tiny.tsv --min-df 1
has tiny '"threshold_from":"train"' # nothing can be held out of two rows
trains categories "$FAQ/questions.tsv" --dim 8
has categories '"labels":"categories"'
trains scores <(awk -F'\t' 'NR == 1 { print "score\tsentence1\tsentence2"; next } { print $1 * 3 + NR % 3 "\t" $2 "\t" $3 }' pairs.tsv) --dim 8
has scores '"labels":"scores"'
trains triplets <(awk -F'\t' 'NR == 1 { print "anchor\tpositive\tnegative" } NR > 1 { if ($1 && last) print $2 "\t" $3 "\t" last; last = $2 }' pairs.tsv) --dim 8
has triplets '"labels":"triplets"'
cut -f2 "$FAQ/questions.tsv" | tail -n +2 >lines.txt
trains lines lines.txt
has lines '"labels":"none"'
has lines '"method":"svd"'
has lines '"rows":280'
check "without labels the summary explains the threshold" bash -c \
    '"$0" train lines.txt --rank 4 -o x.film 2>&1 | grep -q "random pairs (no labels)"' "$FILM"

# ---- the full decision ----
OPTIONS="--rank 12 --dim 12 -q"
trains full pairs.tsv
has full '"threshold_from":"folds"'
has full '"traits":["words_min",'
has full '"memory":{"questions":'
run "$FILM" train pairs.tsv --dim 12 -o x.film
check "the summary prints the threshold and the balanced accuracy" grep -qE '^threshold 0\.[0-9]{2,3}; balanced accuracy [0-9.]+ %(, [0-9]+ to [0-9]+)? \(out of fold on [0-9,]+ pairs; new pairs are harder\)$' err
trains full-dev pairs.tsv --dev "$FAQ/heldout.tsv"
has full-dev '"threshold_from":"dev"'
"$FILM" eval full-dev.film "$FAQ/heldout.tsv" --no-memory -k 0 --bootstrap 0 --operating accuracy --json -q >eval.json
check "the threshold of a full decision is the dev file's too" "$PYTHON" -c 'import json
trained, measured = (json.load(open(name)) for name in ("full-dev.json", "eval.json"))
assert abs(trained["figures"]["operating"]["accuracy"] - measured["operating"]["accuracy"]) < 1e-5, (trained["figures"]["operating"], measured["operating"])'
trains no-memory pairs.tsv --no-memory
check "without memory the file has none" bash -c '! grep -qa "memory\.cluster" no-memory.film && grep -qa "memory\.cluster" full.film'
expect_output "too few pairs for --decision full" 2 \
    'film: too few labelled pairs for a full decision; each of the five folds needs pairs labelled same and different; add rows or use decision threshold' \
    "$FILM" train tiny.tsv --min-df 1 --decision full -q -o x.film
OPTIONS="--rank 12 --decision threshold -q"

# ---- features ----
for features in word bigram char word,bigram word,char bigram,char char,bigram,word; do
    trains "$features" pairs.tsv --features "$features" --max-features 500 --dim 8
    has "$features" "\"features\":[$(for group in word bigram char; do [[ ,$features, != *,$group,* ]] || echo "\"$group\""; done | paste -sd,)]"
    expect_status "match: $features" 0 "$FILM" match "$features.film" "I lost my card" "my card is gone"
done
trains stem pairs.tsv --method svd --stem english --stop english
has stem '"stem":"english"'
"$FILM" match --json stem.film "the cards" "a card" >out
check "stemming makes card of cards" bash -c '[ $(grep -o "\"text\": \"card\"" out | wc -l) -eq 2 ]'
printf 'card\n\nphone \n' >words
trains stopfile pairs.tsv --method svd --stop words
has stopfile '"stop":["card","phone"]'
trains small pairs.tsv --method svd --dim 5 --max-features 100 --min-df 3 --seed 7
has small '"dim":5'
has small '"word":100'
has small '"seed":7'
trains wide "$FAQ/questions.tsv" --method svd --rank 5000 --max-features 100
rank=$(grep -o '"rank":[0-9]*' wide.json | cut -d: -f2)
check "a rank beyond the data becomes theirs ($rank)" test "$rank" -le 100
trains two pairs.tsv "$FAQ/heldout.tsv" --method svd
has two '"rows":1784'

# ---- the same rows in another wrapping give the same model ----
OPTIONS="--method svd --rank 12 --decision threshold -q"
trains plain pairs.tsv
same() { check "$1 gives the same model" cmp plain.film "$1.film"; }
expect_status "train: stdin" 0 bash -c 'cat "$1" | "$0" train '"$OPTIONS"' - -o stdin.film' "$FILM" pairs.tsv
same stdin
gzip -c pairs.tsv >train.tsv.gz
trains gz train.tsv.gz && same gz
if have "train: zst" zstd; then
    zstd -qc pairs.tsv >train.tsv.zst
    trains zst train.tsv.zst && same zst
fi
awk -F'\t' -v OFS=, '{ for (i = 1; i <= NF; i++) { gsub(/"/, "\"\"", $i); if (i > 1) $i = "\"" $i "\"" } print }' \
    pairs.tsv >train.csv
trains csv train.csv && same csv
awk -F'\t' 'NR > 1 { for (i = 2; i <= 3; i++) { gsub(/\\/, "\\\\", $i); gsub(/"/, "\\\"", $i) }
    printf "{\"label\": %s, \"question1\": \"%s\", \"question2\": \"%s\"}\n", $1, $2, $3 }' pairs.tsv >train.jsonl
trains jsonl train.jsonl && same jsonl
tail -n +2 pairs.tsv >bare.tsv
trains bare bare.tsv && same bare
trains columns bare.tsv --columns label,a,b --format tsv --labels pairs && same columns
sed 's/$/\r/' pairs.tsv >crlf.tsv
trains crlf crlf.tsv && same crlf
"$FILM" train $OPTIONS -o - pairs.tsv >dash.film
same dash
ln -s target.film link.film && : >target.film
trains link pairs.tsv
check "-o LINK writes what the link names" bash -c '[ -L link.film ] && cmp target.film plain.film'

# ---- reproducibility ----
for method in svd film rank; do
    options="--method $method --rank 16 --dim 8 --features word,char --max-features 1000 --seed 3 --iterations 3 --decision threshold -q"
    for threads in 1 2; do
        for time in a b; do "$FILM" train $options -t $threads pairs.tsv -o "$method-$threads$time.film"; done
        check "$method: the same seed and $threads thread(s) give the same bytes" cmp "$method-${threads}a.film" "$method-${threads}b.film"
    done
done
expect_status "FILM_THREADS is the default of -t" 0 env FILM_THREADS=2 "$FILM" train $options pairs.tsv -o env.film
check "and gives its bytes" cmp env.film rank-2a.film
probabilities() { "$FILM" predict "$1" "$FAQ/heldout.tsv" -q | cut -f1 | tail -n +2; }
for method in svd film rank; do
    check "$method: one thread and two give the same answers to 1e-4" awk \
        'NR == FNR { p[FNR] = $1; next } { d = $1 - p[FNR]; if (d > 1e-4 || d < -1e-4) { print p[FNR], $1; bad = 1 } }
         END { exit bad || FNR != 1174 }' <(probabilities $method-1a.film) <(probabilities $method-2a.film)
done

# ---- an independent reader ----
if have_numpy "read_safetensors.py opens the model"; then
    run "$PYTHON" "$ROOT/tests/golden/read_safetensors.py" plain.film
    check "read_safetensors.py opens the model" test "$status" -eq 0
    check "it finds the map" grep -qE '^tensor "L" I8 \[[0-9]+,12\]' out
    run "$PYTHON" "$ROOT/tests/golden/read_safetensors.py" --checksums plain.film
    check "its checksums are the documented ones ($(cat out))" grep -qE '^(ok|no libxxhash)$' out
    faq_model svd.film
    run "$PYTHON" "$ROOT/tests/golden/model_file.py" "$FILM" svd.film "$FAQ/train.tsv"
    check "model_file.py finds in the file what film explain prints" grep -qx ok out
fi

# ---- info ----
run "$FILM" info plain.film
check "info shows settings, sizes and figures" bash -c 'for w in settings sizes figures; do grep -qx "$w" out || exit 1; done'
run "$FILM" info --json plain.film
check "info --json is train --json without the times" diff out <(sed 's/,"seconds":{[^}]*}//' plain.json)
check "no temporary file is left" bash -c '! ls | grep tmp-'
finish
