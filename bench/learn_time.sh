#!/usr/bin/env bash
# Seconds (of a processor, and elapsed) from labels to the model in service (film pool learn), with 1,000, 4,876 and 20,000 labels.
#
#     bench/learn_time.sh [LABELS...]
#
# Up to 4,876 labels: examples/faq. Above: pairs of Quora's train-strict.tsv, with their sentences as the pool.
set -eu
ROOT=$(cd "$(dirname "$0")/.." && pwd)
FILM=${FILM:-$ROOT/build/release/film}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"
for labels in "${@:-1000 4876 20000}"; do
    for count in $labels; do
        pairs=$ROOT/examples/faq/train.tsv
        [ "$count" -le 4876 ] || pairs=$ROOT/../shared/data/qqp/train-strict.tsv
        [ -s "$pairs" ] || { echo "$count labels: $pairs is missing"; continue; }
        rm -rf a.pool*
        # Rows at equal distances; a sentence is known by its number.
        awk -F'\t' -v want="$count" 'NR == FNR { rows++; next } FNR > 1 && int(FNR * want / rows) > int((FNR - 1) * want / rows)' \
            "$pairs" "$pairs" | awk -F'\t' 'function id(text) { if (!(text in ids)) { ids[text] = ++n; print n "\t" text >"texts.tsv" } return ids[text] }
            BEGIN { print "id\ttext" >"texts.tsv"; print "same\tid_a\tid_b" } $2 != $3 { print $1 "\t" id($2) "\t" id($3) }' >labels.tsv
        "$FILM" pool create a.pool --from texts.tsv -q
        "$FILM" pool label a.pool --from labels.tsv -q
        TIMEFORMAT="$(($(wc -l <labels.tsv) - 1)) labels, $(($(wc -l <texts.tsv) - 1)) sentences: %U s of processor time, %R s elapsed"
        time "$FILM" pool learn a.pool --force -q
    done
done
