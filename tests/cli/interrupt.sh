#!/usr/bin/env bash
# Ctrl-C and kill -9: exit code 4, and nothing half-written.
source "$(dirname "$0")/tap.sh"

# Sentences whose words are about as frequent as in a language (rank r with weight 1/r).
awk 'BEGIN { srand(5); for (i = 0; i < 4000; i++) { line = ""
    for (w = 6 + int(rand() * 6); w > 0; w--) line = line " w" int(exp(rand() * log(20000)))
    print substr(line, 2) } }' >many.txt
head -90 many.txt >few.txt
"$FILM" train few.txt --rank 20 -q -o few.film
cp few.film kept.film
nothing_new() { find . -mindepth 1 -printf '%P\n' | sort | grep -vxE 'out|err|before|new' | diff <(grep -vxE 'out|err|before|new' before) -; }

# stops_everywhere NAME SIGNAL LEAST COMMAND...: at every report of progress, until there is none left: exit code 4, a
# line that says so, nothing new in the folder. LEAST: so many reports there are at least.
stops_everywhere() {
    local name=$1 signal=$2 least=$3 count=0 problem=""; shift 3
    find . -mindepth 1 -printf '%P\n' | sort >before
    while :; do
        signal_at "$signal" clock_gettime $((count + 1)) "" "$@"
        [ "$status" -ne 0 ] || break
        count=$((count + 1))
        [ "$status" -eq 4 ] || { problem="at report $count: exit code $status"; break; }
        grep -qE '^film: stopped(; nothing was written| during [a-z ]+)$' err || { problem="at report $count: $(cat err)"; break; }
        nothing_new >new || { problem="at report $count: left behind: $(cat new)"; break; }
    done
    if [ -z "$problem" ] && [ $count -ge "$least" ]; then ok "$name: exit code 4 at each of $count moments, and nothing written"
    else not_ok "$name: exit code 4 at each moment, and nothing written" "$problem" "$count moments"; fi
}
stops_everywhere "SIGINT during train" INT 8 "$FILM" train few.txt --rank 20 -o new.film
check "without one there is a model" test -s new.film
stops_everywhere "SIGTERM during train" TERM 4 "$FILM" train few.txt --rank 4 -o other.film
signal_at INT clock_gettime 5 "" "$FILM" train many.txt --rank 20 -o few.film
check "an older model stays as it was" cmp few.film kept.film
head -700 "$FAQ/train.tsv" >labelled.tsv
for method in film rank; do
    stops_everywhere "SIGINT while $method learns from labels" INT 8 "$FILM" train labelled.tsv --method $method --rank 40 --dim 12 --batch 32 \
        --decision threshold -o best.film
    rm best.film
done
awk 'BEGIN { for (i = 0; i < 70000; i++) print i % 2 "\tw" i " w2\tw" i " w3" }' >pairs.tsv
stops_everywhere "SIGINT during split" INT 1 "$FILM" split pairs.tsv -o part
stops_everywhere "SIGINT during embed" INT 1 "$FILM" embed few.film many.txt -o new.npy

# From outside: embed is fed by a pipe that does not end, so that it cannot be done before. When a pipe has taken many
# times what it holds, the program is at work. (A job of a script ignores SIGINT unless it is made to listen: hence
# the set -m.)
rm -f new.npy
mkfifo pipe
{ for _ in 1 2 3 4 5; do cat many.txt; done; : >fed; while cat many.txt; do :; done; } >pipe 2>/dev/null &
feeder=$!
set -m
"$FILM" embed few.film pipe -o new.npy >out 2>err &
child=$!
set +m
while [ ! -e fed ] && kill -0 $child 2>/dev/null; do sleep 0.02; done
kill -INT $child
wait $child
status=$?
kill $feeder 2>/dev/null; wait $feeder 2>/dev/null
if [ "$status" -eq 4 ] && grep -qE '^film: stopped(; nothing was written| during reading)$' err; then ok "SIGINT from outside: exit code 4"
else not_ok "SIGINT from outside: exit code 4" "exit code $status" "$(cat err)"; fi
check "no array and no temporary file" bash -c '! compgen -G "*new.npy*"'

# A row that never ends: after 20 MB, more than the longest row, a signal ends it.
for verb in "embed few.film pipe -o new.npy" "train pipe -o new.film"; do
    rm -f fed
    { head -c 20000000 /dev/zero | tr '\0' a; : >fed; tr '\0' a </dev/zero; } >pipe 2>/dev/null &
    feeder=$!
    # shellcheck disable=SC2086
    "$FILM" $verb --format lines >out 2>err &
    child=$!
    while [ ! -e fed ] && kill -0 $child 2>/dev/null; do sleep 0.02; done
    kill -TERM $child
    wait $child
    status=$?
    kill $feeder 2>/dev/null; wait $feeder 2>/dev/null
    if [ "$status" -eq 4 ] && grep -qE '^film: stopped' err; then ok "SIGTERM inside an endless row ends film ${verb%% *}"
    else not_ok "SIGTERM inside an endless row ends film ${verb%% *}" "exit code $status" "$(cat err)"; fi
done
rm -f pipe fed

# kill -9 while a model is written, in each of the writes: under its name there is the old one or none.
# Few sentences with many features: little to compute, much to write.
head -2000 many.txt >some.txt
save() { signal_at KILL "$1" "$2" target.film "$FILM" train some.txt --features word,bigram --min-df 1 --rank 20 --decision threshold -q -o target.film; }
for old in no an; do
    name="kill -9 during save with $old older model never leaves half a file"
    problem=
    for ((count = 1;; count++)); do
        rm -f target.film*
        [ $old = no ] || cp kept.film target.film
        save write $count
        [ "$status" -ne 0 ] || break
        [ "$status" -eq 137 ] && ls target.film.tmp-* >/dev/null || problem="$problem $count: exit code $status"
        if [ $old = no ]; then [ ! -e target.film ]; else cmp -s target.film kept.film; fi || problem="$problem $count: not the old one"
    done
    if [ -z "$problem" ] && [ $count -gt 3 ]; then ok "$name (in $((count - 1)) writes)"; else not_ok "$name" "$problem" "$count writes"; fi
done
mv target.film whole.film
save rename 1
check "kill -9 right after it took its name: the new one, whole" cmp target.film whole.film
finish
