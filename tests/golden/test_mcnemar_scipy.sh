#!/usr/bin/env bash
# Compares McNemar's test with scipy.
set -u
cd "$(dirname "$0")/../.." || exit 1
/usr/bin/python3 tests/golden/mcnemar_scipy.py "${FILM_BUILD:-build/release}/tests/mcnemar_dump"
