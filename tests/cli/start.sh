#!/usr/bin/env bash
# --start MODEL: the other model is stored, weighted, explained as one reason, kept by pools, and refused where it does
# not fit. tests/unit/test_parent_fit.c has the weight.
source "$(dirname "$0")/tap.sh"
faq_model faq.film

# ---- without labels ----
# The sentences of the held-out pairs: faq.film has not seen them.
{ echo text; tail -n +2 "$FAQ/heldout.tsv" | cut -f 2,3 | tr '\t' '\n' | sort -u; } >texts.tsv
"$FILM" train texts.tsv -q -o alone.film && "$FILM" train texts.tsv --start faq.film -q -o with.film || exit 1
balanced() { "$FILM" eval "$1" "$FAQ/heldout.tsv" --json -q | "$PYTHON" -c 'import json, sys
print(json.load(sys.stdin)["auc"])'; }
check "the start model helps before the first label" "$PYTHON" -c 'import sys
print(sys.argv)
assert float(sys.argv[2]) > float(sys.argv[1]) + 0.02' "$(balanced alone.film)" "$(balanced with.film)"

# The term by hand: weight * log-odds of the start model, which film match gives for pairs that it does not know.
sed -n '2p;40p;600p;900p' "$FAQ/heldout.tsv" >four.tsv
verdicts() { while IFS=$'\t' read -r _ a b; do "$FILM" match "$1" "$a" "$b" --json; done <four.tsv >"$2"; }
mv faq.film moved.film
verdicts with.film with.jsonl
verdicts moved.film start.jsonl
verdicts alone.film alone.jsonl
"$FILM" info with.film --json >with.json
cat >terms.py <<'EOF'
import json, sys
read = lambda name: [json.loads(line) for line in open(name)]
decision = json.load(open("with.json"))["settings"]["decision"]
factor = decision["calibration"]["scale"] * decision["start"]["weight"]
seen = 0
for own, start in zip(read("with.jsonl"), read("start.jsonl")):
    terms = [reason for reason in own["reasons"] if reason["id"] == "start_model"]
    total = own["bias"] + sum(reason["weight"] for reason in own["reasons"])
    assert abs(total - own["log_odds"]) < 1e-6, (total, own["log_odds"])
    if any(reason["id"].startswith("guarantee") or reason["id"] == "identical" for reason in start["reasons"]):
        continue
    wanted = factor * max(-6, min(6, start["log_odds"]))
    assert len(terms) == 1 and abs(terms[0]["weight"] - wanted) < 1e-6, (terms, wanted)
    seen += 1
assert seen >= 2 and abs(factor - 0.25) < 1e-9, (seen, factor)
EOF
check "its term is a quarter of its log-odds, alone without the file, and reasons add up" "$PYTHON" terms.py

# ---- stored ----
check "a model without it has no such reason" bash -c '! grep -q start_model alone.jsonl'

# ---- labels ----
# Labels that contradict the start model take the weight away: they are drawn with the probabilities without it, relative
# to their median, and against its own.
said() { "$FILM" predict "$1" "$FAQ/heldout.tsv" --no-memory -q | tail -n +2 | cut -f 1; }
said alone.film >said && said moved.film >start
median=$(sort -g said | sed -n '587p')
{ printf 'label\ta\tb\n'; paste said start <(tail -n +2 "$FAQ/heldout.tsv" | cut -f 2,3) |
    awk -F'\t' -v m="$median" 'NR % 6 == 0 { odds = $1 / (1 - $1) * (1 - m) / m * (1 - $2) / $2
        print (NR * 7919 % 1000 / 1000 < odds / (1 + odds)) "\t" $3 "\t" $4 }'; } >contrary.tsv
"$FILM" train contrary.tsv texts.tsv --start moved.film -q -o contrary.film && "$FILM" info contrary.film --json >contrary.json
check "labels that contradict it leave it no weight" "$PYTHON" -c 'import json
weight = json.load(open("contrary.json"))["settings"]["decision"]["start"]["weight"]
print(weight)
assert weight == 0'
check "and then it is no reason" bash -c '! "$0" match contrary.film "lost card" "lost my card" --json | grep -q start_model' "$FILM"
# Enough pairs for the whole decision.
awk 'NR == 1 || NR % 12 == 0' "$FAQ/train.tsv" >train.tsv
"$FILM" train train.tsv --start alone.film -q -o full.film && "$FILM" info full.film --json >with.json || exit 1
verdicts full.film full.jsonl
check "the reasons of a whole decision add up" "$PYTHON" -c 'import json
for line in open("full.jsonl"):
    own = json.loads(line)
    assert abs(own["bias"] + sum(r["weight"] for r in own["reasons"]) - own["log_odds"]) < 1e-6'

# ---- pools ----
{ echo text; sed -n '2,60p' "$FAQ/heldout.tsv" | cut -f 2,3 | tr '\t' '\n' | sort -u; } >few.tsv
"$FILM" pool create a.pool --from few.tsv --start moved.film -q || exit 1
"$FILM" pool list a.pool --json | "$PYTHON" -c 'import json, sys
ids = {}
for line in sys.stdin:
    row = json.loads(line)
    ids[row["text"]] = row["id"]
print("same\tid_a\tid_b")
for line in list(open(sys.argv[1]))[1:60:3]:
    same, a, b = line.rstrip("\n").split("\t")
    if a in ids and b in ids: print(same, ids[a], ids[b], sep="\t")' "$FAQ/heldout.tsv" >labels.tsv
"$FILM" pool label a.pool --from labels.tsv -q && "$FILM" pool learn a.pool --force -q
"$FILM" pool export a.pool --model -o learned.film -q 2>/dev/null || cp a.pool learned.film
check "learning in a pool keeps what it began from" bash -c '"$0" info learned.film --json | grep -q "\"start\": *{\"weight\""' "$FILM"

# ---- refused ----
printf 'label\tleft_name\tright_name\tleft_price\tright_price\n1\tblue chair\tblue chair x\t10\t10\n0\tred table\tgreen lamp\t20\t30\n' >records.tsv
"$FILM" train records.tsv -q -o records.film || exit 1
expect_output "a model of records for sentences" 2 \
    "film: the start model compares records (name, ...), the training data are sentences; begin from a model of sentences" \
    "$FILM" train texts.tsv --start records.film -q -o x.film
expect_output "a model that was trained on the pairs" 2 \
    "film: the start model was trained on these pairs: it remembers 406 of 406; begin from a model of other data" \
    "$FILM" train train.tsv --start moved.film -q -o x.film
expect_output "a model that began from another one" 2 \
    "film: with.film began from another model itself; begin from that one, or train with.film without it" \
    "$FILM" train texts.tsv --start with.film -q -o x.film
expect_output "a decision that has no such term" 1 \
    "film: a start model needs a full decision or training without labels; choose another method or decision, or leave it out" \
    "$FILM" train train.tsv --decision threshold --start alone.film -q -o x.film
run "$FILM" train texts.tsv --start texts.tsv -q -o x.film
check "a table is no model" bash -c '[ "$0" = 2 ] && grep -q "^film: texts.tsv" err' "$status"
run "$FILM" pool create b.pool --model alone.film --start with.film
check "a copied model takes none" bash -c '[ "$0" = 1 ] && grep -q -- "--start needs --from FILE" err' "$status"
finish
