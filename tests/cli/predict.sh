#!/usr/bin/env bash
# film predict: order, formats, bad rows, pipes, interruption, constant memory.
source "$(dirname "$0")/tap.sh"
heldout=$FAQ/heldout.tsv
faq_model m.film || { echo "Bail out! no model"; exit 1; }

# Labelled pairs look alike; what does not must not be guessed at.
"$PYTHON" - >odd.tsv <<'END'
texts = ["", "hi", "hello", "banana", "zzzqqq", "xxxyyy", "12", "345", "a cat", "my dog", "gronk fnord", "where is the sun",
         "\u5361\u4e22\u4e86", "\u05e9\u05dc\u05d5\u05dd"]
print("a\tb")
for i, a in enumerate(texts):
    for b in texts[:i]:
        print(a, b, sep="\t")
END
run "$FILM" predict m.film odd.tsv -q
check "sentences with nothing in common are different ($(wc -l <odd.tsv) pairs)" awk -F'\t' 'NR > 1 && $1 >= 0.5 { print; bad = 1 }
    END { exit bad || NR < 50 }' out

"$FILM" predict m.film "$heldout" -o out.tsv -q
check "a header and a line per row" test "$(head -1 out.tsv)" = $'probability\tsame' -a \
    "$(wc -l < out.tsv)" -eq "$(wc -l < "$heldout")"
same_as_match() { # the first rows, one by one
    local n=1 a b p same got
    while IFS=$'\t' read -r _ a b; do
        n=$((n + 1))
        got=$("$FILM" match m.film "$a" "$b" --json |
            "$PYTHON" -c 'import json,sys; d=json.load(sys.stdin); print("%.6f %d" % (d["probability"], d["same"]))')
        IFS=$'\t' read -r p same < <(sed -n "${n}p" out.tsv)
        [ "$(printf '%.6f %d' "$p" "$same")" = "$got" ] || { echo "row $n: $p $same, match says $got"; return 1; }
        [ $n -lt 12 ] || return 0
    done < <(tail -n +2 "$heldout")
}
check "probabilities and verdicts are those of film match" same_as_match
"$FILM" predict m.film "$heldout" -t 1 -q > one.tsv
check "thread counts agree, standard output is the same as -o" cmp one.tsv out.tsv
"$FILM" predict m.film - -q < "$heldout" > pipe.tsv
check "- reads standard input" cmp pipe.tsv out.tsv
"$FILM" predict m.film "$heldout" --prior 0.1 -q > low.tsv
check "a lower prior lowers every probability" awk -F'\t' \
    'NR == FNR { p[FNR] = $1; next } FNR > 1 && !($1 < p[FNR]) { exit 1 }' out.tsv low.tsv

# ---- formats ----
{ echo 'test_id,question1,question2'; tail -n +2 "$heldout" | head -50 |
    awk -F'\t' '{ gsub(/"/, "\"\"", $2); gsub(/"/, "\"\"", $3); printf "%d,\"%s\",\"%s\"\n", NR * 7, $2, $3 }'; } > test.csv
"$FILM" predict m.film test.csv --format kaggle -o kaggle.csv -q
check "kaggle: its header" test "$(head -1 kaggle.csv)" = test_id,is_duplicate
check "kaggle: the file's ids in their order, the same probabilities" bash -c \
    'diff <(awk "{print (NR * 7)}" <(seq 50)) <(tail -n +2 kaggle.csv | cut -d, -f1) &&
     diff <(tail -n +2 out.tsv | head -50 | cut -f1) <(tail -n +2 kaggle.csv | cut -d, -f2)'
"$FILM" predict m.film test.csv -q > ids.tsv
check "tsv: ids come first where the file has them" test "$(head -1 ids.tsv)" = $'id\tprobability\tsame'
"$FILM" predict m.film test.csv --format jsonl -q > ids.jsonl
check "jsonl: an object per row" "$PYTHON" -c '
import json
rows = [json.loads(line) for line in open("ids.jsonl")]
table = [line.rstrip("\n").split("\t") for line in open("ids.tsv")][1:]
assert len(rows) == len(table) == 50
for row, (id, p, same) in zip(rows, table):
    assert row["id"] == id and row["same"] == (same == "1") and abs(row["probability"] - float(p)) < 1e-8'
for format in tsv jsonl kaggle; do
    "$FILM" predict m.film test.csv --format $format --input-format csv -q >plain.$format
    "$FILM" predict m.film --format=$format --input-format csv --columns id,a,b -q <test.csv >piped.$format
    check "$format: from standard input, with --columns" cmp plain.$format piped.$format
    check "$format: a line per row" test "$(wc -l <plain.$format)" -eq "$([ $format = jsonl ] && echo 50 || echo 51)"
