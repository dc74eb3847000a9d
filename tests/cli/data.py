"""Writes the same rows in every form that people have, and compares what film reads; prints TAP lines."""
import csv
import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys

FILM, ROOT = sys.argv[1:]
WORKBOOK = os.path.join(ROOT, "tests", "lib", "workbook.py")
tests = failures = 0

ROWS = [("k-1", 'Where is my "new" card; please?', "card", "€ 5 – für Zoë"),
        ("k-2", "I lost my card, what now?", "card", "a,b;c"),
        ("k-3", "How do I change\nmy PIN?", "pin", ""),
        ("k-4", "Can I pay in euro?", "money", "x")]
NAMES = ("id", "text", "category", "note")


def check(name, condition, *details):
    global tests, failures
    tests += 1
    failures += not condition
    print(f"{'ok' if condition else 'not ok'} {tests} - {name}")
    for detail in details if not condition else ():
        print("# " + str(detail)[:900].replace("\n", "\n# "))
    sys.stdout.flush()


def film(*arguments, stdin=None):
    return subprocess.run([FILM, *arguments], capture_output=True, input=stdin, check=False)


def out(*arguments, stdin=None):
    return film(*arguments, stdin=stdin).stdout.decode()


def table(rows=ROWS, names=NAMES, encoding="utf-8", **how):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", **how)
    writer.writerows([names, *rows])
    return text.getvalue().encode(encoding)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def read(path, *options, stdin=None):
    """What film reads of a file of sentences: [(id, text, category, note)]."""
    done = film("dedup", "m.film", path, "--all", "--threshold", "0.9999", "--json", *options, stdin=stdin)
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return sorted((r["id"], r["text"], r.get("category", r.get("Thema", "")), r.get("note", "")) for r in rows), done.stderr.decode()


def reads(name, path, *options, rows=ROWS, stdin=None):
    got, messages = read(path, *options, stdin=stdin)
    check(name, got == sorted(rows), got, messages)


# ---- forms ----
reads("commas", write("comma.csv", table()))
reads("semicolons", write("semicolon.csv", table(delimiter=";")))
reads("semicolons, every field in quotes", write("quoted.csv", table(delimiter=";", quoting=csv.QUOTE_ALL)))
reads("semicolons from standard input", "-", stdin=table(delimiter=";"))
reads("semicolons, compressed", write("semicolon.csv.gz", gzip.compress(table(delimiter=";"))))
reads("tabs in a .csv file, with quotes", write("tabs.csv", table(delimiter="\t", quoting=csv.QUOTE_ALL)))
reads("Windows-1252", write("windows.csv", table(encoding="cp1252")), "--encoding", "windows-1252")
latin = [(a, b, c, "für Zoë") for a, b, c, d in ROWS]
reads("Latin-1", write("latin.csv", table(latin, encoding="latin-1")), "--encoding", "latin-1", rows=latin)
own = ("Nr", "Frage", "Thema", "note")
reads("columns by their names", write("own.csv", table(names=own, delimiter=";")),
      "--columns", "text=Frage,category=Thema,id=Nr", rows=ROWS)
subprocess.run([sys.executable, WORKBOOK, "book.xlsx", "packed"], check=True)
book = [("a-1", "Wo ist meine Karte? Bitte!", "Karte", ""), ("12345678901", "Grüße & <Fragen>", "", ""),
        ("a-3", "tab here", "PIN", "")]
reads("a workbook: the first visible sheet, shared and inline strings, blank rows", "book.xlsx", rows=book)
reads("a workbook from standard input", "-", rows=book, stdin=open("book.xlsx", "rb").read())
with open("book.xlsx", "rb") as file:
    whole = out("split", "book.xlsx", "-o", "half", "-q"), open("half-train.tsv").read() + open("half-dev.tsv").read()
check("its numbers and truth values", "12345678901\tGrüße & <Fragen>\t\t0.1\n" in whole[1] and "\tKarte\ttrue\n" in whole[1]
      and "\tPIN\tfalse\n" in whole[1], whole)
for kind, message in (("laughs", "a damaged Excel workbook (document type); save it again"),
                      ("deep", "a damaged Excel workbook (nesting); save it again"),
                      ("broken", "a damaged Excel workbook (XML); save it again"),
                      ("string", "a damaged Excel workbook (shared string); save it again"),
                      ("archive", "a zip archive without a sheet of an Excel workbook; unpack it, or save it as CSV"),
                      ("bomb", "a workbook whose parts are larger than 512 MiB; save it as CSV")):
    subprocess.run([sys.executable, WORKBOOK, kind + ".xlsx", kind], check=True)
    done = film("dedup", "m.film", kind + ".xlsx")
    check(f"a workbook that is refused: {kind}", done.returncode == 2
          and done.stderr.decode() == f"film: {kind}.xlsx: {message}\n", done.stderr)

# ---- messages that say what to pass ----
def suggested(path):
    """The options that the message names."""
    message = film("dedup", "m.film", path).stderr.decode()
    found = re.search(r"--(encoding|columns) .*$", message)
    return shlex.split(found[0]) if found else [message]


options = suggested("windows.csv")
check("Windows-1252: the message names the encoding", options == ["--encoding", "windows-1252"], options)
reads("and it works", "windows.csv", *options)
write("frage.csv", table([r[1:3] for r in ROWS], ("Meine Frage", "Thema"), delimiter=";"))
options = suggested("frage.csv")
check("an unknown header: the message names the columns", options == ["--columns", "text=Meine Frage,category=Thema"], options)
reads("and they work", "frage.csv", *options, rows=[(str(i), r[1], r[2], "") for i, r in enumerate(ROWS, 1)])

