#!/usr/bin/env bash
# film predict, embed and eval over several processes: the bytes of one.
source "$(dirname "$0")/tap.sh"
have "several processes share a file" mpirun || { finish; exit; }
faq_model m.film || { echo "Bail out! no model"; exit 1; }
heldout=$FAQ/heldout.tsv
job 2 "$FILM" predict m.film "$heldout" -o two.tsv
if [ "$status" -eq 1 ] && grep -q "built without MPI" err; then
    skip "several processes share a file" "built without MPI"; finish; exit
fi
said() { tail -n 1 err; }

# ---- predict ----
"$FILM" predict m.film "$heldout" -o one.tsv 2> one.err
check "predict: two processes write what one does" cmp one.tsv two.tsv
check "and say the sum of their rows" test "$(said)" = "$(cat one.err)"
check "nothing else is left beside it" test "$(echo two.tsv*)" = two.tsv
{ printf 'test_id,question1,question2\r\n'; tail -n +2 "$heldout" | head -40 | awk -F'\t' '{
    gsub(/"/, "\"\"", $2); printf "%d,\"%s\r\nand 5\"\" more\",%s\r\n", NR * 7, $2, "x" NR "\" y" }'; } > test.csv
"$FILM" predict m.film test.csv --format kaggle -q > one.csv
job 3 "$FILM" predict m.film test.csv --format kaggle -q
check "three processes, quoted line ends, standard output" cmp one.csv out
printf 'id,a,b\n%s,p,q\n' "$(head -c 400 /dev/zero | tr '\0' 7)" > long.csv
"$FILM" predict m.film long.csv -q > one.csv
job 3 "$FILM" predict m.film long.csv -q
check "more processes than rows: the header is there" cmp one.csv out
gzip -c "$heldout" > heldout.tsv.gz
job 2 "$FILM" predict m.film heldout.tsv.gz -q
check "a compressed file, which cannot be cut" cmp one.tsv out

# ---- bad rows ----
awk 'NR == 900 { print "one column"; next } { print }' "$heldout" > bad.tsv
job 2 "$FILM" predict m.film bad.tsv -o bad.out -q
check "a bad row in the second half: exit code 2" test "$status" -eq 2
check "the line is that of the file" grep -q 'process 1): bad.tsv:900: 1 column' err
check "and nothing is written" test "$(echo bad.out*)" = 'bad.out*'
job 2 "$FILM" predict m.film bad.tsv -o bad.out --skip-bad --json
check "--skip-bad: the sums are of all processes" grep -q "\"rows\": $(($(wc -l < "$heldout") - 2)), \"skipped\": 1" out
job 2 "$FILM" predict m.film < "$heldout"
check "standard input is refused: exit code 1" test "$status" -eq 1
check "and it says what to do" grep -q 'standard input cannot be read by several processes; save it to a file first' err
job 2 "$FILM" predict m.film "$heldout" -o nowhere/out.tsv
check "an output that cannot be written ends the job: exit code 3" test "$status" -eq 3

# ---- embed ----
cut -f 2 "$heldout" > sentences.txt
"$FILM" embed m.film sentences.txt -o one.npy -q
job 2 "$FILM" embed m.film sentences.txt -o two.npy --json
check "embed: two processes write what one does" cmp one.npy two.npy
check "and say the sum of their rows" grep -q "\"rows\": $(wc -l < sentences.txt)," out
job 3 "$FILM" embed m.film sentences.txt -q
check "three, to a pipe" cmp one.npy out

# ---- eval ----
head -300 "$heldout" > some.tsv
cut -f 2 "$FAQ/train.tsv" | tail -n +2 | head -400 > pool.txt
same_figures() { # NAME PROCESSES ARGUMENTS...
    local name=$1 processes=$2; shift 2
    "$FILM" eval "$@" --json -q > one.json 2> one.err || { not_ok "$name" "$(cat one.err)"; return; }
    job "$processes" "$FILM" eval "$@" --json -q
    if cmp -s one.json out; then ok "$name"; else not_ok "$name" "$(cat err)" "$(diff one.json out)"; fi
}
same_figures "eval: two processes find the figures of one" 2 m.film some.tsv --bootstrap 50
same_figures "three, with a pool and the paper's decision" 3 m.film some.tsv --bootstrap 20 --pool pool.txt --decision knn
same_figures "three, with categories" 3 m.film "$FAQ/questions.tsv" --bootstrap 20

finish
