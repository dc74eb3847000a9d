#!/usr/bin/env bash
# Models without labels and with few: duplicates of the FAQ example against its clusters, sentences and labels together.
source "$(dirname "$0")/tap.sh"
cut -f 4 "$FAQ/clusters.tsv" | tail -n +2 >faq.txt

# Prints precision and recall in per mille, and the largest cluster, of the clusters that film dedup wrote for faq.txt.
judge() {
    awk -F '\t' '
        FNR == 1 { file++; next }
        file == 1 { group[FNR - 1] = $1; size[$1]++; next }
        { split(members[$1], seen, " "); for (i in seen) { both++; right += group[seen[i]] == group[$2] }
          members[$1] = members[$1] " " $2; n = split(members[$1], seen, " "); if (n > most) most = n }
        END { for (c in size) all += size[c] * (size[c] - 1) / 2
              print int(1000 * right / both), int(1000 * right / all), most }' "$FAQ/clusters.tsv" "$1"
}

# ---- without labels ----
"$FILM" train faq.txt -o none.film 2>err
check "training without labels says what to expect" grep -q '^without labels: finds near copies' err
"$FILM" dedup none.film faq.txt -q -o none.tsv
read -r precision recall most <<<"$(judge none.tsv)"
check "precision without labels is at least 0.90: 0.$precision" test "$precision" -ge 900
check "recall without labels is at least 0.10: 0.$recall" test "$recall" -ge 100
check "swapping the sentences changes nothing" bash -c '
    printf "a\tb\nlost card\tcard lost today\n" >ab.tsv; printf "a\tb\ncard lost today\tlost card\n" >ba.tsv
    cmp <("$0" predict none.film ab.tsv -q) <("$0" predict none.film ba.tsv -q)' "$FILM"
run "$FILM" info none.film --json
check "words and letters are the features" grep -q '"features":\["word","char"\]' <(tr -d ' \n' <out)

# ---- ten reviewed pairs ----
awk -F '\t' -v OFS='\t' '{ print NR == 1 ? "id" : NR - 1, $4 }' "$FAQ/clusters.tsv" >texts.tsv
"$FILM" pool create faq.pool --model none.film
"$FILM" pool add faq.pool texts.tsv -q
check "a pool without labels trains a model" bash -c '"$0" train --pool faq.pool --json -o bare.film | tr -d " \n" >out &&
    grep -q "\"labels\":\"none\"" out && grep -q "\"sentences\":1400" out' "$FILM"
