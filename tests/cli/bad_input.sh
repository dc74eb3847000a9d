#!/usr/bin/env bash
# Bad input: every case with its exit code and its exact message. Paths are relative, so messages are
# the same everywhere. The cases are in the files of bad_input/. "bad_input.sh --table" prints
# bad_input/messages.md; the last test here holds the committed file against it.
table=
[ "${1:-}" = --table ] && table=1
source "$(dirname "$0")/tap.sh"
exec 3>&1
[ -z "$table" ] || exec >/dev/null

rows=
heading() { rows+=$'\n'"## $1"$'\n\n| input | command | exit | message |\n|---|---|---|---|\n'; }
# bad WHAT CODE MESSAGE COMMAND...: "film" as first word stands for the program. NORMAL may be a sed script
# that takes out of the message what depends on a library's version or on the model's exact bytes.
bad() {
    local what=$1 code=$2 message=$3 shown; shift 3
    shown=$*
    run "$FILM" "${@:2}" </dev/null
    sed -i -E "${NORMAL:-}" err
    shown=$(LC_ALL=C sed 's/\xe9/\\xe9/' <<<"$shown")
    rows+="| $what | \`$shown\` | $status | $(paste -sd' ' err) |"$'\n'
    if [ "$status" -eq "$code" ] && [ "$(cat err)" = "$message" ] && [ ! -s out ]; then ok "$what"
    else
        not_ok "$what: $shown" "exit code $status, expected $code" \
            "$(diff -u --label expected --label got <(echo "$message") err)" "$(head -c 300 out)"
    fi
}

# ---- good files to spoil ----
sample 12 "$FAQ/train.tsv" >good.tsv
"$FILM" train good.tsv --method svd --rank 4 --max-features 60 --decision threshold -q -o good.film || echo "Bail out! cannot train"
lines() { printf '%s\n' "$@"; }
pairs() { printf 'label\tquestion1\tquestion2\n'; printf "$@"; }

for part in tables options explanations serving encoders pools models; do
    # shellcheck source=/dev/null
    source "$ROOT/tests/cli/bad_input/$part.sh"
done

if [ -n "$table" ]; then
    exec >&3
    echo "# Bad input"
    echo
    echo "What \`film\` says when something is wrong with its input. Made by \`tests/cli/bad_input.sh --table\`, which"
    echo "also tests every line. Exit codes: 1 usage, 2 bad input, 3 could not read or write."
    printf '%s' "$rows"
    exit 0
fi

check "nothing is left but what was asked for" bash -c '! ls | grep -E "tmp-|^m\.film|^v\.npy\."'
name="bad_input/messages.md is what this script makes (bad_input.sh --table)"
printf '%s' "$rows" >rows
have "$name" zstd && check "$name" diff <(grep '^[|#]' "$ROOT/tests/cli/bad_input/messages.md" | tail -n +2) <(grep '^[|#]' rows)
finish
