#!/usr/bin/env bash
# The SQLite extension in Debian's sqlite3 shell and in Python's sqlite3: the same probabilities as the library to the
# bit, searching a pool and a table, and errors. TAP.
source "$(dirname "$0")/../cli/tap.sh"
have "the SQLite extension" sqlite3 || { finish; exit; }
export PYTHONPATH=$ROOT/python LD_LIBRARY_PATH=${FILM%/*} PYTHONDONTWRITEBYTECODE=1
extension=${FILM%/*}/film_sqlite
sample 3 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv
"$FILM" pool create faq.pool --model faq.film 2>log && "$FILM" pool add faq.pool "$FAQ/questions.tsv" 2>log || { cat log; exit 1; }

# sql STATEMENTS...: runs them in the shell after loading the extension.
sql() { sqlite3 -batch :memory: ".load $extension" "$@" >out 2>err; status=$?; }
sql "SELECT film_match('a', 'b')"
check "without a model, film_match says what to do" grep -q "film_open('model.film')" err
first() { sqlite3 -batch :memory: ".load $extension" "SELECT film_open('faq.film')" "SELECT film_same('I lost my card', 'my card is lost')" | grep -qx 1; }
check_timed "from nothing to the first verdict" first
sql "SELECT film_open('no.film')"
check "a missing model is an error with its name" grep -q "no.film" err
sql "SELECT film_open('faq.film') = 'faq.film' AND film_same('I lost my card', 'my card is lost') = 1
     AND film_same('I lost my card', 'when do you open?') = 0 AND film_match(NULL, 'x') IS NULL
     AND json_extract(film_explain('I lost my card', 'my card is lost'), '$.same')"
check "open, same, NULL and explain" grep -qx 1 out
sql "SELECT id FROM film_search('faq.pool', (SELECT text FROM film_search('faq.pool', 'card', 1)), 1)" \
    "SELECT id FROM film_search('faq.pool', 'card', 1)"
check "a sentence of a pool finds itself" test "$(sort -u out | wc -l)-$(wc -l < out)" = 1-2
sql "SELECT count(*) FROM film_search('faq.pool', 'card')"
check "ten answers by default" grep -qx 10 out
sql "SELECT * FROM film_search('missing.pool', 'x')"
check "a missing pool is an error with its name" grep -q "missing.pool" err
sql "SELECT * FROM film_search('faq.pool')"
check "a query is needed" grep -q "a query are needed" err

cat > bits.py <<'PY'
import sqlite3, struct, sys
import film
pairs = [line.rstrip("\n").split("\t")[1:3] for line in open(sys.argv[1], encoding="utf-8")][1:1001]
model = film.Model("faq.film")
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension(sys.argv[2])
db.execute("SELECT film_open('faq.film')")
db.execute("CREATE TABLE pairs(a, b)")
db.executemany("INSERT INTO pairs VALUES (?, ?)", pairs)
theirs = [p for (p,) in db.execute("SELECT film_match(a, b) FROM pairs ORDER BY rowid")]
assert theirs == [model.match(a, b, reasons=0).probability for a, b in pairs]
assert theirs == list(model.match_many(pairs).probability)
vector = db.execute("SELECT film_encode(?)", pairs[0][:1]).fetchone()[0]
assert vector == model.encode(pairs[0][0]).tobytes()
db.execute("CREATE TABLE sentences(text)")
db.executemany("INSERT INTO sentences VALUES (?)", [(a,) for a, _ in pairs[:200]])
found = db.execute("SELECT text, probability FROM film_search('sentences', ?, 3)", pairs[5][:1]).fetchall()
best = sorted({a: model.match(pairs[5][0], a, reasons=0).probability for a, _ in pairs[:200]}.items(),
              key=lambda item: -item[1])
assert found[0] == best[0], (found, best[:3])
assert all(dict(best)[text] == p for text, p in found)
PY
check "1,000 pairs in SQLite and Python: the same bits" "$PYTHON" bits.py "$FAQ/heldout.tsv" "$extension"
finish
