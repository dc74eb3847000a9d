#!/usr/bin/env bash
# bench/serve.sh MODEL [POOL]: measures film serve under load on this machine: checks responses first, then requests/s and
# latency (wrk), CPU time per request, memory before and after, attacks, and the time from start to the first response.
# PAIRS: rows "label, question, question" to send (default: those of ../shared/data/qqp/dev.tsv, else the FAQ's).
# SECONDS_EACH: length of a run (10). REQUESTS: number in the memory test (1000000).
set -eu
cd "$(dirname "$0")/.."
film=$PWD/build/release/film
model=$1 pool=${2:-}
each=${SECONDS_EACH:-10} requests=${REQUESTS:-1000000}
pairs=${PAIRS:-../shared/data/qqp/dev.tsv}
[ -e "$pairs" ] || pairs=examples/faq/train.tsv
python=/usr/bin/python3
folder=$(mktemp -d)
server=
stop() { [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; server=; }; }
trap 'stop; rm -rf "$folder"' EXIT
"$python" bench/serve_bodies.py "$pairs" "$folder"

# start FILE [options]: sets $server and $address
start() {
    : >"$folder/messages"
    "$film" serve "$@" --listen 127.0.0.1:0 2>"$folder/messages" & server=$!
    until address=$(sed -n 's|^listening on http://||p' "$folder/messages") && [ -n "$address" ]; do
        kill -0 $server 2>/dev/null || { cat "$folder/messages" >&2; exit 1; }
        sleep 0.01
    done
}
ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; } # hundredths of a second
memory() { awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$server/status"; }
# load NAME BODIES PATH CONNECTIONS SECONDS: prints a line of measures; sets $rate
load() {
    local before after
    before=$(ticks)
    BODIES=$folder/$2 TARGET=$3 wrk -t1 -c"$4" -d"$5" -s bench/serve.lua --latency "http://$address" >"$folder/wrk"
    after=$(ticks)
    rate=$(awk '/^Requests\/sec/ { print $2 }' "$folder/wrk")
    awk -v name="$1" -v ticks=$((after - before)) '
        /^ +50%/ { p50 = $2 } /^ +99%/ { p99 = $2 } / requests in / { n = $1 } /^Requests\/sec/ { rate = $2 }
        /Non-2xx|Socket errors/ { errors = errors " [" $0 "]" }
        END { printf "%-38s %9.0f requests/s  p50 %8s  p99 %8s  %7.1f us of processor each%s\n", name, rate, p50, p99, ticks * 1e4 / n, errors }' "$folder/wrk"
}
# paced NAME BODIES PATH RATE: about RATE requests per second, from clients that wait 10 ms on average after each response.
paced() { DELAY=10 load "$1" "$2" "$3" "$(awk -v r="$4" 'BEGIN { print int(r / 100) + 1 }')" "$each"; }

served=${pool:-$model}
start "$served"
"$python" bench/serve_bodies.py --check "$film" "$model" "$pool" "$address" "$folder"
load "match, the verdict alone" match /v1/match 16 "$each"
full=$rate
load "match, 10 reasons" match-10 /v1/match 16 "$each"
load "match, all reasons" match-all /v1/match 16 "$each"
load "match, 100 pairs a request" match-100 /v1/match 4 "$each"
load "explain" explain /v1/explain 8 "$each"
[ -z "$pool" ] || load "search, 10 answers" search /v1/search 8 "$each"
load "match, one connection" match /v1/match 1 "$each"

echo "at half of the highest rate:"
paced "match, the verdict alone" match /v1/match "$(awk -v r="$full" 'BEGIN { print int(r / 2) }')"

echo "memory over $requests matches (MB):"
printf '  %s before' "$(memory)"
left=$requests
while [ "$left" -gt 0 ]; do
    BODIES=$folder/match-10 TARGET=/v1/match wrk -t1 -c16 -d10 -s bench/serve.lua "http://$address" >"$folder/wrk"
    left=$((left - $(awk '/ requests in / { print $1 }' "$folder/wrk")))
    printf ', %s' "$(memory)"
done
echo " after"
for attack in slow large; do
    "$python" bench/serve_attack.py $attack "$address" "$each" >"$folder/attack" & attacker=$!
    sleep 1
    load "match during the attack \"$attack\"" match /v1/match 16 "$((each > 3 ? each - 2 : 1))"
    wait $attacker
    sed 's/^/  /' "$folder/attack"
done
echo "memory after the attacks: $(memory) MB"
stop

# Measures the time from starting the program to the response, five times; the files are in the page cache.
first_answer() { # FILE PATH BODY
    for _ in 1 2 3 4 5; do
        "$python" bench/serve_first.py "$film" "$1" "$2" "$3"
    done | sort -n | awk -v name="$2 of $(basename "$1")" '{ t[NR] = $1 } END { printf "first answer, %s: %d ms (%d to %d)\n", name, t[3], t[1], t[5] }'
}
first_answer "$served" /v1/match '{"a": "I lost my card", "b": "what if my card is lost?"}'
[ -z "$pool" ] || first_answer "$pool" /v1/search '{"q": "I lost my card"}'
