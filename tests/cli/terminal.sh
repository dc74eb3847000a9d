#!/usr/bin/env bash
# What only a terminal shows: the progress bar and colours.
source "$(dirname "$0")/tap.sh"
have "terminal" script || { finish; exit; }
if ! script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    skip "terminal" "no pseudo-terminal can be made here"
    finish
    exit
fi
export TERM=xterm
unset NO_COLOR
escape=$'\033'
awk 'BEGIN { srand(5); for (i = 0; i < 90; i++) { line = ""
    for (w = 8; w > 0; w--) line = line " w" int(exp(rand() * log(5000)))
    print substr(line, 2) } }' >many.txt
sample 8 "$FAQ/train.tsv" >pairs.tsv
trained faq.film pairs.tsv --dim 8
# on_terminal COMMAND...: what a terminal receives, in out.
on_terminal() {
    printf -v command '%q ' "$@"
    script -qefc "$command" /dev/null >out 2>&1 </dev/null
    status=$?
}
no_escapes() { ! grep -q "$escape" "$@"; }

on_terminal "$FILM" train many.txt --rank 20 -o m.film
check "train shows a bar on a terminal" grep -qE '\[[#.]{30}\] +[0-9]+ %' out
check "and clears it in the end" grep -qE $'\r +\r' out
check "without escape codes" no_escapes out
on_terminal "$FILM" train many.txt --rank 20 -q -o m.film
check "--quiet shows none" test ! -s out
run "$FILM" train many.txt --rank 20 -o m.film
check "no bar on a pipe" bash -c '! grep -q "\[" out err'
check "and no carriage return" bash -c '! grep -q "$0" out err' $'\r'
on_terminal "$FILM" train missing.txt -o m.film
check "an error on a terminal is one line" test "$(tr -d '\r' <out)" = "film: cannot open missing.txt: No such file or directory"

on_terminal "$FILM" match faq.film "I lost my card" "my card is gone"
check "match colours words on a terminal" grep -qE "${escape}\[3[12]mcard${escape}\[0m" out
check "every colour is ended" test "$(grep -oE "${escape}\[[0-9;]*[1-9]m" out | wc -l)" -eq "$(grep -oF "${escape}[0m" out | wc -l)"
sed -i "s/${escape}\[[0-9;]*m//g; s/\r//" out; mv out plain
run "$FILM" match faq.film "I lost my card" "my card is gone"
check "without colours the text is the same" diff plain out
check "a pipe gets no escape codes" no_escapes out err
NO_COLOR=1 on_terminal "$FILM" match faq.film "I lost my card" "my card is gone"
check "NO_COLOR" no_escapes out
NO_COLOR='' on_terminal "$FILM" match faq.film "I lost my card" "my card is gone"
check "an empty NO_COLOR counts as none" grep -q "$escape" out
TERM=dumb on_terminal "$FILM" match faq.film "I lost my card" "my card is gone"
check "TERM=dumb" no_escapes out
on_terminal "$FILM" match --json faq.film "I lost my card" "my card is gone"
check "JSON has no colours" no_escapes out
on_terminal "$FILM" embed faq.film many.txt
check "embed does not write an array to a terminal" grep -q '^film embed: vectors are binary and cannot be printed on a terminal; use -o OUT.npy or a pipe' out
on_terminal "$FILM" train many.txt -o -
check "nor train a model" grep -q '^film train: a model is binary' out
finish
