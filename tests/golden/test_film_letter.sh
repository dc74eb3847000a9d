#!/usr/bin/env bash
# Compares FILM's formulas, and what it learns to the letter of the paper, with numpy.
set -u
cd "$(dirname "$0")/../.." || exit 1
/usr/bin/python3 tests/golden/film_letter.py "${FILM_BUILD:-build/release}/tests/film_letter_dump"
