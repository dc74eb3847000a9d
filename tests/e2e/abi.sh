#!/usr/bin/env bash
# The public interface of the three libraries is the stored one: tests/abi/*.abi, made by abidw from a build with debug
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
describe() {
    abidw --exported-interfaces-only --suppressions tests/abi/private.suppr --headers-dir include --drop-private-types \
        --no-corpus-path --no-show-locs --no-comp-dir-path --out-file "$2" "build/abi/lib$1.so"
    sed -i "s|'$PWD/|'|g" "$2" # names of sources, wherever this folder is
}
# The interface, not the code: without optimisation it is compiled in seconds.
if ! { cmake -S . -B build/abi -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS="-O0 -g" -DFILM_TESTS=OFF &&
    cmake --build build/abi --target film_shared film_pool_shared film_train_shared; } > "$folder/log" 2>&1; then
    tail -n 20 "$folder/log" | sed 's/^/# /'
    echo "not ok 1 - builds with debug information"
    echo "1..1"
    exit 1
fi
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
