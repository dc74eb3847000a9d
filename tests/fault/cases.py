"""The commands that the tests of this folder disturb, their inputs, and what must hold afterwards: exit code 0 only with the
right output, every file the old or the new one, every pool whole."""
import concurrent.futures
import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

FILM = os.environ["FILM"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRELOAD = os.path.join(os.path.dirname(FILM), "tests", "fault.so")
LONG = bool(os.environ.get("FILM_TEST_LONG"))
SITES = bool(os.environ.get("FAULT_EACH_PLACE"))  # one fault at each place in our code that makes such a call
FAQ = os.path.join(ROOT, "examples", "faq")
A, B = "I lost my card", "my card is gone"
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "FILM_THREADS": "1"}
# A failure inside these may end the process, but not with exit code 0.
FOREIGN = ("libopenblas", "libstdc++", "ld-linux", "dl_open")
PATIENCE = int(os.environ.get("FAULT_PATIENCE", 600))  # seconds before a run counts as hanging


def film(*arguments):
    return subprocess.run([FILM, *arguments], env=ENVIRONMENT, capture_output=True, check=True, timeout=PATIENCE)


def sample(source, target, every, skip=0, more=False):
    """The header and every Nth row; MORE: with two columns that have no meaning for FILM."""
    lines = open(os.path.join(FAQ, source), encoding="utf-8").read().splitlines()
    chosen = lines[1 + skip::every]
    with open(target, "w", encoding="utf-8") as file:
        print(lines[0] + ("\tteam\tweight" if more else ""), file=file)
        for number, line in enumerate(chosen):
            print(line + (f"\tteam {number % 3}\t{number / 10}" if more else ""), file=file)


def make_inputs():
    """Fills the working folder; the commands below read from it and write into a folder of their own."""
    sample("train.tsv", "pairs.tsv", 60)
    sample("train.tsv", "few.tsv", 200)
    sample("questions.tsv", "texts.tsv", 9, more=True)
    sample("questions.tsv", "more.tsv", 9, skip=4, more=True)
    film("train", "pairs.tsv", "--method", "svd", "--rank", "4", "--no-language", "-q", "-t", "1", "-o", "a.film")
    film("train", "pairs.tsv", "--method", "svd", "--rank", "3", "--decision", "threshold", "-q", "-t", "1", "-o", "b.film")
    film("train", "texts.tsv", "--method", "svd", "--rank", "4", "-q", "-t", "1", "-o", "c.film")
    film("pool", "create", "p.pool", "--model", "a.film")
    film("pool", "add", "p.pool", "texts.tsv", "-q", "-t", "1")
    film("pool", "label", "p.pool", "card-lost", "card-activate", "same")
    with open("words.txt", "w", encoding="utf-8") as file:
        print("lost ! found\ncard = plastic", file=file)
    film("pool", "words", "p.pool", "words.txt", "-q")


class Case:
    """A command that runs in a folder with copies of FILES. IN/ stands for the folder of the inputs."""

    def __init__(self, name, command, files=(), outputs=(), pool=None):
        self.name, self.command, self.files, self.outputs, self.pool = name, command, files, outputs, pool


