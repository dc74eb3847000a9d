# shellcheck shell=bash
# A TAP library for the scripts beside it: source it, call the functions, end with finish.
# The program is $FILM (default: build/release/film of this tree). Every script works in a folder of
# its own ($PWD after sourcing), which is removed at the end.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
FILM=$(realpath -- "${FILM:-$ROOT/build/release/film}") || exit 1
FAQ=$ROOT/examples/faq
export PYTHON=/usr/bin/python3 # the system's: a virtual environment's may lack numpy
WORK=$(mktemp -d "${TMPDIR:-/tmp}/film-cli.XXXXXX") || exit 1
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
export LC_ALL=C.UTF-8
# Sanitizers' own exit code must not look like one of the program's.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:exitcode=99" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}:exitcode=99"
[ -x "$FILM" ] || { echo "Bail out! there is no program at $FILM"; exit 1; }

number=0
failures=0

ok() { number=$((number + 1)); echo "ok $number - $1"; }
# not_ok NAME [DETAILS...]
not_ok() {
    number=$((number + 1)); failures=$((failures + 1))
    echo "not ok $number - $1"; shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | head -40 | sed 's/^/# /'
}
skip() { number=$((number + 1)); echo "ok $number - $1 # SKIP $2"; }
# check NAME COMMAND...: ok when the command succeeds; its output is shown otherwise.
check() {
    local name=$1 output; shift
    if output=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "$*" "$output"; fi
}
# check_timed NAME COMMAND...: check, and a line with the seconds it took and those of processors.
check_timed() { local TIMEFORMAT="# $1: %R s, %U s of processors"; { time check "$@"; } 2>&1; }
# run COMMAND...: sets $status, leaves out and err in the working folder.
run() { "$@" >out 2>err; status=$?; }
# expect_status NAME CODE COMMAND...
expect_status() {
    local name=$1 wanted=$2; shift 2
    run "$@"
    if [ "$status" -eq "$wanted" ]; then ok "$name"
    else not_ok "$name" "exit code $status, expected $wanted: $*" "$(cat err)"; fi
}
# expect_output NAME CODE TEXT COMMAND...: TEXT is all of standard output and standard error together.
expect_output() {
    local name=$1 wanted=$2 text=$3 shown; shift 3
    run "$@"
    shown=$(diff -u --label expected --label got <(printf '%s\n' "$text") <(cat out err))
    if [ "$status" -eq "$wanted" ] && [ -z "$shown" ]; then ok "$name"
    else not_ok "$name" "exit code $status, expected $wanted" "$shown"; fi
}
# signal_at "SIGNAL..." CALL COUNT PATH COMMAND...: runs the command and sends it the signals in the COUNTth call of
# CALL for a file whose name contains PATH (tests/lib/signal_at.c has the calls). Sets $status, leaves out and
# err. The signal comes from within, so it is in time on every machine.
signal_at() {
    local signals=$1 call=$2 count=$3 path=$4 numbers="" signal; shift 4
    for signal in $signals; do numbers="$numbers $(kill -l "$signal")"; done
    run env LD_PRELOAD="$(dirname "$FILM")/tests/signal_at.so" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
        SIGNAL_AT_RAISE="$numbers" SIGNAL_AT_CALL="$call" SIGNAL_AT_COUNT="$count" SIGNAL_AT_PATH="$path" "$@"
}
# trained MODEL TABLE [OPTION...]: a model for a script whose subject is not training. tests/run names the program that
# trains it, $FILM_TRAINER: that of the release build, as other tests watch training with sanitizers. The scripts of one
# tests/run share models of the same rows and options, in $FILM_SHARED: the first to ask trains one, the others wait.
trained() {
    local model=$1 table=$2 kept=${FILM_SHARED:-$WORK/.trained}; shift 2
    mkdir -p "$kept"
    kept+=/$({ echo "${table##*.} $*"; cat "$table"; } | sha1sum | cut -c 1-40)
    { flock 9 && { [ -s "$kept.film" ] || "${FILM_TRAINER:-$FILM}" train "$table" "$@" -q -o "$kept.film"; } &&
        cp "$kept.film" "$model"; } 9>"$kept.lock" || { echo "Bail out! no model"; exit 1; }
}
# faq_model FILE: a model of the FAQ's pairs with a full decision.
faq_model() { trained "$1" "$FAQ/train.tsv" --method svd --rank 32; }
# have NAME PROGRAM: 0 when the program is there; a skip line otherwise.
have() { command -v "$2" >/dev/null 2>&1 || { skip "$1" "no $2"; return 1; }; }
# fails_with CODE COMMAND...
fails_with() { local code=$1; shift; "$@"; [ $? -eq "$code" ]; }
have_numpy() { "$PYTHON" -c 'import numpy' 2>/dev/null || { skip "$1" "no numpy"; return 1; }; }
# peak_memory COMMAND...: runs it as run does and sets $peak to kilobytes; "" without /usr/bin/time.
# shellcheck disable=SC2034
peak_memory() {
    peak=
    if [ -x /usr/bin/time ]; then
        run /usr/bin/time -q -f %M -o peak "$@"
        peak=$(cat peak)
    else run "$@"; fi
}
# sample N FILE: its header and every Nth row, for where the size does not matter. (The beginning of the FAQ's
# train.tsv has duplicates only.)
sample() { awk -v n="$1" 'NR == 1 || NR % n == 2' "$2"; }
is_sanitized() { grep -qa __asan_init "$FILM"; }
finish() { echo "1..$number"; [ "$failures" -eq 0 ]; }
