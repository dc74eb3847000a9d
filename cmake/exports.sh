#!/bin/sh
# exports.sh NM LIBRARY.a [SISTER.a...]: prints the version script of a shared library. Public calls are film_*; the
# functions of ours that sister libraries call besides are exported too, under a version that promises nothing.
set -eu
nm=$1 library=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$nm" --defined-only --extern-only "$library" 2> /dev/null | awk 'NF == 3 { print $3 }' | sort -u > "$folder/defined"
: > "$folder/wanted"
for sister in "$@"; do
    "$nm" --undefined-only "$sister" 2> /dev/null | awk 'NF == 2 { print $2 }' >> "$folder/wanted"
done
sort -u "$folder/wanted" | comm -12 "$folder/defined" - | grep -v '^film_' > "$folder/private" || true
echo "FILM_1.0 { global: film_*; local: *; };"
if [ -s "$folder/private" ]; then
    echo "FILM_PRIVATE { global:"
    sed 's/.*/    &;/' "$folder/private"
    echo "};"
fi
