#!/usr/bin/env bash
# film split: no question in both parts, every row kept as it stands.
source "$(dirname "$0")/tap.sh"
# body FILE: without its header.
body() { tail -n +2 "$1"; }
questions() { body "$1" | cut -f2,3 | tr '\t' '\n' | tr '[:upper:]' '[:lower:]' | tr -cs '[:alnum:]\n' ' ' | sed 's/^ //; s/ $//' | sort -u; }

expect_status "split the example" 0 "$FILM" split "$FAQ/train.tsv" -o faq
check "it says what it wrote" bash -c 'grep -qE "^faq-train.tsv: [0-9,]+ rows$" err && grep -qE "^faq-dev.tsv: [0-9,]+ rows$" err'
check "the header is in both parts" bash -c 'for f in "$@"; do [ "$(head -1 $f)" = "label	question1	question2" ] || exit 1; done' - faq-train.tsv faq-dev.tsv
check "every row is kept, byte for byte" cmp <(body "$FAQ/train.tsv" | sort) <({ body faq-train.tsv; body faq-dev.tsv; } | sort)
check "no question is in both parts" bash -c '! grep .' < <(comm -12 <(questions faq-train.tsv) <(questions faq-dev.tsv))
check "rows keep their order" cmp <(grep -nFxf <(body faq-dev.tsv) "$FAQ/train.tsv" | cut -d: -f2-) <(body faq-dev.tsv)
check "a ratio that cannot be kept is reported" grep -qE '^film: train has 99\.[0-9] % of the rows instead of 80\.0 %: ' err
cp faq-dev.tsv first.tsv
"$FILM" split "$FAQ/train.tsv" -o faq -q
check "the same seed, the same parts" cmp first.tsv faq-dev.tsv
run "$FILM" split "$FAQ/train.tsv" -o faq --json
check "--json" grep -qE '^\{"train": [0-9]+, "dev": [0-9]+, "components": [0-9]+, "largest_component": [0-9]+, "skipped": 0\}$' out
counts=$(sed 's/[^0-9,]//g' out)
check "its numbers are those of the files" test "${counts%%,*}" -eq "$(body faq-train.tsv | wc -l)"
check "nothing else is left" test "$(compgen -G 'faq*' | wc -l)" -eq 2

# Groups of one to five questions each.
awk 'BEGIN { srand(3); print "is_duplicate\tquestion1\tquestion2"
    for (group = 0; group < 3000; group++) for (row = int(rand() * 5); row >= 0; row--)
        printf "%d\tquestion %d number %d\tquestion %d number %d\n", rand() < 0.4, group, row, group, row + 1 }' >synthetic.tsv
rows=$(body synthetic.tsv | wc -l)
for ratio in 4:1 1:1 9:1 1:3 2.5:0.5; do
    "$FILM" split synthetic.tsv -o part -q --ratio $ratio
    dev=$(body part-dev.tsv | wc -l)
    check "--ratio $ratio: $dev of $rows rows in dev" awk -v r=$ratio -v dev="$dev" -v rows="$rows" \
        'BEGIN { split(r, p, ":"); d = dev / rows - p[2] / (p[1] + p[2]); exit !(d < 0.02 && d > -0.02) }'
done
check "no question is in both parts" bash -c '! grep .' < <(comm -12 <(questions part-train.tsv) <(questions part-dev.tsv))
cp part-dev.tsv seed1.tsv
"$FILM" split synthetic.tsv -o part -q --ratio 2.5:0.5 --seed 2
check "another seed, other parts" bash -c '! cmp -s seed1.tsv part-dev.tsv'

