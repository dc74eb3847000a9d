"""Power fails at every point of writing a pool or a model: records the file operations of a command with strace,
and rebuilds what a disk may hold after each of them (power.sh). What was synced is there; of later writes an arbitrary subset,
the last one torn at a sector; of later changes to the directory a beginning. Nothing acknowledged may be lost, nothing damaged."""
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys

import cases
from cases import FILM, Table, film, read, spread

SECTOR = 512
SUBSETS = 20 if cases.LONG else 3
POINTS = 10**9 if cases.LONG else int(os.environ.get("FAULT_POINTS", 25))
CALLS = "openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,link,unlink"


def unescape(text):
    return bytes(int(part, 16) for part in text.split("\\x")[1:])


def parse(line):
    """One line of strace as (call, path or descriptor, arguments...), or None where it changes nothing."""
    name, rest = line.split("(", 1)
    if not re.search(r"\) += \d", line):
        return None
    if name in ("rename", "link"):
        return (name, *(unescape(text).decode() for text in re.findall(r'"((?:\\x..)*)"', rest)[:2]))
    if name == "unlink":
        return name, unescape(re.search(r'"((?:\\x..)*)"', rest)[1]).decode()
    if name == "openat":
        flags, path = re.search(r", (O_[A-Z_|]+)", rest)[1], unescape(re.search(r'"((?:\\x..)*)"', rest)[1]).decode()
        return ("create", path, "O_TRUNC" in flags) if "O_CREAT" in flags else None
    number, path = re.match(r"(\d+)<([^>]*)>", rest).groups()
    path = unescape(path).decode() if path.startswith("\\x") else path
    if name in ("fsync", "fdatasync"):
        return "sync", path
    if name == "ftruncate":
        return "truncate", path, int(re.search(r", (\d+)\)", rest)[1])
    data = unescape(re.search(r'"((?:\\x..)*)"', rest)[1])
    done = int(re.search(r"\) += (\d+)", rest)[1])
    if name == "write":
        return ("said", data[:done].decode()) if number == "1" else ("append", path, data[:done])
    return "write", path, int(re.search(r", (\d+)\) +=", rest)[1]), data[:done]


def record(folder, *command):
    """The operations of a command on files of its folder, in order; the last one is its exit."""
    trace = os.path.abspath("trace")
    done = subprocess.run(["strace", "-y", "-xx", "-qq", "-s", "100000000", "-e", f"trace={CALLS}", "-o", trace, FILM, *command], cwd=folder,
                          env=cases.ENVIRONMENT, capture_output=True, check=True)
    home, operations = os.path.realpath(folder), []
    for line in open(trace, encoding="ascii"):
        operation = parse(line) if "(" in line else None
        if not operation:
            continue
        if operation[0] != "said":
            paths = [os.path.relpath(os.path.join(home, path), home) for path in operation[1:] if isinstance(path, str)]
            if any(path.startswith("..") for path in paths) or operation[1].endswith("(deleted)"):
                continue
            operation = (operation[0], *paths, *operation[1 + len(paths):])
        operations.append(operation)
    return [*operations, ("said", "exit\n")], done.stdout.decode()


