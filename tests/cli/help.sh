#!/usr/bin/env bash
# Usage: help, unknown words, missing values; and that the manual and the completions know exactly the
# options the program has.
source "$(dirname "$0")/tap.sh"
run "$FILM" --help
# What the program calls its verbs, so that a new one cannot be forgotten here or in what is compared below.
VERBS=$(sed -nE '/^usage: film VERB/,/^film VERB --help/s/^  ([a-z]+) +[A-Z].*/\1/p' out | paste -sd' ')
check "--help names the verbs ($VERBS)" grep -qE '^train .*match.* info$' <<<"$VERBS"
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
        "film $verb: there is no option --nonsense; film $verb --help shows how" "$FILM" "$verb" --nonsense
    usage=$(sed -n '1s/^usage: //p' help)
    expect_output "$verb without arguments shows its usage" 1 \
        "film $verb: usage: $usage; film $verb --help shows how" "$FILM" "$verb"
done

expect_output "an unknown verb is named" 1 \
    'film: there is no verb "zap"; film --help lists them' "$FILM" zap
expect_output "a verb like it is proposed" 1 \
    'film: there is no verb "trian"; did you mean train?; film --help lists them' "$FILM" trian
expect_output "help for an unknown verb" 1 \
    'film: there is no verb "zap"; film --help lists them' "$FILM" help zap
expect_output "an option without its value" 1 \
    'film train: --rank needs a value; film train --help shows how' "$FILM" train x -o y --rank
expect_output "a flag with a value" 1 \
    'film train: --skip-bad takes no value; film train --help shows how' "$FILM" train x -o y --skip-bad=1
expect_output "too many arguments" 1 \
    'film match: "d" is one argument too many; film match --help shows how' "$FILM" match a b c d
expect_output "too few arguments" 1 \
    'film match: usage: film match MODEL A B [options]; film match --help shows how' "$FILM" match a b
expect_output "train without -o" 1 'film train: -o MODEL is missing; film train --help shows how' \
    "$FILM" train x
expect_output "split without -o" 1 'film split: -o PREFIX is missing; film split --help shows how' \
    "$FILM" split x
expect_output "-- ends the options" 3 'film: cannot open --help: No such file or directory' \
    "$FILM" info -- --help
expect_output "--name=value and -ovalue are understood" 3 \
    'film: cannot open missing: No such file or directory' "$FILM" train missing -om.film --rank=3 -t1
expect_output "help to a full disk is an error" 3 \
    'film: cannot write standard output: No space left on device' bash -c '"$0" --help >/dev/full' "$FILM"

# ---- the manual and the completions ----

# "-o, --output" and so on of a verb, one per line.
options_of() {
    "$FILM" "$1" --help | grep -oE '^  (    |-[a-z], )--[a-z-]+' | tr -d ' ' | tr ',' '\n' | sort -u
}
# The manual's section called $1, dashes unescaped.
section_of() {
    awk -v wanted=".SS $1" '/^\.S[SH] / { on = $0 == wanted } on' "$ROOT/man/film.1" | tr -d '\\'
}
manual_of() { section_of "film $1"; }
common_manual=$(section_of "Options of every verb")

# Each completion file, asked for what it offers in "film VERB -": its own shell where that is there,
# its text in any case.
bash_offers() {
    bash -c 'source "$1"; COMP_WORDS=(film "$2" -); COMP_CWORD=2; _film; printf "%s\n" "${COMPREPLY[@]}"' \
        - "$ROOT/completions/film.bash" "$1" | tr -d ' ' | sort -u
}
# The zsh and fish files hold a block per verb between "# VERB" and the next such line.
block() { awk -v verb="$2" -v marks="^[ \t]*# (${VERBS// /|}|common)\$" '$0 ~ marks { on = $2 == verb } on' "$1"; }
# {-o+,--output=}'[...]' are two.
zsh_offers() {
    { block "$ROOT/completions/_film" "$1"; block "$ROOT/completions/_film" common; } |
        sed -E "s/\{([^,}]*),([^}]*)\}'\[/\1[ \2[/" | grep -oE -- "-[a-z-]+[=+]?\[" | tr -d '=+[' | sort -u
}
fish_offers() {
    { block "$ROOT/completions/film.fish" "$1"; block "$ROOT/completions/film.fish" common; } |
        grep '^complete' | grep -oE -- ' -(s [a-z]|l [a-z-]+)' | sed 's/ -s /-/; s/ -l /--/' | sort -u
}
for verb in $VERBS; do
    options=$(options_of "$verb")
    missing=
    manual="$(manual_of "$verb")$common_manual"
    for option in $options; do
        grep -qE -- "(^|[ ,\"])$option([ ,=\"]|\$)" <<<"$manual" || missing="$missing $option"
    done
    if [ -z "$missing" ]; then ok "man/film.1 has every option of $verb"
    else not_ok "man/film.1 has every option of $verb" "missing:$missing"; fi
    unknown=$(grep -oE -- '^\.(B|BR|BI|TP|OP) .*--[a-z-]+' <<<"$(manual_of "$verb")" |
        grep -oE -- '--[a-z-]+' | sort -u | comm -13 <(echo "$options") -)
    if [ -z "$unknown" ]; then ok "man/film.1 has no other option of $verb"
    else not_ok "man/film.1 has no other option of $verb" "$unknown"; fi
    for shell in bash zsh fish; do
        name="the $shell completion of $verb offers exactly its options"
        shown=$(diff <(echo "$options") <("${shell}_offers" "$verb"))
        if [ -z "$shown" ]; then ok "$name"; else not_ok "$name" "$shown"; fi
    done
