#!/usr/bin/env bash
# Learning while a pool is served: on request and after N labels, no request lost, roll back, kill -9.
source "$(dirname "$0")/tap.sh"
"$PYTHON" - "$FAQ/train.tsv" <<'EOF'
import csv, sys
ways, used = {}, set()
for same, a, b in list(csv.reader(open(sys.argv[1]), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]:
    if same == "1" and b not in used and (a in ways or a not in used):
        ways.setdefault(a, []).append(b)
        used |= {a, b}
with open("texts.tsv", "w") as out:
    print("id\ttext", file=out)
    for i, text in enumerate(sum(([a, *b[:2]] for a, b in ways.items() if len(b) > 1), [])[:24]):
        print(i, text, sep="\t", file=out)
EOF
"$FILM" train <(cut -f 2 texts.tsv) -q -o none.film || exit 1
"$FILM" pool create faq.pool --model none.film && "$FILM" pool add faq.pool texts.tsv -q || exit 1
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/serve_learn.py" "$FILM" "$ROOT"
