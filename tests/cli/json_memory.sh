#!/usr/bin/env bash
# One allocation fails: the program either prints what it prints otherwise, or ends with an error. An exit code of 0 with
# another output, such as "0 rows ((null))", is a failure.
source "$(dirname "$0")/tap.sh"
preload=$(dirname "$FILM")/tests/fail_malloc.so
if is_sanitized; then skip "one allocation fails" "the sanitizer has its own malloc"; finish; exit; fi
[ -f "$preload" ] || { echo "Bail out! there is no $preload"; exit 1; }
sample 8 "$FAQ/train.tsv" >train.tsv
"$FILM" train train.tsv --method svd --rank 8 --seed 1 -q -o faq.film || exit 1
"$FILM" pool create faq.pool --model faq.film && "$FILM" pool add faq.pool "$FAQ/questions.tsv" -q || exit 1
head -n 40 train.tsv >few.tsv
points=${FILM_TEST_LONG:+400}
points=${points:-20}

# sweep NAME COMMAND...: fails the last 20 allocations, where output is made, and as many spread over the others.
sweep() {
    local name=$1 total step wrong="" place ended=0; shift
    "$@" >expected 2>/dev/null || { not_ok "$name" "it fails anyway: $*"; return; }
    FAIL_MALLOC_COUNT=count LD_PRELOAD=$preload "$@" >/dev/null 2>&1
    total=$(cat count)
    step=$((total / points > 0 ? total / points : 1))
    for place in $(seq 1 "$step" "$total") $(seq $((total > points ? total - points : 1)) "$total"); do
        FAIL_MALLOC_AT=$place LD_PRELOAD=$preload "$@" >got 2>err
        case $? in
        0) cmp -s expected got || wrong="$wrong $place" ;;
        *) ended=$((ended + 1)) ;;
        esac
    done
    if [ -z "$wrong" ] && [ "$ended" -gt 0 ]; then ok "$name ($total allocations, $ended of the failures end it)"
    else not_ok "$name" "wrong output with exit code 0, allocations:$wrong" "$ended ended it"; fi
}
export OMP_NUM_THREADS=1
sweep "film info" "$FILM" info faq.film
sweep "film info --json" "$FILM" info faq.film --json
sweep "film match" "$FILM" match faq.film "I lost my card" "my card is gone" --json
sweep "film explain" "$FILM" explain faq.film --pair "I lost my card" "my card is gone"
sweep "film explain, a word" "$FILM" explain faq.film --word card
sweep "film search" "$FILM" search faq.pool "Where is my parcel?" -k 2 -t 1
sweep "film search --json" "$FILM" search faq.pool "Where is my parcel?" -k 2 --json --explain -t 1
sweep "film pool list --json" "$FILM" pool list faq.pool --json
sweep "film pool check --json" "$FILM" pool check faq.pool --json -t 1
sweep "film eval" "$FILM" eval faq.film few.tsv -q -t 1
sweep "film eval --json" "$FILM" eval faq.film few.tsv -q --json -t 1
sweep "film --describe" "$FILM" --describe
finish
