#!/usr/bin/env bash
# film predict, embed and eval over several processes: the bytes of one.
source "$(dirname "$0")/tap.sh"
have "several processes share a file" mpirun || finish
faq_model m.film || { echo "Bail out! no model"; exit 1; }
heldout=$FAQ/heldout.tsv
# Open MPI refuses root unless told twice; processes may be more than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
job() { local processes=$1; shift; mpirun -n "$processes" --oversubscribe --bind-to none "$FILM" "$@"; }
if run job 2 predict m.film "$heldout" -o two.tsv -t 1; [ "$status" -eq 1 ] && grep -q "built without MPI" err; then
    skip "several processes share a file" "built without MPI"; finish
fi
said() { tail -n 1 err; }

# ---- predict ----
"$FILM" predict m.film "$heldout" -o one.tsv -t 1 2> one.err
check "predict: two processes write what one does" cmp one.tsv two.tsv
check "and say the sum of their rows" test "$(said)" = "$(cat one.err)"
check "nothing else is left beside it" test "$(echo two.tsv*)" = two.tsv
{ printf 'test_id,question1,question2\r\n'; tail -n +2 "$heldout" | head -40 | awk -F'\t' '{
    gsub(/"/, "\"\"", $2); printf "%d,\"%s\r\nand 5\"\" more\",%s\r\n", NR * 7, $2, "x" NR "\" y" }'; } > test.csv
"$FILM" predict m.film test.csv --format kaggle -t 1 -q > one.csv
run job 3 predict m.film test.csv --format kaggle -t 1 -q
check "three processes, quoted line ends, standard output" cmp one.csv out
printf 'id,a,b\n%s,p,q\n' "$(head -c 400 /dev/zero | tr '\0' 7)" > long.csv
"$FILM" predict m.film long.csv -t 1 -q > one.csv
run job 3 predict m.film long.csv -t 1 -q
check "more processes than rows: the header is there" cmp one.csv out
printf 'id,a,b\n' > none.csv
run job 2 predict m.film none.csv -t 1 -q
check "a file without rows" test "$status" -eq 0 -a "$(cat out)" = $'probability\tsame'
gzip -c "$heldout" > heldout.tsv.gz
run job 2 predict m.film heldout.tsv.gz -t 1 -q
check "a compressed file, which cannot be cut" cmp one.tsv out

# ---- bad rows ----
awk 'NR == 900 { print "one column"; next } { print }' "$heldout" > bad.tsv
run job 2 predict m.film bad.tsv -o bad.out -t 1 -q
check "a bad row in the second half: exit code 2" test "$status" -eq 2
check "the line is that of the file" grep -q 'process 1): bad.tsv:900: 1 column' err
check "and nothing is written" test "$(echo bad.out*)" = 'bad.out*'
run job 2 predict m.film bad.tsv -o bad.out -t 1 --skip-bad --json
check "--skip-bad: the sums are of all processes" grep -q "\"rows\": $(($(wc -l < "$heldout") - 2)), \"skipped\": 1" out
run job 2 predict m.film -t 1 < "$heldout"
check "standard input is refused: exit code 1" test "$status" -eq 1
check "and it says what to do" grep -q 'standard input cannot be shared by several processes; save it to a file first' err
run job 2 predict m.film "$heldout" -o nowhere/out.tsv -t 1
check "an output that cannot be written ends the job: exit code 3" test "$status" -eq 3

# ---- embed ----
cut -f 2 "$heldout" > sentences.txt
"$FILM" embed m.film sentences.txt -o one.npy -t 1 -q
run job 2 embed m.film sentences.txt -o two.npy -t 1 --json
check "embed: two processes write what one does" cmp one.npy two.npy
check "and say the sum of their rows" grep -q "\"rows\": $(wc -l < sentences.txt)," out
run job 3 embed m.film sentences.txt -t 1 -q
check "three, to a pipe" cmp one.npy out

finish
