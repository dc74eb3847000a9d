#!/usr/bin/env bash
# film embed and film info of a folder with a BERT encoder; the vectors of every kind of folder against NumPy.
source "$(dirname "$0")/tap.sh"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/golden/bert_folder.py" tiny || echo "Bail out! cannot make a folder"
printf 'how is my card\n\nWhat is the number?\n' >lines.txt
expect_output "embed" 0 "3 sentences, 24 dimensions" "$FILM" embed tiny lines.txt -o v.npy
expect_status "from standard input to standard output" 0 bash -c '"$0" embed tiny -q <lines.txt >w.npy' "$FILM"
check "and the same bytes" cmp v.npy w.npy
expect_output "embed --json" 0 '{"rows": 3, "dim": 24, "skipped": 0}' "$FILM" embed tiny lines.txt -o v.npy --json
expect_status "info" 0 "$FILM" info tiny
check "info names what was read" grep -qE '^encoder +"bert"$' out
check "info names the fingerprint" grep -qE '^fingerprint +"[0-9a-f]{16}"$' out
expect_output "info --json" 0 'bert 24 mean 32' bash -c '"$0" info tiny --json |
    "$PYTHON" -c "import json, sys; i = json.load(sys.stdin); print(i[\"encoder\"], i[\"dim\"], i[\"pooling\"], i[\"most_tokens\"])"' "$FILM"
expect_status "embed --round" 0 "$FILM" embed tiny lines.txt -q -o small.npy --round
check "is something else" fails_with 1 cmp -s v.npy small.npy
expect_output "match wants a model" 3 "film: tiny is a directory, not a file" "$FILM" match tiny a b
expect_output "the slash behind a folder does not matter" 0 "3 sentences, 24 dimensions" \
    "$FILM" embed tiny/ lines.txt -o v.npy
if have_numpy "vectors of every kind of folder against NumPy"; then
    mkdir variants
    "$PYTHON" "$ROOT/tests/golden/bert_numpy.py" "$FILM" variants >compared
    sed -nE 's/^(not )?ok [0-9]+ - //p' compared >names
    while read -r name; do
        check "as NumPy: ${name%%: off*}" grep -qF -- "- $name" <(grep '^ok' compared)
    done <names
    check "all kinds of folders were compared" test "$(wc -l <names)" -ge 18
    grep '^#' compared
fi
finish