TRAIN = ["train", "IN/pairs.tsv", "--method", "svd", "--rank", "4", "--no-language", "-q", "-t", "1", "-o", "m.film"]
CASES = [
    Case("match", ["match", "IN/a.film", A, B, "--json"]),
    Case("explain", ["explain", "IN/a.film", "--pair", A, B]),
    Case("explain a word", ["explain", "IN/a.film", "--word", "card"]),
    Case("info", ["info", "IN/a.film"]),
    Case("info --json", ["info", "IN/a.film", "--json"]),
    Case("predict", ["predict", "IN/a.film", "IN/few.tsv", "-t", "1", "-q", "-o", "out.tsv", "--keep-columns"], outputs=["out.tsv"]),
    Case("embed", ["embed", "IN/a.film", "IN/texts.tsv", "-t", "1", "-q", "-o", "v.npy"], outputs=["v.npy"]),
    Case("classify", ["classify", "IN/c.film", "my card was stolen", "-k", "3"]),
    Case("classify a table", ["classify", "IN/c.film", "--input", "IN/few.tsv", "--columns", "-,text,-", "-t", "1", "-q"]),
    Case("eval", ["eval", "IN/a.film", "IN/few.tsv", "-q", "-t", "1", "--bootstrap", "10"]),
    Case("eval --json", ["eval", "IN/a.film", "IN/few.tsv", "-q", "-t", "1", "--bootstrap", "10", "--json"]),
    Case("split", ["split", "IN/few.tsv", "-o", "s", "-q"], outputs=["s-train.tsv", "s-dev.tsv"]),
    Case("dedup", ["dedup", "IN/a.film", "IN/texts.tsv", "-t", "1", "-q", "--threshold", "0.5", "-o", "d.tsv"], outputs=["d.tsv"]),
    Case("dedup --pairs", ["dedup", "IN/a.film", "IN/texts.tsv", "-t", "1", "-q", "--threshold", "0.5", "--pairs", "--json"]),
    Case("link", ["link", "IN/a.film", "IN/texts.tsv", "IN/more.tsv", "-t", "1", "-q", "--threshold", "0.5"]),
    Case("report", ["report", "IN/a.film", "-o", "r.html", "--eval", "IN/few.tsv", "-q", "-t", "1"], outputs=["r.html"]),
    Case("search", ["search", "p.pool", A, "-k", "2", "-t", "1"], ["p.pool"], pool="p.pool"),
    Case("search --json", ["search", "p.pool", A, "-k", "2", "-t", "1", "--json", "--explain"], ["p.pool"], pool="p.pool"),
    Case("search --explain", ["search", "p.pool", A, "-k", "2", "-t", "1", "--explain"], ["p.pool"], pool="p.pool"),
    Case("dedup a pool", ["dedup", "p.pool", "-t", "1", "-q", "--threshold", "0.5"], ["p.pool"], pool="p.pool"),
    Case("pool create", ["pool", "create", "n.pool", "--model", "IN/a.film"], pool="n.pool"),
    Case("pool add", ["pool", "add", "p.pool", "IN/more.tsv", "-q", "-t", "1"], ["p.pool"], pool="p.pool"),
    Case("pool remove", ["pool", "remove", "p.pool", "card-lost", "card-activate"], ["p.pool"], pool="p.pool"),
    Case("pool label", ["pool", "label", "p.pool", "card-fraud", "transfer-time", "different"], ["p.pool"], pool="p.pool"),
    Case("pool clusters", ["pool", "clusters", "p.pool", "-t", "1"], ["p.pool"], pool="p.pool"),
    Case("pool clusters split", ["pool", "clusters", "p.pool", "split", "card-lost", "-t", "1", "-q"], ["p.pool"], pool="p.pool"),
    Case("pool threshold", ["pool", "threshold", "p.pool", "--budget", "0.5", "-t", "1", "-q"], ["p.pool"], pool="p.pool"),
    Case("pool update", ["pool", "update", "p.pool", "--model", "IN/b.film", "-t", "1", "-q"], ["p.pool"], pool="p.pool"),
    Case("pool learn", ["pool", "learn", "p.pool", "--force", "-t", "1", "-q"], ["p.pool"], pool="p.pool"),
    Case("pool models", ["pool", "models", "p.pool", "--json"], ["p.pool"], pool="p.pool"),
    Case("pool words", ["pool", "words", "p.pool", "IN/words.txt", "-q"], ["p.pool"], pool="p.pool"),
    Case("pool list", ["pool", "list", "p.pool", "--json"], ["p.pool"], pool="p.pool"),
    Case("pool export", ["pool", "export", "p.pool", "-o", "e.csv", "-q"], ["p.pool"], ["e.csv"], pool="p.pool"),
    Case("pool export as JSON", ["pool", "export", "p.pool", "-q", "--format", "jsonl"], ["p.pool"], pool="p.pool"),
    Case("pool check", ["pool", "check", "p.pool", "-t", "1"], ["p.pool"], pool="p.pool"),
    Case("--describe", ["--describe"]),
    Case("edit", ["edit", "IN/a.film", "--set", "alone:card=-2", "--set", "zebra = quagga", "--yes", "-q", "-o", "k.film"], outputs=["k.film"]),
    Case("train, threshold", TRAIN + ["--decision", "threshold"], outputs=["m.film"]),
    Case("train", TRAIN, outputs=["m.film"]),
]
if LONG or SITES:  # a training costs as much as ten other runs
    CASES += [Case("train on categories", ["train", "IN/texts.tsv", *TRAIN[2:]], outputs=["m.film"]),
              Case("train --start --words", TRAIN + ["--start", "IN/b.film", "--words", "IN/words.txt"], outputs=["m.film"])]
