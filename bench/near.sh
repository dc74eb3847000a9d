#!/usr/bin/env bash
# Compares our scans and graph with hnswlib and, where installed, FAISS (HNSW, IVF) on our own vectors: the sentences of the files
# embedded by a rank model, with 1,000 of the last file held out as queries. One run, one thread (BUILD_THREADS for
# building large indexes); times are CPU time. Prints queries/s at recall@10 of 0.95 and 0.99 (the first setting that
# reaches it), build time and memory.
#   bench/near.sh TRAIN.tsv DEV.tsv [ROWS, 0: real ones only; else noisy copies up to ROWS] [DIM ...]
set -eu
cd "$(dirname "$0")/.."
film=${FILM:-build/release/film}
train=$1 dev=$2 rows=${3:-0}
shift 2
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 200 100
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
faiss=
[ ! -e /usr/include/faiss ] || faiss="-lfaiss -llapack -lopenblas"
g++ -O3 -march=native -fopenmp -o "$folder/rivals" bench/near_rivals.cpp $faiss
tail -qn +2 "$train" "$dev" | cut -f 2,3 | tr '\t' '\n' | awk '!seen[$0]++' > "$folder/sentences.txt"
last=$(tail -n +2 "$dev" | cut -f 2,3 | tr '\t' '\n' | sort -u | wc -l)
# "point NAME SETTING RECALL QUERIES/S" lines to a table
table() {
    awk '$1 != "point" { print; next }
         { for (i = 1; i <= 2; i++) { want = i == 1 ? .95 : .99
             if ($4 >= want && !(($2, i) in done)) { done[$2, i] = 1; line[$2] = line[$2] sprintf("  recall %.4f: %7d/s (%s)", $4, $5, $3) } } }
         END { for (name in line) printf "%-22s%s\n", name, line[name] }' "$folder/log"
}
for dim in "$@"; do
    "$film" train "$train" --method rank --dim "$dim" -q -o "$folder/m.film"
    "$film" embed "$folder/m.film" "$folder/sentences.txt" --format lines -q -o "$folder/v.npy"
    /usr/bin/python3 bench/near_data.py "$folder/v.npy" "$folder" x 1000 $((last - 2000)) "$rows"
    build/release/near_driver "$folder/x.base" "$folder/x.queries" "$dim" "$folder/gold" 0 0 0 "${BUILD_THREADS:-1}" > "$folder/log"
    "$folder/rivals" "$folder/x.base" "$folder/x.queries" "$dim" "$folder/gold" "${BUILD_THREADS:-1}" ${RIVALS:-} >> "$folder/log"
    table
done