done
"$FILM" predict m.film "$heldout" --format jsonl -q | head -1 >first
check "jsonl: no id where there is none" grep -qE '^\{"probability": [0-9.e-]+, "same": (true|false)\}$' first
printf '%s\n' '{"id": "a,\"b\"\tc", "sentence1": "lost card", "sentence2": "card lost"}' > odd.jsonl
check "kaggle: an odd id is quoted" bash -c \
    '"$0" predict m.film odd.jsonl --format kaggle -q | tail -1 | grep -qP "^\"a,\"\"b\"\"\tc\",[0-9.]+$"' "$FILM"
check "tsv: a tab in an id becomes a space" bash -c \
    '"$0" predict m.film odd.jsonl -q | tail -1 | grep -qP "^a,\"b\" c\t[0-9.e-]+\t[01]$"' "$FILM"

# ---- what goes wrong ----
check "kaggle without ids is refused" fails_with 2 "$FILM" predict m.film "$heldout" --format kaggle
check "one sentence in a row is refused" fails_with 2 "$FILM" predict m.film "$FAQ/questions.tsv"
check "an unknown format is refused" fails_with 1 "$FILM" predict m.film "$heldout" --format xml
check "a prior of 1 is refused" fails_with 1 "$FILM" predict m.film "$heldout" --prior 1
{ head -3 "$heldout"; printf 'one field only\n'; sed -n '4,5p' "$heldout"; } > bad.tsv
check "a bad row stops it with its line" bash -c \
    '"$0" predict m.film bad.tsv -o never.tsv 2>&1 | grep -q "bad.tsv:4"' "$FILM"
check "and leaves no output" test ! -e never.tsv
"$FILM" predict m.film bad.tsv --skip-bad -o skipped.tsv --json > note
check "--skip-bad: the row is absent and counted" bash -c \
    '[ "$(cat note)" = "{\"rows\": 4, \"skipped\": 1}" ] && diff <(head -5 out.tsv) skipped.tsv'
printf 'label\tquestion1\tquestion2\n' > empty.tsv
check "a file without rows gives the header alone" test "$("$FILM" predict m.film empty.tsv -q)" = $'probability\tsame'

# ---- large files ----
rows=200000
is_sanitized && rows=20000
body=$(tail -n +2 "$heldout")
for ((i = 0; i < rows / 1174 + 1; i++)); do printf '%s\n' "$body"; done | head -n $rows > body
{ head -1 "$heldout"; cat body; } > large.tsv
{ head -1 "$heldout"; head -n $((rows / 10)) body; } > tenth.tsv
peak() { /usr/bin/time -q -f %M -o peak "$FILM" predict m.film "$1" -o "$2" -q -t 2 && cat peak; }
if [ -x /usr/bin/time ]; then
    small=$(peak tenth.tsv tenth.out) large=$(peak large.tsv large.out)
    echo "# peak memory: $small kB for $((rows / 10)) pairs, $large kB for $rows"
    if is_sanitized; then skip "memory does not grow with the file" "the sanitizer keeps freed memory"
    else check "memory does not grow with the file" test "$large" -lt $((small + 12000)); fi
else
    skip "memory does not grow with the file" "no /usr/bin/time"
    "$FILM" predict m.film large.tsv -o large.out -q
fi
check "all rows of a large file, in order" bash -c \
    '[ "$(wc -l < large.out)" -eq '$((rows + 1))' ] && cmp <(tail -n +2 out.tsv) <(sed -n 2,1175p large.out) &&
     cmp <(tail -n +2 out.tsv) <(sed -n 17612,18785p large.out)'
signal_at INT read 3 tenth.tsv "$FILM" predict m.film tenth.tsv -o stopped.out -q
check "an interrupt ends it with 4" test "$status" -eq 4
check "and leaves neither a file nor a temporary one" bash -c '! ls stopped.out* 2> /dev/null'
check "a closed pipe ends it quietly, as other tools" bash -c \
    '"$0" predict m.film large.tsv -q 2> message | head -2 > /dev/null; [ "${PIPESTATUS[0]}" -eq 141 ] && [ ! -s message ]' "$FILM"
check "a full disk is reported" bash -c '"$0" predict m.film tenth.tsv -q > /dev/full 2> message; [ $? -eq 3 ] && grep -q "No space" message' "$FILM"
finish
