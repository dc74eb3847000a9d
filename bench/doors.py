"""The same pairs through every door: C, the program, Python, SQLite and WebAssembly (Node, Chromium).

    bench/doors.py BUILD MODEL PAIRS.tsv [ROWS]

PAIRS.tsv has the columns label, a, b and a header; its rows are repeated up to ROWS (default 100,000)
for speed. First, the probabilities of the first 1,000 rows must be equal to the bit. Then prints the
processor time of each door in one thread, and relative to film_match in C of the same run.
"""
import json
import os
import resource
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build, model_path, pairs_path = sys.argv[1:4]
total = int(sys.argv[4]) if len(sys.argv) > 4 else 100000
sys.path.insert(0, os.path.join(ROOT, "python"))
os.environ["LD_LIBRARY_PATH"] = os.path.abspath(build)
import film  # noqa: E402 - after its path is known

with open(pairs_path, encoding="utf-8") as file:
    rows = [tuple(line.rstrip("\n").split("\t")[1:3]) for line in file][1:]
rows = (rows * (total // len(rows) + 1))[:total]
some = rows[:1000]


def packed(numbers):
    return struct.pack(f"{len(numbers)}d", *numbers)


def timed(call):
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def in_c(folder):
    path, out = os.path.join(folder, "pairs.tsv"), os.path.join(folder, "out")
    with open(path, "w", encoding="utf-8") as file:
        file.write("label\ta\tb\n" + "".join(f"0\t{a}\t{b}\n" for a, b in rows))
    printed = subprocess.run([os.path.join(build, "doors_driver"), model_path, path, out],
                             check=True, capture_output=True, text=True).stdout
    with open(out, "rb") as file:
        return file.read(), float(printed)


def by_program():
    def one(a, b):
        command = [os.path.join(build, "film"), "match", model_path, "--json", "--", a, b]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = [one(a, b)["probability"] for a, b in some]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return packed(found), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_sqlite():
    database = sqlite3.connect(":memory:")
    database.enable_load_extension(True)
    database.load_extension(os.path.join(build, "film_sqlite"))
    database.execute("CREATE TABLE pairs(a, b)")
    database.executemany("INSERT INTO pairs VALUES (?, ?)", rows)
    database.execute("SELECT film_open(?)", (model_path,))
    found = [p for p, in database.execute("SELECT film_match(a, b) FROM pairs LIMIT 1000")]
    _, seconds = timed(lambda: database.execute("SELECT sum(film_match(a, b)) FROM pairs").fetchone())
    return packed(found), seconds


def in_webassembly(folder):
    package = os.path.join(ROOT, "build", "wasm", "package")
    if not os.path.exists(os.path.join(package, "film.wasm")):
        return None
    pairs, out = os.path.join(folder, "pairs.json"), os.path.join(folder, "out.json")
    with open(pairs, "w", encoding="utf-8") as file:
        json.dump(rows, file)
    subprocess.run(["node", os.path.join(ROOT, "bench", "doors.mjs"), package, model_path, pairs, out], check=True)
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def main():
    with tempfile.TemporaryDirectory() as folder:
        wanted, seconds = in_c(folder)
        web = in_webassembly(folder)
    model = film.Model(model_path)
    sqlite_bits, sqlite_seconds = in_sqlite()
    found = {"program": by_program()[0], "SQLite": sqlite_bits,
             "Python": packed([model.match(a, b, reasons=0).probability for a, b in some]),
             "Python, match_many": packed(list(model.match_many(some).probability))}
    if web:
        found["WebAssembly, Node"] = packed(web["probabilities"][:1000])
    for name, numbers in found.items():
        different = sum(numbers[i:i + 8] != wanted[i:i + 8] for i in range(0, len(numbers), 8))
        print(f"{name}: {different} of {len(some)} probabilities differ from C")
    loop = rows[:20000]
    times = {"C, film_match": (seconds, len(rows)), "SQLite, film_match": (sqlite_seconds, len(rows)),
             "Python, match without reasons": (
                 timed(lambda: [model.match(a, b, reasons=0) for a, b in loop])[1], len(loop)),
             "Python, match": (timed(lambda: [model.match(a, b) for a, b in loop])[1], len(loop)),
             "Python, match_many": (timed(lambda: model.match_many(rows, threads=1))[1], len(rows))}
    for name in ("node", "chromium"):
        if web and name in web:
            times[f"WebAssembly, {name}"] = (web[name], len(rows))
    for name, (spent, count) in times.items():
        each = spent / count
        print(f"{name}: {1 / each:,.0f} pairs/s, {100 * seconds / len(rows) / each:.0f} % of C")


main()
