#!/usr/bin/env bash
# Compares the SVD of the real Quora matrix with ARPACK. It takes minutes and runs only with --long; the property test
# compares small matrices with LAPACK in every run.
cd "$(dirname "$0")/../.." || exit 1
if [ -z "${FILM_TEST_LONG:-}" ]; then
    echo "ok 1 - SVD of the Quora matrix against ARPACK # SKIP long: scripts/test --long"
    exit 0
fi
exec /usr/bin/python3 tests/golden/svd_arpack.py "${FILM_BUILD:-build/release}"
