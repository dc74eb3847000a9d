"""Hostile text for a pool in PostgreSQL, held against an SQLite file; called by hostile_pool.sh in a folder with faq.film,
beside an empty database "hostile"."""
import ctypes
import functools
import json
import os
import subprocess
import sys
import urllib.parse

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import serving  # noqa: E402
from serving import check, undescribed  # noqa: E402
from sharing import Database  # noqa: E402
from twins import Twins  # noqa: E402

Server = functools.partial(serving.Server, FILM)
database = Database("hostile")
SANITIZED = b"__asan_init" in open(FILM, "rb").read()  # then less of the same

# What is one line and may stand in an id.
LINES = [
    "'; DROP TABLE film.sentence; --", "\"; DROP SCHEMA film CASCADE; --", "') ; DELETE FROM sentence WHERE ('1'='1",
    "x' OR '1'='1", "'", "''", "\"", "\"\"", "'''",
    "\\", "\\\\", "\\'", "\\';", "E'\\x27'", "E'\\\\'", "U&'\\0027'", "$1", "$2::int", "$$", "$$; SELECT 1; $$", "$tag$", "?",
    "?1", ":name", "@x", "%s", "%n%n%n%n",
    "%1$s", "%%", "{}", "{0}", "{\"a\": 1}", "[]", "null", "NULL", "\\N", "\\.", "\\n", "\\t", "\\x00", "\\x41", "\\u0000",
    "\\copy", "--", "/*", "*/", "/* x */", ";", "; ;", "(", ")", "(,)",
    ",", ",,", "a,b", "()", "true", "-1", "1e999", "NaN", "-Infinity", "9223372036854775808", "00", "0x41", "1970-01-01", "now",
    "infinity", "epoch", "now()", "current_user",
    "pg_sleep(10)", "film", "public", "pg_catalog", "sentence", "SELECT", "COPY film.sentence TO PROGRAM 'touch harmed'",
    "../../etc/passwd", "~", "*", "|", "`id`", "$(touch harmed)", "&& touch harmed",
    "<script>alert(1)</script>", "&lt;", "\u202egnirts esrever", "zero\u200bwidth\u200djoiner", "\ufeffbom", "\u00a0nbsp",
    "\u2028", "\u2029", "e\u0301", "\u00e9", "\u0130\u0131\u00df\ufb01",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U00010348", "\U0010ffff", "\ufffd", "\ufffe", "\ud7ff", "\ue000",
    "\u6771\u4eac", "\u0627\u0644\u0628\u0637\u0627\u0642\u0629", "a" * 1000, "\u00e9" * 500, "' " * 400,
    "\u0f00" * 333, "long " * 190,
]
# What cannot be an id but can be a text or a field: several lines, control characters.
PIECES = ["tab\tin between", "line\nend", "carriage\rreturn", "\r\n", "\\.\n\\.", "a\n\\.\nb", "\\N\t\\N", "\x01\x02\x1f\x7f",
          "\x1b[31mred\x1b[0m", "\x08\x0c\x0b", "\x80\x9f", "last line end\n", "\tx\t",
          "'\n; DROP TABLE film.sentence;\n--", "a" * 60000, "\"" * 5000, "\\" * 5001, "\n" * 1000 + "x", "\u0301" * 2000 + "x",
          "$1 " * 3000]
BAD_IDS = ["tab\tid", "line\nid", "\x7f", "\u00e9" * 501]


def tables():
    kept = database.sql("SELECT n.nspname, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace"
                        " WHERE n.nspname !~ '^(pg_|information_schema)' ORDER BY 1, 2")
    return kept, database.sql("SELECT rolname FROM pg_roles ORDER BY 1")


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def differ(twins, name, *more):
    check(name, not twins.differences, *twins.differences[:4], *more)
    twins.differences.clear()


def exported(twins):
    code, out, _ = twins.ask("pool", "export", "POOL", "--format", "jsonl", "-q")
    return [json.loads(line) for line in out.splitlines()] if code == 0 else []


