#!/usr/bin/env bash
# What answers is plain C for any machine: it compiles for 32 bits and without threads, as a browser needs it,
# without a warning; and so do index and dedup. Some of it is run.
cd "$(dirname "$0")/.." || exit 1
folders=(base text embed pair model explain index dedup)
number=0
verdict() { number=$((number + 1)); echo "$1 $number - $2"; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
compile=(gcc -m32 -std=gnu11 -DFILM_NO_THREADS -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
    -fopenmp-simd -Wall -Wextra -Wshadow -Wconversion -Werror -Iinclude -Isrc)
printf '#include <stdio.h>\nint main(void) { return 0; }\n' > "$work/try.c"
if ! "${compile[@]}" "$work/try.c" -o "$work/try" 2> /dev/null; then
    echo "ok 1 - 32 bits, no threads # SKIP no gcc -m32 (gcc-multilib)"
    echo "1..1"
    exit 0
fi

for folder in "${folders[@]}"; do
    bad="" objects=()
    for file in src/"$folder"/*.c; do
        objects+=("$work/${file//\//_}.o")
        bad+=$("${compile[@]}" -c "$file" -o "${objects[-1]}" 2>&1)
    done
    # Atomics of 64 bits would be calls of libatomic, which nothing links.
    [ -n "$bad" ] || bad=$(nm -A -u "${objects[@]}" | grep -E 'pthread_|sched_|__atomic_|GOMP_|omp_')
    if [ -z "$bad" ]; then
        verdict ok "src/$folder compiles for 32 bits, without threads"
    else
        verdict "not ok" "src/$folder compiles for 32 bits, without threads"
        echo "$bad" | head -n 40 | sed 's/^/# /'
    fi
done

objects=()
for name in threads status mem strtab keytab rng; do objects+=("$work/src_base_$name.c.o"); done
if bad=$("${compile[@]}" tests/lib/portable.c "${objects[@]}" -o "$work/run" 2>&1 && "$work/run" 2>&1); then
    verdict ok "loops without threads and tables with 32-bit sizes work"
else
    verdict "not ok" "loops without threads and tables with 32-bit sizes work (status $?)"
    echo "$bad" | head -n 20 | sed 's/^/# /'
fi
echo "1..$number"
