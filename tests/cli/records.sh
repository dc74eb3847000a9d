#!/usr/bin/env bash
# Tables of records: recognised in every format, compared field by field, explained, and odd input.
source "$(dirname "$0")/tap.sh"
"$PYTHON" "$ROOT/tests/cli/records.py" || exit 1
f1() { paste held.labels <(cut -f "$(head -1 "$1" | tr '\t' '\n' | grep -nx same | cut -d: -f1)" "$1" | tail -n +2) |
    awk '{ tp += $1 && $2; n += $1 + $2 } END { printf "%.3f\n", 2 * tp / n }'; }

run "$FILM" train train.jsonl -o m.film
check "fields and types are shown before training" grep -qx \
    'fields: title (text), brand (category), price (money), released (date)' <(head -1 err)
check "the threshold is chosen for F1 at the file's share" grep -q '^chosen for f1: .*at 2[0-9.]* % duplicates' err
"$FILM" predict m.film held.jsonl -q -o out.tsv
check "predict writes id, probability and same" grep -qx $'id\tprobability\tsame' <(head -1 out.tsv)
check "F1 of unseen pairs is above 0.9: $(f1 out.tsv)" awk "BEGIN { exit !($(f1 out.tsv) > 0.9) }"
"$FILM" predict m.film unlabelled.jsonl -q -o unlabelled.tsv
check "predict ignores labels" diff out.tsv unlabelled.tsv
for table in train.csv train.tsv numbers.jsonl; do
    "$FILM" train "$table" -q -o other.film
    "$FILM" predict other.film held.jsonl -q -o other.tsv
    check "$table (ltable_ and rtable_, or numbers and missing keys) gives the same predictions" diff out.tsv other.tsv
done
zstd -q train.jsonl -o train.jsonl.zst
"$FILM" train train.jsonl.zst -q -o other.film
"$FILM" predict other.film held.jsonl -q -o other.tsv
check "so does a compressed file" diff out.tsv other.tsv
run "$FILM" eval m.film held.jsonl
check "eval reads records" grep -qi 'f1' out

# ---- One pair ----
a='{"title": "Canon camera ABC-123X", "brand": "Canon", "price": "$ 100.00"}'
b='{"price": 101.5, "title": "canon ABC123X camera", "brand": null}'
run "$FILM" match m.film "$a" "$b"
check "a pair of JSON objects is matched" grep -q '^same' out
check "the fields are steps of a waterfall" grep -qE '^ +[+-][0-9.]+  [ |]*[+-]+[ |]* field title \(text\)$' out
check "what would change it names the field" grep -qE '^  would be different \([0-9.]+\) with(out)? .*(title|brand|price|released)' out
check "a field opens into its words and traits" grep -qE '^ +[+-][0-9.]+  title: ' out
run "$FILM" explain m.film --pair "$a" "$b" --json
check "JSON: records are objects; bias, words and groups add up" "$PYTHON" - out <<'PY'
import json, sys
why = json.load(open(sys.argv[1]))
assert why["a"]["title"] == "Canon camera ABC-123X" and "brand" not in why["b"], why["b"]
total = why["bias"] + sum(w["weight"] for w in why["words"]) + sum(g["weight"] for g in why["groups"])
assert abs(total - why["log_odds"]) < 1e-6, (total, why["log_odds"])
names = {f["name"]: f for f in why["fields"]}
assert set(names) == {"title", "brand", "price", "released"}, names
assert names["brand"]["b"] is None and names["price"]["type"] == "money"
for f in names.values():
    assert abs(f["weight"] - f["words"] - f["traits"]) < 1e-9
    group = [g["weight"] for g in why["groups"] if g["id"] == "field " + f["name"]]
    assert not group or abs(group[0] - f["traits"]) < 1e-9
    words = [w["weight"] for w in why["words"] if w["field"] == f["name"]]
    assert abs(sum(words) - f["words"]) < 1e-9
for w in why["words"]:  # spans count the bytes of the value
    assert why[w["side"]][w["field"]].encode()[w["span"][0]:w["span"][1]].decode() == w["text"], w
for d in why["differences"]:
    for side in "ab":
        value = why[side].get(d["field"], "").encode()
        assert value[d[side]["span"][0]:d[side]["span"][1]].decode() == d[side]["text"], d
assert why["reversals"]
for r in why["reversals"]:
    for side in "ab":  # the edits, applied by field and span, give the edited records up to spaces
        record = {name: value.encode() for name, value in why[side].items()}
        for e in reversed(r["edits"]):
            if e["side"] == side:
                value = record.get(e["field"], b"")
                record[e["field"]] = value[:e["span"][0]] + e.get("by", "").encode() + value[e["span"][1]:]
        after = {name: value.decode().split() for name, value in record.items()}
        assert {n: v for n, v in after.items() if v} == {n: v.split() for n, v in r[side].items()}, (after, r)