def rows_of_every_field():
    """Every piece in every field; the id is one where it may be."""
    rows = [{"id": line, "text": "as an id " + str(i), "category": "c"} for i, line in enumerate(LINES) if line.strip()]
    for i, piece in enumerate([*LINES, *PIECES]):
        rows.append({"id": f"text {i}", "text": piece + " x"})
        rows.append({"id": f"field {i}", "text": "other fields", "category": piece, "answer": piece, "url": piece,
                     "column": piece, "nested": {"k": [piece]}})
    for i, line in enumerate(LINES):
        rows.append({"id": f"name {i}", "text": "as the name of a field", "f" + line[:200]: "v", line[:200] + "\"'": line})
    return rows


def added(twins):
    rows = rows_of_every_field()
    open("rows.jsonl", "wb").write(lines(rows))
    code, out, told = twins.ask("pool", "add", "POOL", "rows.jsonl", "-q", "--json")
    differ(twins, f"{len(rows)} rows of hostile text are added as to a file", code, told)
    check("all of them", code == 0 and json.loads(out or "{}").get("added") == len(rows), out[:200], told[:300])
    back = exported(twins)
    differ(twins, "the exports are the same bytes")
    kept = {row["id"]: row for row in back}
    wrong = [(row["id"], kept.get(row["id"])) for row in rows if kept.get(row["id"], {}).get("text") != row["text"]]
    check("every id and text came back as it was", not wrong, *wrong[:3])
    wrong = [(row["id"], kept.get(row["id"])) for row in rows if "url" in row
             and any(kept.get(row["id"], {}).get(f) != row[f] for f in ("category", "answer", "url"))]
    check("and every other field", not wrong, *wrong[:3])
    code, out, told = twins.ask("pool", "list", "POOL", "--json")
    differ(twins, "list shows the same bytes")
    twins.ask("pool", "add", "POOL", "rows.jsonl", "-q", "--json")
    differ(twins, "added again: all there already")
    return rows


def replaced(twins, rows):
    changed = [{**row, "text": rows[(i * 7 + 3) % len(rows)]["text"], "category": rows[i - 1]["id"]}
               for i, row in enumerate(rows)]
    code, out, told = twins.ask("pool", "add", "POOL", "-", "--input-format", "jsonl", "-q", "--json", "--replace",
                                text=lines(changed))
    check("each with another's text: replaced", code == 0 and json.loads(out or "{}").get("replaced", 0) > len(rows) // 2, out,
          told)
    kept = {row["id"]: row["text"] for row in exported(twins)}
    differ(twins, "as in a file")
    check("and they are what was given", all(kept.get(row["id"]) == row["text"] for row in changed))


def conflicts(twins):
    """An id with another text is an error whose message quotes both."""
    for line in [LINES[0], "\\", "\\.", "%s", "\u202egnirts esrever"]:
        twins.ask("pool", "add", "POOL", "-", "--input-format", "jsonl", "-q",
                  text=lines([{"id": line, "text": "yet another text " + line}]))
    differ(twins, "an id with another text is refused in the same words")


def filters(twins):
    for line in [LINES[0], LINES[3], "\"", "\\", "\\N", "%s", "$1"][::4 if SANITIZED else 1]:  # over HTTP come more
        for where in ("category=" + line, "f" + line + "=v", line + "\"'=" + line):
            twins.ask("pool", "list", "POOL", "--json", "--where", where)
    for line in LINES[:2]:
        twins.ask("search", "POOL", "-k", "2", "--where", "category=" + line, "--", line)
    differ(twins, "names and values of filters are taken for nothing else")


def labelled(twins):
    for a, b in zip(LINES[:10:3], LINES[1:10:3]):
        twins.ask("pool", "label", "POOL", "-q", "--", a, b, "same")
    table = "same\tid_a\tid_b\ttext_a\ttext_b\n" + "".join(f"no\t{a}\t{b}\tx\ty\n" for a, b in zip(LINES[40:60:2], LINES[41:60:2]))
    open("labels.tsv", "w").write(table)
    twins.ask("pool", "label", "POOL", "--from", "labels.tsv", "-q", "--json")
    twins.ask("pool", "label", "POOL", "--", "'; DROP TABLE film.label; --", "nobody", "same")
    twins.ask("dedup", "POOL", "-q", "--threshold", "0.95")
    differ(twins, "labels of hostile ids, and duplicates by them, are the same")


