#!/usr/bin/env bash
# The samples of README.md and docs/ do what the pages say: their commands are run, each must succeed, and what
# they print must be what is shown (scripts/docs --samples; its head says what may differ). TAP.
source "$(dirname "$0")/../cli/tap.sh"
have "the samples of the documentation" curl || { finish; exit; }
export FILM
exec "$PYTHON" "$ROOT/scripts/docs" --samples --tap
