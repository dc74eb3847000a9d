#!/usr/bin/env bash
# Compares this program with that of an earlier commit: the same work, in turns, in one run. Results are compared first.
#   bench/against.sh COMMIT [predict|start|search|dedup|train|serve ...]    default: predict start search dedup
# The earlier program and the model that it trains are kept in build/against/COMMIT. PAIRS and DEV may name other files; without
# ../shared/data the FAQ example is used. ROUNDS (3) is the number of runs of each, of which the fastest counts.
set -eu
cd "$(dirname "$0")/.."
commit=$(git rev-parse --short "$1^{commit}")
shift
[ $# -gt 0 ] || set -- predict start search dedup
folder=$PWD/build/against/$commit
new=${FILM:-$PWD/build/release/film}
old=$folder/source/build/release/film
pairs=${PAIRS:-../shared/data/qqp/train-strict.tsv} dev=${DEV:-../shared/data/qqp/dev.tsv}
[ -e "$pairs" ] || { pairs=examples/faq/train.tsv dev=examples/faq/heldout.tsv; }
if [ ! -x "$old" ]; then
    mkdir -p "$folder/source"
    git archive "$commit" | tar -x -C "$folder/source"
    (cd "$folder/source" && cmake --preset release -DFILM_TESTS=OFF && cmake --build --preset release) > "$folder/build.log" 2>&1 ||
        { tail -n 20 "$folder/build.log"; exit 1; }
fi
export OMP_WAIT_POLICY=passive # threads that wait for others do not count
model=$folder/$(basename "$pairs" .tsv).film
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$*" != train ]; then
    [ -e "$model" ] || "$old" train "$pairs" -q -o "$model"
    # The new program uses the model in the form that its own training would write.
    "$new" pack "$model" --bits 8 -q -o "$work/new.film"
    echo "model $(du -b "$model" | cut -f 1) bytes, now $(du -b "$work/new.film" | cut -f 1)"
fi
# distinct FILE ...: the sentences of files of pairs. Duplicates are looked for in PAIRS, answers in both files.
distinct() { tail -qn +2 "$@" | cut -f 2,3 | tr '\t' '\n' | awk 'BEGIN { print "text" } length && !seen[$0]++'; }
distinct "$pairs" > "$work/sentences.tsv"
distinct "$pairs" "$dev" > "$work/pool.tsv"
tail -n +2 "$dev" | cut -f 2 | head -n 2000 > "$work/queries.txt"

# Processor time of the user: other programs on the machine change it least.
seconds() { /usr/bin/time -f %U -o "$work/time" "$@" > "$work/out" < "${input:-/dev/null}"; cat "$work/time"; }
# ratio NAME: runs the functions run_old and run_new in turns.
ratio() {
    local best_old=999999 best_new=999999 t
    for _ in $(seq "${ROUNDS:-3}"); do
        t=$(run_old) best_old=$(echo "$t $best_old" | awk '{print $1 < $2 ? $1 : $2}')
        t=$(run_new) best_new=$(echo "$t $best_new" | awk '{print $1 < $2 ? $1 : $2}')
    done
    echo "$best_old $best_new" | awk -v name="$1" '{printf "%-8s %.2f s before, %.2f s now: ratio %.2f\n", name, $1, $2, $1 / $2}'
}
# differ A B: two outputs of film predict.
differ() {
    paste "$1" "$2" | awk -F'\t' 'NR > 1 { d = $1 > $3 ? $1 - $3 : $3 - $1; sum += d; if (d > most) most = d; other += $2 != $4 }
        END { printf "%d pairs, probabilities differ by %.2g on average, %.2g at most, %d verdicts\n", NR - 1, sum / (NR - 1), most, other }'
}
# quality PROGRAM MODEL: accuracy and log loss of the model on the dev pairs.
quality() {
    "$1" eval "$2" "$dev" --bootstrap 0 --k 0 | grep -E '^(accuracy|log loss)' | tr -s ' ' | paste -sd,
    echo "$(du -b "$2" | cut -f 1) bytes"
}

# serve_once PROGRAM MODEL BODIES: requests/s and microseconds of the server's processor time for each, under wrk.
serve_once() {
    local server address='' before
    "$1" serve "$2" --listen 127.0.0.1:0 2> "$work/messages" & server=$!
    until [ -n "$address" ]; do
        kill -0 $server || { cat "$work/messages" >&2; exit 1; }
        sleep 0.05
        address=$(sed -n 's|^listening on http://||p' "$work/messages")
    done
    BODIES=$3 TARGET=/v1/match wrk -t1 -c16 -d1 -s bench/serve.lua "http://$address" > /dev/null # warm
    before=$(awk '{ print $14 + $15 }' /proc/$server/stat)
    BODIES=$3 TARGET=/v1/match wrk -t1 -c16 -d"${SECONDS_EACH:-5}" -s bench/serve.lua "http://$address" > "$work/wrk"
    awk -v ticks="$(($(awk '{ print $14 + $15 }' /proc/$server/stat) - before))" '
        / requests in / { n = $1 } /^Requests\/sec/ { rate = $2 } END { print rate, ticks * 1e4 / n }' "$work/wrk"
    kill $server
    wait $server 2> /dev/null || true
}
# serve_ratio NAME BODIES: the two servers in turns; the best of each.
serve_ratio() {
    for _ in $(seq "${ROUNDS:-3}"); do
        echo "old $(serve_once "$old" "$model" "$2")"
        echo "new $(serve_once "$new" "$work/new.film" "$2")"
    done | awk -v name="$1" '{ if ($2 > rate[$1]) rate[$1] = $2; if (!cpu[$1] || $3 < cpu[$1]) cpu[$1] = $3 }
        END { printf "%-17s %.0f requests/s before, %.0f now: ratio %.2f; %.0f us of processor time each before, %.0f now: ratio %.2f\n",
            name, rate["old"], rate["new"], rate["new"] / rate["old"], cpu["old"], cpu["new"], cpu["old"] / cpu["new"] }'
}

echo "commit $commit, $(wc -l < "$pairs") lines of $(basename "$pairs")"
for name in "$@"; do
    input=
    after() { :; } # the comparison, where it needs what the runs wrote
    case $name in
    predict)
        "$old" predict "$model" "$pairs" -q -o "$work/old.tsv"
        "$new" predict "$model" "$pairs" -q -o "$work/same.tsv"
        "$new" predict "$work/new.film" "$pairs" -q -o "$work/new.tsv"
        echo "the same model: $(differ "$work/old.tsv" "$work/same.tsv")"
        echo "packed: $(differ "$work/old.tsv" "$work/new.tsv")"
        run_old() { seconds "$old" predict "$model" "$pairs" -q; }
        run_new() { seconds "$new" predict "$work/new.film" "$pairs" -q; } ;;
    start)
        run_old() { seconds bash -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" match "$1" "is it open" "is it closed"; done' "$old" "$model"; }
        run_new() { seconds bash -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" match "$1" "is it open" "is it closed"; done' "$new" "$work/new.film"; } ;;
    search)
        for which in old new; do
            [ $which = old ] && program=$old with=$model || { program=$new with=$work/new.film; }
            "$program" pool create "$work/$which.pool" --model "$with" -q
            "$program" pool add "$work/$which.pool" "$work/pool.tsv" -q
            "$program" search "$work/$which.pool" - -k 10 --json < "$work/queries.txt" |
                sed -nE 's/.*"id": "([^"]*)".*"line": ([0-9]+).*/\2 \1/p' | sort -u > "$work/$which.found"
        done
        echo "$(wc -l < "$work/old.found") answers before, $(comm -12 "$work/old.found" "$work/new.found" | wc -l) of them now"
        input=$work/queries.txt
        run_old() { seconds "$old" search "$work/old.pool" - -k 10; }
        run_new() { seconds "$new" search "$work/new.pool" - -k 10; } ;;
    dedup)
        "$old" dedup "$model" "$work/sentences.tsv" -q --pairs | tail -n +2 | cut -f 4,5 | sort > "$work/old.found"
        "$new" dedup "$work/new.film" "$work/sentences.tsv" -q --pairs | tail -n +2 | cut -f 4,5 | sort > "$work/new.found"
        echo "$(wc -l < "$work/old.found") pairs before, $(comm -12 "$work/old.found" "$work/new.found" | wc -l) of them now; $(wc -l < "$work/new.found") now"
        run_old() { seconds "$old" dedup "$model" "$work/sentences.tsv" -q --pairs; }
        run_new() { seconds "$new" dedup "$work/new.film" "$work/sentences.tsv" -q --pairs; } ;;
    train)
        run_old() { seconds "$old" train "$pairs" -q -o "$work/old.trained"; }
        run_new() { seconds "$new" train "$pairs" -q -o "$work/new.trained"; }
        after() {
            echo "before: $(quality "$old" "$work/old.trained")"
            echo "now: $(quality "$new" "$work/new.trained")"
        } ;;
    serve)
        command -v wrk > /dev/null || { echo "serve needs wrk" >&2; exit 1; }
        /usr/bin/python3 bench/serve_bodies.py "$dev" "$work"
        serve_ratio "match, no reasons" "$work/match"
        serve_ratio "match, 10 reasons" "$work/match-10"
        continue ;;
    *) echo "no work called $name" >&2; exit 1 ;;
    esac
    ratio "$name"
    after
done