# ---- labels ----
pairs = [line.split("\t") for line in open("train.tsv").read().splitlines()[1:200]]
for name, yes, no in (("numbers", "1", "0"), ("yes", "yes", "no"), ("true", "TRUE", "False"),
                      ("duplicate", "duplicate", "not duplicate"), ("same", "Same", "different")):
    write(f"{name}.tsv", "".join(f"{a}\t{b}\t{l}\n" for a, b, l in
                                 [("a", "b", "label"), *((p[1], p[2], yes if p[0] == "1" else no) for p in pairs)]).encode())
figures = {name: json.loads(out("eval", "m.film", name + ".tsv", "--json")) for name in ("numbers", "yes", "true", "duplicate", "same")}
check("labels are 0 and 1, or words", all(f["accuracy"] == figures["numbers"]["accuracy"] and f["rows"] == figures["numbers"]["rows"]
                                         for f in figures.values()), figures["numbers"])

# ---- ids and other columns ----
write("noid.csv", table([r[1:] for r in ROWS], NAMES[1:]).replace(b"\nI lost", b"\n\n\nI lost"))
reads("ids are the numbers of rows, not of lines", "noid.csv", rows=[(str(i), *r[1:]) for i, r in enumerate(ROWS, 1)])
linked = list(csv.DictReader(io.StringIO(out("link", "m.film", "noid.csv", "comma.csv", "--threshold", "0.5")), delimiter="\t",
                             quoting=csv.QUOTE_NONE))
flat = [tuple(field.replace("\n", " ") for field in r) for r in ROWS]
check("link: ids, texts and all other columns of both files",
      [(l["id_a"], l["text_a"], l["category_a"], l["note_a"]) for l in linked] == [(str(i), *r[1:]) for i, r in enumerate(flat, 1)]
      and [(l["id_b"], l["text_b"], l["category_b"], l["note_b"]) for l in linked] == flat, linked)
write("pairs.csv", table([("p-1", "a b", "c d", "x\ty", "1"), ("p-2", "card", "card", 'q"', "2")],
                         ("id", "a", "b", "note", "probability")))
plain = out("predict", "m.film", "pairs.csv", "-q").splitlines()
check("predict: id, probability, same", plain[0] == "id\tprobability\tsame" and [l.split("\t")[0] for l in plain[1:]] == ["p-1", "p-2"])
kept = out("predict", "m.film", "pairs.csv", "-q", "--keep-columns").splitlines()
check("--keep-columns: the other columns after them", [l.split("\t", 3)[:3] for l in kept] == [l.split("\t") for l in plain]
      and [l.split("\t", 3)[3] for l in kept] == ["a\tb\tnote\tprobability_2", "a b\tc d\tx y\t1", 'card\tcard\tq"\t2'], kept)
rows = [json.loads(l) for l in out("predict", "m.film", "pairs.csv", "-q", "--keep-columns", "--format", "jsonl").splitlines()]
check("in JSON as they are", [(r["a"], r["note"], r["probability_2"]) for r in rows] == [("a b", "x\ty", "1"), ("card", 'q"', "2")], rows)
write("bare.csv", table([("a b", "c d")], ("a", "b")))
check("no id where the file has none", out("predict", "m.film", "bare.csv", "-q").startswith("probability\tsame\n"))

# ---- a pool ----
film("pool", "create", "p.pool", "--model", "m.film")
film("pool", "add", "p.pool", "noid.csv", "-q")
found = out("search", "p.pool", "Can I pay in euro?", "-k", "1")
check("search shows the category, not a made-up id", re.fullmatch(r"[01]\.\d{3}\t\tCan I pay in euro\?\tmoney\n", found), found)
clusters = out("dedup", "p.pool", "--all").splitlines()
check("dedup of a pool has its fields", clusters[0] == "cluster\tid\ttext\tprobability\trepresentative\tcategory\tnote"
      and any(l.endswith("\tmoney\tx") for l in clusters), clusters)
for verb, rest in (("match", ["a b", "c d", "--json"]), ("predict", ["pairs.csv"]), ("link", ["noid.csv", "comma.csv"]),
                   ("dedup", ["comma.csv"]), ("embed", ["comma.csv", "-o", "-"]), ("info", ["--json"]),
                   ("eval", ["numbers.tsv", "--json"]), ("explain", ["--word", "card"])):
    model, pool = film(verb, "m.film", *rest), film(verb, "p.pool", *rest)
    same = pool.stdout.replace(b"p.pool", b"m.film") == model.stdout
    check(f"film {verb} takes a pool for its model, and says so", pool.returncode == 0 and same
          and pool.stderr.startswith(b"p.pool is a pool; using its model\n"), pool.stderr, pool.stdout[:300], model.stdout[:300])
check("not with -q", film("match", "p.pool", "a", "b", "-q").stderr == b"")
check("pool create takes one too", film("pool", "create", "q.pool", "--model", "p.pool").returncode == 0)
film("pool", "label", "p.pool", *[line.split("\t")[0] for line in out("pool", "list", "p.pool").splitlines()[1:3]], "same")
film("pool", "export", "p.pool", "--labels", "-o", "labels.csv", "-q")
film("pool", "add", "q.pool", "noid.csv", "-q")
check("exported labels are imported again", json.loads(out("pool", "label", "q.pool", "--from", "labels.csv", "--json"))["changed"] == 1)
check("and a model is trained on them", film("train", "labels.csv", "-q", "-o", "l.film").returncode == 0)
print(f"1..{tests}")
sys.exit(failures > 0)
