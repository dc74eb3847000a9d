#!/usr/bin/env bash
# McNemar's test against scipy.
set -u
cd "$(dirname "$0")/../.." || exit 1
/usr/bin/python3 tests/golden/mcnemar_scipy.py "${FILM_BUILD:-build/release}/tests/mcnemar_dump"
