"""Two programs do the same work in turns (bench/against.sh): figures of their models, processor time and peak memory."""
import argparse
import json
import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

WORKS = ("train", "predict", "search", "dedup", "serve")
TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A program did not do its work."""


# ---- Programs ----

class Program:
    """A program and what belongs to it: its model, its pool, and the folder that it works in."""

    def __init__(self, title, path, folder):
        self.title, self.path, self.folder = title, path, folder
        os.makedirs(folder)

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, read=os.devnull, write=os.devnull):
        """Seconds of processors, and peak memory in MiB. /usr/bin/time starts it: a child of this process would begin with its
        memory."""
        peak = self.file("peak")
        with open(read, "rb") as source, open(write, "wb") as target, open(self.file("messages"), "w+b") as messages:
            process = subprocess.Popen(["/usr/bin/time", "-q", "-f", "%M", "-o", peak, self.path, *words], stdin=source,
                                       stdout=target, stderr=messages)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            messages.seek(0)
            if process.returncode != 0:
                raise Failed(f"{self.title} program: film {' '.join(words)}: {messages.read().decode(errors='replace').strip()}")
        with open(peak) as file:
            return used.ru_utime + used.ru_stime, int(file.read().split()[-1]) / 1024


class Server:
    """film serve on a model, and one connection to it."""

    def __init__(self, program):
        self.messages = open(program.file("serve"), "w+")
        self.process = subprocess.Popen([program.path, "serve", program.file("model.film"), "--listen", "127.0.0.1:0"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.messages)
        where = None
        while not where:
            text = open(program.file("serve")).read()
            where = next((line.split("//")[1] for line in text.splitlines() if line.startswith("listening on http://")), None)
            if self.process.poll() is not None:
                raise Failed(f"{program.title} program: film serve: {text.strip()}")
            time.sleep(0.02)
        self.where = where
        host, port = where.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.messages.close()

    def post(self, path, body):
        head = f"POST {path} HTTP/1.1\r\nHost: {self.where}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.socket.sendall(head.encode() + body)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.received()
        head, rest = answer.split(b"\r\n\r\n", 1)
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        while len(rest) < length:
            rest += self.received()
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise Failed(f"film serve: {path}: {rest.decode(errors='replace').strip()}")

    def received(self):
        got = self.socket.recv(1 << 16)
        if not got:
            raise Failed("film serve closed the connection")
        return got

    def seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) / 1024


# ---- Rows ----

def read_pairs(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t")[:3] for line in file][1:]


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def sentences(*lists):
    """The distinct ones, in order."""
    return dict.fromkeys(text for rows in lists for row in rows for text in row[1:] if text)


# ---- Figures of a model ----

def probabilities(path):
    with open(path) as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    p, same = lines[0].index("probability"), lines[0].index("same")
    return [(float(line[p]), line[same] == "1") for line in lines[1:]]


def mean_and_error(values):
    mean = sum(values) / len(values)
    return mean, 1.96 * math.sqrt(sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1) / len(values))


def print_figure(name, old, new, scale, digits, larger_is_better):
    """OLD and NEW have a value per row of the same file, so their difference is judged row by row."""
    (a, a_error), (b, b_error) = mean_and_error(old), mean_and_error(new)
    difference, error = mean_and_error([y - x for x, y in zip(old, new)])
    shown = 0.5 * 10 ** -digits / scale  # less than this is not even printed
    verdict = ("no difference beyond the error" if abs(difference) <= max(error, shown) else
               "now better, beyond the error" if (difference > 0) == larger_is_better else "now WORSE, beyond the error")
    show = lambda value, error, sign="": f"{scale * value:{sign}.{digits}f} ± {scale * error:.{digits}f}"
    print(f"{name:<12}{show(a, a_error):>18}{show(b, b_error):>18}{show(difference, error, '+'):>20}  {verdict}")


def print_figures(programs, rows, dev):
    right, loss = [], []
    for program in programs:
        program.run("predict", program.file("model.film"), dev, "-q", "-o", program.file("dev.tsv"))
        judged = probabilities(program.file("dev.tsv"))
        if len(judged) != len(rows):
            raise Failed(f"{program.title} program: film predict wrote {len(judged)} of {len(rows)} rows")
        labels = [row[0] == "1" for row in rows]
        right.append([same == label for (_, same), label in zip(judged, labels)])
        loss.append([-math.log(max(p if label else 1 - p, 1e-12)) for (p, _), label in zip(judged, labels)])
    print(f"\n{len(rows):,} pairs of {os.path.basename(dev)}: mean ± 95 %\n{'':<12}{'old':>18}{'new':>18}{'new - old':>20}")
    print_figure("accuracy, %", *right, 100, 2, True)
    print_figure("log loss", *loss, 1, 4, False)
    sizes = [os.path.getsize(program.file("model.film")) for program in programs]
    print(f"{'model, bytes':<12}{sizes[0]:>18,}{sizes[1]:>18,}")


# ---- Works: each has a preparation, and runs of one program that return (seconds, MiB) ----

class Comparison:
    def __init__(self, options, programs, folder):
        self.programs, self.rounds, self.pairs, self.dev, self.folder = programs, options.rounds, options.pairs, options.dev, folder
        rows, self.dev_rows = read_pairs(options.pairs), read_pairs(options.dev)
        if options.small:
            rows, self.dev_rows = rows[::4], self.dev_rows[::4]
            for name, few, path in (("train.tsv", rows, "pairs"), ("dev.tsv", self.dev_rows, "dev")):
                setattr(self, path, os.path.join(folder, name))
                write_lines(getattr(self, path), ["label\ta\tb", *("\t".join(row) for row in few)])
        self.rows = len(rows)
        self.requests = 100 if options.small else 10000
        write_lines(self.file("sentences.tsv"), ["text", *sentences(rows)])
        write_lines(self.file("pool.tsv"), ["text", *sentences(rows, self.dev_rows)])
        queries = list(sentences([row[:2] for row in self.dev_rows]))
        write_lines(self.file("queries.txt"), queries[:100 if options.small else 2000])

    def file(self, name):
        return os.path.join(self.folder, name)

    def train(self, program):
        return {"train": program.run("train", self.pairs, "-q", "-o", program.file("model.film"))}

    def predict(self, program):
        return {"predict": program.run("predict", program.file("model.film"), self.pairs, "-q", "-o", program.file("predicted"))}

    def prepare_search(self):
        for program in self.programs:
            program.run("pool", "create", program.file("pool"), "--model", program.file("model.film"))
            program.run("pool", "add", program.file("pool"), self.file("pool.tsv"), "-q")
            program.run("search", program.file("pool"), "-", read=self.file("queries.txt"))  # builds the index

    def search(self, program):
        return {"search": program.run("search", program.file("pool"), "-", "-k", "10", "--json", read=self.file("queries.txt"),
                                      write=program.file("found"))}

    def found_by_search(self, program):
        with open(program.file("found")) as file:
            return {(found["line"], found["text"]) for found in map(json.loads, file)}

    def dedup(self, program):
        return {"dedup": program.run("dedup", program.file("model.film"), self.file("sentences.tsv"), "-q", "--pairs", "-o",
                                     program.file("duplicates"))}

    def found_by_dedup(self, program):
        with open(program.file("duplicates")) as file:
            names, *rows = (line.rstrip("\n").split("\t") for line in file)
        return {tuple(sorted((row[names.index("text_a")], row[names.index("text_b")]))) for row in rows}

    def serve(self, program):
        figures = {}
        for name, reasons in (("serve", 0), ("serve, reasons", 10)):
            bodies = [json.dumps({"a": a, "b": b, "reasons": reasons}).encode() for _, a, b in self.dev_rows[:2000]]
            with Server(program) as server:
                for body in bodies[:100]:
                    server.post("/v1/match", body)
                before = server.seconds()
                for i in range(self.requests):
                    server.post("/v1/match", bodies[i % len(bodies)])
                figures[name] = server.seconds() - before, server.peak()
        return figures

    def least(self, work):
        """The least of all rounds, of the old and the new program in turns: {name: [(seconds, MiB), (seconds, MiB)]}."""
        least = {}
        for _ in range(self.rounds):
            for which, program in enumerate(self.programs):
                for name, figures in getattr(self, work)(program).items():
                    best = least.setdefault(name, [(math.inf, math.inf)] * 2)
                    best[which] = tuple(map(min, best[which], figures))
        return least


def ratio(old, new):
    return f"{old / new:9.2f}" if old > 0 and new > 0 else f"{'-':>9}"


def print_row(name, old, new):
    print(f"{name:<15}{old[0]:>10.2f}{new[0]:>9.2f}{ratio(old[0], new[0])}{old[1]:>13.1f}{new[1]:>9.1f}{ratio(old[1], new[1])}")
    sys.stdout.flush()


def compare(comparison, works):
    """Prints the figures and the table. Returns the works that failed."""
    trained = comparison.least("train") if "train" in works else [comparison.train(program) for program in comparison.programs]
    print_figures(comparison.programs, comparison.dev_rows, comparison.dev)
    print(f"\n{'':<15}{'processor s':>10}{'':>17}{'peak MiB':>13}\n{'':<15}{'old':>10}{'new':>9}{'old/new':>9}{'old':>13}{'new':>9}{'old/new':>9}")
    notes, failed = [], []
    for work in works:
        try:
            getattr(comparison, f"prepare_{work}", lambda: None)()
            for name, figures in (trained if work == "train" else comparison.least(work)).items():
                print_row(name, *figures)
            found = getattr(comparison, f"found_by_{work}", None)
            if found:
                old, new = map(found, comparison.programs)
                notes.append(f"{work}: {len(old):,} found before, {len(new):,} now, {len(old & new):,} of them the same")
        except Failed as problem:
            failed.append(work)
            notes.append(f"{work} failed: {problem}")
    print("\n".join(["", *notes]) if notes else "", end="\n" if notes else "")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--name", default="")
    for name in ("old", "new", "pairs", "dev"):
        parser.add_argument(name)
    parser.add_argument("works", nargs="*")
    options = parser.parse_args()
    works = [work for work in WORKS if work in options.works or not options.works]
    folder = tempfile.mkdtemp(prefix="film-against.")
    try:
        programs = [Program("the earlier", options.old, os.path.join(folder, "old")),
                    Program("the new", options.new, os.path.join(folder, "new"))]
        comparison = Comparison(options, programs, folder)
        print(f"old: {options.name}; new: {os.path.relpath(options.new)}; {comparison.rows:,} pairs of {os.path.basename(options.pairs)}; "
              f"{options.rounds} round{'s' * (options.rounds > 1)}, of which the least counts")
        return 1 if compare(comparison, works) else 0
    except Failed as problem:
        print(f"bench/against.sh: {problem}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
