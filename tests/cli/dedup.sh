#!/usr/bin/env bash
# film dedup and film link: clusters, pairs, review, labels of a pool, training from them.
source "$(dirname "$0")/tap.sh"
sample 12 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --method svd --rank 8

cat >list.tsv <<'TSV'
id	text
1	I lost my card
2	how long does delivery take
3	I lost my card!
4	How long does delivery take?
5	i lost  my card
6	Can I pay by invoice
TSV
# The words are the same: no model takes part, and the probabilities are 1.
expect_output "records of the same words are one cluster" 0 "cluster	id	text	probability	representative
1	1	I lost my card	1.000000	*
1	3	I lost my card!	1.000000	
1	5	i lost  my card	1.000000	
2	2	how long does delivery take	1.000000	*
2	4	How long does delivery take?	1.000000	" "$FILM" dedup faq.film list.tsv --threshold 0.999 -q
expect_output "--pairs: each with the first" 0 "id_a	id_b	probability	text_a	text_b
2	4	1.000000	how long does delivery take	How long does delivery take?
1	3	1.000000	I lost my card	I lost my card!
1	5	1.000000	I lost my card	i lost  my card" bash -c '"$0" dedup faq.film list.tsv --threshold 0.999 --pairs -q | { read -r head; echo "$head"; sort -t"	" -k1,1r -k2,2; }' "$FILM"
expect_output "--json" 0 '{"cluster": 1, "id": "1", "text": "I lost my card", "probability": 1, "representative": true}' \
    bash -c '"$0" dedup faq.film list.tsv --threshold 0.999 --json | head -1' "$FILM"