PY
jq -c '.reversals[0].a, .reversals[0].b' out >edited
mv out first
run "$FILM" match m.film "$(head -1 edited)" "$(tail -1 edited)" --json
check "the edited records have the other verdict, and the probability that was named" test \
    "$(jq -c '[.same, .probability]' out)" = "$(jq -c '[(.same | not), .reversals[0].probability]' first)"
run "$FILM" match m.film "$b" "$a" --json
mv out first
run "$FILM" match m.film "$a" "$b" --json
check "the order of the two does not matter" test "$(jq .log_odds first)" = "$(jq .log_odds out)"
expect_status "a sentence is a record of its first field" 0 "$FILM" match m.film "Canon camera" "Sony lens"
expect_output "a broken object is an error" 2 \
    'film: "{"title": "Canon"" is not a JSON object; write a record as {"title": "..."}' \
    "$FILM" match m.film '{"title": "Canon"' '{}'
expect_output "a record with an unknown field" 2 \
    'film: unknown field "name"; fields of the model: title, brand, price, released' \
    "$FILM" match m.film '{"name": "Canon"}' '{"title": "Canon"}'
expect_output "a record without a value" 2 \
    'film: the record has no value; fields of the model: title, brand, price, released' \
    "$FILM" match m.film '{"title": null}' '{"title": "Canon"}'

run "$FILM" info m.film
check "info lists fields, types and ranges" grep -qE '^  price +money +up to [0-9.]+$' out
"$FILM" report m.film --eval held.jsonl -q -o report.html
check "a report says how much each field contributes" grep -qE '<td>field price \(money\)</td><td class="figure">[0-9.]+' report.html
check "and shows records by field names" bash -c 'grep -q "<i>title</i> " report.html && ! grep -q $'"'\\x1e'"' report.html'

# ---- Options ----
run "$FILM" train train.jsonl --fields title,price:number -o two.film
check "--fields chooses and types" grep -qx 'fields: title (text), price (number)' <(head -1 err)
expect_status "an unknown field is an error" 2 "$FILM" train train.jsonl --fields title,colour -o no.film
check "which names the columns" grep -q 'train.jsonl: no column for the field "colour" among id, label, left_title' err
expect_status "an unknown type is an error" 1 "$FILM" train train.jsonl --fields title:prose -o no.film
check "which lists the types" grep -q 'fields: unknown type "prose"; known types: text, name, number' err
expect_status "--pair-fields names the right columns" 0 \
    "$FILM" predict m.film renamed.jsonl --pair-fields title=name -q -o other.tsv
check "and gives the same predictions" diff out.tsv other.tsv

# ---- Tables of single records ----
recall() { awk -F'\t' 'NR > 1 { c[$1] = c[$1] " " substr($2, 2); n[$1]++ }
    END { for (i in c) { split(c[i], id, " "); good += n[i] == 2 && id[1] == id[2]; all++ } print good / 40, good / all }'; }
run "$FILM" dedup m.film single.csv -q
check "dedup finds the pairs of two shops (recall and precision: $(recall <out))" \
    awk "BEGIN { split(\"$(recall <out)\", r, \" \"); exit !(r[1] > 0.9 && r[2] > 0.9) }"
(head -1 single.csv; grep '^l' single.csv) >left.csv
(head -1 single.csv; grep '^r' single.csv) >right.csv
expect_status "link takes two tables of records" 0 "$FILM" link m.film left.csv right.csv -q
check "and finds the pairs" test "$(grep -c . out)" -gt 35
"$FILM" pool create shop.pool --model m.film -q
"$FILM" pool add shop.pool single.csv -q
title=$(sed -n 's/^l7,\([^,]*\),.*/\1/p' single.csv)
run "$FILM" search shop.pool "{\"title\": \"$title\"}" -q
check "a record is found by one of its fields" grep -qE '[[:space:]][lr]7[[:space:]]' <(head -2 out)

# ---- Odd input ----
run "$FILM" predict m.film renamed.jsonl -o other.tsv
check "a renamed field counts as missing on one side" test "$status" -eq 0
jq -c 'del(.left_price, .right_price)' held.jsonl >without.jsonl
run "$FILM" predict m.film without.jsonl -o other.tsv
check "a missing field is a warning" grep -qx \
    'film: warning: without.jsonl: no column for the field "price" of the model; it counts as missing' err
expect_status "1,000 more columns are read" 0 "$FILM" predict m.film wide.jsonl -o other.tsv
expect_status "and trained on" 0 "$FILM" train wide_train.csv -q -o wide.film
check "with the 32 fullest fields" test "$("$FILM" info wide.film --json | jq '.settings.fields | length')" -eq 32
expect_status "a field of 1 MB, and values of another type" 0 "$FILM" predict m.film large.jsonl -o other.tsv
check "are all judged" test "$(wc -l <other.tsv)" -eq 3
finish