done
name="bash completes verbs"
offered=$(bash -c 'source "$1"; COMP_WORDS=(film ""); COMP_CWORD=1; _film; echo "${COMPREPLY[@]}"' - "$ROOT/completions/film.bash")
check "$name" test "$(tr -d '\n' <<<"$offered")" = "$VERBS help --help --version"
check "train --help has headings" test "$("$FILM" train --help | grep -E '^[a-z ]+:$' | paste -sd' ')" = \
    "data: features: method: decision: method film: method mfilm: methods rank and deep: method deep: other: examples:"
expect_output "a heading is no option" 1 "film train: there is no option --data; film train --help shows how" "$FILM" train x -o y --data
offers() { bash -c 'source "$1"; shift; COMP_WORDS=(film "$@"); COMP_CWORD=$#; _film; echo "${COMPREPLY[@]}"' - "$ROOT/completions/film.bash" "$@"; }
check "bash completes the methods" test "$(offers train --method "")" = "auto tfidf svd film mfilm rank deep"
check "bash knows that predict's formats are others" test "$(offers predict --format "")" = "tsv jsonl kaggle"
# Where the program takes one of some words, every completion offers exactly these.
for verb in $VERBS; do
    "$FILM" "$verb" --help | grep -oE -- '--[a-z-]+ [a-z0-9]+(\|[a-z0-9]+)+' >choices
    while read -r option words; do
        words=${words//|/ }
        check "bash: $verb $option offers its words" test "$(offers "$verb" "$option" "")" = "$words"
        check "zsh: $verb $option offers its words" grep -qF "($words)" <(block "$ROOT/completions/_film" "$verb" | grep -e "'$option=")
        check "fish: $verb $option offers its words" grep -qF "'$words'" <(block "$ROOT/completions/film.fish" "$verb" | grep -e " -l ${option#--} ")
    done <choices
done
name="the stemmers' names in the completions are those of the program"
"$FILM" train "$FAQ/train.tsv" -o x.film --stem nonsense 2>&1 | sed 's/.*there are: //' | tr ' ' '\n' | sort >stemmers
for file in film.bash _film film.fish; do
    check "$name ($file)" bash -c 'while read -r s; do grep -qw "$s" "$1" || { echo "$s"; exit 1; }; done <stemmers' \
        - "$ROOT/completions/$file"
done
have "the bash completion is bash" bash && check "the bash completion is bash" bash -n "$ROOT/completions/film.bash"
have "the zsh completion is zsh" zsh && check "the zsh completion is zsh" zsh -n "$ROOT/completions/_film"
have "the fish completion is fish" fish && check "the fish completion is fish" fish -n "$ROOT/completions/film.fish"
if have "fish itself offers the options of split" fish; then
    HOME=$WORK fish -c "source $ROOT/completions/film.fish; complete -C 'film split -'" 2>/dev/null |
        cut -f1 | sort -u >offered
    check "fish itself offers the options of split" diff <(options_of split) offered
fi
if have "the manual has no warnings (groff)" groff; then
    groff -man -ww -Tutf8 "$ROOT/man/film.1" 2>&1 >/dev/null | grep -v 'cannot select font' >warnings
    check "the manual has no warnings (groff)" bash -c '! grep . warnings'
fi
have "the manual has no warnings (mandoc)" mandoc &&
    check "the manual has no warnings (mandoc)" mandoc -Tlint -Wwarning "$ROOT/man/film.1"
finish
