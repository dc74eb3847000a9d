#!/usr/bin/env bash
# tests/lib/library_paths.sh FOLDER...: prints the programs and shared libraries there whose RPATH or RUNPATH has an entry that is
# empty or relative. The loader would take libraries from the current folder of whoever starts them. Exit code 1 if there is
# one, or if no file there has a path at all.
set -u
found=0 bad=0
while IFS= read -r -d '' file; do
    for path in $(LC_ALL=C readelf -d "$file" 2> /dev/null | sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p'); do
        found=$((found + 1))
        while IFS= read -r entry; do
            case $entry in /* | \$ORIGIN | \$ORIGIN/*) continue ;; esac
            echo "$file: \"$entry\" in $path"
            bad=1
        done < <(tr : '\n' <<< "$path")
    done
done < <(find "$@" -type f \( -perm -u+x -o -name '*.so' -o -name '*.so.*' \) ! -name '*.o' -print0)
echo "$found files with a path"
[ $found -gt 0 ] && [ $bad -eq 0 ]