def origins(uri):
    """The origin of a label comes in through the library alone."""
    path = os.path.join(os.path.dirname(FILM), "libfilm-pool.so")
    if SANITIZED or not os.path.exists(path):
        return print("# origins of labels: the library cannot be loaded here")
    film = ctypes.CDLL(path)

    class Text(ctypes.Structure):
        _fields_ = [("bytes", ctypes.c_char_p), ("length", ctypes.c_size_t)]
    pool, error, wrong = ctypes.c_void_p(), ctypes.create_string_buffer(4096), []
    film.film_pool_label.argtypes = [ctypes.c_void_p, Text, Text, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p]
    film.film_pool_close.argtypes = [ctypes.c_void_p]
    opened = film.film_pool_open(uri.encode(), ctypes.byref(pool), error)
    for i, piece in enumerate([*LINES, *PIECES]) if opened == 0 else ():
        a, b = b"text 0", f"text {i + 1}".encode()
        if i + 1 < len(LINES) + len(PIECES) and film.film_pool_label(pool, Text(a, len(a)), Text(b, len(b)), 0, piece.encode(),
                                                                     error):
            wrong.append((piece[:40], error.value))
    film.film_pool_close(pool)
    count = len(LINES) + len(PIECES) - 1
    stored = database.sql("SELECT count(*), count(DISTINCT origin), sum(octet_length(origin)) FROM film.label"
                          " WHERE a = (SELECT number FROM film.sentence WHERE id = 'text 0')")
    pieces = [*LINES, *PIECES][:count]
    check("hostile origins of labels are kept", opened == 0 and not wrong
          and stored == [[str(count), str(len(set(pieces))), str(sum(len(p.encode()) for p in pieces))]], opened, error.value,
          *wrong[:3], stored)


def refused(twins):
    """What no pool takes is refused in the same words, and nothing of it is there."""
    before = exported(twins)
    for bad in BAD_IDS[::4 if SANITIZED else 1]:
        code, _, told = twins.ask("pool", "add", "POOL", "-", "--input-format", "jsonl",
                                  text=lines([{"id": "good", "text": "x"}, {"id": bad, "text": "y"}]))
        if code != 2 or not told:
            twins.differences.append(f"{bad[:20]!r}: exit {code} {told[:200]!r}")
    for raw in (b'{"id": "n", "text": "nul \\u0000 in it"}\n', b'{"id": "n", "text": "bad \xff utf"}\n',
                b'{"id": "n\xc3", "text": "cut"}\n', b'{"id": "n", "text": "\\ud800"}\n',
                b'{"id": "n", "text": "over\xc0\xaflong"}\n', b'{"id": "n", "text": "x", "category": "\\u0000"}\n',
                b'{"id": "n", "text": "x", "k\\u0000": "v"}\n',
                b'{"id": "n", "text": "x", "k": "\xed\xa0\x80"}\n')[::3 if SANITIZED else 1]:
        code, _, told = twins.ask("pool", "add", "POOL", "-", "--input-format", "jsonl", text=raw)
        if code != 2 or not told:
            twins.differences.append(f"{raw!r}: exit {code} {told[:200]!r}")
    for raw in (b"id\ttext\nn\tnul\0\n", b"id\ttext\nn\tlatin \xe9\n"):
        if twins.ask("pool", "add", "POOL", "-", text=raw)[0] != 2:
            twins.differences.append(repr(raw))
    for bad in ("'; --", "$9"):
        twins.ask("pool", "remove", "POOL", "-q", "--", bad)
    differ(twins, "NUL, broken UTF-8 and bad ids are refused in the same words")
    check("and nothing of them is there", exported(twins) == before)


