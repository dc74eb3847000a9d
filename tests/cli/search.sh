#!/usr/bin/env bash
# film search: answers, reasons, filters, queries from standard input, models without vectors, the index.
source "$(dirname "$0")/tap.sh"
cp "$FAQ/train.tsv" train.tsv
faq_model faq.film
"$FILM" pool create p.pool --model faq.film
expect_output "an empty pool says so" 0 "film: p.pool is empty; add sentences with film pool add" \
    "$FILM" search p.pool "where is my parcel"
"$FILM" pool add p.pool "$FAQ/questions.tsv" -q

run "$FILM" search p.pool "Where is my parcel?" -k 1
check "a question finds itself" grep -qE '^[01]\.[0-9]{3}	parcel-where	Where is my parcel\?	[a-z-]+$' out
check "and nothing but one line comes" test "$(wc -l <out)" -eq 1
run "$FILM" search p.pool "Where is my parcel?" -k 5
check "-k asks for so many" test "$(wc -l <out)" -eq 5
cp out five
expect_output "the same again gives the same" 0 "$(cat five)" "$FILM" search p.pool "Where is my parcel?" -k 5
expect_output "for any number of threads" 0 "$(cat five)" "$FILM" search p.pool "Where is my parcel?" -k 5 --threads 3
run "$FILM" search p.pool "Where is my parcel?" -k 1 --explain
check "--explain gives groups of reasons below an answer" grep -qE '^  +[+-][0-9.]+  [A-Z][a-z ]+$' out
run "$FILM" search p.pool "Where is my parcel?" -k 1 --json --explain
check "--json has the names of the interface" python3 -c '
import json
a = json.load(open("out"))
assert a["id"] == "parcel-where" and a["text"] == "Where is my parcel?" and a["category"]
assert 0 <= a["probability"] <= 1 and isinstance(a["score"], float) and a["same"] in (True, False)
assert abs(sum(r["weight"] for r in a["reasons"])) < 1000 and "bias" in a'

# ---- nothing answers the query ----
run "$FILM" search p.pool "Where is my parcel?" -k 1 --json
check "a known question is answered" python3 -c 'import json; a = json.load(open("out")); assert a["answers"] and a["answered"] > 0.3'
run "$FILM" search p.pool "what is the capital of france" -k 1
check "a query on another topic is not, and the nearest follows" grep -qE '^no sentence answers this \(probability 0\.[0-9]{3}\); the nearest:$' err
check "one line of it" test "$(wc -l <out)" -eq 1
expect_output "--answered-only prints nothing" 0 "no results" "$FILM" search p.pool "what is the capital of france" --answered-only
awk -F'\t' 'NR > 1 && $1 == 1 { print $2 }' "$FAQ/heldout.tsv" | sort -u | head -100 | "$FILM" search p.pool - -k 1 --json >on.jsonl
printf '%s\n' "set a 1 minute timer" "who wrote hamlet" "translate good night into spanish" "how tall is mount everest" \
    "play some jazz" "is it going to rain tomorrow" "what is the square root of 81" "best pizza in naples" \
    "who won the world cup in 1998" "how do volcanoes erupt" | "$FILM" search p.pool - -k 1 --json >off.jsonl
check "held-out questions are answered more often than others" python3 -c '
import json
on, off = ([json.loads(line) for line in open(name)] for name in ("on.jsonl", "off.jsonl"))
wins = sum((a["answered"] > b["answered"]) + 0.5 * (a["answered"] == b["answered"]) for a in on for b in off) / len(on) / len(off)
assert wins > 0.8, wins
assert sum(a["answers"] for a in on) / len(on) > 0.7 and sum(b["answers"] for b in off) / max(len(off), 1) <= 0.5'

# ---- candidates that cannot be among the best are not judged: the best are those of judging all ----
awk -F'\t' 'NR > 1 { print $2 }' "$FAQ/heldout.tsv" | sort -u | head -40 >held.txt
for k in 50 10 3 1; do "$FILM" search p.pool - -k $k --candidates 50 --json <held.txt >best$k.jsonl; done
check "the best k are the first k of all candidates" python3 -c '
def lists(name):
    found = {}
    for line in open(name):
        found.setdefault(line.split("\"line\": ")[1].split(",")[0], []).append(line)
    return found