class Disk:
    """Files by number, with the operations on each that are not yet synced, and the directory with its own."""

    def __init__(self, folder):
        self.synced, self.pending, self.names, self.offsets = {}, {}, {}, {}
        self.changes = [{"set": {}, "durable": True}]
        for name in sorted(os.listdir(folder)):
            self.durable(name, read(os.path.join(folder, name)))

    def durable(self, name, content):
        number = len(self.synced)
        self.synced[number], self.pending[number], self.names[name] = content, [], number
        self.changes.append({"set": dict(self.names), "durable": True})

    def change(self):
        self.changes.append({"set": dict(self.names), "durable": False})

    def apply(self, operation):
        kind, *rest = operation
        if kind == "said":
            return
        if kind == "create" and rest[0] not in self.names:
            number = len(self.synced)
            self.synced[number], self.pending[number], self.names[rest[0]] = b"", [], number
            self.change()
        elif kind == "create":
            self.pending[self.names[rest[0]]] += [("truncate", 0)] if rest[1] else []
        elif kind in ("rename", "link"):
            self.names[rest[1]] = self.names[rest[0]]
            if kind == "rename":
                del self.names[rest[0]]
            self.change()
        elif kind == "unlink":
            self.names.pop(rest[0], None)
            self.change()
        elif kind == "sync" and rest[0] == ".":
            self.changes = [{"set": dict(self.names), "durable": True}]
        elif rest[0] in self.names:
            self.apply_to_file(kind, self.names[rest[0]], rest[1:])

    def apply_to_file(self, kind, number, rest):
        if kind == "sync":
            self.synced[number] = self.content(number, self.pending[number])
            self.pending[number] = []
            return
        if kind == "append":  # write at the descriptor's offset: files are written from the beginning to the end
            at = self.offsets.get(number, 0)
            self.offsets[number] = at + len(rest[0])
            rest, kind = (at, rest[0]), "write"
        self.pending[number].append((kind, *rest))

    def content(self, number, operations):
        content = bytearray(self.synced[number])
        for kind, at, *data in operations:
            if kind == "truncate":
                del content[at:]
                content.extend(bytes(at - len(content)))
            else:
                content.extend(bytes(max(0, at + len(data[0]) - len(content))))
                content[at:at + len(data[0])] = data[0]
        return bytes(content)

    def crash(self, chance, generator):
        """{name: content}: what may be found afterwards. CHANCE is that of an unsynced write."""
        first = max(i for i, change in enumerate(self.changes) if change["durable"])
        names = self.changes[generator.randint(first, len(self.changes) - 1)]["set"]
        files = {}
        for name, number in names.items():
            kept = [operation for operation in self.pending[number] if generator.random() < chance]
            if kept and kept[-1][0] == "write" and generator.random() < 0.5:
                kind, at, data = kept[-1]
                kept[-1] = (kind, at, data[:generator.randint(0, len(data) // SECTOR) * SECTOR])
            files[name] = self.content(number, kept)
        return files


def each_crash(before, operations, judge):
    """Calls JUDGE(files, said) for every prefix and subset; returns how many, and the problems."""
    generator, points, problems, seen = random.Random(7), 0, [], set()
    chosen = set(spread(len(operations), POINTS)) | {len(operations)}
    disk, said = Disk(before), ""
    for place, operation in enumerate(operations, 1):
        disk.apply(operation)
        said += operation[1] if operation[0] == "said" else ""
        if place not in chosen:
            continue
        for subset in range(SUBSETS):
            files = disk.crash((0, 1, 0.5, 0.9)[subset % 4], generator)
            points += 1
            key = (said, tuple(sorted((name, hash(content)) for name, content in files.items())))
            if key in seen:
                continue
            seen.add(key)
            shutil.rmtree("after", ignore_errors=True)
            os.mkdir("after")
            for name, content in files.items():
                if not name.endswith("-shm"):  # SQLite rebuilds it
                    with open(os.path.join("after", name), "wb") as file:
                        file.write(content)
            problem = judge(files, said)
            if problem:
                problems.append((f"after operation {place} of {len(operations)} ({operation[0]}), subset {subset}", ("loss", problem), ""))
    return points, problems


def sentences(path):
    database = sqlite3.connect(path)
    try:
        return [row[0] for row in database.execute("SELECT id FROM sentence ORDER BY number")]
    finally:
        database.close()


def pools(table):
    """Rows are added in batches, some are removed, another model is stored. Each is acknowledged when it is on disk."""
    os.mkdir("pool")
    shutil.copy("p.pool", "pool")
    steps = [("pool add", ["pool", "add", "p.pool", "../more.tsv", "--batch", "8", "--progress-lines", "-q", "-t", "1"]),
             ("pool remove", ["pool", "remove", "p.pool", "card-lost", "card-activate"]),
             ("pool update", ["pool", "update", "p.pool", "--model", "../b.film", "-q", "-t", "1"])]
    for name, command in steps:
        shutil.rmtree("before", ignore_errors=True)
        shutil.copytree("pool", "before")
        old = sentences("before/p.pool")
        operations, _ = record("pool", *command)
        new, contents = sentences("pool/p.pool"), [cases.content("before/p.pool"), cases.content("pool/p.pool")]

        def judge(_, said, name=name, old=old, new=new, contents=contents):
            rows = [int(number) for number in re.findall(r"committed (\d+)\n", said)]
            found = cases.content("after/p.pool")
            if found.startswith("damaged"):
                return found
            here = sentences("after/p.pool")
            if name == "pool add":
                if here != new[:len(here)] or len(here) < len(old) + (rows[-1] if rows else 0) or (len(here) - len(old)) % 8 and here != new:
                    return f"{len(here)} sentences; acknowledged: {rows}"
            elif found not in (contents[1:] if "exit" in said else contents):
                return "neither the old nor the new pool" + (", although it was acknowledged" if "exit" in said else "")
            if found not in cases.whole:
                checked = subprocess.run([FILM, "pool", "check", "after/p.pool"], env=cases.ENVIRONMENT, capture_output=True, text=True)
                cases.whole[found] = "" if checked.returncode == 0 else checked.stdout + checked.stderr
            return cases.whole[found]
        table.report(f"film {name}, {len(operations)} operations", *counted(*each_crash("before", operations, judge)))


def counted(points, problems):
    return points, 0, problems


def models(table):
    """A model over an older file; a new pool."""
    train = ["train", "../pairs.tsv", "--method", "film", "--rank", "8", "--dim", "4", "--iterations", "6", "--decision", "threshold", "-q", "-t", "1",
             "-o", "m.film"]
    os.mkdir("model"), os.mkdir("empty"), os.mkdir("old")
    film("train", "pairs.tsv", "--method", "svd", "--rank", "3", "-q", "-o", "old/m.film")
    shutil.copy("old/m.film", "model")
    old = read("old/m.film")
    operations, _ = record("model", *train)
    new = read("model/m.film")

    def judge(files, said):
        if files.get("m.film") not in ((new,) if "exit" in said else (old, new)):
            return "the model is damaged" + (", although it was acknowledged" if "exit" in said else "")
        return ""
    table.report(f"film train, {len(operations)} operations", *counted(*each_crash("old", operations, judge)))

    operations, _ = record("empty", "pool", "create", "n.pool", "--model", "../a.film")
    whole = cases.content("empty/n.pool")
    os.mkdir("nothing")

    def judge_new(files, said):
        if "n.pool" not in files:
            return "the pool is gone, although it was acknowledged" if "exit" in said else ""
        return "" if cases.content("after/n.pool") == whole else "the new pool is damaged"
    table.report(f"film pool create, {len(operations)} operations", *counted(*each_crash("nothing", operations, judge_new)))


def main():
    if not shutil.which("strace") or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode:
        print("ok 1 - power loss # SKIP no strace\n1..1")
        return 0
    cases.make_inputs()
    table = Table()
    pools(table)
    models(table)
    return table.finish()


sys.exit(main())
