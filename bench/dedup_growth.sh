#!/usr/bin/env bash
# Measures film dedup on more and more sentences (bench/many_sentences.sh): processor time, peak memory, duplicate pairs. With OLD,
# the program of an earlier commit (scripts/bench against COMMIT builds build/against/COMMIT/build/film), also the share of its pairs that are found; OLD uses
# OLD_MODEL, its own. The pairs of OLD are kept in FOLDER for the next run.
#   [OLD=PROGRAM OLD_MODEL=FILE] bench/dedup_growth.sh MODEL TRAIN.tsv DEV.tsv FOLDER [COUNT ...]
set -eu
cd "$(dirname "$0")/.."
film=${FILM:-build/release/film}
model=$1 train=$2 dev=$3 folder=$4
shift 4
[ $# -gt 0 ] || set -- 100000 1000000
mkdir -p "$folder"
# pairs PROGRAM MODEL OUT: the duplicates as sorted pairs of texts; prints processor seconds and MiB.
pairs() {
    /usr/bin/time -f '%U %S %M' -o "$folder/time" "$1" dedup "$2" "$folder/text.txt" --input-format lines --threshold 0.9 --pairs -q \
        -o "$folder/found.tsv"
    tail -n +2 "$folder/found.tsv" | cut -f 4,5 | LC_ALL=C sort > "$3"
    awk '{ printf "%.0f s of processor, %.0f MiB\n", $1 + $2, $3 / 1024 }' "$folder/time"
}
for count in "$@"; do
    bench/many_sentences.sh "$count" "$train" "$dev" > "$folder/text.txt"
    cost=$(pairs "$film" "$model" "$folder/new.pairs")
    echo "$count sentences: $cost, $(wc -l < "$folder/new.pairs") pairs"
    [ -n "${OLD:-}" ] || continue
    old=$folder/old-$count
    [ -e "$old.pairs" ] || { pairs "$OLD" "$OLD_MODEL" "$old.part" > "$old.cost"; mv "$old.part" "$old.pairs"; }
    echo "  before: $(cat "$old.cost"), $(wc -l < "$old.pairs") pairs, $(LC_ALL=C comm -12 "$old.pairs" "$folder/new.pairs" | wc -l) of them now"
done
