"""What the example scripts share: running film, timing it, printing a table. Standard library only."""
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILM = os.environ.get("FILM", os.path.join(ROOT, "build", "release", "film"))
SHARED = os.path.join(ROOT, "..", "shared", "data")


def film(*arguments):
    """Runs film; its standard output. Ends the script with film's own message when it fails."""
    done = subprocess.run([FILM, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return done.stdout


def train(files, output, *options):
    """Seconds of a training, and what film says of the model."""
    start = time.perf_counter()
    about = json.loads(film("train", *files, "-o", output, "--json", "--quiet", *options))
    return time.perf_counter() - start, about


def timed_train(files, output, *options):
    """CPU seconds of a training (they depend less on other programs than the clock), its peak memory in bytes, and what
    film says of the model."""
    with tempfile.TemporaryFile("w+") as told:
        running = subprocess.Popen([FILM, "train", *map(str, files), "-o", output, "--json", "--quiet",
                                    *map(str, options)], stdout=told)
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode != 0:
            sys.exit(running.returncode)
        told.seek(0)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, json.load(told)


def evaluate(model, path, *options):
    return json.loads(film("eval", model, path, "--json", "--quiet", *options))


def table(header, rows):
    cells = [[str(c) for c in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for number, row in enumerate(cells):
        print("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))))
        if number == 0:
            print("  ".join("-" * w for w in widths))


def need_program():
    if not os.path.exists(FILM):
        sys.exit(f"{FILM} is not built yet; run scripts/build")


def scratch():
    return tempfile.TemporaryDirectory(prefix="film-")
