#!/usr/bin/env bash
# Compares this program with that of an earlier commit: the same work, in turns, in one run. Results are compared first.
#   bench/against.sh COMMIT [predict|start|search|dedup|train ...]    default: predict start search dedup
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
    *) echo "no work called $name" >&2; exit 1 ;;
    esac
    ratio "$name"
    after
done
