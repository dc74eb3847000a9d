#!/usr/bin/env bash
# kill -9 in any write, half of which is done: after each, the pool is whole, every batch that was acknowledged is
# there, and the same command goes on to the end. 30 kills; FILM_TEST_LONG: 300 (KILLS sets another number). Then two writers
# at once, and a reader beside a writer.
source "$(dirname "$0")/../cli/tap.sh"
kills=${KILLS:-30}
[ -n "${KILLS:-}" ] || [ -z "${FILM_TEST_LONG:-}" ] || kills=300
RANDOM=${SEED:-7}
BATCH=25
ROWS=3000

trained faq.film "$FAQ/questions.tsv" --method svd --rank 32 --decision threshold
# Rows that are all different: a text of the FAQ and a number.
rows() {
    awk -F'\t' -v rows="$1" -v prefix="$2" 'NR > 1 { text[n++] = $2 }
        END { print "id\ttext"; for (i = 0; i < rows; i++) print prefix i "\t" text[(i * 7) % n] " " i }' "$FAQ/questions.tsv"
}
rows $ROWS r >input.tsv
sed 's/$/ again/; 1s/ again$//' input.tsv >second.tsv

# content POOL: id and text, as the input has them
content() { "$FILM" pool export "$1" -q -o - | cut -f1,2; }
# committed: the last complete line of what the killed process said
committed() { grep -E '^committed [0-9]+$' acks | tail -n 1 | cut -d' ' -f2; }
# killed MOST COMMAND...: kills it in one of its first MOST writes to a pool, which one is random; $died is 1 when there
# were as many. "committed" is looked for in its output only up to the last line end.
killed() {
    local most=$1; shift
    signal_at KILL pwrite64 $((1 + RANDOM % most)) .pool "$@" 2>/dev/null
    died=0
    [ "$status" -ne 137 ] || died=1
    deaths=$((deaths + died))
    if [ -s out ] && [ -n "$(tail -c 1 out)" ]; then sed '$d' out >acks; else cp out acks; fi
}

# ---- kills during add ----
"$FILM" pool create whole.pool --model faq.film
"$FILM" pool add whole.pool input.tsv --batch $BATCH -q -t 1
check "an undisturbed run" cmp <(content whole.pool) input.tsv

deaths=0 lost=0 damaged=0 caught=0 completed=0 tries=0 wrong=0
begin() {
    rm -f p.pool p.pool-wal p.pool-shm
    "$FILM" pool create p.pool --model faq.film || wrong=$((wrong + 1))
    acknowledged=0
}
# What holds after every kill. The sentences are a beginning of the input, in whole batches, at least as long as
# what was acknowledged.
examine() {
    local rows
    "$FILM" pool check p.pool >checked 2>&1 || { damaged=$((damaged + 1)); cat checked err >>problems; }
    content p.pool >now
    rows=$(($(wc -l <now) - 1))
    [ $rows -ge "$acknowledged" ] || { lost=$((lost + 1)); echo "acknowledged $acknowledged, found $rows" >>problems; }
    cmp -s <(head -n $((rows + 1)) input.tsv) now || { wrong=$((wrong + 1)); echo "not a beginning: $rows rows" >>problems; }
    [ $((rows % BATCH)) -eq 0 ] || { wrong=$((wrong + 1)); echo "half a batch: $rows rows" >>problems; }
}
begin
while [ $caught -lt "$kills" ] && [ $tries -lt $((4 * kills + 20)) ]; do
    tries=$((tries + 1))
    killed 400 "$FILM" pool add p.pool input.tsv --batch $BATCH --progress-lines -q -t 1
    caught=$((caught + died))
    n=$(committed); [ "${n:-0}" -le "$acknowledged" ] || acknowledged=$n
    examine
    if [ $died -eq 0 ]; then
        [ "$status" -eq 0 ] || { wrong=$((wrong + 1)); cat err >>problems; }
        cmp -s now input.tsv || { wrong=$((wrong + 1)); echo "not complete" >>problems; }
        completed=$((completed + 1)); begin
    fi
done
[ $caught -ge "$kills" ] && ok "$caught kills during add, in $tries runs, $completed of them to the end" ||
    not_ok "$kills kills during add" "only $caught in $tries runs"
[ $lost -eq 0 ] && ok "no acknowledged batch was lost" || not_ok "no acknowledged batch was lost" "$lost" "$(cat problems)"
[ $damaged -eq 0 ] && ok "check passes after every kill" || not_ok "check passes after every kill" "$damaged" "$(cat problems)"
[ $wrong -eq 0 ] && ok "the pool is always a beginning of the input in whole batches" ||
    not_ok "the pool is always a beginning of the input in whole batches" "$wrong" "$(cat problems)"
