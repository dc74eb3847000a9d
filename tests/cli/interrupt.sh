#!/usr/bin/env bash
# Ctrl-C and kill -9: exit code 4, and nothing half-written.
source "$(dirname "$0")/tap.sh"

# Sentences whose words are about as frequent as in a language (rank r with weight 1/r).
awk 'BEGIN { srand(5); for (i = 0; i < 200000; i++) { line = ""
    for (w = 6 + int(rand() * 6); w > 0; w--) line = line " w" int(exp(rand() * log(20000)))
    print substr(line, 2) } }' >many.txt
head -2000 many.txt >few.txt
"$FILM" train few.txt --rank 20 -q -o few.film
cp few.film kept.film
ls -A >before

# interrupts SIGNAL SECONDS COMMAND...: starts it and signals it after that time, or at once when it is faster.
# (A job of a script ignores SIGINT unless it is made to listen: hence the set -m.)
interrupts() {
    local signal=$1 after=$2 child; shift 2
    set -m
    "$@" >out 2>err &
    child=$!
    set +m
    sleep "$after"
    kill "-$signal" "$child" 2>/dev/null
    wait "$child" 2>/dev/null
    status=$?
}
nothing_new() { ls -A | grep -vxE 'out|err|before|.*\.npy' | diff <(grep -vxE 'out|err|before' before) -; }

for signal in INT TERM; do
    for after in 0.3 1; do
        interrupts $signal $after "$FILM" train many.txt --rank 500 -o new.film
        if [ "$status" -eq 4 ] && grep -qE '^film: stopped during [a-z ]+$' err; then ok "SIG$signal after $after s: exit code 4 ($(cat err))"
        else not_ok "SIG$signal after $after s: exit code 4" "exit code $status" "$(cat err)"; fi
        check "no model and no temporary file" nothing_new
    done
done
interrupts INT 0.4 "$FILM" train many.txt --rank 500 -o few.film
check "an older model stays as it was" cmp few.film kept.film

# embed: fed by a pipe that goes on, so that it cannot be done before.
mkfifo pipe
ls -A >before
{ while cat many.txt; do :; done >pipe 2>/dev/null; } &
feeder=$!
interrupts INT 1 "$FILM" embed few.film pipe -o new.npy
kill $feeder 2>/dev/null; wait $feeder 2>/dev/null
if [ "$status" -eq 4 ] && [ "$(cat err)" = "film: stopped; nothing was written" ]; then ok "SIGINT during embed: exit code 4"
else not_ok "SIGINT during embed: exit code 4" "exit code $status" "$(cat err)"; fi
check "no array and no temporary file" bash -c '! ls -A | grep new.npy'
yes "w1 w2	w3 w$((RANDOM))" | head -3000000 | awk '{ print "1\t" $0 NR }' >pairs.tsv
ls -A >before
interrupts INT 0.7 "$FILM" split pairs.tsv -o part
if [ "$status" -eq 4 ]; then ok "SIGINT during split: exit code 4"; else not_ok "SIGINT during split: exit code 4" "exit code $status" "$(cat err)"; fi
check "no parts and no temporary files" nothing_new
rm -f pairs.tsv

# kill -9 while a model is written: under its name there is the old one, the new one or none.
# Few sentences with many features: little to compute, much to write.
head -4000 many.txt >wide.txt
large() { "$FILM" train wide.txt --features word,bigram --min-df 1 --rank 40 -q -o "$1" 2>/dev/null; }
large large.film
name="kill -9 during save never leaves half a file"
seen=none
for try in 1 2 3 4; do
    rm -f target.film target.film.tmp-*
    "$FILM" train wide.txt --features word,bigram --min-df 1 --rank 40 -q -o target.film 2>/dev/null &
    child=$!
    # The first temporary file tests the path before training; the one that has content is the save.
    while kill -0 $child 2>/dev/null; do
        for file in target.film.tmp-*; do [ -s "$file" ] && break 2; done
        [ -e target.film ] && break
    done
    kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    [ -e target.film ] || { ls target.film.tmp-* >/dev/null 2>&1 && seen=caught; continue; }
    cmp -s target.film large.film || { not_ok "$name" "attempt $try"; name=; break; }
done
[ -z "$name" ] || ok "$name ($seen in the act)"
finish
