#!/usr/bin/env bash
# The public interface of the three libraries is the stored one: tests/abi/*.abi, made by abidw from objects with debug
# information. abi.sh --update stores today's. A change that is no addition fails. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
if ! command -v abidw > /dev/null; then
    echo "ok 1 - the ABI is the stored one # SKIP abigail-tools is not installed"
    echo "1..1"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build=${FILM_BUILD:-$PWD/build/release}
describe() {
    abidw --exported-interfaces-only --suppressions tests/abi/private.suppr --headers-dir include --drop-private-types \
        --no-corpus-path --no-show-locs --no-comp-dir-path --out-file "$2" "$folder/lib$1.so"
    sed -i "s|'$PWD/|'|g; s|path='[./]*src/|path='src/|" "$2" # names of sources, wherever this folder and the build are
}
# library NAME: of its sources, those that define something public, compiled with debug information and without
# optimisation (a few seconds; all of them would take two minutes).
library() {
    local objects=()
    mapfile -t objects < <(cd "$build" && find "CMakeFiles/${1/-/_}_objects.dir" -name '*.o' -exec nm -A --defined-only -g {} + |
        sed -n 's/^\(.*\.o\):.* film_.*/\1/p' | sort -u |
        comm -12 - <(ninja -t targets all | sed -n 's/: .*//p' | sort)) # not of sources that are gone
    [ ${#objects[@]} -gt 0 ] || { echo "no objects in $build: build film_program first"; return 1; }
    mkdir "$folder/$1"
    ninja -C "$build" -t commands -s "${objects[@]}" | sed -E "s/ -O[0-9s]| -g[0-9]?( |\$)/ /g; s| -MD -MT.* -o [^ ]*/([^/ ]*) -c | -O0 -g -o $folder/$1/\1 -c |; s|^|cd $build \&\& |" |
        xargs -d '\n' -P 2 -n 1 sh -c && gcc -shared -o "$folder/lib$1.so" "$folder/$1"/*.o -Wl,-soname,"lib$1.so.1" \
        -Wl,--version-script,<(echo 'FILM_1.0 { global: film_*; local: *; };')
}
for name in film film-pool film-train; do
    library "$name" > "$folder/log" 2>&1 || { tail -n 20 "$folder/log" | sed 's/^/# /'; echo "not ok 1 - builds with debug information"; echo "1..1"; exit 1; }
done
number=0
for library in film film-pool film-train; do
    [ "${1:-}" != --update ] || { describe "$library" "tests/abi/lib$library.abi"; continue; }
    number=$((number + 1))
    describe "$library" "$folder/now.abi"
    # 4: something changed, 8: incompatibly; an addition is 4 alone and becomes part of the promise with --update
    if report=$(abidiff --no-added-syms "tests/abi/lib$library.abi" "$folder/now.abi" 2>&1); then
        echo "ok $number - lib$library has the stored ABI, or more"
    else
        echo "not ok $number - lib$library has the stored ABI, or more"
        printf '%s\n' "$report" | sed 's/^/# /'
    fi
done
echo "1..$number"
