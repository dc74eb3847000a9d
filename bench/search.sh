#!/usr/bin/env bash
# Measures film search in a pool of COUNT sentences: the real ones, then copies with one word replaced by a word of
# another sentence. Prints the time of a new process (files in the page cache, best of 5) and of a query in a warm one
# (one thread, end to end), wall-clock and CPU time.
#   bench/search.sh TRAIN.tsv DEV.tsv [COUNT, default 1000000] [POOL to keep and reuse]
set -eu
cd "$(dirname "$0")/.."
film=${FILM:-build/release/film}
train=$1 dev=$2 count=${3:-1000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pool=${4:-$folder/search.pool}
if [ ! -e "$pool" ]; then
    bench/many_sentences.sh "$count" "$train" "$dev" > "$folder/sentences.txt"
    "$film" train "$train" -q -o "$folder/m.film"
    "$film" pool create "$pool" --model "$folder/m.film"
    "$film" pool add "$pool" "$folder/sentences.txt" --input-format lines -q
    echo "first search, which makes the index:"
    ( TIMEFORMAT='%R s, %U s of processor'; time "$film" search "$pool" "how can I lose weight" -k 1 -q )
fi
tail -n +2 "$dev" | cut -f 2 | head -1001 > "$folder/queries.txt"
seconds() { ( TIMEFORMAT='%R %U %S'; time "$@" > /dev/null ) 2>&1; }
echo "new process (seconds, user, system), best of 5:"
for _ in 1 2 3 4 5; do seconds "$film" search "$pool" "how can I lose weight" -q --threads 1; done | sort -n | head -1
one() { head -1 "$folder/queries.txt" | "$film" search "$pool" - -q --threads 1; }
many() { "$film" search "$pool" - -q --threads 1 < "$folder/queries.txt"; }
a=$(seconds one) b=$(seconds many)
echo "$a $b" | awk '{ printf "warm: %.2f ms a query, %.2f ms of processor\n", $4 - $1, $5 + $6 - $2 - $3 }'
