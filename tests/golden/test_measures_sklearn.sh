#!/usr/bin/env bash
# Compares the measures of film eval with scikit-learn and scipy.
set -u
cd "$(dirname "$0")/../.." || exit 1
/usr/bin/python3 tests/golden/measures_sklearn.py "${FILM_BUILD:-build/release}/tests/measures_dump"