every = lists("best50.jsonl")
assert len(every) == 40 and all(len(found) == 50 for found in every.values())
for k in 10, 3, 1:
    assert lists("best%d.jsonl" % k) == {line: found[:k] for line, found in every.items()}, k'

# ---- filters ----
run "$FILM" search p.pool "I lost my card" --where category=workplace-it --json
check "--where keeps to a category" bash -c 'test -s out && ! grep -v "\"category\": \"workplace-it\"" out'
expect_output "nothing fits" 0 "no results" "$FILM" search p.pool "I lost my card" --where category=none
expect_output "--quiet says nothing" 0 "" bash -c '"$0" search p.pool "I lost my card" --where category=none -q; code=$?; echo; exit $code' "$FILM"
run "$FILM" search p.pool "Where is my parcel?" --threshold 0.999999
check "--threshold leaves out what is below" test "$(wc -l <out)" -le 3
echo '{"id": "x1", "text": "a zanzibar zebra", "size": 3, "new": true}' >more.jsonl
"$FILM" pool add p.pool more.jsonl -q
run "$FILM" search p.pool "zebra from zanzibar" -k 1
check "a word that no model knows is found, right after it was added" grep -q '	x1	a zanzibar zebra$' out
run "$FILM" search p.pool "Where is my parcel?" --where size=3 --where new=true
check "--where asks JSON fields, all must hold" bash -c 'grep -q "	x1	" out && test "$(wc -l <out)" -eq 1'

# ---- standard input ----
printf 'Where is my parcel?\n\nzebra\n' >queries
run bash -c '"$0" search p.pool - -k 1 <queries' "$FILM"
check "- reads queries, in order, with their lines" bash -c 'test "$(cut -f 1,3 out | paste -sd" " | tr "\t" ":")" = "1:parcel-where 3:x1"'
for _ in $(seq 400); do cat queries; done >many
run bash -c '"$0" search p.pool - -k 1 --threads 2 <many' "$FILM"
check "many queries keep their order" bash -c 'test "$(wc -l <out)" -eq 800 && cut -f 1 out | sort -nc'
run bash -c '"$0" search p.pool - -k 1 --json <queries' "$FILM"
check "--json says which query" bash -c 'tail -1 out | grep -q "\"line\": 3, \"query\": \"zebra\""'
printf 'fine\n\xff\n' >bad
expect_output "a line that is no text is named" 2 "film: standard input:2: invalid UTF-8" bash -c '"$0" search p.pool - -q <bad 2>&1 >/dev/null | sed "s/invalid UTF-8.*/invalid UTF-8/"; exit ${PIPESTATUS[0]}' "$FILM"

# ---- models of features alone ----
sample 12 train.tsv >few.tsv
trained t.film few.tsv --method tfidf
"$FILM" pool create t.pool --model t.film
"$FILM" pool add t.pool "$FAQ/questions.tsv" -q
run "$FILM" search t.pool "Where is my parcel?" -k 1
check "a model without vectors is searched by its words" grep -q '	parcel-where	' out
check "and its pool is whole" "$FILM" pool check t.pool --full -q

# ---- the index beside a large pool ----
for i in $(seq 4200); do echo "question number $i about parcel $((i % 97)) and card $((i % 89))"; done >large
"$FILM" pool create large.pool --model faq.film
"$FILM" pool add large.pool large -q
run "$FILM" search large.pool "question 4000 about parcel 23" -k 3 -q
cp out first
check "a large pool keeps its index" test -s large.pool.index
expect_output "and answers from it" 0 "$(cat first)" "$FILM" search large.pool "question 4000 about parcel 23" -k 3 -q
run "$FILM" pool check large.pool --recall
check "check --recall measures it" grep -qE '^recall@10 of the index: [01]\.[0-9]{4}, measured on 1,000 sentences$' out
printf 'garbage' >large.pool.index
expect_output "an invalid cache is ignored" 0 "$(cat first)" "$FILM" search large.pool "question 4000 about parcel 23" -k 3 -q
run "$FILM" pool check large.pool -q
check "and made again" test "$status" -eq 0
chmod a-w . 2>/dev/null
rm -f large.pool.index
chmod u+w .
expect_output "deleting it costs nothing but time" 0 "$(cat first)" "$FILM" search large.pool "question 4000 about parcel 23" -k 3 -q
finish