"$FILM" dedup faq.pool --review 10 -q -o review.tsv
awk -F '\t' -v OFS='\t' '
    NR == FNR { if (FNR > 1) group[FNR - 1] = $1; next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
    { $at["same"] = group[$at["id_a"]] == group[$at["id_b"]] ? "yes" : "no"; print }' "$FAQ/clusters.tsv" review.tsv >answered.tsv
check "ten pairs are reviewed" test "$(grep -cE '(^|	)(yes|no)(	|$)' answered.tsv)" = 10
"$FILM" pool label faq.pool --from answered.tsv -q
run "$FILM" train --pool faq.pool -o ten.film
check "with ten labels the vocabulary comes from all sentences" grep -q 'ten.film: 10 pairs, 1,400 sentences' err
check "and training says what they do" grep -qx \
    'below 300 labels only weights and threshold are learned from them; these labels do not support a change' err
"$FILM" dedup ten.film faq.txt -q -o ten.tsv
read -r ten_precision ten_recall ten_most <<<"$(judge ten.tsv)"
check "ten labels cost no precision: 0.$ten_precision" test "$ten_precision" -ge "$precision"
check "and no recall: 0.$ten_recall" test "$ten_recall" -ge "$recall"
check "and make no large cluster: $ten_most" test "$ten_most" -le "$most"

# ---- two pairs ----
# One of one right on each label: at least 2.5 % with 95 % confidence, so 1 - sqrt(2 * 0.975^2) / 2 = 0.31.
printf 'label\ta\tb\n1\treset my password\thow do I reset my password\n0\topening hours\twhere is my parcel\n' >two.tsv
run "$FILM" train two.tsv -o two.film
check "two pairs have a wide interval" grep -q 'balanced accuracy 100.0 %, 31 to 100 (cross-validated on 2 pairs)$' err
check "and change nothing" grep -qx 'below 300 labels only weights and threshold are learned from them; these labels do not support a change' err

# ---- sentences and labels together ----
head -201 "$FAQ/train.tsv" | awk 'NR == 1 || NR % 2' >some.tsv
rows=$(($(wc -l <some.tsv) - 1))
all=$(cat faq.txt <(tail -n +2 some.tsv | cut -f 2,3 | tr '\t' '\n') | sort -u | wc -l)
for files in "faq.txt some.tsv" "some.tsv faq.txt"; do
    # shellcheck disable=SC2086
    run "$FILM" train $files --json -o both.film
    check "$files: $rows rows, $all sentences" grep -q "\"rows\":$rows,\"sentences\":$all," <(tr -d ' \n' <out)
done
run "$FILM" train faq.txt some.tsv --decision threshold --json -o threshold.film
held=$(tr -d ' \n' <out | grep -o '"held_out_rows":[0-9]*' | cut -d : -f 2)
check "rows held out of training leave the plain sentences: $held" bash -c '
    [ "$2" -gt 0 ] && "$0" info threshold.film --json | tr -d " \n" | grep -q "\"word\":" &&
    "$0" train some.tsv --decision threshold --json -o less.film >less.json &&
    words() { tr -d " \n" <"$1" | grep -o "\"features\":{\"word\":[0-9]*" | grep -o "[0-9]*$"; } &&
    [ "$(words out)" -gt "$((2 * $(words less.json)))" ]' "$FILM" x "$held"
printf 'text,category\nlost card,card\nbad app,app\n' >kinds.csv
expect_output "two kinds of labels are refused" 2 \
    'film: kinds.csv has categories, the preceding files have labelled pairs; train on one kind at a time' \
    "$FILM" train faq.txt some.tsv kinds.csv -o x.film

# ---- a few hundred labels of a file ----
{ head -1 "$FAQ/train.tsv"; tail -n +2 "$FAQ/train.tsv" | awk 'NR % 24 == 1'; } >few.tsv
run "$FILM" train faq.txt few.tsv -o few.film
check "200 labels change the line" grep -qx 'below 300 labels only weights and threshold are learned from them; they changed' err
"$FILM" dedup few.film faq.txt -q -o few_clusters.tsv
read -r few_precision few_recall _ <<<"$(judge few_clusters.tsv)"
check "200 labels cost no precision: 0.$few_precision" test "$few_precision" -ge "$((precision - 5))"
check "and no recall: 0.$few_recall" test "$few_recall" -ge "$((recall - 2))"
accuracy() { "$FILM" predict "$1" "$FAQ/heldout.tsv" -q | paste - "$FAQ/heldout.tsv" | awk -F '\t' 'NR > 1 { right += $2 == $3 } END { print right }'; }
check "and accuracy rises: $(accuracy few.film) against $(accuracy none.film)" test "$(accuracy few.film)" -gt "$(accuracy none.film)"

# ---- a file of 320 labels, and no other sentence ----
{ head -1 "$FAQ/train.tsv"; tail -n +2 "$FAQ/train.tsv" | awk 'NR % 15 == 1' | head -320; } >alone.tsv
"$FILM" train alone.tsv -q -o alone.film
"$FILM" dedup alone.film faq.txt -q -o alone_clusters.tsv
read -r alone_precision alone_recall _ <<<"$(judge alone_clusters.tsv)"
check "320 labels alone cost no precision: 0.$alone_precision" test "$alone_precision" -ge "$((precision - 40))"
check "and no recall: 0.$alone_recall" test "$alone_recall" -ge "$((recall - 10))"
check "and accuracy rises: $(accuracy alone.film)" test "$(accuracy alone.film)" -gt "$(accuracy few.film)"
finish
