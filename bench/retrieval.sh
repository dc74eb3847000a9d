#!/usr/bin/env bash
# Measures retrieval of a question's duplicate with every search method, in one pool. The first 2,000 duplicates of DEV
# with different texts: question1 searches for question2 among all questions of both files, itself excluded, ties
# counted against us.
#   bench/retrieval.sh TRAIN.tsv DEV.tsv
set -eu
cd "$(dirname "$0")/.."
film=${FILM:-build/release/film}
train=$1 dev=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tail -qn +2 "$train" "$dev" | cut -f 2,3 | tr '\t' '\n' | awk '!seen[$0]++' > "$folder/sentences.txt"
build/release/rank_driver "$train" "$dev" peers=1 epochs=1 2> /dev/null | grep -iE 'tf-idf|bm25' || true
for method in "svd --rank 500" "film --rank 500 --dim 100" rank; do
    # shellcheck disable=SC2086
    "$film" train "$train" --method $method --decision threshold -q -o "$folder/m.film"
    printf '%-24s ' "$method"
    "$film" eval "$folder/m.film" "$dev" --pool "$train" --pool-queries 2000 --json -q |
        grep -oE '"retrieval": \{[^}]*\}'
done
"$film" train "$train" -q -o "$folder/m.film"
"$film" pool create "$folder/q.pool" --model "$folder/m.film"
"$film" pool add "$folder/q.pool" "$folder/sentences.txt" --input-format lines -q
build/release/retrieval_driver "$folder/q.pool" "$dev"
"$film" pool check "$folder/q.pool" --recall
