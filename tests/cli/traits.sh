#!/usr/bin/env bash
# docs/explanation/traits.md lists every trait as the program has it: family, name, meaning and id, in the same order.
# With --update the table is written anew.
source "$(dirname "$0")/tap.sh"
driver=$(dirname "$FILM")/decision_driver
name="docs/explanation/traits.md has the traits of the program"
page=$ROOT/docs/explanation/traits.md
header='| trait | meaning | id |'
if [ -x "$driver" ]; then
    # A row names the family where it changes. The smaller and the larger value of one property share a row.
    "$driver" --traits | awk -F '\t' '
        { family[NR] = $1; title[NR] = $2; meaning[NR] = $3; id[NR] = $4 }
        END {
            for (i = 1; i <= NR; i++) {
                if (family[i] != family[i - 1]) print "| **" family[i] "** | | |"
                stem = id[i]
                if (sub(/_min$/, "", stem) && id[i + 1] == stem "_max" && sub(/, smaller .*$/, "", meaning[i])) {
                    both = title[i]; other = title[i + 1]
                    sub(/, [^,]*$/, "", both); sub(/, [^,]*$/, "", other)
                    if (both != other) both = title[i] "; " title[i + 1]
                    print "| " both " | " meaning[i] " | `" id[i] "`, `" id[i + 1] "` |"
                    i++
                } else print "| " title[i] " | " meaning[i] " | `" id[i] "` |"
            }
        }' > wanted
    if [ "${1:-}" = --update ]; then
        awk -v header="$header" '
            $0 == header { print; print "|---|---|---|"; while ((getline row < "wanted") > 0) print row; table = 1; next }
            table && /^[|]/ { next }
            { table = 0; print }' "$page" > page && cp page "$page"
    fi
    awk -v header="$header" '$0 == header { table = 1; getline; next } table && !/^[|]/ { exit } table' "$page" > documented
    check "$name" diff -u documented wanted
else skip "$name" "no $driver"; fi
finish
