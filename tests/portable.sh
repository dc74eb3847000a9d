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
    -fopenmp-simd -Wall -Wextra -Wconversion -Werror -Iinclude -Isrc)
printf '#include <stdio.h>\nint main(void) { return 0; }\n' > "$work/try.c"
if ! "${compile[@]}" "$work/try.c" -o "$work/try" 2> /dev/null; then
    echo "ok 1 - 32 bits, no threads # SKIP no gcc -m32 (gcc-multilib)"
    echo "1..1"
    exit 0
fi

run=(threads status mem strtab keytab rng) # of base: linked to tests/lib/portable.c
for folder in "${folders[@]}"; do
    files=(src/"$folder"/*.c)
    [ "$folder" != base ] || mapfile -t files < <(printf '%s\n' "${files[@]}" | grep -vxF -f <(printf 'src/base/%s.c\n' "${run[@]}"))
    # Several files as one, as the build with sanitizers compiles them.
    awk -v most=100 -f cmake/groups.awk "${files[@]}" | while read -r group file; do
        echo "#include \"$PWD/$file\"" >> "$work/$folder-$group.c"
    done
    [ "$folder" != base ] || for file in "${run[@]}"; do echo "#include \"$PWD/src/base/$file.c\"" > "$work/base-$file.c"; done
    bad="" objects=()
    for file in "$work/$folder"-*.c; do
        objects+=("$file.o")
        bad+=$("${compile[@]}" -c "$file" -o "$file.o" 2>&1)
    done
    # Atomics of 64 bits would be calls of libatomic, which nothing links.
    [ -n "$bad" ] || bad=$(nm -A -u "${objects[@]}" | grep -E 'pthread_|sched_|__atomic_')
    if [ -z "$bad" ]; then
        verdict ok "src/$folder compiles for 32 bits, without threads"
    else
        verdict "not ok" "src/$folder compiles for 32 bits, without threads"
        echo "$bad" | head -n 40 | sed 's/^/# /'
    fi
done

objects=()
for name in "${run[@]}"; do objects+=("$work/base-$name.c.o"); done
if bad=$("${compile[@]}" tests/lib/portable.c "${objects[@]}" -lm -o "$work/run" 2>&1 && "$work/run" 2>&1); then
    verdict ok "loops without threads and tables with 32-bit sizes work"
else
    verdict "not ok" "loops without threads and tables with 32-bit sizes work (status $?)"
    echo "$bad" | head -n 20 | sed 's/^/# /'
fi
echo "1..$number"