def overlong(twins):
    big = "'; DROP TABLE film.sentence; -- \\.\n\\N\t" * (25000 if SANITIZED else 260000)
    open("big.jsonl", "wb").write(lines([{"id": "big", "text": big, "answer": "x"},
                                         {"id": "big field", "text": "x", "answer": big}]))
    code, out, told = twins.ask("pool", "add", "POOL", "big.jsonl", "-q", "--json", "--max-sentence", "20000000")
    kept = {row["id"]: row for row in exported(twins)}
    differ(twins, f"a text and a field of {len(big) / 1e6:.0f} MB are as in a file", code, told)
    check("and came back as they were", code == 0 and kept["big"]["text"] == big and kept["big field"]["answer"] == big, code,
          told)
    twins.ask("pool", "remove", "POOL", "big", "big field")
    differ(twins, "and can be removed")


def over_http(twins):
    """The same through servers: added, searched, replaced, removed; answers are held against each other."""
    pieces = [*LINES, *PIECES]
    sentences = [{"id": f"http {i}", "text": piece + " x", "category": piece, "more": {piece[:100]: piece, "n": i}}
                 for i, piece in enumerate(pieces)]
    sentences += [{"id": line, "text": "an id over HTTP", "answer": line} for line in LINES if line.strip()]
    with Server(twins.pools[0]) as file, Server(twins.pools[1]) as shared:
        def both(method, path, body):
            first, second = (server.ask(method, path, body)[:2] for server in (file, shared))
            if json.dumps(first).replace(twins.pools[0], "POOL") != json.dumps(second).replace(twins.pools[1], "POOL"):
                twins.differences.append(f"{method} {path} {str(body)[:200]}: {str(first)[:300]} but {str(second)[:300]}")
            return second
        status, answer = both("POST", "/v1/pool", {"sentences": sentences, "replace": True})
        check("hostile text is added over HTTP", status == 200 and answer["added"] + answer["replaced"] == len(sentences), status,
              answer)
        for piece in pieces[::4]:
            both("POST", "/v1/search", {"q": piece, "k": 2, "where": {"category": piece}})
            both("POST", "/v1/search", {"q": "x", "k": 1, "where": {piece[:100]: piece}})
            both("POST", "/v1/search", {"q": piece, "k": 3})
        for line in LINES[:6]:
            both("DELETE", "/v1/pool", {"ids": [line, "nobody " + line]})
            both("POST", "/v1/pool", {"sentences": [{"id": line, "text": "another " + line}]})
        for bad in BAD_IDS:
            both("POST", "/v1/pool", {"sentences": [{"id": "never", "text": "x"}, {"id": bad, "text": "y"}]})
        both("POST", "/v1/pool", {"sentences": [{"id": "lone", "text": "\ud800"}]})
        differ(twins, "servers of both kinds answer the same")
        exported(twins)
        differ(twins, "and the exports are the same bytes again")
        both("DELETE", "/v1/pool", {"ids": [line for line in LINES if line.strip()]})
        differ(twins, "removed over HTTP by hostile ids")
        output = shared.lines
    check("the server has told nothing of a sanitizer", "Sanitizer" not in "".join(output), output[-5:])


def removed(twins):
    twins.ask("pool", "remove", "POOL", "-", "-q", "--json", text="\n".join(f"text {i}" for i in range(len(LINES))).encode())
    exported(twins)
    differ(twins, "removed by the command line, the rest is the same")


def quoted(text):
    return urllib.parse.quote(text, safe="")