if os.path.exists(os.path.join(os.path.dirname(FILM), "..", "wasm", "offline.html")):  # wasm/build writes it
    CASES.append(Case("page", ["page", "IN/a.film", "-o", "p.html", "-q"], outputs=["p.html"]))


def content(path):
    """A digest of what a pool holds, or the reason why SQLite finds it damaged. Time stamps and random names are left out."""
    database = sqlite3.connect(path, timeout=PATIENCE)
    try:
        found = database.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            return "damaged: " + str(found[:2])
        digest = hashlib.sha256()
        for table in ("setting", "model", "sentence", "vector", "removed", "label"):
            for row in database.execute(f"SELECT * FROM {table} ORDER BY 1, 2"):
                if table == "setting" and row[0] in ("created", "identity", "lineage"):
                    continue
                if table == "setting" and row[0] == "learning":
                    row = (row[0], re.sub(r'"when":"[^"]*"', "", row[1]))
                digest.update(repr(row[:3] + row[4:] if table == "label" else row).encode())
        return digest.hexdigest()
    except sqlite3.Error as problem:
        return f"damaged: {problem}"
    finally:
        database.close()


whole = {}  # content of a pool -> what film pool check finds


def pool_problem(path, allowed):
    """What is wrong with a pool, or ''. ALLOWED: its content before and after; None: no pool."""
    if not os.path.exists(path):
        return "" if None in allowed else "the pool is gone"
    if os.path.getsize(path) == 0:
        return "an empty file is left where a pool should be"
    found = content(path)
    if found.startswith("damaged"):
        return found
    if found not in allowed:
        return "the pool is neither the old nor the new one"
    if found not in whole:
        checked = subprocess.run([FILM, "pool", "check", path], env=ENVIRONMENT, capture_output=True, text=True)
        whole[found] = "" if checked.returncode == 0 else checked.stdout + checked.stderr
    return whole[found]


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


