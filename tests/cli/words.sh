#!/usr/bin/env bash
# The table of English words against WordNet's own files, read by Python. words.py prints TAP.
source "$(dirname "$0")/tap.sh"
table=$(dirname "$FILM")/english.words
if [ ! -e /usr/share/wordnet/data.noun ] || [ ! -e "$table" ]; then
    skip "the table of English words" "no WordNet"
    finish
    exit 0
fi
"$PYTHON" "$ROOT/tests/cli/words.py" "$table" /usr/share/wordnet "$ROOT/tools/english.txt"
