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
steps() { "$FILM" info "$1" --json | jq .figures.ranking.steps; }
expect_output "a file of one step in a pass is read eight times" 0 8 steps m.film
"$FILM" predict m.film held.jsonl -q -o out.tsv
check "predict writes id, probability and same" grep -qx $'id\tprobability\tsame' <(head -1 out.tsv)
check "F1 of unseen pairs is above 0.9: $(f1 out.tsv)" awk "BEGIN { exit !($(f1 out.tsv) > 0.9) }"
"$FILM" predict m.film unlabelled.jsonl -q -o unlabelled.tsv 2> err
check "without a warning of missing fields" test ! -s err
check "predict ignores labels, and reads NAME_left and NAME_right" diff out.tsv unlabelled.tsv
zstd -q few.jsonl -o few.jsonl.zst
trained same.film few.jsonl
"$FILM" predict same.film held.jsonl -q -o same.tsv
for table in few.csv few.tsv numbers.jsonl few.jsonl.zst; do
    trained other.film "$table"
    "$FILM" predict other.film held.jsonl -q -o other.tsv
    check "$table (ltable_ and rtable_, _l and _r, numbers and missing keys, or compressed) gives the same predictions" diff same.tsv other.tsv
done
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

check "over HTTP too, in single pairs and in lists; another record is judged" "$PYTHON" - "$FILM" <<'PY'
import json, subprocess, sys, urllib.error, urllib.request
server = subprocess.Popen([sys.argv[1], "serve", "m.film", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
try:
    address = server.stderr.readline().split()[-1]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(body):
        request = urllib.request.Request(address + "/v1/match", json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            return opener.open(request).status, ""
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)["error"]["message"]
    for body in ({"a": {"name": "Canon"}, "b": {"title": "Canon"}}, {"pairs": [["x", {"name": "Canon", "title": None}]]}):
        code, message = ask(body)
        assert code == 400 and 'unknown field "name"' in message, (code, message)
    assert ask({"a": {"Title": "Canon"}, "b": {"title": "EOS"}})[0] == 200
finally:
    server.terminate()
    server.wait()
PY

run "$FILM" info m.film
check "info lists fields, types and ranges" grep -qE '^  price +money +up to [0-9.]+$' out
"$FILM" report m.film --eval held.jsonl -q -o report.html
"$PYTHON" - <<'EOF'
import re
page = open("report.html").read()
open("report.json", "w").write(re.search(r'id="page-data">(.*?)</script>', page, re.S).group(1))
EOF
check "a report says how much each field contributes" "$PYTHON" - <<'EOF'
import json
price = json.load(open("report.json"))["reasons"]["totals"]["field price"]
assert price["type"] == "money" and price["weight"] > 0, price
EOF
check "the fields, groups and bias of a pair sum to its log-odds" "$PYTHON" - <<'EOF'
import json
pairs = [pair for cell in json.load(open("report.json"))["mistakes"] for pair in cell["pairs"]]
assert pairs
for pair in pairs:
    parts = [one["weight"] for one in pair["fields"] + pair["groups"]]
    assert abs(sum(parts) + pair["bias"] - pair["log_odds"]) < 1e-3 * (len(parts) + 1), pair
    assert sorted(one["name"] for one in pair["fields"]) == ["brand", "price", "released", "title"], pair
    assert any(one["terms"] for one in pair["fields"])
EOF
check "and shows records by field names" "$PYTHON" - <<'EOF'
import json
data = open("report.json").read()
assert "\\u001e" not in data
pairs = [pair for cell in json.loads(data)["mistakes"] for pair in cell["pairs"]]
assert pairs and all(pair["a"]["title"] and pair["b"]["title"] for pair in pairs)
EOF

# ---- Options ----
run "$FILM" train few.jsonl --fields title,price:number -o two.film
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
"$PYTHON" -c '
print("id,title")
for i in range(40):
    print("l%d,camera QX%dF black\nr%d,spare battery qx-%df new" % (i, 1000 + 37 * i, i, 1000 + 37 * i))' >codes.csv
run "$FILM" dedup m.film codes.csv --pairs --threshold 1e-9 --candidates 1 -q
check "codes written in two ways are candidates" test "$(awk -F'\t' 'substr($1, 2) == substr($2, 2)' out | wc -l)" -eq 40
expect_status "--recall compares with all" 0 "$FILM" dedup m.film single.csv --recall -o clusters.tsv --json
check "and gives pair completeness and reduction ratio" jq -e '.recall.sampled == .distinct and
    .recall.against == .distinct - 1 and .recall.completeness > 0.9 and
    (.reduction - (1 - 2 * .compared / (.distinct * (.distinct - 1))) | fabs) < 1e-6' out
for example in people products; do
    expect_status "examples/$example: train, deduplicate" 0 env FILM="${FILM_TRAINER:-$FILM}" "$ROOT/examples/$example/run" 60
    check "finds most duplicates: $(tail -1 out)" awk '/precision/ { split($0, p, /precision |, recall /); exit !(p[2] > 0.9 && p[3] > 0.7) }' out
done
(head -1 single.csv; grep '^l' single.csv) >left.csv
(head -1 single.csv; grep '^r' single.csv) >right.csv
expect_status "link takes two tables of records" 0 "$FILM" link m.film left.csv right.csv -q
check "and finds the pairs" test "$(grep -c . out)" -gt 35
mv out linked.tsv
# New persons have names and numbers that training has not seen; that must cost no certain match.
"$PYTHON" "$ROOT/examples/people/generate" 1500 persons 2
"$PYTHON" - <<'PY'
import csv
who = dict(line.split() for line in open("persons/truth.tsv"))
records, seen, files = list(csv.DictReader(open("persons/records.csv"))), set(), {"first.csv": [], "again.csv": []}
for record in records:
    files["again.csv" if who[record["id"]] in seen else "first.csv"].append(record)
    seen.add(who[record["id"]])
pairs = list(csv.DictReader(open("persons/pairs.csv")))
files["few.pairs.csv"] = [p for kind in "01" for p in [p for p in pairs if p["label"] == kind][:150]]
for name, rows in files.items():
    with open(name, "w", newline="") as out:
        table = csv.DictWriter(out, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
PY
run "$FILM" train few.pairs.csv -o persons.film -q
run "$FILM" link persons.film again.csv first.csv -o persons.tsv
cp err note
"$FILM" link persons.film again.csv first.csv -o sure.tsv --threshold 0.9 -q
check "link: a match of probability 0.9995 or more always answers its record" "$PYTHON" - <<'PY'
import csv
matches = lambda name: {(m["id_a"], m["id_b"]): float(m["probability"]) for m in csv.DictReader(open(name), delimiter="\t") if m["id_b"]}
checked, plain = matches("persons.tsv"), matches("sure.tsv")
certain = {pair for pair, probability in plain.items() if probability > 0.9995}
assert len(certain) > 500 and certain <= checked.keys(), (len(certain), len(certain - checked.keys()))
assert len(checked) > 0.95 * len(plain), (len(checked), len(plain))
PY
check "the pairs that it leaves out are counted" grep -qxE \
    '[0-9]+ pairs? of probability 0.9 or more left out: .*; --threshold 0.9 keeps them' <(tail -1 note)
"$PYTHON" - <<'PY'
import csv
rows = list(csv.DictReader(open("right.csv")))
with open("other.csv", "w") as out:  # other names, in another order
    table = csv.DictWriter(out, ["cost", "brand", "name", "released", "id"])
    table.writeheader()
    for r in rows:
        table.writerow({"cost": r["price"], "brand": r["brand"], "name": r["title"], "released": r["released"], "id": r["id"]})
PY
run "$FILM" link m.film left.csv other.csv --pair-fields title=name,price=cost
check "--pair-fields names the columns of single records; their order does not matter" diff out linked.tsv
check "and nothing is missing" test "$(grep -c warning err)" -eq 0
run "$FILM" link m.film left.csv other.csv
check "without it, each missing field is a warning" diff - <(grep warning err) <<'EOF'
film: warning: other.csv: no column for the field "title" of the model; it counts as missing
film: warning: other.csv: no column for the field "price" of the model; it counts as missing
EOF
run "$FILM" dedup m.film single.csv --json --threshold 0.01 -q
check "a record is an object in JSON, and named values in a table" "$PYTHON" - out "$FILM" <<'PY'
import csv, json, subprocess, sys
rows = {r["id"]: r for r in csv.DictReader(open("single.csv"))}
members = [json.loads(line) for line in open(sys.argv[1])]
assert members
for m in members:
    assert m["text"] == {k: v for k, v in rows[m["id"]].items() if k != "id" and v}, m
table = subprocess.run([sys.argv[2], "dedup", "m.film", "single.csv", "--threshold", "0.01", "-q"], capture_output=True, text=True)
lines = [line.split("\t") for line in table.stdout.splitlines()]
at = lines[0].index("text")
assert [line[at] for line in lines[1:]] == [", ".join("%s: %s" % f for f in m["text"].items()) for m in members]
PY
"$FILM" pool create shop.pool --model m.film -q
"$FILM" pool add shop.pool single.csv -q
title=$(sed -n 's/^l7,\([^,]*\),.*/\1/p' single.csv)
run "$FILM" search shop.pool "{\"title\": \"$title\"}" -q
check "a record is found by one of its fields" grep -qE '[[:space:]][lr]7[[:space:]]' <(head -2 out)
cut -f2- out >one
run "$FILM" search shop.pool - -q <<<"{\"title\": \"$title\"}"
check "a line of standard input is a record, too" diff one <(cut -f3- out)
expect_status "and its fields are checked" 2 "$FILM" search shop.pool - <<<'{"name": "x"}'
check "the message names the line" grep -q '^film: standard input:1: unknown field "name"' err

# ---- Known matches ----
trained one.film one.jsonl
check "pairs of one table store known matches, pairs between two tables do not" \
    test "$(grep -ac matches.keys one.film) $(grep -ac matches.keys m.film)" = "1 0"
check "a known match counts 0.7 times its distance from the threshold" "$PYTHON" - "$FILM" <<'PY'
import json, subprocess, sys
# Offers a and c are a labelled match, b is new. Each verdict on b is a sum of its own part and 0.7 times the other's part,
# from the threshold on: both must lead to the same threshold, whatever a, b and c are.
def match(*more):
    return json.loads(subprocess.run([sys.argv[1], "match", "one.film", "--json", *more], capture_output=True, check=True).stdout)
def parts(x, y):
    verdict = match(json.dumps(x), json.dumps(y))
    term = [r["weight"] for r in verdict["reasons"] if r["id"] == "memory_matches"]
    return verdict["same"], verdict["log_odds"], sum(term)
thresholds = []
same, different = [], []
offers = [json.loads(line) for line in open("known.jsonl")][:12]
for i, (a, c, _) in enumerate(offers):
    for b in (offers[i][2], offers[i - 1][2]):
        verdict, total, term = parts(a, b)
        assert parts(b, a) == (verdict, total, term)
        (same if verdict else different).append(total)
        _, other, from_a = parts(c, b)
        assert term and from_a, "every offer has a known match"
        if abs(other - from_a) < 6:
            thresholds.append(other - from_a - term / 0.7)
        else:
            thresholds.append((6 if other > 0 else -6) - term / 0.7)
assert max(thresholds) - min(thresholds) < 1e-6, thresholds
assert max(different) < thresholds[0] <= min(same), (different, thresholds[0], same)
a, c = offers[0][:2]  # the pair itself is no known match of either
verdict = match(json.dumps(a), json.dumps(c))
assert not [r for r in verdict["reasons"] if r["id"] == "memory_matches"]
a, b = offers[0][0], offers[0][2]
assert not [r for r in match("--no-memory", json.dumps(a), json.dumps(b))["reasons"] if r["kind"] == "memory"]
PY

# ---- Odd input ----
run "$FILM" predict m.film renamed.jsonl -o other.tsv
check "a renamed field counts as missing on one side, with a warning" grep -qx \
    'film: warning: renamed.jsonl: no column right_title for the field "title" of the model; it counts as missing there' err
jq -c 'del(.left_price, .right_price)' held.jsonl >without.jsonl
run "$FILM" predict m.film without.jsonl -o other.tsv
check "a missing field is a warning" grep -qx \
    'film: warning: without.jsonl: no column for the field "price" of the model; it counts as missing' err
jq -c 'select(.label == 0 or .label == "0")' train.jsonl >zero.jsonl
expect_output "only pairs that differ" 2 \
    'film: no positive pairs; add pairs labelled the same, or use method svd' "$FILM" train zero.jsonl -q -o zero.film
expect_status "1,000 more columns are read" 0 "$FILM" predict m.film wide.jsonl -o other.tsv
trained wide.film wide_train.csv
check "and trained on, with the 32 fullest fields" test "$("$FILM" info wide.film --json | jq '.settings.fields | length')" -eq 32
expect_status "a field of 1 MB, and values of another type" 0 "$FILM" predict m.film large.jsonl -o other.tsv
check "are all judged" test "$(wc -l <other.tsv)" -eq 3
finish