def addresses():
    """Databases and users whose own names are hostile, and addresses that are."""
    names = ["it's; DROP TABLE x; --", "dou\"ble", "back\\slash", "per%cent", "spa ce", "\u6771\u4eac", "$1", "a=b", "UPPER",
             "select", "host=evil", "a/b?c#d"]
    wrong = []
    for name in names[::3] if SANITIZED else names:
        literal = '"' + name.replace('"', '""') + '"'
        password = "kept-out-of-sight"
        database.sql(f"CREATE ROLE {literal} LOGIN PASSWORD '{password}'")
        database.sql(f"CREATE DATABASE {literal} OWNER {literal}")
        uri = f"postgresql://{quoted(name)}@127.0.0.1:{database.port}/{quoted(name)}?application_name={quoted(name)}"
        for words in (["pool", "create", uri, "--model", "faq.film"], ["pool", "add", uri, "few.tsv", "-q"],
                      ["search", uri, "one", "-k", "1"]):
            done = subprocess.run([FILM, *words], capture_output=True, text=True, timeout=300)
            if done.returncode:
                wrong.append((name, words[:2], done.returncode, done.stderr))
                break
    check("databases and users with hostile names work", not wrong, *wrong[:4])
    secret = "0pen-sesame"
    base = f"127.0.0.1:{database.port}/hostile"
    bad = ["postgresql://", "postgresql://x@", f"postgresql://owner:{secret}@{base}",
           f"postgresql://owner@{base}?password={secret}", f"postgresql://owner@{base}?pass%77ord={secret}",
           f"postgres://owner:{secret}@{base}", f"postgresql://owner@{base}?nonsense=1",
           f"postgresql://owner@{base}?sslmode=nonsense", f"postgresql://owner@{base}?port=99999",
           "postgresql://owner@127.0.0.1:notaport/x",
           "postgresql://owner@[::1", "postgresql://%zz@host/x", "postgresql://%00@host/x",
           f"postgresql://owner@{base}?options=-c%20search_path%3Dx%3B%20DROP%20TABLE%20film.sentence",
           f"postgresql://owner@{base}?schema=x%22%3BDROP%20SCHEMA%20film--",
           f"postgresql://owner@127.0.0.1:{database.port}/" + "d" * 5000, "postgresql://" + "h" * 300 + "/x",
           f"postgresql://owner@{base}?service=none", "postgresql:///" + quoted("x' host='evil"),
           f"postgresql://owner@127.0.0.1:{database.port}/no-such",
           f"postgresql://nobody%27%3B--@{base}", f"postgresql://owner@{base}?client_encoding=LATIN1",
           f"postgresql://owner@{base}?replication=database",
           f"postgresql://owner@127.0.0.1:{database.port}/line%0Aend%1b%5B31m", f"postgresql://%0a@{base}",
           f"postgresql://owner@{base}?application_name=%0a%1b"]
    wrong, leaked = [], []
    for uri in bad:
        for words in [["pool", "add", uri, "few.tsv", "-q"], ["pool", "list", uri, "--limit", "1"]][:1 if SANITIZED else 2]:
            done = subprocess.run([FILM, *words], capture_output=True, timeout=300)
            code, told = done.returncode, done.stderr
            if code not in (0, 1, 2, 3) or (code and told.count(b"\n") != 1) or (secret in uri and code != 1):
                wrong.append((uri[:100], done.returncode, done.stderr[:400]))
            if secret.encode() in done.stdout + done.stderr:
                leaked.append((uri, done.stderr))
    check(f"{len(bad)} hostile addresses are refused with one line", not wrong, *wrong[:5])
    check("and no password in one of them is repeated", not leaked, *leaked[:3])


def main():
    open("few.tsv", "w").write("id\ttext\n1\tone\n2\ttwo\n")
    twins = Twins(FILM, "hostile.pool", database.uri())
    code, _, told = twins.ask("pool", "create", "POOL", "--model", "faq.film")
    differ(twins, "both pools are made", told)
    if code:
        serving.finish()
    database.sql("CREATE TABLE public.canary AS SELECT 1 AS alive")
    before = tables()
    rows = added(twins)
    replaced(twins, rows)
    conflicts(twins)
    filters(twins)
    labelled(twins)
    origins(twins.pools[1])
    refused(twins)
    overlong(twins)
    over_http(twins)
    removed(twins)
    code, out, told = twins.one(twins.pools[1], ["pool", "check", "POOL", "--full"])
    check("film pool check finds it sound", code == 0, out, told)
    check("every table is there, and no other; the roles too", tables() == before,
          *[x for x in zip(before, tables()) if x[0] != x[1]])
    check("another's table too", database.sql("SELECT alive FROM public.canary") == [["1"]])
    check("and nothing was run", not os.path.exists("harmed"))
    addresses()
    check("every answer is as the OpenAPI file describes it", not undescribed, *undescribed[:5])
    serving.finish()


main()
