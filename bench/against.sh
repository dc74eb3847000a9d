#!/usr/bin/env bash
# Compares this program with an earlier one: each trains its own model of the same rows and does the same work, in turns, in one
# run. Accuracy and log loss are compared first, then processor time, then peak memory.
#   bench/against.sh [--small] [--rounds N] COMMIT|PROGRAM [train|predict|search|dedup|serve ...]     default: all of them
# COMMIT is built in build/against/COMMIT, this tree in build/against/now, both for release and for one process; PROGRAM is used as
# it is. FILM names another new program. Of N rounds (3) the least counts. PAIRS and DEV name other files than
# ../shared/data/qqp; without them the FAQ example is used. --small does all of it in seconds, to try it out.
set -eu
cd "$(dirname "$0")/.."
usage() { sed -n "4s/^# */usage: /p" bench/against.sh >&2; exit 1; }
small='' rounds='' name=''
while [ $# -gt 0 ] && [ -z "$name" ]; do
    case $1 in
    --small) small=--small ;;
    --rounds) [ $# -gt 1 ] || usage; rounds=$2; shift ;;
    -*) usage ;;
    *) name=$1 ;;
    esac
    shift
done
[ -n "$name" ] || usage
case ${rounds:=${small:+1}} in '') rounds=3 ;; *[!0-9]* | 0) usage ;; esac
for work in "$@"; do case $work in train | predict | search | dedup | serve) ;; *) usage ;; esac; done

# build FOLDER SOURCES: the program FOLDER/film. An option that these sources do not have is ignored.
build() {
    mkdir -p "$1"
    { cmake -S "$2" -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFILM_TESTS=OFF -DFILM_MPI=OFF && cmake --build "$1"; } > "$1/log" 2>&1 ||
        { tail -n 20 "$1/log" >&2; exit 1; }
}
if commit=$(git rev-parse -q --verify --short "$name^{commit}" 2> /dev/null); then
    folder=build/against/$commit
    old=$folder/build/film
    if [ ! -x "$old" ]; then
        rm -rf "$folder"
        mkdir -p "$folder/sources"
        git archive "$commit" | tar -x -C "$folder/sources"
        build "$folder/build" "$folder/sources"
    fi
    name="commit $commit"
elif [ -f "$name" ] && [ -x "$name" ]; then
    old=$name
else
    echo "bench/against.sh: $name is neither a commit nor a program" >&2
    exit 1
fi
new=${FILM:-}
[ -n "$new" ] || { build build/against/now . && new=build/against/now/film; }
pairs=${PAIRS:-../shared/data/qqp/train-strict.tsv} dev=${DEV:-../shared/data/qqp/dev.tsv}
[ -z "$small" ] && [ -e "$pairs" ] || { pairs=examples/faq/train.tsv dev=examples/faq/heldout.tsv; }
export OMP_WAIT_POLICY=passive # threads that wait for others do not count
exec /usr/bin/python3 bench/against.py $small --rounds "$rounds" --name "$name" "$(realpath "$old")" "$(realpath "$new")" "$pairs" "$dev" "$@"