# ---- by rows ----
"$FILM" split "$FAQ/train.tsv" -o rows --by rows --ratio 3:1 --seed 4 -q
check "by rows: nothing is lost" cmp <(body "$FAQ/train.tsv" | sort) <({ body rows-train.tsv; body rows-dev.tsv; } | sort)
check "by rows: the exact ratio" test "$(body rows-train.tsv | wc -l)" -eq $((4876 * 3 / 4))
check "by rows: questions recur" bash -c '[ "$(comm -12 <(cut -f2 rows-train.tsv | sort -u) <(cut -f2 rows-dev.tsv | sort -u) | wc -l)" -gt 300 ]'
"$FILM" split "$FAQ/train.tsv" -o other --by rows --ratio 3:1 --seed 5 -q
check "by rows: another seed, another split" bash -c '! cmp -s rows-dev.tsv other-dev.tsv'

# ---- formats ----
gzip -c "$FAQ/train.tsv" >faq.tsv.gz
"$FILM" split faq.tsv.gz -o packed -q
check "gz: the parts are plain and the same" cmp first.tsv packed-dev.tsv
if have "zst" zstd; then
    zstd -qc "$FAQ/train.tsv" >faq.tsv.zst
    "$FILM" split faq.tsv.zst -o packed -q
    check "zst" cmp first.tsv packed-dev.tsv
fi
awk 'BEGIN { print "id,question1,question2,is_duplicate"
    for (i = 0; i < 200; i++) printf "%d,\"first, with a comma and\na line end %d\",\"second \"\"quoted\"\" %d\",%d\n", i, i, i, i % 2 }' >multi.csv
expect_status "CSV with line ends inside quotes" 0 "$FILM" split multi.csv -o multi
records() { tail -n +2 "$1" | awk 'NR % 2 { first = $0; next } { print first "\\n" $0 }'; }
check "its records survive" cmp <(records multi.csv | sort) <({ records multi-train.csv; records multi-dev.csv; } | sort)
check "and can be read again" bash -c '"$0" split multi-train.csv -o again --json | grep -q "\"components\": 160"' "$FILM"
awk 'BEGIN { for (i = 0; i < 100; i++) printf "{\"b\": \"second %d\",  \"a\": \"first \\u00e9 %d\", \"label\": %d}\n", i, i, i % 2 }' >rows.jsonl
"$FILM" split rows.jsonl -o json -q
check "JSON lines are kept as they stand" cmp <(sort rows.jsonl) <(sort json-train.jsonl json-dev.jsonl)
cut -f2 "$FAQ/questions.tsv" | tail -n +2 >lines.txt
"$FILM" split lines.txt -o lines -q
check "plain lines" cmp <(sort lines.txt) <(sort lines-train.txt lines-dev.txt)
sed 's/$/\r/' first.tsv >crlf.tsv
"$FILM" split crlf.tsv -o crlf -q
check "CR LF line ends become LF" cmp <(body first.tsv | sort) <({ body crlf-train.tsv; body crlf-dev.tsv; } | sort)
body first.tsv >bare.tsv
"$FILM" split bare.tsv -o bare -q
check "without a header none is made up" cmp <(sort bare.tsv) <(sort bare-train.tsv bare-dev.tsv)

# ---- refusals ----
printf 'label\tquestion1\tquestion2\n1\ta\tb\n0\tb\tc\n1\tC?\td\n' >connected.tsv
expect_output "all rows connected" 2 \
    "film: connected.tsv: all rows are connected through shared questions, so the file cannot be split" \
    "$FILM" split connected.tsv -o none
for ratio in 4 4:0 0:4 -1:2 a:b 4:1:1 4: :1 nan:1 inf:1 ''; do
    expect_output "--ratio \"$ratio\"" 1 "film split: --ratio $ratio: expected two numbers such as 4:1; see film split --help" \
        "$FILM" split synthetic.tsv -o none --ratio="$ratio"
done
expect_status "a bad row" 2 bash -c 'printf "x\ty\n" >>bare.tsv; "$0" split bare.tsv -o none' "$FILM"
check "refusals leave no files" bash -c '! ls | grep ^none'
expect_status "--skip-bad leaves it out" 0 "$FILM" split bare.tsv -o bare --skip-bad
finish
