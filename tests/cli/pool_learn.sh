#!/usr/bin/env bash
# film pool learn, models and restore: a tiny pool, kill -9 in the middle, a worse model. tests/unit/test_pool_learn.c has the figures.
source "$(dirname "$0")/tap.sh"

# 24 sentences: 8 questions, each asked in three ways.
"$PYTHON" - "$FAQ/train.tsv" <<'EOF' >texts.tsv
import csv, sys
ways, used = {}, set()
for same, a, b in list(csv.reader(open(sys.argv[1]), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]:
    if same == "1" and b not in used and (a in ways or a not in used):
        ways.setdefault(a, []).append(b)
        used |= {a, b}
print("id\ttext")
three = [[a, *others[:2]] for a, others in ways.items() if len(others) > 1][:8]
for i, text in enumerate(sum(three, [])):
    print(i + 1, text, sep="\t")
EOF
"$FILM" train <(cut -f 2 texts.tsv) -q -o none.film || exit 1
"$FILM" pool create a.pool --model none.film && "$FILM" pool add a.pool texts.tsv -q || exit 1
expect_output "without labels there is nothing to learn" 2 \
    "film: a.pool has no labels to learn from; review some pairs first" "$FILM" pool learn a.pool
check "the list has the model of the pool" grep -q '^[0-9a-f]\{16\}  not learned here .* in service$' <("$FILM" pool models a.pool)

# Paraphrases are the same, the next question is different.
awk 'BEGIN { print "same\tid_a\tid_b"; for (i = 1; i <= 22; i += 3) { print "1\t" i "\t" i + 1; print "1\t" i "\t" i + 2
    if (i < 22) { print "0\t" i "\t" i + 3; print "0\t" i + 1 "\t" i + 4 } } }' >labels.tsv
"$FILM" pool label a.pool --from labels.tsv -q || exit 1
field() { "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
in_service() { "$FILM" pool models "$1" --json | "$PYTHON" -c 'import json, sys
print(*[m["id"] for m in json.load(sys.stdin)["models"] if m["in_service"]])'; }

first=$(in_service a.pool)
run "$FILM" pool learn a.pool --dry-run --json
cp out dry.json
check "a dry run compares all labels" test "$(field compared <dry.json)" = 30
cp a.pool removed.pool && "$FILM" pool label removed.pool 1 4 none && run "$FILM" pool learn removed.pool --dry-run --json
check "a label that was taken back is not learned from" test "$(field labels <out)" = 29
# The same by film predict: the model in service saw no label.
"$PYTHON" - <<'EOF' >pairs.tsv
import csv
texts = dict(list(csv.reader(open("texts.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE))[1:])
print("label\ta\tb")
for same, a, b in list(csv.reader(open("labels.tsv"), delimiter="\t"))[1:]:
    print(same, texts[a], texts[b], sep="\t")
EOF
run "$FILM" eval none.film pairs.tsv --json
check "the present model is as accurate as film eval says" "$PYTHON" -c 'import json
print(json.load(open("out"))["accuracy"], json.load(open("dry.json"))["old"])
assert abs(json.load(open("out"))["accuracy"] - json.load(open("dry.json"))["old"]) < 1e-6'
check "and changes nothing" test "$(in_service a.pool)" = "$first"

cp a.pool linked.pool && mkdir linked.pool.models && echo precious >mine && ln -s "$PWD/mine" linked.pool.models/0000000000000000.film
"$FILM" pool learn linked.pool --force -q
check "no name of a new model can be guessed: a link of another user leads nowhere" grep -qx precious mine
expect_output "splitting names an unknown id" 2 'film: the pool has no sentence with id "NOBODY"' \
    "$FILM" pool clusters a.pool split NOBODY -q
# ---- kill -9 ----
# The new model, half of it; its file under its name; the transaction in the middle.
for at in "write 1 a.pool." "rename 1 a.pool." "pwrite64 3 a.pool-wal"; do
    read -r call count path <<<"$at"
    signal_at KILL "$call" "$count" "$path" "$FILM" pool learn a.pool --force -q
    check "killed in $call $count of $path: the model and the labels stay" bash -c '
        [ "$1" = 137 ] && [ "$2" = "$3" ] && "$0" pool check a.pool --full -q' "$FILM" "$status" "$first" "$(in_service a.pool)"
done

left=$(find . -name 'a.pool.tmp-*' | wc -l) # of the killed ones
run "$FILM" pool learn a.pool --force
second=$(in_service a.pool)
check "learning again succeeds" bash -c '[ "$0" = 0 ] && [ "$1" != "$2" ] && grep -q "^new model in service: accuracy" err' "$status" "$first" "$second"
check "and leaves no file behind" test "$(find . -name 'a.pool.tmp-*' | wc -l)" = "$left"
check "no label is lost" test "$("$FILM" pool export a.pool --labels -o - -q | wc -l)" = 31
"$FILM" pool restore a.pool -q
check "the first model can be restored" test "$(in_service a.pool)" = "$first"
"$FILM" pool restore a.pool -q
check "and the second again" test "$(in_service a.pool)" = "$second"

# ---- a worse model ----
# A model that was trained on the whole file knows these pairs; what 30 labels teach is worse.
faq_model faq.film
"$FILM" pool create b.pool --model faq.film && "$FILM" pool add b.pool texts.tsv -q && "$FILM" pool label b.pool --from labels.tsv -q
before=$(in_service b.pool)
run "$FILM" pool learn b.pool
check "a worse model is not taken over" bash -c '[ "$0" = 0 ] && [ "$1" = "$2" ] && grep -q "^new model not taken over: accuracy" err' \
    "$status" "$before" "$(in_service b.pool)"
finish
