#!/usr/bin/env bash
# What the parts for near misses give: words, made-up pairs, traits and constraints, each left out once.
#
#     bench/near_ablation.sh PAIRS.tsv DEV.tsv TRAPS.tsv [VARIANT...]
#
# Words and made-up pairs are options. Traits and constraints are not, so a copy of the sources is built without them:
# no traits of words, quantities, roles and scope (and with them no guarantee), or no directions of traits in line and
# trees. Output as TSV: variant; accuracy, log loss on DEV; accuracy, AUC on TRAPS; accuracy of the FAQ example (trained
# on its own pairs, held-out pairs).
set -eu
cd "$(dirname "$0")/.."
pairs=$(realpath "$1") dev=$(realpath "$2") traps=$(realpath "$3")
shift 3
[ $# -gt 0 ] || set -- all words made-up traits constraints
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# build NAME FILE SED: a program whose FILE is changed by the sed command.
build() {
    mkdir "$work/$1"
    git archive HEAD | tar -x -C "$work/$1"
    sed -i "$3" "$work/$1/$2"
    git diff --no-index --quiet "$2" "$work/$1/$2" && { echo "$2: nothing to change" >&2; exit 1; }
    cmake -S "$work/$1" -B "$work/$1/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFILM_TESTS=OFF > "$work/log"
    cmake --build "$work/$1/build" --target film_program > "$work/log"
    film=$work/$1/build/film
}
# figures MODEL TABLE KEY...: from film eval.
figures() {
    local model=$1 table=$2
    shift 2
    "$film" eval "$model" "$table" --json -q --bootstrap 0 --k 0 --no-memory "${columns[@]}" |
        python3 -c 'import json, sys; d = json.load(sys.stdin); print("\t".join("%.4f" % d[k] for k in sys.argv[1:]))' "$@"
}
printf 'without\tdev accuracy\tdev log loss\ttraps accuracy\ttraps AUC\tFAQ accuracy\n'
for variant; do
    film=$PWD/build/release/film options=()
    case $variant in
    words) options=(--no-language) ;;
    made-up) options=(--no-made-up) ;;
    traits) build traits src/pair/comparison.c '/compare_knowledge(comparison/d' ;;
    constraints) build constraints src/pair/guarantees.c 's/^int guarantees_direction.*/&/; s/if (trait >= traits_count()) return 0;/return 0;/' ;;
    esac
    "$film" train "$pairs" -o "$work/m.film" -q "${options[@]}"
    "$film" train examples/faq/train.tsv -o "$work/faq.film" -q "${options[@]}"
    columns=()
    first=$(figures "$work/m.film" "$dev" accuracy log_loss)
    last=$(figures "$work/faq.film" examples/faq/heldout.tsv accuracy)
    columns=(--columns "label,a,b,-")
    printf '%s\t%s\t%s\t%s\n' "$variant" "$first" "$(figures "$work/m.film" "$traps" accuracy auc)" "$last"
done