printf 'id\ttext\n1\tred \033[31m\302\2332Jcard\177\n2\tred \033[31m\302\2332Jcard\177\n' >escapes.tsv
expect_output "escape sequences for a terminal become spaces" 0 "cluster	id	text	probability	representative
1	1	red  [31m 2Jcard 	1.000000	*
1	2	red  [31m 2Jcard 	1.000000	" "$FILM" dedup faq.film escapes.tsv --threshold 0.999 -q
check "--all lists every record once" test "$("$FILM" dedup faq.film list.tsv --threshold 0.999 --all -q | wc -l)" -eq 7
run "$FILM" dedup faq.film list.tsv --threshold 0.999 -o out.tsv
check "the figures go to standard error" grep -qE '^6 records, 3 distinct; [0-9]+ pairs? compared; 3 pairs at or above 0.999; 2 clusters with 5 records, largest 3$' err
run "$FILM" dedup faq.film list.tsv --threshold 0.999 -o out.tsv --json
check "--json with -o: the figures" grep -qE '^\{"records": 6, "distinct": 3, .*"clusters": 2, "clustered": 5, "largest": 3, .*"threshold": 0.999, "reduction": [0-9.]+\}$' out
cut -f2 list.tsv | tail -n +2 >lines.txt
expect_output "plain lines from standard input: ids are lines" 0 "1 3 5 2 4" \
    bash -c '"$0" dedup faq.film - --threshold 0.999 -q <lines.txt | tail -n +2 | cut -f2 | paste -sd" "' "$FILM"
check "a file of pairs: its distinct sentences, by line and side" bash -c \
    '"$0" dedup faq.film train.tsv -q --all --threshold 0.6 | tail -n +2 | cut -f2 | grep -qE "^[0-9]+[ab]$"' "$FILM"

# ---- order and threads ----
"$FILM" dedup faq.film "$FAQ/questions.tsv" --threshold 0.6 -q -t 1 >one
"$FILM" dedup faq.film "$FAQ/questions.tsv" --threshold 0.6 -q -t 4 >four
check "one thread and four give the same bytes" cmp one four
{ head -1 "$FAQ/questions.tsv"; tail -n +2 "$FAQ/questions.tsv" | tac; } >back.tsv
# Clusters as sets of ids, in one order.
sets() { tail -n +2 "$1" | awk -F'\t' '{ ids[$1] = ids[$1] " " $2 } END { for (c in ids) print ids[c] }' |
    while read -r line; do tr ' ' '\n' <<<"$line" | sort | paste -sd' '; done | sort; }
"$FILM" dedup faq.film back.tsv --threshold 0.6 -q >turned
check "the order of the file does not matter" diff <(sets one) <(sets turned)

# ---- a pool and its labels ----
"$FILM" pool create p.pool --model faq.film
"$FILM" pool add p.pool "$FAQ/questions.tsv" -q
check "a pool as its file" diff <(sets one) <("$FILM" dedup p.pool --threshold 0.6 -q >pooled; sets pooled)
"$FILM" pool label p.pool card-lost solar-feed same
"$FILM" pool label p.pool card-stolen card-lost different
"$FILM" dedup p.pool --threshold 0.3 -q >labelled
cluster_of() { awk -F'\t' -v id="$1" '$2 == id { print $1 }' labelled; }
check "labelled the same: joined" test "$(cluster_of card-lost)" = "$(cluster_of solar-feed)"
check "labelled different: never" test "$(cluster_of card-lost)" != "$(cluster_of card-stolen)"

# ---- review ----
run bash -c 'printf "y\nn\nwhat\ns\nq\n" | "$0" dedup p.pool --review 6 --threshold 0.6' "$FILM"
check "review says what was answered" grep -qx "1 same, 1 different, 1 skipped, 3 not reviewed" out
check "review shows reasons" grep -q "^log-odds" out
expect_output "the answers are labels" 0 4 bash -c '"$0" pool check p.pool --json | grep -oE "\"labels\": [0-9]+" | cut -d" " -f2' "$FILM"
expect_output "review -o writes the pairs" 0 "same	id_a	id_b	probability	text_a	text_b" \
    bash -c '"$0" dedup p.pool --review 5 --threshold 0.6 -q -o pairs.tsv; head -1 pairs.tsv' "$FILM"
check "as many as asked for" test "$(wc -l <pairs.tsv)" -eq 6
check "none that has an answer" bash -c '! cut -f2,3 pairs.tsv | grep -qE "^card-(stolen|lost)	card-(stolen|lost)$"'
awk -F'\t' -v OFS='\t' 'NR == 2 { $1 = "yes" } NR == 3 { $1 = "different" } NR == 4 { $1 = "0" } { print }' pairs.tsv >answered.tsv
expect_output "the answers are read back" 0 "3 labels, 3 new or changed; 2 pairs without an answer" "$FILM" pool label p.pool --from answered.tsv
awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } { print $at["same"] "," $at["id_b"] "," $at["id_a"] }' answered.tsv >three.csv
expect_output "a table of these three columns alone will do" 0 '{"labels": 3, "changed": 0, "blank": 2}' "$FILM" pool label p.pool --from three.csv --json
expect_output "again: nothing is new" 0 '{"labels": 3, "changed": 0, "blank": 2}' "$FILM" pool label p.pool --from answered.tsv --json

awk -F'\t' -v OFS='\t' 'NR == 1 { print $1, $2, $3, "origin" } NR == 5 { print "no", $2, $3, "review random same 0.9777" }
    NR == 6 { print "no", $2, $3, "" }' pairs.tsv >origins.tsv
"$FILM" pool label p.pool --from origins.tsv -q
"$FILM" pool export p.pool --labels -q >exported.tsv
check "an answer keeps the origin that the table has" grep -q "	review random same 0.9777$" exported.tsv
check "and one without gets its own" test "$(grep -c "	film pool label --from$" exported.tsv)" -eq 4

# ---- training from labels ----
awk -F'\t' -v OFS='\t' 'NR == 1 { print "id", "text"; next } { print 2 * NR, $2; print 2 * NR + 1, $3 }' train.tsv >texts.tsv
awk -F'\t' -v OFS='\t' 'NR == 1 { print "same", "id_a", "id_b", "text_a", "text_b"; next }
    { print $1, 2 * NR, 2 * NR + 1, $2, $3 }' train.tsv >labels.tsv
"$FILM" pool create t.pool --model faq.film
"$FILM" pool add t.pool texts.tsv -q
"$FILM" pool label t.pool --from labels.tsv -q
"$FILM" train --pool t.pool --method svd --rank 8 --decision threshold -t 1 -q -o pooled.film
"$FILM" train train.tsv --method svd --rank 8 --decision threshold -t 1 -q -o filed.film
check "a pool's labels train the model that the file does" cmp pooled.film filed.film
run "$FILM" train train.tsv --pool t.pool --method svd --rank 8 --decision threshold --json -o both.film
check "files and pools together" grep -q "\"rows\":$((2 * ($(wc -l <train.tsv) - 1)))" <(tr -d ' ' <out)

# ---- link ----
printf 'id\ttext\nx\ti lost my card.\ny\tzebra crossing\n' >a.tsv
expect_output "link: the match, or none" 0 "id_a	text_a	id_b	text_b	probability
x	i lost my card.	1	I lost my card	1.000000
y	zebra crossing			
1 of 2 records matched with 6 records" "$FILM" link faq.film a.tsv list.tsv --threshold 0.999
expect_output "-k: several" 0 "1 3 5" bash -c '"$0" link faq.film a.tsv list.tsv --threshold 0.999 -k 5 -q | tail -n +2 | cut -f3 | grep . | paste -sd" "' "$FILM"
expect_output "--json: null where there is none" 0 '{"id_a": "y", "text_a": "zebra crossing", "id_b": null, "text_b": null, "probability": null}' \
    bash -c '"$0" link faq.film a.tsv list.tsv --threshold 0.999 --json | tail -1' "$FILM"
# Off topic, some pairs are above 0.9: a match must answer the record, as film search decides it.
faq_model answering.film
cut -f4 "$FAQ/clusters.tsv" | tail -n +2 | head -700 >known.txt
printf '%s\n' "set a 1 minute timer" "who wrote hamlet" "translate good night into spanish" "play some jazz" \
    "is it going to rain tomorrow" "best pizza in naples" "what is the capital of france" "how do I get a new card" >off.txt
"$FILM" link answering.film off.txt known.txt -k 20 --json -q >checked.jsonl
"$FILM" link answering.film off.txt known.txt -k 20 --json -q --threshold 0.9 >all.jsonl
"$FILM" pool create known.pool --model answering.film && "$FILM" pool add known.pool known.txt -q
"$FILM" search known.pool - -k 300 --candidates 300 --json <off.txt >searched.jsonl
check "link: a match answers the record, by the threshold of film search" python3 -c '
import json
read = lambda name: [json.loads(line) for line in open(name)]
answers = {(a["query"], a["text"]): a["answers"] for a in read("searched.jsonl")}
pairs = lambda name: {(m["text_a"], m["text_b"]) for m in read(name) if m["text_b"]}
assert pairs("checked.jsonl") == {pair for pair in pairs("all.jsonl") if answers[pair]} < pairs("all.jsonl")'
printf 'I lost my card\ni lost my card\nI LOST MY CARD\nI lost my card?\n' >four.txt
expect_output "--unique: no record twice" 0 "1 3 5 " bash -c '"$0" link faq.film four.txt list.tsv --threshold 0.999 --unique -q | tail -n +2 | cut -f3 | paste -sd" "' "$FILM"

# ---- Ctrl-C ----
yes "a sentence that is long enough" | head -300 | awk '{ print $0, NR, NR % 97 }' >many.txt
for moment in 1 2 3 4; do # each in another phase
    signal_at INT clock_gettime $moment "" "$FILM" dedup faq.film many.txt -q -o never.tsv
    check "Ctrl-C: exit code 4 ($(cat err)), nothing written" test "$status" -eq 4 -a ! -e never.tsv
done
# How the result depends on the prior: the next line counts the pairs that another prior finds.
run "$FILM" dedup faq.film "$FAQ/questions.tsv" --pairs --threshold 0.6 -o pairs.tsv
cp err summary
stay=$("$FILM" dedup faq.film "$FAQ/questions.tsv" --pairs --threshold 0.6 --prior 0.05 2>rare | tail -n +2 | wc -l)
check "pairs that remain with another prior are counted" grep -q "^$stay of the $(($(wc -l <pairs.tsv) - 1)) pairs remain with --prior 0.05;" summary
check "and not said where that prior was given" bash -c '! grep -q stay rare'

check "no temporary file stays" bash -c '! ls | grep -E "never.tsv.+"'
finish
