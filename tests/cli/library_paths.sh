#!/usr/bin/env bash
# Nothing that is built takes libraries from the current folder.
source "$(dirname "$0")/tap.sh"
build=$(dirname "$FILM")
check "no library path of the build has an empty or relative entry" "$ROOT/tests/lib/library_paths.sh" "$build"

# A library that says so when it is loaded, under the name of each one that the program loads.
cat >planted.c <<'C'
#include <unistd.h>
__attribute__((constructor)) static void planted(void) { _exit(write(1, "planted\n", 8) == 8 ? 77 : 78); }
C
if have "a library in the current folder" cc; then
    mkdir folder
    cc -shared -fPIC planted.c -o planted.so
    for file in "$build"/film "$build"/*.so "$build"/libfilm*.so.1; do
        LC_ALL=C readelf -d "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'
    done | sort -u | grep -v '^libfilm' >needed
    while read -r name; do cp planted.so "folder/$name"; done <needed
    (cd folder && for verb in match search train; do "$FILM" $verb --help; done) >out 2>&1
    check "of $(wc -l <needed) libraries in the current folder none is loaded" bash -c \
        '! grep planted out && grep -q "^usage: film train" out'
fi
finish
