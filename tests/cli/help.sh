#!/usr/bin/env bash
# Usage: help, unknown words, missing values; film --describe; and that the shells' completions, which are
# made from the same tables, offer what there is. The manual and the documentation: surface.sh.
source "$(dirname "$0")/tap.sh"
run "$FILM" --help
# What the program calls its verbs, so that a new one cannot be forgotten here or in what is compared below.
VERBS=$(sed -nE '/^usage: film VERB/,/^film VERB --help/s/^  ([a-z]+) +[A-Z].*/\1/p' out | paste -sd' ')
export FILM
check "--help names the verbs ($VERBS)" grep -qE '^train .*match.* info completions$' <<<"$VERBS"
check "--help exits with 0" test "$status" -eq 0
cp out help
expect_output "help is --help" 0 "$(cat help)" "$FILM" help
expect_output "-h is --help" 0 "$(cat help)" "$FILM" -h
expect_output "without arguments the help comes with exit 1" 1 "$(cat help)" "$FILM"
version=$(sed -n 's/^#define FILM_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$ROOT/include/film_types.h" | paste -sd.)
expect_output "--version" 0 "film $version" "$FILM" --version
for verb in $VERBS; do
    run "$FILM" "$verb" --help
    cp out help
    check "$verb --help starts with its usage" grep -q "^usage: film $verb " help
    check "$verb --help: the texts of the options start in one column" bash -c '! grep -E "^  (    |-[a-z], )--" help |
        grep -vE "^.{28} [^ ]|^.{29,}\$" | grep .'
    check "$verb --help: no line is too long" bash -c '! grep -E "^.{111}" help'
    expect_output "help $verb is $verb --help" 0 "$(cat help)" "$FILM" help "$verb"
    expect_output "$verb --version" 0 "film $version" "$FILM" "$verb" --version
    expect_output "$verb refuses an unknown option" 1 \
        "film $verb: unknown option --nonsense; see film $verb --help" "$FILM" "$verb" --nonsense
    usage=$(sed -n '1s/^usage: //p' help)
    expect_output "$verb without arguments shows its usage" 1 \
        "film $verb: usage: $usage; see film $verb --help" "$FILM" "$verb"
done

expect_output "an unknown verb is named" 1 \
    'film: unknown verb "zap"; see film --help' "$FILM" zap
expect_output "a verb like it is proposed" 1 \
    'film: unknown verb "trian" (did you mean train?); see film --help' "$FILM" trian
expect_output "help for an unknown verb" 1 \
    'film: unknown verb "zap"; see film --help' "$FILM" help zap
expect_output "an option without its value" 1 \
    'film train: --rank needs a value; see film train --help' "$FILM" train x -o y --rank
expect_output "a flag with a value" 1 \
    'film train: --skip-bad takes no value; see film train --help' "$FILM" train x -o y --skip-bad=1
expect_output "too many arguments" 1 \
    'film match: unexpected argument "d"; see film match --help' "$FILM" match a b c d
expect_output "too few arguments" 1 \
    'film match: usage: film match MODEL A B [options]; see film match --help' "$FILM" match a b
expect_output "train without -o" 1 'film train: -o MODEL is missing; see film train --help' \
    "$FILM" train x
expect_output "split without -o" 1 'film split: -o PREFIX is missing; see film split --help' \
    "$FILM" split x
expect_output "-- ends the options" 3 'film: cannot open --help: No such file or directory' \
    "$FILM" info -- --help
expect_output "--name=value and -ovalue are understood" 3 \
    'film: cannot open missing: No such file or directory' "$FILM" train missing -om.film --rank=3 -t1
expect_output "help to a full disk is an error" 3 \
    'film: cannot write standard output: No space left on device' bash -c '"$0" --help >/dev/full' "$FILM"

# ---- film --describe ----

run "$FILM" --describe
check "--describe exits with 0" test "$status" -eq 0
cp out describe.json
check "--describe is one JSON object with every verb" "$PYTHON" -c '
import json, sys
about = json.load(open("describe.json"))
assert [verb["name"] for verb in about["verbs"]] == sys.argv[1].split(), about["verbs"]
assert about["version"] == sys.argv[2] and set(about["exit_codes"]) == set("01234")
assert all(option["kind"] and (option.get("help") or option["default"]) for verb in about["verbs"] for option in verb["options"])
' "$VERBS" "$version"
# A line per verb without actions and per action: its name, then its options. "pool add --replace --batch ..."
"$PYTHON" - >commands <<'EOF_PY'
import json
about = json.load(open("describe.json"))
for verb in about["verbs"]:
    for command in verb.get("actions", [verb]):
        name = verb["name"] if command is verb else verb["name"] + " " + command["name"]
        names = ["--" + option["name"] for option in command["options"] + about["options"]]
        names += ["-" + option["letter"] for option in command["options"] + about["options"] if "letter" in option]
        print(name, *sorted(names), sep="\t")
EOF_PY
# The same of each option that takes one of some words: "train --method auto tfidf ..."
"$PYTHON" - >choices <<'EOF_PY'
import json
for verb in json.load(open("describe.json"))["verbs"]:
    for command in verb.get("actions", [verb]):
        name = verb["name"] if command is verb else verb["name"] + " " + command["name"]
        for option in command["options"]:
            if "choices" in option:
                print(name, "--" + option["name"], " ".join(option["choices"]), sep="\t")
EOF_PY
check "pool's actions are among them" grep -q "^pool label$(printf '\t')" commands
check "--help and --describe know the same options" bash -c 'while IFS=$(printf "\t") read -r name options; do
    diff <("$FILM" $name --help | grep -oE "^  (    |-[a-z], )--[a-z-]+" | tr -d " " | tr "," "\n" | sort -u) \
        <(tr "\t" "\n" <<<"$options" | sort -u) || exit 1; done <commands'

# ---- completions, made from the same tables ----

for shell in bash zsh fish; do
    run "$FILM" completions $shell
    cp out completion.$shell
    check "completions $shell" test "$status" -eq 0 -a -s completion.$shell
    have "the $shell completion is $shell" $shell && check "the $shell completion is $shell" $shell -n completion.$shell
done
expect_output "completions of another shell" 1 \
    'film completions: tcsh: expected bash|zsh|fish; see film completions --help' "$FILM" completions tcsh
# What bash proposes behind "film WORDS...".
offers() { bash -c 'source ./completion.bash; COMP_WORDS=(film "$@"); COMP_CWORD=$#; _film; echo "${COMPREPLY[@]}"' - "$@"; }
zsh_function() { awk -v name="_film_${1// /_}() {" '$0 == name { on = 1 } on; on && /^}/ { exit }' completion.zsh; }
bash_offers() {
    # shellcheck disable=SC2086
    offers $1 - | tr ' ' '\n' | sort -u
}
# {-o+,--output=}'[...]' are two.
zsh_offers() {
    zsh_function "$1" | sed -E "s/\{([^,}]*),([^}]*)\}'\[/\1[ \2[/" | grep -oE -- "-[a-z-]+[=+]?\[" | tr -d '=+[' | sort -u
}
fish_lines() { grep -F "complete -c film -n '__film_is $1' " completion.fish; }
fish_offers() { fish_lines "$1" | grep -oE -- ' -(s [a-z]|l [a-z-]+)' | sed 's/ -s /-/; s/ -l /--/' | sort -u; }
while IFS=$'\t' read -r name options; do
    for shell in bash zsh fish; do
        shown=$(diff <(tr '\t' '\n' <<<"$options" | sort -u) <("${shell}_offers" "$name"))
        if [ -z "$shown" ]; then ok "the $shell completion of $name offers exactly its options"
        else not_ok "the $shell completion of $name offers exactly its options" "$shown"; fi
    done
done <commands
while IFS=$'\t' read -r name option words; do
    # shellcheck disable=SC2086
    check "bash: $name $option offers its words" test "$(offers $name "$option" "")" = "$words"
    check "zsh: $name $option offers its words" grep -qF "($words)" <(zsh_function "$name" | grep -e "'$option=")
    check "fish: $name $option offers its words" grep -qF "'$words'" <(fish_lines "$name" | grep -e " -l ${option#--} ")
done <choices
check "bash completes verbs" test "$(offers "")" = "$VERBS help --help --version --describe"
check "bash completes actions" test "$(offers pool "")" = "create add remove list export check label update threshold clusters words learn models restore"
check "bash completes the verbs behind help" test "$(offers help "")" = "$VERBS"
check "bash completes settings" test "$(offers train --set "po")" = "power= positives="
touch letters.txt
check "bash completes file names" test "$(offers train lett)" = letters.txt
check "bash completes --name=value too" test "$(offers train --method = ra)" = rank
check "bash proposes nothing where a number is wanted" test -z "$(offers train --dim "")"
"$FILM" train --help >help
check "train --help has headings" test "$(grep -E '^[a-z ]+:$' help | paste -sd' ')" = \
    "data: features: method: decision: other: examples:"
check "and the settings of --set" grep -qE '^settings for --set:$' help
expect_output "a mistyped option is suggested" 1 'film match: unknown option --thresold (did you mean --threshold?); see film match --help' \
    "$FILM" match m.film a b --thresold 0.6
expect_output "a mistyped action is suggested" 1 'film pool: unknown action "ad" (did you mean add?); see film pool --help' \
    "$FILM" pool ad p.pool x
expect_output "a heading is no option" 1 "film train: unknown option --data; see film train --help" "$FILM" train x -o y --data
name="the stemmers' names in the completions are those of the program"
"$FILM" train "$FAQ/train.tsv" -o x.film --stem nonsense 2>&1 | sed 's/.*available: //' | tr ' ' '\n' | sort >stemmers
for shell in bash zsh fish; do
    check "$name ($shell)" bash -c 'while read -r s; do grep -qw "$s" "$1" || { echo "$s"; exit 1; }; done <stemmers' \
        - completion.$shell
done
# A shell asked for what it offers itself.
fish_itself() { HOME=$WORK fish -c "source ./completion.fish; complete -C '$1'" 2>/dev/null | cut -f1 | sort -u; }
if have "fish itself" fish; then
    check "fish itself offers the options of split" diff <(grep '^split' commands | cut -f2- | tr '\t' '\n' | sort -u) <(fish_itself 'film split -')
    check "fish itself offers the options of an action" diff <(grep '^pool list' commands | cut -f2- | tr '\t' '\n' | sort -u) <(fish_itself 'film pool list -')
    check "fish itself offers the actions" test "$(fish_itself 'film pool ' | paste -sd' ')" = "add check clusters create export label learn list models remove restore threshold update words"
    check "fish itself offers the methods" test "$(fish_itself 'film train --method ' | paste -sd' ')" = "auto deep film mfilm rank svd tfidf"
fi
# zsh completes only where somebody types: a pseudo-terminal, by its own zpty. ask.zsh TYPED LAST: what it lists,
# up to the word that comes last.
if have "zsh itself" zsh; then
    cp completion.zsh _film
    cat >ask.zsh <<'EOF_ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; zstyle ":completion:*" list-prompt ""; LISTMAX=1000; stty -echo columns 300 rows 200'
zpty -w shell 'bindkey "^I" list-choices; echo ready-$((1+1))'
zpty -r shell text '*ready-2*'
zpty -w -n shell "$1"$'\t'
text=
for i in {1..3000}; do
    while zpty -r -t shell more 2>/dev/null; do text+=$more; done
    [[ $text == *$2* ]] && break
    sleep 0.1
done
print -r -- "$text"
zpty -d shell
EOF_ZSH
    zsh -f ask.zsh 'film split --' --version >offered 2>&1
    check "zsh itself offers the options of split" bash -c 'for option in output ratio seed columns format labels skip-bad json quiet; do
        grep -q -e "--$option" offered || { echo "no $option"; cat -v offered; exit 1; }; done'
    zsh -f ask.zsh 'film pool ' remove >offered 2>&1
    check "zsh itself offers the actions" bash -c 'for action in create add remove list export check label; do
        grep -q -e "$action  *-- " offered || { echo "no $action"; cat -v offered; exit 1; }; done'
fi
if have "the manual has no warnings (groff)" groff; then
    groff -man -ww -Tutf8 "$ROOT/man/film.1" 2>&1 >/dev/null | grep -v 'cannot select font' >warnings
    check "the manual has no warnings (groff)" bash -c '! grep . warnings'
fi
have "the manual has no warnings (mandoc)" mandoc &&
    check "the manual has no warnings (mandoc)" mandoc -Tlint -Wwarning "$ROOT/man/film.1"
finish
