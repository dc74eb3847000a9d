#!/usr/bin/env bash
# docs/tutorial.md does what it says: its sh blocks are run in order by one shell in an empty folder, each command must
# succeed, and what a block prints must be what the output block behind it shows. TAP.
#   - numbers with a decimal point may differ by 0.08, or by a tenth when larger than 1: models differ in their last digits
#     with the processor's instructions and with the number of threads; whole numbers and words must be the same
#   - bars of # are drawn from such numbers and may have any length
#   - a line "..." stands for any lines
# The page's place of the source and its port are replaced by those of the test.
source "$(dirname "$0")/../cli/tap.sh"
have "the tutorial" curl || { finish; exit; }
mkdir blocks folder program
ln -s "$FILM" program/film
export PATH="$WORK/program:$PATH"
unset FILM_TOKEN
port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
sed -e "s|/path/to/film|$ROOT|g" -e "s|:8080|:$port|g" "$ROOT/docs/tutorial.md" |
    awk '/^```/ { if (to) { close(to); to = ""; next }
                  if ($0 == "```sh") to = sprintf("blocks/%02d.sh", ++n)
                  if ($0 == "```output") to = sprintf("blocks/%02d.shown", n)
                  if (to == "") { print "a block without sh or output: " $0 > "blocks/odd"; to = "/dev/null" }
                  next }
         to { print > to }'
check "every block is sh or output" test ! -e blocks/odd

cat > compare.py <<'EOF_PY'
import re, sys
NUMBER = re.compile(r'[-+]?\d+\.\d+(?:e[-+]?\d+)?')
shown, got = (open(name, encoding='utf-8').read().splitlines() for name in sys.argv[1:])
words = lambda line: NUMBER.sub('<number>', re.sub(r'#+ *', '# ', line)).split()
near = lambda a, b: abs(a - b) <= max(0.08, 0.1 * abs(a))
def alike(a, b):
    return words(a) == words(b) and all(near(float(x), float(y)) for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))
def fits(shown, got):
    if not shown: return not got
    if shown[0] == '...': return any(fits(shown[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and alike(shown[0], got[0]) and fits(shown[1:], got[1:])
if not fits(shown, got):
    sys.exit('\n'.join(['shown:', *shown, 'printed:', *got]))
EOF_PY

# One shell for all, so that a server started in one block answers in the next; the first failure ends it.
bash -c 'set -eu; cd folder
    trap "kill \$(jobs -p) 2>/dev/null" EXIT
    for block in ../blocks/*.sh; do
        exec > "${block%.sh}.printed" 2>&1
        . "$block"
        : > "${block%.sh}.done"
    done'
for block in blocks/*.sh; do
    name=${block%.sh}
    first="$(basename "$name"): $(head -n 1 "$block")"
    if [ ! -e "$name.done" ]; then not_ok "$first" "$(cat "$name.printed" 2>&1)"
    elif [ -e "$name.shown" ]; then check "$first" "$PYTHON" compare.py "$name.shown" "$name.printed"
    else ok "$first"; fi
done
finish
