#!/usr/bin/env bash
# What others wrote - sentences, ids, categories, fields, names of files - is printed for people without anything that a
# terminal acts on: control characters and marks that reorder text. JSON keeps them.
source "$(dirname "$0")/tap.sh"

# It sets the title of a terminal, colours (by U+009B), and reverses the text after it.
evil=$'owned\e]0;x\a\e[31m\xc2\x9b31m\x7f\u202e\u2066'
# Categories and names of columns are hostile too; ids of a pool have no control characters.
awk -F'\t' -v OFS='\t' -v evil="$evil" 'NR > 1 { gsub(/card/, "card " evil " ", $2) } { print }' "$FAQ/train.tsv" >pairs.tsv
sample 6 pairs.tsv >few.tsv
awk -F'\t' -v OFS='\t' -v evil="$evil" 'NR == 1 { print "id", "text"; next } { gsub(/card/, "card " evil " ", $2); print NR, $2 }' \
    "$FAQ/train.tsv" | head -n 80 >texts.tsv
awk -F'\t' -v OFS='\t' -v evil="$evil" 'NR == 1 { print "text", "category"; next } $3 != "travel" { print $4 " " evil, $3 evil }' \
    "$FAQ/clusters.tsv" >classes.tsv
"$PYTHON" - "$evil" >records.csv <<'PY'
import csv, random, sys
evil, rng = sys.argv[1], random.Random(1)
out = csv.writer(sys.stdout)
out.writerow(["label", "left_title", f"left_maker{evil}", "right_title", f"right_maker{evil}"])
for i in range(120):
    name, maker = f"camera {evil} {rng.randrange(60)}", rng.choice(["Canon", "Sony", "Leica"])
    same = rng.random() < 0.5
    out.writerow([int(same), name, maker + evil, name if same else f"camera {rng.randrange(60)}", maker if same else "Nikon" + evil])
PY
"$FILM" train few.tsv --dim 16 --keep-examples 50 -q -o m.film &&
    "$FILM" train classes.tsv --columns text,category --decision threshold --dim 16 -q -o c.film &&
    "$FILM" train records.csv --dim 8 -q -o r.film || { echo "Bail out! no models"; exit 1; }
a="I lost my card $evil now" b="is my card $evil gone"
model="m $evil.film"
cp m.film "$model"

# harmless FILE...: nothing in them that a terminal acts on, except ends of lines and tabs.
cat >harmless.py <<'PY'
import re, sys
for name in sys.argv[1:]:
    text = open(name, "rb").read().decode("utf-8")
    found = re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069].{0,20}", text)
    assert not found, (name, found[:3])
PY
# people NAME COMMAND...: what the command prints for people is harmless, and has the rest of the hostile text.
people() {
    local name=$1; shift
    run "$@" <"${input:-/dev/null}"
    check "$name" bash -c 'grep -q owned out err && "$PYTHON" harmless.py out err'
}
# table NAME COMMAND...: the same of a table (TSV), which keeps the marks that reorder text.
table() {
    local name=$1; shift
    run "$@" </dev/null
    sed -i $'s/\u202e\u2066//g' out
    check "$name" bash -c 'grep -q owned out && "$PYTHON" harmless.py out err'
}
people match "$FILM" match m.film "$a" "$b"
people "match of records" "$FILM" match r.film "{\"title\": \"camera owned\\u001b[31m\", \"maker$evil\": \"Sony\"}" '{"title": "camera 7"}'
people explain "$FILM" explain m.film --most 2000
people "explain --word" "$FILM" explain m.film --word owned
people "explain --dim" "$FILM" explain m.film --dim 1
people "explain --dim --all" "$FILM" explain m.film --dim 1 --all
people "explain --pair" "$FILM" explain m.film --pair "$a" "$b" --all
people "explain of records" "$FILM" explain r.film
people "explain --pair of records" "$FILM" explain r.film --pair --all \
    "{\"title\": \"camera owned\\u001b[31m\", \"maker$evil\": \"Sony\"}" '{"title": "camera 7"}'
people info "$FILM" info r.film
people classify "$FILM" classify c.film "$evil my card was stolen" -k 5
table "classify a table" "$FILM" classify c.film --input texts.tsv --columns -,text
table predict "$FILM" predict m.film few.tsv --keep-columns
people eval "$FILM" eval c.film classes.tsv
people "eval --against" "$FILM" eval m.film few.tsv --against "$model" --k 0 --bootstrap 0
people edit "$FILM" edit m.film --set "alone:owned=9" --set "alone:card=-9" --reason "because $evil" --check few.tsv --yes
people "info of an edited model" "$FILM" info m.film
people train "$FILM" train records.csv --dim 8 -o "r $evil.film"
people split "$FILM" split few.tsv -o "part $evil"
people "a page" "$FILM" report m.film -o "page $evil.html"

"$FILM" pool create p.pool --from texts.tsv -q
people "pool list" "$FILM" pool list p.pool
table "pool clusters" "$FILM" pool clusters p.pool
people search "$FILM" search p.pool "$a" --explain
table dedup "$FILM" dedup p.pool --all
sed '1s/right_//g' records.csv | cut -d, -f4,5 >right.csv
table "dedup of records" "$FILM" dedup r.film right.csv --all
table link "$FILM" link m.film texts.tsv texts.tsv
printf 's\n%.0s' 1 2 3 4 5 6 7 8 >answers
input=answers people "dedup --review" "$FILM" dedup p.pool --review 5
cp p.pool "p $evil.pool"
people "a pool for a model" "$FILM" match "p $evil.pool" "$a" "$b"

# ---- messages ----
people "a bad label" "$FILM" train <(printf 'label\ta\tb\nyes%s\tx\ty\n' "$evil") -o x.film
people "an unknown id" "$FILM" pool label p.pool "$evil" "$evil" same
people "a missing file" "$FILM" match "none $evil.film" x y
people "an unknown option" "$FILM" match "--$evil"
people "an unknown verb" "$FILM" "$evil"
people "a bad value" "$FILM" eval m.film few.tsv --k "$evil"
people "a field that is not there" "$FILM" predict r.film <(printf 'left_title\tright_title\nx\ty\n')
"$FILM" serve "$model" --listen 127.0.0.1:0 >out 2>err &
server=$!
until grep -q '^listening' err; do kill -0 $server 2>/dev/null || break; sleep 0.02; done
kill -HUP $server
until grep -q '^reloaded' err; do kill -0 $server 2>/dev/null || break; sleep 0.02; done
kill $server && wait $server
check "serve" bash -c 'grep -q owned err && "$PYTHON" harmless.py out err'

# ---- a terminal, with colours ----
if have "colours" script && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    printf -v command '%q ' "$FILM" match m.film "$a" "$b"
    TERM=xterm script -qefc "$command" /dev/null </dev/null | tr -d '\r' | sed -E $'s/\e\\[(0|1?;?3[12])m//g' >out
    check "on a terminal match has its own colours alone" bash -c 'grep -q owned out && "$PYTHON" harmless.py out'
fi

# ---- JSON ----
check "JSON keeps every character" "$PYTHON" -c '
import json, subprocess, sys
film = lambda *words: json.loads(subprocess.run([sys.argv[1], *words, "--json"], capture_output=True, check=True).stdout.splitlines()[0])
assert sys.argv[2] in film("search", "p.pool", sys.argv[2])["text"]
assert sys.argv[2] in film("classify", "c.film", "someone stole my card")["categories"][0]["category"]' "$FILM" "$evil"
finish
