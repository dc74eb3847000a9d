#!/usr/bin/env bash
# Builds every fuzz target as OSS-Fuzz wants it: CC, CFLAGS, LIB_FUZZING_ENGINE and OUT are set by its image; without them,
# clang's libFuzzer with the address sanitizer is used, and OUT is build/oss-fuzz. OUT then has the programs, the libraries that
# they load (lib/), a corpus of each (a zip file) and its dictionary. FILM_FUZZ_TARGETS limits the build to some targets.
set -euo pipefail
cd "$(dirname "$0")/../../.."
: "${CC:=clang}" "${OUT:=$PWD/build/oss-fuzz}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
: "${CFLAGS:=-O1 -fno-omit-frame-pointer -gline-tables-only -fsanitize=address,fuzzer-no-link}"
work=${WORK:-$PWD/build}/oss-fuzz-objects
mkdir -p "$OUT/lib"
read -ra targets <<< "${FILM_FUZZ_TARGETS:-$(printf '%s ' tests/fuzz/fuzz_*.c | sed -E 's|tests/fuzz/fuzz_([a-z_]+)\.c|\1|g')}"
cmake -S . -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" -DFILM_FUZZ=ON \
    -DFILM_TESTS=ON "-DFILM_FUZZ_ENGINE=$LIB_FUZZING_ENGINE" \
    '-DCMAKE_BUILD_RPATH=$ORIGIN/lib'
cmake --build "$work" --target "${targets[@]/#/fuzz_}"
for target in "${targets[@]}"; do
    program=$work/tests/fuzz_$target
    cp "$program" "$OUT"
    # What every image has is not copied: the C library and the compiler's run time.
    ldd "$program" | awk '$3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
        xargs -r cp -Lnt "$OUT/lib"
    cp "tests/fuzz/corpus/$target.zip" "$OUT/fuzz_${target}_seed_corpus.zip"
    [ ! -f "tests/fuzz/dictionaries/$target.dict" ] || cp "tests/fuzz/dictionaries/$target.dict" "$OUT/fuzz_$target.dict"
done
