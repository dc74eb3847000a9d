#!/usr/bin/env bash
# Power fails at every point of writing pools and models (power.py).
source "$(dirname "$0")/../cli/tap.sh"
PYTHONDONTWRITEBYTECODE=1 FILM=$FILM "$PYTHON" "$ROOT/tests/fault/power.py" "$@"
