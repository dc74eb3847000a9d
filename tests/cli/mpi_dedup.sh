#!/usr/bin/env bash
# film dedup and film link by several processes: the same files as by one. One that is killed ends the job with a message
# and leaves no file under the name that was asked for.
source "$(dirname "$0")/tap.sh"
have "several processes find the same duplicates" mpirun || { finish; exit; }
[ -e "$(dirname "$FILM")/tests/mpi_die_at.so" ] || { skip "several processes find the same duplicates" "built without MPI"; finish; exit; }
faq_model faq.film
sample 5 "$FAQ/train.tsv" >pairs.tsv
tail -n +2 pairs.tsv | cut -f2 | head -150 >a.txt
tail -n +2 pairs.tsv | cut -f3 | tail -200 >b.txt
"$FILM" pool create faq.pool --model faq.film
"$FILM" pool add faq.pool a.txt -q
"$FILM" pool export faq.pool -o faq.pool.csv -q

# same NAME PROCESSES LEAST VERB...: as one process writes it, at least so many lines; the figures once
same() {
    local name=$1 processes=$2 least=$3; shift 3
    rm -f alone job
    "$FILM" "$@" -o alone 2>figures
    job "$processes" "$FILM" "$@" -o job
    if [ "$status" -eq 0 ] && cmp -s alone job && cmp -s figures err && [ "$(wc -l <alone)" -ge "$least" ]
    then ok "$name, $processes processes: the same"
    else not_ok "$name, $processes processes: the same" "exit code $status" "$(wc -l alone)" "$(diff alone job)" "$(diff figures err)"; fi
}
same "clusters of a file of pairs" 2 20 dedup faq.film pairs.tsv --threshold 0.6
same "clusters of a file of pairs" 3 20 dedup faq.film pairs.tsv --threshold 0.6
same "pairs" 3 20 dedup faq.film a.txt --pairs --threshold 0.4
same "clusters of a pool, and who is alone" 2 100 dedup faq.pool --all --threshold 0.5
same "doubtful pairs" 2 10 dedup faq.film a.txt --review 10
same "links" 2 100 link faq.film a.txt b.txt --threshold 0.3 -k 2
# Rows of several lines, without ids, with other columns: the ids are the numbers of the rows.
awk 'BEGIN { print "text;note;topic" } { printf "\"%s\n\";\"n %d\n\n\";t%d\n\n", $0, NR, NR % 3 }' b.txt >b.csv
same "clusters of a table with other columns" 3 100 dedup faq.film b.csv --all --threshold 0.5
check "and their ids are the rows" awk -F'\t' 'NR > 1 && $6 != "n " $2 "  " { print; bad = 1 } END { exit bad || NR < 100 }' job
same "links of tables with other columns" 2 100 link faq.film b.csv faq.pool.csv --threshold 0.3
same "unique links" 3 100 link faq.film a.txt b.txt --threshold 0.3 --unique

job 2 "$FILM" dedup faq.film a.txt -o job --json
check "--json: how many processes, and what they sent" grep -qE '"processes": 2, "sent": [1-9][0-9]*[,}]' out
printf 'id\ttext\n1\ta card\n2\t\n' >bad.tsv
job 2 "$FILM" dedup faq.film bad.tsv -o bad
check "a bad row: its line, and no file" bash -c '[ "$1" -ne 0 ] && grep -q "bad.tsv:3: " err && [ ! -e bad ]' - "$status"
job 2 "$FILM" dedup faq.film - -o bad <a.txt
check "standard input is refused" bash -c '[ "$1" -ne 0 ] && grep -q "save it to a file" err && [ ! -e bad ]' - "$status"

# dies VERB...: one process after the other, at these hundredths of its calls
dies() {
    local calls at victim=0 share
    job_dies 1 0 2 "$FILM" "$@" -o whole
    calls=$(grep -oE '^[0-9]+ calls' err | cut -d' ' -f1)
    for share in ${FILM_TEST_LONG:+5 20 30 60 80 99} 40; do
        at=$((1 + (calls - 1) * share / 100)) victim=$((1 - victim))
        rm -f part*
        job_dies $victim $at 2 "$FILM" "$@" -o part
        if [ "$status" -ne 0 ] && grep -q 'exited on signal 9' err && [ ! -e part ]
        then ok "$1, process $victim killed at call $at of $calls: a message, and no file"
        else not_ok "$1, process $victim killed at call $at of $calls: a message, and no file" "exit code $status" "$(cat err)" "$(ls -A)"; fi
    done
}
dies dedup faq.film pairs.tsv --threshold 0.6
[ -z "${FILM_TEST_LONG:-}" ] || dies link faq.film a.txt b.txt --threshold 0.3
finish
