#!/usr/bin/env bash
# Folders form an order: a file includes, and calls, its own folder and those before it (scripts/layers); libfilm and
# libfilm-pool do without BLAS; cli/ and server/ see the installed headers alone. TAP.
cd "$(dirname "$0")/.." || exit 1
checks=$(scripts/layers "${FILM_BUILD:-build/release}")
echo "$checks" | grep -v '^1\.\.'
number=$(echo "$checks" | grep -cE '^(not )?ok ')
# rule NAME COMMAND...: COMMAND prints the lines that break it.
rule() {
    local name=$1 broken
    shift
    number=$((number + 1))
    if broken=$("$@") && [ -n "$broken" ]; then
        echo "not ok $number - $name"
        echo "$broken" | sed 's/^/# /'
    else
        echo "ok $number - $name"
    fi
}
learns() { (cd src && grep -rnEw 'cblas_[a-z0-9_]+|LAPACKE_[a-z0-9_]+|(cblas|lapacke)\.h' base text embed pair model explain index dedup store remote pool); }
rule "only what learns uses BLAS" learns
openmp() { grep -rnE 'omp_[a-z]+_|omp\.h|pragma omp' src cli server | grep -v 'pragma omp simd'; }
rule "threads are those of base/threads, not OpenMP's" openmp
rule "src/index and src/dedup do without SQLite" grep -rnE 'sqlite3|"(store|remote|pool)/' src/index src/dedup
# base/ knows the public types alone.
base() { grep -nE '"film' src/base/*.[ch] | grep -v '"film_types.h"\|"film_io.h"'; }
rule "src/base includes film_types.h and film_io.h only" base
installed='film(_types|_io|_train|_pool|_explain)?'
cli() { grep -nE '^#include "' cli/*.[ch] | grep -vE "\"($installed|[a-z_]+|server/serve|server/route|server/clock|server/private_file|server/terminal_text).h\""; }
rule "cli/ sees its own files and the installed headers only" cli
server() { grep -nE '^#include "' server/*.[ch] | grep -vE "\"($installed|[a-z_]+).h\"|\"../web/assets.def\""; }
rule "server/ sees its own files and the installed headers only" server
echo "1..$number"
