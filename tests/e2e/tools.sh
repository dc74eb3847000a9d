#!/usr/bin/env bash
# The tools of contributors: tests/one turns TAP into exit codes, scripts/test refuses bad arguments, the house rules find what
# they are for, a release can be packed, and FILM inside another project builds no tests.
source "$(dirname "$0")/../cli/tap.sh"
build=$(realpath "${FILM_BUILD:-$ROOT/build/release}")

# ---- tests/one ----
# program NAME LINES: a test that prints them; the last may be "exit N".
program() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
program passing 'echo "ok 1 - a"; echo "ok 2 - b # SKIP no oracle"'
program skipping 'echo "ok 1 - a # SKIP no database"'
program failing 'echo "ok 1 - a"; echo "not ok 2 - b"'
program dying 'echo "ok 1 - a"; exit 3'
program silent 'exit 0'
one() { env -u FILM_SHARED RESULTS="$PWD/results" "$ROOT/tests/one" "$build" "$PWD/$1"; }
expect_status "a test that passes: 0" 0 one passing
expect_status "everything skipped: 77" 77 one skipping
expect_status "a failure: 1" 1 one failing
check "it is named" grep -q '^# failed: .*failing b$' out
expect_status "an exit code that no line explains: 1" 1 one dying
expect_status "no result at all: 1" 1 one silent
check "results are one line per test case" test "$(cut -d' ' -f1 results | sort | uniq -c | tr -s ' \n' ' ')" = " 3 not 3 ok 2 skip "
expect_status "tests/one without arguments" 2 "$ROOT/tests/one"

# ---- scripts/test and ctest ----
expect_output "scripts/test refuses an option it does not know" 1 "usage: scripts/test [--long] [--times] [PATTERN]" "$ROOT/scripts/test" --short
expect_output "and a pattern without a test" 1 'scripts/test: no test matches "no-such-test"' "$ROOT/scripts/test" no-such-test
check "a pattern selects programs and scripts" test "$("$ROOT/tests/run" --list build/asan 'test_base$|cli/split')" = $'test_base\ntests/cli/split.sh'
if have "ctest has every test" ctest; then
    (cd "$build" && ctest -N) | sed -nE 's/^ *Test +#[0-9]+: //p' | sort >by_ctest
    { cd "$ROOT" && for kind in debug release; do FILM_TEST_LONG=1 tests/run --list build/$kind; done; cd "$WORK" || exit 1; } |
        sed -E 's|^tests/(.*)\.sh$|\1|' | { cat; echo check; } | sort >by_run
    check "ctest has every test of tests/run" diff by_run by_ctest
fi

# ---- house rules ----
rules() { "$PYTHON" "$ROOT/scripts/lib/house_rules.py" allowed "$@"; }
: >allowed
{ echo '/* Long functions. */'; echo 'int long_one(void)'; echo '{'; yes '    work();' | head -78; echo '}'; } >good.c
expect_status "a function of 81 lines" 1 rules good.c
check "is named" grep -q '^good.c:2: function-length: long_one has 81 lines' out
sed -i 4d good.c
expect_status "80 lines are good" 0 rules good.c
printf 'int many(int a, int b, int c, int d, int (*e)(int, int), int f, int g,\n         int h)\n{\n}\n' >bad.c
expect_status "eight parameters and no opening comment" 1 rules bad.c
check "are both found" test "$(cut -d: -f3 out | sort | tr -d '\n')" = " opening-comment parameters"
printf 'opening-comment bad.c it is a test\nparameters bad.c:many it is a test\n' >allowed
expect_status "exceptions are listed with a reason" 0 rules bad.c
printf '/* x */\n' >bad.c
expect_status "and refused when they are not needed any more" 1 rules bad.c
: >allowed
printf '/* %0102d */\n' 0 >bad.c
expect_status "a line of more than 100 columns" 1 rules bad.c
printf '/* First.%090d and a few words\n * more of it. */\nint x; /* %090d */\n' 0 0 >wide.c
"$PYTHON" "$ROOT/scripts/lib/wrap_comments.py" wide.c
check "comments are wrapped" bash -c '! grep -E "^.{101}" wide.c'
check "and lose no word" test "$(tr -s ' */\n' ' ' <wide.c)" = "$(printf ' First.%090d and a few words more of it. %090d int x; ' 0 0)"

# ---- releases ----
if (cd "$ROOT" && git rev-parse HEAD >/dev/null 2>&1); then
    expect_status "a release can be packed" 0 "$ROOT/scripts/release" --dry-run
    check "its checksum is told" grep -qE '^[0-9a-f]{64}  film-[0-9.]+\.tar\.gz$' out
else skip "a release can be packed" "no git repository"; fi

# ---- inside another project ----
mkdir outer
printf 'cmake_minimum_required(VERSION 3.21)\nproject(outer C)\nadd_subdirectory("%s" film)\n' "$ROOT" >outer/CMakeLists.txt
expect_status "FILM can be added to another project" 0 cmake -S outer -B outer/build -G Ninja
(cd outer/build && ninja -t targets all) >targets
check "which gets the library" grep -q 'libfilm' targets
check "and no tests" bash -c '! grep -qE "test_base|rank_driver" targets'
check "nor warnings as errors" bash -c '! grep -q -- -Werror outer/build/build.ninja'
finish