class Run:
    """One run of a case in a fresh folder, by default undisturbed."""

    def __init__(self, case, inputs, environment=None, before=()):
        self.folder = tempfile.mkdtemp(dir=".")
        self.trace_file = os.path.join(self.folder, "trace")
        for name in case.files:
            shutil.copy(os.path.join(inputs, name), self.folder)
        for name in case.outputs:  # what is there already must survive a failure
            open(os.path.join(self.folder, name), "w", encoding="ascii").write("old\n")
        command = [FILM, *(inputs + word[3:] if word.startswith("IN/") else word for word in case.command)]
        try:
            done = subprocess.run([*before, *command], cwd=self.folder, env={**ENVIRONMENT, **(environment or {}), "FAULT_TRACE": "trace"},
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = None, b"", "it hangs"
        self.files = {name: read(os.path.join(self.folder, name)) for name in case.outputs}
        self.trace = (read(self.trace_file) or b"").decode("utf-8", "replace")
        self.left = {name for name in os.listdir(self.folder) if ".tmp" in name}

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Judge:
    """Knows what a case does undisturbed, and examines disturbed runs."""

    def __init__(self, case, inputs):
        self.case, self.inputs = case, inputs
        first, second = Run(case, inputs), Run(case, inputs)
        if first.status != 0 or first.out != second.out or first.files != second.files:
            raise RuntimeError(f"{case.name}: undisturbed runs fail or differ: {first.status} {first.err}")
        self.expected, self.allowed = first, [None]
        if case.pool:
            before = os.path.join(inputs, case.pool)
            self.allowed = [content(before) if os.path.exists(before) else None, content(os.path.join(first.folder, case.pool))]
        first.remove()
        second.remove()

    def problem(self, run, lost=""):
        """'' or what a disturbed run did wrong: (kind, text), kind one of wrong, loss, crash. LOST: the failed call is a write,
        maybe of the message, an unlink of a temporary file, or one of the loader before main."""
        foreign = any(name in run.trace for name in FOREIGN) or lost == "loader"
        if run.status is None:
            return "crash", "it hangs"
        if (run.status < 0 or run.status > 4) and not foreign:
            return "crash", f"exit status {run.status}: {run.err[-300:]}"
        for name, bytes_ in run.files.items():
            new = self.expected.files[name]
            if bytes_ != new and (run.status == 0 or bytes_ != b"old\n"):
                return ("wrong" if run.status == 0 else "loss"), f"{name} is not the right file"
        if run.status == 0 and run.out != self.expected.out:
            return "wrong", f"exit code 0 with another output: {run.out[:200]}"
        if 0 < run.status <= 4 and not (run.err + run.out.decode("utf-8", "replace")).strip() and lost != "write":
            return "wrong", f"exit code {run.status} without a message"
        if self.case.pool:
            allowed = self.allowed[1:] if run.status == 0 else self.allowed
            found = pool_problem(os.path.join(run.folder, self.case.pool), allowed)
            if found:
                return "loss", found
        if run.left and 0 <= run.status <= 4 and lost != "unlink":
            return "wrong", f"temporary files are left: {run.left}"
        return ""


class Fault:
    """One disturbance: a name, and how a run gets it."""

    def __init__(self, name, environment=None, before=(), call=""):
        self.name, self.environment, self.before, self.call = name, environment, before, call


def preloaded(call, place, error, name):
    """The PLACEth call of this kind fails with ERROR; 0: it is short."""
    return Fault(name, {"LD_PRELOAD": PRELOAD, "FAULT_CALL": call, "FAULT_AT": str(place), "FAULT_ERROR": str(error)}, call=call)


seen = set()  # the places of earlier cases


def counted(case, inputs):
    """How many calls of each kind an undisturbed run makes."""
    run = Run(case, inputs, {"LD_PRELOAD": PRELOAD, "FAULT_COUNT": "count"})
    with open(os.path.join(run.folder, "count"), encoding="ascii") as file:
        counts = {name: int(number) for name, number in (line.split() for line in file)}
    run.remove()
    return counts


def new_sites(case, inputs):
    """Kind of call -> the numbers of the first calls from places that no earlier case has."""
    run, found = Run(case, inputs, {"LD_PRELOAD": PRELOAD, "FAULT_SITES": "sites"}), {}
    with open(os.path.join(run.folder, "sites"), encoding="ascii") as file:
        for kind, number, place in (line.split() for line in file):
            if place not in seen:
                seen.add(place)
                found.setdefault(kind, []).append(int(number))
    run.remove()
    return found


def sweep(case, inputs, faults, table):
    """Runs the case with each of the faults and reports on it."""
    judge, problems, ended = Judge(case, inputs), [], 0

    def attempt(fault):
        run = Run(case, inputs, fault.environment, fault.before)
        found = judge.problem(run, fault.call)
        run.remove()
        return fault, found, run
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if LONG else 1) as workers:
        for fault, found, run in workers.map(attempt, faults):
            ended += run.status != 0
            if found:
                problems.append((fault.name, found, run.trace))
            if os.environ.get("FAULT_SHOW"):
                print("#", fault.name, run.status, run.err.strip()[:150])
    table.report(f"film {case.name}", len(faults), ended, problems)


def each_case(faults_of):
    """The main program: every case, or those that are named, with their faults."""
    inputs, table = os.getcwd() + "/", Table()
    make_inputs()
    for case in CASES:
        if len(sys.argv) < 2 or case.name in sys.argv[1:]:
            sweep(case, inputs, faults_of(case, inputs), table)
    return table


def spread(total, most):
    """MOST numbers of 1 .. TOTAL, evenly spread; all of them where there are no more."""
    return range(1, total + 1) if total <= most else sorted({1 + i * total // most for i in range(most)})


class Table:
    """Counts for the documentation: points tried, wrong results, losses, crashes."""

    def __init__(self):
        self.number, self.failures, self.totals = 0, 0, {"points": 0, "ended": 0, "wrong": 0, "loss": 0, "crash": 0}

    def report(self, name, points, ended, problems):
        self.number += 1
        self.failures += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.number} - {name} ({points} points, {ended} ended the run)", flush=True)
        for where, (kind, text), trace in problems[:20]:
            print(f"# {where}: {kind}: {text}".replace("\n", "\n#   "))
            for line in trace.splitlines()[2:10]:
                print("#     " + line)
        self.totals["points"] += points
        self.totals["ended"] += ended
        for _, (kind, _), _ in problems:
            self.totals[kind] += 1

    def finish(self):
        print("# " + ", ".join(f"{value} {key}" for key, value in self.totals.items()))
        print(f"1..{self.number}", flush=True)
        return self.failures > 0
