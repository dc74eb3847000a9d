#!/usr/bin/env bash
# Bad rows that are skipped or too long, and models with a flipped bit.
source "$(dirname "$0")/tap.sh"
sample 12 "$FAQ/train.tsv" >good.tsv
"$FILM" train good.tsv --method svd --rank 4 --max-features 60 --decision threshold -q -o good.film || echo "Bail out! cannot train"

# ---- long rows ----
name="a line of 100 MB is refused"
long_line() { head -c 100000000 /dev/zero | tr '\0' a; echo; echo "my card"; }
mkfifo pipe
long_line >pipe 2>/dev/null & # dies of SIGPIPE when film stops at the line's end; that is fine
peak_memory "$FILM" embed good.film - -o v.npy <pipe
if [ "$status" -eq 2 ] && [ "$(cat err)" = "film: standard input:1: row longer than 16 MiB; fix the row or skip bad rows" ]
then ok "$name"; else not_ok "$name" "exit code $status" "$(cat err)"; fi
long_line >pipe 2>/dev/null &
peak_memory "$FILM" embed good.film - --skip-bad -o v.npy <pipe
check "with --skip-bad it is skipped" grep -qx '1 sentence, 4 dimensions, 1 bad row skipped' err
name="in less than 200 MB"
if is_sanitized; then skip "$name" "a sanitizer needs memory of its own"
elif [ -z "$peak" ]; then skip "$name" "no /usr/bin/time"
else check "$name ($peak kB)" test "$peak" -lt 200000; fi

# ---- --skip-bad ----
{ cat good.tsv; printf 'maybe\tx\ty\n1\tonly one\n0\tcaf\xe9\tz\n'; printf '1\tn\0\tz\n'; } >mixed.tsv
run "$FILM" train mixed.tsv --skip-bad --method svd --rank 4 --decision threshold -o mixed.film
check "--skip-bad counts bad rows" grep -q ', 4 bad rows skipped$' err
"$FILM" train good.tsv --method svd --rank 4 --decision threshold -q --json -o again.film >again.json
run "$FILM" train mixed.tsv --skip-bad --method svd --rank 4 --decision threshold -q --json -o mixed.film
check "--skip-bad counts in JSON" grep -q '"skipped_rows":4' out
check "--skip-bad leaves the others as they are" \
    diff <(grep -o '"sizes.*"features":{[^}]*}' out) <(grep -o '"sizes.*"features":{[^}]*}' again.json)
run "$FILM" split mixed.tsv --skip-bad --json -o mixed
check "split counts them" grep -q '"skipped": 4' out
check "nothing is left but what was asked for" bash -c '! ls | grep -E "tmp-|^m\.film|^v\.npy\."'

# ---- a flipped bit anywhere in a model ----
if have "flipped bits" "$PYTHON"; then
    cat >flip.py <<'PYTHON'
"""One bit of each of the first 600 bytes (every EVERYth), and one in each tensor's data: film must exit with 2."""
import json, struct, subprocess, sys
film, every, whole = sys.argv[1], int(sys.argv[2]), open("good.film", "rb").read()
(length,) = struct.unpack("<Q", whole[:8])
header = json.loads(whole[8:8 + length])
places = [(i, i % 8) for i in range(0, min(600, 8 + length), every)]
for name, about in header.items():
    if name != "__metadata__":
        begin, end = about["data_offsets"]
        places += [(8 + length + at, 0) for at in (begin, (begin + end) // 2, end - 1)]
bad = 0
for at, bit in places:
    flipped = bytearray(whole)
    flipped[at] ^= 1 << bit
    open("flipped.film", "wb").write(flipped)
    done = subprocess.run([film, "info", "--json", "flipped.film"], capture_output=True, text=True, errors="replace")
    if done.returncode != 2 or not done.stderr.startswith("film: flipped.film") or done.stdout:
        bad += 1
        print("byte %d bit %d: exit code %d: %s%s" % (at, bit, done.returncode, done.stderr, done.stdout[:200]))
sys.exit(bad > 0)
PYTHON
    check "a flipped bit in a model is always found" "$PYTHON" flip.py "$FILM" "$(is_sanitized && echo 7 || echo 1)"
fi
finish
