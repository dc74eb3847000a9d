#!/usr/bin/env bash
# docs/decision.md lists every trait as the program has it: family, name and meaning, in the same order.
source "$(dirname "$0")/tap.sh"
driver=$(dirname "$FILM")/decision_driver
name="docs/decision.md has the traits of the program"
if [ -x "$driver" ]; then
    "$driver" --traits | awk -F '\t' '{ print "| " $1 " | " $2 " | " $3 " |" }' > wanted
    sed -n '/^| family | trait | meaning |$/,/^$/p' "$ROOT/docs/decision.md" | grep -v -e '^|---' -e '^| family' -e '^$' > documented
    check "$name" diff -u documented wanted
else skip "$name" "no $driver"; fi
finish
