#!/usr/bin/env bash
# docs/explanation/traits.md lists every trait as the program has it: family, name, meaning and id, in the same order.
# With --update the table is written anew.
source "$(dirname "$0")/tap.sh"
driver=$(dirname "$FILM")/decision_driver
name="docs/explanation/traits.md has the traits of the program"
page=$ROOT/docs/explanation/traits.md
header='| family | trait | meaning | id |'
if [ -x "$driver" ]; then
    "$driver" --traits | awk -F '\t' '{ print "| " $1 " | " $2 " | " $3 " | `" $4 "` |" }' > wanted
    if [ "${1:-}" = --update ]; then
        awk -v header="$header" '
            $0 == header { print; print "|---|---|---|---|"; while ((getline row < "wanted") > 0) print row; table = 1; next }
            table && /^[|]/ { next }
            { table = 0; print }' "$page" > page && cp page "$page"
    fi
    awk -v header="$header" '$0 == header { table = 1; getline; next } table && !/^[|]/ { exit } table' "$page" > documented
    check "$name" diff -u documented wanted
else skip "$name" "no $driver"; fi
finish