check "the same command goes on to the end" "$FILM" pool add p.pool input.tsv --batch $BATCH -q
check "and the pool then equals the input" cmp <(content p.pool) input.tsv
check "as that of an undisturbed run" cmp <(content p.pool) <(content whole.pool)
check "every vector is that of its text" "$FILM" pool check p.pool --full -q

# ---- kills during --replace and remove: each sentence is the old or the new one ----
name="kills during add --replace"
problem='' deaths=0
for ((i = 0; i < kills / 5 + 1; i++)); do
    cp whole.pool p.pool; rm -f p.pool-wal p.pool-shm
    killed 1500 "$FILM" pool add p.pool second.tsv --replace --batch $BATCH --progress-lines -q -t 1
    n=$(committed); n=${n:-0}
    "$FILM" pool check p.pool -q >checked 2>&1 || problem="$problem $(cat checked)"
    content p.pool >now
    # a beginning of the second file, then the rest of the first
    new=$(grep -c ' again$' now)
    [ "$new" -ge "$n" ] || problem="$problem acknowledged $n, found $new"
    cmp -s now <(head -n $((new + 1)) second.tsv; tail -n +$((new + 2)) input.tsv) || problem="$problem mixed"
done
[ -z "$problem" ] && [ $deaths -gt 0 ] && ok "$name ($deaths)" || not_ok "$name" "$problem"
name="kills during remove: all or none"
problem='' deaths=0
cut -f1 input.tsv | tail -n +2 | head -2000 >ids
for ((i = 0; i < kills / 5 + 1; i++)); do
    cp whole.pool p.pool; rm -f p.pool-wal p.pool-shm
    killed 120 "$FILM" pool remove p.pool - -q <ids
    "$FILM" pool check p.pool -q >checked 2>&1 || problem="$problem $(cat checked)"
    left=$(($(content p.pool | wc -l) - 1))
    [ $left -eq $ROWS ] || [ $left -eq $((ROWS - 2000)) ] || problem="$problem left $left"
done
[ -z "$problem" ] && [ $deaths -gt 0 ] && ok "$name ($deaths)" || not_ok "$name" "$problem"
name="kills during create: a whole pool or none"
problem='' deaths=0
for ((i = 0; i < kills / 5 + 1; i++)); do
    rm -f c.pool*
    killed 40 "$FILM" pool create c.pool --model faq.film
    [ ! -e c.pool ] || "$FILM" pool check c.pool -q >checked 2>&1 || problem="$problem $(cat checked)"
done
[ -z "$problem" ] && [ $deaths -gt 0 ] && ok "$name ($deaths)" || not_ok "$name" "$problem"

# ---- two writers ----
rows 1500 a >a.tsv
rows 1500 b >b.tsv
"$FILM" pool create two.pool --model faq.film
"$FILM" pool add two.pool a.tsv --batch 20 --wait 1000 -q -t 1 2>err.a &
first=$!
"$FILM" pool add two.pool b.tsv --batch 20 --wait 1000 -q -t 1 2>err.b &
second=$!
wait $first; codes=$?; wait $second; codes=$codes$?
[ $codes = 00 ] && ok "two writers at once both succeed" || not_ok "two writers at once both succeed" "$codes" "$(cat err.a err.b)"
check "nothing is lost" cmp <(content two.pool | sort) <({ tail -n +2 a.tsv; cat b.tsv; } | sort)
check "each writer's rows are in its order" cmp <(content two.pool | grep -E '^a') <(tail -n +2 a.tsv)
check "the pool is whole" "$FILM" pool check two.pool --full -q
"$FILM" pool create same.pool --model faq.film
"$FILM" pool add same.pool a.tsv --batch 20 --wait 1000 -q -t 1 & first=$!
"$FILM" pool add same.pool a.tsv --batch 20 --wait 1000 -q -t 1 & second=$!
wait $first; codes=$?; wait $second; codes=$codes$?
check "two writers of the same file both succeed" test $codes = 00
check "and nothing is there twice" cmp <(content same.pool) a.tsv

# ---- a reader beside a writer ----
"$FILM" pool create read.pool --model faq.film
"$FILM" pool add read.pool input.tsv --batch $BATCH -q -t 1 &
writer=$!
problem='' looks=0 between=0 last=0
while kill -0 $writer 2>/dev/null; do
    content read.pool >seen
    count=$(($(wc -l <seen) - 1)) looks=$((looks + 1))
    [ $count -gt 0 ] && [ $count -lt $ROWS ] && between=$((between + 1))
    [ $((count % BATCH)) -eq 0 ] && [ $count -ge $last ] || problem="$problem $count rows after $last"
    cmp -s seen <(head -n $((count + 1)) input.tsv) || problem="$problem not a beginning"
    last=$count
done
wait $writer
[ -z "$problem" ] && ok "a reader beside a writer sees whole batches ($looks looks, $between of them half way)" ||
    not_ok "a reader beside a writer sees whole batches" "$problem"
finish
