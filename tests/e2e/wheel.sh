#!/usr/bin/env bash
# The wheel in a fresh virtual environment: built, installed without an index, trains and matches with the libraries it
# carries. Long: it builds the libraries again. TAP.
source "$(dirname "$0")/../cli/tap.sh"
[ -n "${FILM_TEST_LONG:-}" ] || { skip "the wheel" "long: scripts/test --long"; finish; exit; }
check "scripts/package wheel" "$ROOT/scripts/package" wheel
cat > first.py <<'PY'
import sys
import film
model = film.train(sys.argv[1])
assert model.match("I lost my card", "my card is lost").same
foreign = [line for line in open("/proc/self/maps") if "libfilm" in line and "venv" not in line]
assert not foreign, foreign
from film._library import data_file
assert "venv" in data_file("english.words")
PY
from_nothing() {
    "$PYTHON" -m venv --system-site-packages venv && venv/bin/pip install -q --no-index "$ROOT"/dist/film_match-*.whl &&
        env -u LD_LIBRARY_PATH -u PYTHONPATH venv/bin/python first.py "$FAQ/train.tsv"
}
check_timed "a virtual environment, pip install --no-index, training and a verdict with its own libraries" from_nothing
check "no library path has an empty or relative entry" "$ROOT/tests/lib/library_paths.sh" venv/lib/python*/site-packages/film
finish
