#!/usr/bin/env bash
# film edit: changes a model after a question, lists what changes, records it; film info and film train --edits know it.
source "$(dirname "$0")/tap.sh"
sample 4 "$FAQ/train.tsv" >pairs.tsv
trained faq.film pairs.tsv --dim 16 --keep-examples 200
cp faq.film before.film

run "$FILM" edit faq.film --set "alone:card=-2" --reason "cards differ" --check pairs.tsv --most 2 <<<n
check "the edit is shown with both weights" grep -qE '^  [0-9-]{10}  set alone:card  [+-][0-9.]+ -> -2\.00  # cards differ$' out
check "known pairs are those of the model and of the file" grep -qE "^[0-9]+ of $((200 + $(wc -l <pairs.tsv) - 1)) known pairs change their verdict" <(tr -d , <out)
check "without a yes nothing is saved" bash -c 'cmp -s faq.film before.film && tail -1 out | grep -qx "not saved"'
run "$FILM" edit faq.film --set "alone:card=-2" </dev/null
check "the end of the input is no" cmp -s faq.film before.film

# The listed pairs are those whose verdict film predict changes.
run "$FILM" edit faq.film --set "alone:card=-30" --reason "cards differ" --check pairs.tsv --json --yes
mv out told.json
"$FILM" predict before.film pairs.tsv -q | cut -f 2 >was
"$FILM" predict faq.film pairs.tsv -q | cut -f 2 >is
if have "changed verdicts" "$PYTHON"; then
    check "the changed pairs are those that film predict judges otherwise" "$PYTHON" -c '
import json
told = json.load(open("told.json"))
rows = [line.rstrip("\n").split("\t") for line in open("pairs.tsv", encoding="utf-8")][1:]
was, now = (open(name).read().split()[-len(rows):] for name in ("was", "is"))
changed = {(row[1], row[2]) for row, x, y in zip(rows, was, now) if x != y}
assert told["saved"] and told["edits"][0]["what"] == "alone:card", told["edits"]
assert changed and changed <= {(pair["a"], pair["b"]) for pair in told["changed"]}, changed
assert {(pair["a"], pair["b"]) for pair in told["changed"]} <= changed | {(a, b) for _, a, b in rows}
assert all(pair["same"] != pair["same_before"] for pair in told["changed"])'
fi
run "$FILM" info faq.film
check "film info lists the edit" grep -qE '^  [0-9-]{10}  set alone:card .* -> -30\.00  # cards differ$' out
run "$FILM" explain faq.film --word card
check "film explain shows the new weight" grep -qE -- '-30\.000  weight if only one contains it' out

run "$FILM" edit faq.film --set "zebra ! giraffe" --set "zebra = quagga" --yes -q -o other.film
check "relations take any words; -o leaves the model as it is" bash -c '"$0" info other.film | grep -q "set zebra ! giraffe" && ! "$0" info faq.film | grep -q zebra' "$FILM"
expect_output "an opposite is not made a synonym" 1 \
    'film: "zebra = giraffe": the model lists the two as opposites; remove that first' \
    "$FILM" edit other.film --set "zebra = giraffe" --yes
run "$FILM" edit other.film --remove "zebra ! giraffe" --yes
check "a relation can be removed" grep -q 'remove zebra ! giraffe' out
expect_output "but only where there is one" 1 'film: the model has no relation "zebra ! giraffe"' \
    "$FILM" edit other.film --remove "zebra ! giraffe" --yes
expect_output "an unknown word" 1 \
    'film: the model does not know the word "xqzyv"; it occurs in too few training sentences' \
    "$FILM" edit faq.film --set "alone:xqzyv=1"
expect_output "what is no edit" 1 \
    'film: "card" is not alone:WORD=W, shared:WORD=W, "A / B=W", "A = B", "A ! B" or "A > B"' \
    "$FILM" edit faq.film --set card
expect_status "nothing to edit" 1 "$FILM" edit faq.film

"$FILM" train pairs.tsv --dim 16 --edits faq.film -q -o new.film
run "$FILM" info new.film
check "film train --edits repeats them" grep -qE 'set alone:card .* -> -30\.00  # cards differ$' out
"$FILM" pool create faq.pool --model before.film && "$FILM" pool add faq.pool "$FAQ/questions.tsv" -q
run "$FILM" edit faq.pool --set "alone:card=-3" --yes -q
run "$FILM" info faq.pool
check "the model of a pool" grep -q 'set alone:card' out
finish
