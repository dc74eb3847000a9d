#!/usr/bin/env bash
# Temporary files where other users may write too, as in /tmp: their names cannot be guessed, nobody else can read them, and
# they are removed, also after Ctrl-C.
source "$(dirname "$0")/tap.sh"
faq_model m.film
"$FILM" pool create p.pool --model m.film && "$FILM" pool add p.pool "$FAQ/questions.tsv" -q || exit 1
mkdir shared
export TMPDIR=$PWD/shared
umask 022
echo precious >mine

# with_links NAMES COMMAND...: the command in a process for whose number (%) every one of NAMES is a link to a file of ours.
# shellcheck disable=SC2016
with_links() {
    local names=$1; shift
    run bash -c 'for name in $1; do ln -s "$PWD/mine" "${name//%/$$}"; done; shift; exec "$@"' _ "$names" "$@" </dev/null
}
left() { find shared ! -type l ! -path shared; }
unharmed() { grep -qx precious mine && [ -z "$(left)" ]; }
with_links "shared/film-edit-%.film" "$FILM" edit p.pool --set "alone:card=-2" --yes -q
check "film edit of a pool follows no link" unharmed
check "and edits" bash -c '[ "$1" = 0 ] && "$0" info p.pool | grep -q "set alone:card"' "$FILM" "$status"
with_links "shared/film-page-%.film" "$FILM" page m.film -o page.html
check "film page follows no link" unharmed
with_links "new.pool.part-%.model new.pool.part-%" "$FILM" pool create new.pool --from "$FAQ/questions.tsv" -q
check "film pool create --from follows no link" unharmed
check "and creates a pool that others may read as usual" bash -c \
    '[ "$1" = 0 ] && [ "$(stat -c %a new.pool)" = 644 ] && "$0" pool check new.pool -q' "$FILM" "$status"
check "nothing is left next to it" test -z "$(find . -name 'new.pool.part-*' ! -type l)"

# private FOLDER: it has temporary files, and only their owner can reach them.
private() {
    [ -n "$(find "$1" -type f)" ] && [ -z "$(find "$1" -type f ! -perm 600)" ] &&
        [ -z "$(find "$1" -mindepth 1 -type d ! -perm 700)" ]
}
# edit_waits SIGNAL ANSWER: film edit is at its question; then it gets the signal or the answer.
edit_waits() {
    rm -f answer out && mkfifo answer
    set -m # a job of a script ignores SIGINT otherwise
    "$FILM" edit p.pool --set "alone:card=-9" <answer >out 2>err &
    child=$!
    set +m
    exec 4>answer
    until grep -qs '^save p.pool' out; do kill -0 $child 2>/dev/null || break; sleep 0.02; done
    check "files of film edit are its user's alone${1:+ ($1)}" private shared
    if [ -n "$1" ]; then kill -s "$1" $child; else echo "$2" >&4; fi
    wait $child
    status=$?
    exec 4>&-
}
rm -f shared/*
cp p.pool before.pool
for signal in INT TERM; do
    edit_waits $signal
    check "SIG$signal at the question: exit code 4 and no file left" bash -c \
        '[ "$1" = 4 ] && [ "$(tail -n 1 err)" = "film: stopped; nothing was written" ] && [ -z "$(ls -A shared)" ]' _ "$status"
done
edit_waits "" n
check "no leaves nothing" bash -c '[ "$1" = 0 ] && [ -z "$(ls -A shared)" ] && cmp -s p.pool before.pool' _ "$status"

signal_at INT write 1 model.film "$FILM" page m.film -o stopped.html
check "SIGINT during film page: exit code 4 and no file left" bash -c \
    '[ "$1" = 4 ] && [ -z "$(ls -A shared)" ] && [ ! -e stopped.html ]' _ "$status"
for kind in "page m.film -o page.html" "edit p.pool --set alone:card=-3 --yes"; do
    # shellcheck disable=SC2086
    signal_at KILL write 1 model.film "$FILM" $kind
    check "files of film ${kind%% *} are its user's alone" private shared
    rm -rf shared/*
done
signal_at KILL write 1 model.film "$FILM" pool create killed.pool --from "$FAQ/questions.tsv" -q
mkdir killed && mv killed.pool.part-* killed
check "files of film pool create --from are its user's alone" private killed
expect_output "without a folder for them" 3 \
    "film: cannot create a folder in $PWD/none: No such file or directory; set TMPDIR to a writable folder" \
    env TMPDIR="$PWD/none" "$FILM" page m.film -o page.html
finish
