"""Two servers on one pool in PostgreSQL; called by shared_pool.sh in a folder with faq.film, beside an empty database
"shared"."""
import contextlib
import functools
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

FILM, ROOT, WRITES = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import serving  # noqa: E402
from serving import PATIENCE, check, undescribed, until  # noqa: E402
from sharing import Asker, Database, Line, Place, Watcher, Writer  # noqa: E402

LONG = bool(os.environ.get("FILM_TEST_LONG"))
COMMIT = b"Q\0\0\0\x0bCOMMIT\0"  # as it goes over the line
# On a busy machine connecting may take longer than the program waits by itself, which is none of its faults.
PATIENT = f"?connect_timeout={PATIENCE}"
database = Database("shared")
writers = []


def new_writer(*arguments, **options):
    writers.append(Writer(*arguments, **options))
    return writers[-1]


# ---- delivery ----

def delivery(places, writes):
    """One writer, through both servers and the command line in turn; each write is looked for in both servers at once."""
    writer = new_writer("d", groups=max(40, writes // 5))
    commands = [(Place(FILM, "elsewhere", places[0].uri),), (places[0],)]  # from a machine of its own, and beside a server
    ways = itertools.cycle([*places * 7, commands[0], *places * 7, commands[1]])
    changed, waiting = threading.Condition(), {}

    def seen(write):
        with changed:
            waiting[write.group] -= 1
            if waiting[write.group] == 0:
                del waiting[write.group]
                writer.busy.discard(write.group)
            changed.notify()

    used = []  # by which way each write went
    watchers = [Watcher(place, seen) for place in places]
    for _ in range(writes):
        with changed:
            changed.wait_for(lambda: len(waiting) < 4)  # so that a watcher's own pace is not measured
            write = writer.make()
            waiting[write.group] = len(places)
            writer.busy.add(write.group)
        way = next(ways)
        writer.insist(write, way)
        used.append("command line" if isinstance(way, tuple) else way.name)
        for watcher in watchers:
            watcher.queue.put((write, time.monotonic()))
    for watcher in watchers:
        watcher.queue.put(None)
        watcher.thread.join()
    how = ", ".join(f"{count} by {way}" for way, count in sorted(writer.ways.items()))
    print(f"# {writes} writes: {how}")
    for watcher in watchers:
        delays = sorted(watcher.delays)
        figures = {name: 1000 * delays[int(part * (len(delays) - 1))] for name, part in (("p50", .5), ("p99", .99), ("max", 1))}
        check(f"every acknowledged write is seen in server {watcher.place.name}", not watcher.missing and len(delays) == writes,
              watcher.missing[:5])
        print(f"# seen in {watcher.place.name} after " + ", ".join(f"{name} {ms:.1f} ms" for name, ms in figures.items())
              + f"; {sum(d > 1 for d in delays)} after more than a second"
              + f" {dict(Counter(way for way, d in zip(used, watcher.delays) if d > 1)) or ''};"
              + f" {1000 * watcher.place.processor() / writes:.1f} ms of processor a write, with the searches for it")
    check("no write was refused", not writer.refused, *writer.refused[:3])


# ---- what must hold at any moment, and at the end ----

def half_done():
    """Groups of the database that are not whole: members missing, or of different writes."""
    return database.sql("SELECT split_part(id, '-', 1), count(*), count(DISTINCT split_part(text, ' version ', 2)) FROM film.sentence"
                        " WHERE id LIKE 'g%' GROUP BY 1 HAVING count(*) <> 3 OR count(DISTINCT split_part(text, ' version ', 2)) <> 1")


def listed(place):
    done = place.program("pool", "list", place.uri)
    rows = [line.split("\t")[:2] for line in done.stdout.splitlines()[1:]]
    return sorted(rows) if done.returncode == 0 else done.stderr


def end_state(places, name):
    """What was acknowledged is what is there: in the database, both servers and a new replica."""
    wanted = {k: v for writer in writers for k, v in writer.there.items()}
    rows = sorted([k, v] for k, v in wanted.items() if v is not None)
    found = sorted(database.sql("SELECT id, text FROM film.sentence"))
    check(f"{name}: the {len(rows)} sentences acknowledged are in the database, each once", found == rows,
          *difference(rows, found))
    check(f"{name}: no write is half done", not half_done(), half_done()[:5])
    for place in places:
        wrong = []
        for key, text in wanted.items():
            if not until(lambda: place.text_of(key) == text):
                wrong.append((key, place.text_of(key), text))
                if len(wrong) > 3:
                    break
        check(f"{name}: server {place.name} has exactly these", not wrong, *wrong)
        sentences = place.ask("GET", "/v1/model")[1]["pool"]["sentences"]
        check(f"{name}: and no other", sentences == len(rows), sentences, len(rows))
    fresh = Place(FILM, f"fresh-{name.replace(' ', '-')}", database.uri(settings=PATIENT))
    check(f"{name}: so has a new replica", listed(fresh) == rows, *difference(rows, listed(fresh)))
    for place in (fresh, *places):
        done = place.program("pool", "check", place.uri, "--full")
        check(f"{name}: film pool check finds it sound ({place.name})", done.returncode == 0 and " 0 problems" in " "
              + done.stdout.replace("\n", " "), done.stdout, done.stderr)


def difference(wanted, found):
    if not isinstance(found, list):
        return [found]
    wanted, found = {tuple(r) for r in wanted}, {tuple(r) for r in found}
    return [f"missing {sorted(wanted - found)[:4]}", f"unexpected {sorted(found - wanted)[:4]}"]


# ---- disturbances ----

class Stream:
    """A writer that goes on through whatever happens, in groups of three, repeating what was not acknowledged."""

    def __init__(self, places):
        self.writer = new_writer("g", groups=60, members=3)
        self.ways = itertools.cycle([*places * 5, (places[0],), *places * 5, (Place(FILM, "elsewhere", database.uri(settings=PATIENT)),)])
        self.going, self.done, self.problem = True, 0, None
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        try:
            while self.going:
                self.writer.insist(self.writer.make(), next(self.ways))
                self.done += 1
        except Exception as problem:  # told at the end
            self.problem = problem

    def more(self, count=8):
        """Whether so many more writes are acknowledged."""
        wanted = self.done + count
        return until(lambda: self.done >= wanted or self.problem) and not self.problem

    def end(self):
        self.going = False
        self.thread.join()


class Probe:
    """Single writes from the main thread, of which an answer is expected."""

    def __init__(self):
        self.writer = new_writer("p", groups=10 ** 6)

    def refused(self, name, way):
        """A write that must be refused because the database is away; then it is left to `again`."""
        write = self.writer.make()
        began = time.monotonic()
        status, told = self.writer.send(write, way)
        wanted = 3 if isinstance(way, tuple) else 503
        check(f"{name}: refused ({wanted}) with a message that names the database", status == wanted and "database" in str(told),
              status, told)
        print(f"# {name}: refused after {time.monotonic() - began:.2f} s: {str(told).strip()}")
        return functools.partial(self.writer.insist, write, way)

    def accepted(self, name, way):
        with contextlib.suppress(RuntimeError):
            self.writer.insist(self.writer.make(), way)
            check(name, True)
            return
        check(name, False, self.writer.refused[-1:])

    def delivered(self, name, way, place):
        """A write by WAY arrives in PLACE."""
        write = self.writer.make()
        self.writer.insist(write, way)
        began = time.monotonic()
        (key, text), = write.sentences.items()
        check(name, until(lambda: place.text_of(key) == text), place.text_of(key))
        print(f"# {name}: after {time.monotonic() - began:.2f} s")


def stopped_database(how, places, stream, askers, probe):
    stream.more()
    database.stop(how)
    again = [probe.refused(f"database stopped ({how}), write by {place.name}", place) for place in places]
    again.append(probe.refused(f"database stopped ({how}), write by the command line", (places[0],)))
    for asker in askers:
        check(f"database stopped ({how}): {asker.place.name} goes on answering searches", asker.more(), asker.wrong[:2])
    for words in (["pool", "list", places[0].uri], ["serve", places[0].uri, "--listen", "127.0.0.1:0"]):
        done = places[0].program(*words)
        check(f"database stopped ({how}): film {words[0]} that starts now is told so (3)",
              done.returncode == 3 and "database" in done.stderr, done.returncode, done.stderr)
    check(f"database stopped ({how}): SIGHUP changes nothing", places[0].server.reload("the old model stays in use"),
          places[0].server.lines[-3:])
    database.start()
    check(f"database started again after {how}: writes go on by both servers", stream.more())
    check(f"database started again after {how}: SIGHUP opens the pool again",
          places[0].server.reload("reloaded"), places[0].server.lines[-3:])
    for one in again:
        one()
    check(f"{how}: no write is half done", not half_done(), half_done()[:5])


def cut_line(line, near, far, stream, askers, probe):
    """FAR reaches the database over LINE."""
    files = lambda: len(os.listdir(f"/proc/{far.server.process.pid}/fd"))  # noqa: E731
    before = files()
    for _ in range(5):
        line.cut()
        stream.more(2)
    check("line cut five times: no file is left open", until(lambda: files() <= before + 4), before, files())
    probe.delivered("line cut five times: what one adds the other finds", near, far)
    line.refuse()
    line.cut()
    again = probe.refused("line refused, write by the server behind it", far)
    missed = [probe.writer.make() for _ in range(20)]
    for write in missed:
        probe.writer.insist(write, near)
    (key, text), = missed[-1].sentences.items()
    check("line refused: the server behind it goes on answering", askers[1].more(), askers[1].wrong[:2])
    check("with what it knew", far.text_of(key) is None, far.text_of(key))
    line.accept()
    again()
    late = [k for write in missed for k, t in write.sentences.items() if not until(lambda: far.text_of(k) == t)]
    check("line restored: it has caught up with all it missed", not late, late)


def silent_line(line, near, far, stream, askers, probe):
    probe.delivered("before the line falls silent, what one adds the other finds", near, far)
    until(lambda: line.opened() >= 2)  # the one that listens, and the one that writes
    line.freeze()
    probe.delivered("line fallen silent, new connections possible: writes elsewhere arrive", near, far)
    probe.accepted("and it can write", far)
    if not LONG:
        return
    line.freeze()
    line.refuse()
    again = probe.refused("line fallen silent and no other to be had", far)
    check("line silent: the server behind it goes on answering", askers[1].more(), askers[1].wrong[:2])
    probe.accepted("line silent: the other server writes", near)
    line.accept()
    line.thaw()
    again()
    probe.delivered("line restored: what one adds the other finds", near, far)


def in_the_commit(line, near, far, probe):
    """The line is lost in the one moment that matters."""
    cases = [("before the commit arrives", {"before": line.cut}), ("before the commit's answer", {"after": line.cut})]
    if LONG:  # they take as long as the program's patience
        cases += [("silent before the commit arrives", {"before": lambda: (line.freeze(), line.refuse())}),
                  ("silent before the commit's answer", {"after": lambda: (line.freeze(), line.refuse())})]
    for name, trap in cases:
        write = probe.writer.make()
        line.set_trap(COMMIT, **trap)
        began = time.monotonic()
        status, told = probe.writer.send(write, far)
        took, sprung = time.monotonic() - began, line.sprung.wait(PATIENCE)
        check(f"line lost {name}: the program was committing", sprung, status, told)
        (key, text), = write.sentences.items()
        there = database.sql(f"SELECT count(*) FROM film.sentence WHERE id = '{key}' AND text = '{text}'") == [["1"]]
        check(f"line lost {name}: acknowledged only if it is there", there or status == 503, status, told)
        print(f"# {status} after {took:.2f} s: {str(told).strip()}")
        if there:
            check(f"line lost {name}: nobody claims that nothing was written", "nothing was written" not in str(told), told)
        probe.accepted(f"line lost {name}: others can write", near)
        with contextlib.suppress(OSError):
            line.accept()
        line.thaw()
        line.trap = None
        line.cut()
        probe.writer.insist(write, far)
        count = database.sql(f"SELECT count(*) FROM film.sentence WHERE id = '{key}' AND text = '{text}'")
        check(f"line lost {name}: repeated, it is there once", count == [["1"]], count)


def killed_servers(line, places, stream, probe):
    near, far = places
    for name, trap in (("before its commit", "before"), ("after its commit, before it heard of it", "after")):
        write = probe.writer.make()
        line.set_trap(COMMIT, **{trap: far.server.process.kill})
        status, told = probe.writer.send(write, far)
        far.down = True
        check(f"server killed {name}", line.sprung.wait(PATIENCE) and status == 0, status, told)
        line.trap = None
        far.bury()
        line.cut()
        probe.accepted(f"server killed {name}: the other one writes", near)
        far.start()
        far.down = False
        probe.writer.insist(write, far)
    for turn in range(3):
        stream.more(2 + turn)
        near.down = True
        near.kill()
        near.start()
        near.down = False
        check(f"server killed between writes, started again ({turn + 1})", stream.more(), stream.problem)
    # in the middle of writing its replica
    preload = {"LD_PRELOAD": os.path.join(os.path.dirname(FILM), "tests", "signal_at.so"),
               "SIGNAL_AT_RAISE": str(int(signal.SIGKILL)),
               "SIGNAL_AT_CALL": "pwrite64", "SIGNAL_AT_PATH": "cache-", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")
               + ":verify_asan_link_order=0"}
    deaths = 0
    for count in (3, 10, 24, 41, 66):
        near.down = True
        near.stop()
        try:
            near.start(**preload, SIGNAL_AT_COUNT=str(count))
            until(lambda: near.server.process.poll() is not None)
            deaths += near.server.process.poll() == -signal.SIGKILL
            near.kill()
        except RuntimeError:  # it died before it listened
            deaths += 1
        near.start()
        near.down = False
        check(f"server killed in write {count} of its replica, started again", stream.more(), stream.problem)
    check(f"{deaths} of 5 died in such a write", deaths >= 3)


def two_writers(places):
    """The same ids at once by both servers: each id is there once, with one of the two texts."""
    both = [Writer("w", groups=5, seed=1), Writer("w", groups=5, seed=1)]
    refused = []

    def work(writer, place):
        for _ in range(60):
            status, told = writer.send(writer.make(), place)
            if status != 200:
                refused.append((status, told))
    threads = [threading.Thread(target=work, args=pair) for pair in zip(both, places)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("two writers of the same ids, one on each server: nothing is refused", not refused, refused[:3])
    settle = new_writer("w", groups=5)
    for group in range(5):
        settle.there[f"w{group}-0"] = None
    done = places[1].ask("DELETE", "/v1/pool", {"ids": list(settle.there), "ignore_missing": True})
    check("and removed by one, they are gone", done[0] == 200, done)


def catching_up(places, probe):
    near, far = places
    check("a server stops", far.stop() == 0, far.output)
    missed = [probe.writer.make() for _ in range(30)]
    for write in missed:
        probe.writer.insist(write, near)
    far.start()
    late = [k for write in missed for k, t in write.sentences.items() if far.text_of(k) != t]
    check("started again, it has what came while it was away from its first answer on", not late, late)


# ---- whole files by the command line ----

def whole_files(line):
    """film pool create and add over a line that is lost in commits, by a program that is killed in them, by many at once."""
    database.sql("CREATE DATABASE bulk OWNER owner")
    bulk = Database("bulk")
    place = Place(FILM, "bulk", bulk.uri(line.port, settings=PATIENT))
    create = ["pool", "create", place.uri, "--model", "faq.film"]
    line.set_trap(COMMIT, before=line.cut)
    done = place.program(*create)
    tables = bulk.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'film'")
    check("film pool create, line lost before the commit: no pool, and it claims none",
          done.returncode == 3 and tables == [["0"]] and "was lost during the commit" in done.stderr, done.stderr, tables)
    line.set_trap(COMMIT, after=line.cut)
    done = place.program(*create)
    tables = bulk.sql("SELECT count(*) FROM film.counter")
    check("film pool create, line lost before the commit's answer: a whole pool, and nobody says there is none",
          tables == [["1"]] and (done.returncode == 0 or "nothing was written" not in done.stderr), done.returncode, done.stderr,
          tables)
    rows = [[f"b{i}", f"sentence {i} of the file"] for i in range(200)]
    open("bulk.tsv", "w").write("id\ttext\n" + "".join("\t".join(row) + "\n" for row in rows))
    add = ["pool", "add", place.uri, "bulk.tsv", "--batch", "20", "--progress-lines", "-q"]
    there = lambda: bulk.sql("SELECT id, text FROM film.sentence ORDER BY number")  # noqa: E731
    wrong, acknowledged = [], 0
    for turn, how in enumerate(("cut before", "cut after", "kill before", "kill after") * 2):
        process = subprocess.Popen([FILM, *add], env=place.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        line.set_trap(COMMIT, **{how.split()[1]: line.cut if "cut" in how else process.kill})
        out, told = process.communicate(timeout=PATIENCE)
        acknowledged = max([acknowledged, *(int(l.split()[1]) for l in out.splitlines() if re.fullmatch(r"committed \d+", l))])
        found = there()
        if not line.sprung.is_set() and len(found) < len(rows):
            wrong.append(f"{how}: not in a commit: {told}")
        if found != rows[:len(found)] or len(found) % 20 or len(found) < acknowledged:
            wrong.append(f"{how}: {acknowledged} acknowledged, {len(found)} there, {found[-1:]}")
        if how == "cut after" and process.returncode:  # it finds out by itself
            wrong.append(f"{how}: exit code {process.returncode} {told}")
        if "cut" in how and process.returncode not in (0, 3):
            wrong.append(f"{how}: exit code {process.returncode} {told}")
        if len(found) == len(rows):
            place.program("pool", "remove", place.uri, "-", "-q", text="\n".join(row[0] for row in rows))
            acknowledged = 0
    line.trap = None
    check("film pool add, line lost or program killed in a commit, eight times: whole batches, the acknowledged among them",
          not wrong, *wrong[:4])
    done = place.program(*add)
    check("and the same command goes on to the end", done.returncode == 0 and there() == rows, done.stderr, len(there()))
    place.program("pool", "remove", place.uri, "-", "-q", text="\n".join(row[0] for row in rows))
    places = [Place(FILM, f"bulk{i % 3}", bulk.uri(settings=PATIENT)) for i in range(6)]
    processes = [subprocess.Popen([FILM, "pool", "add", p.uri, "bulk.tsv", "--batch", "10", "-q", "--wait", "60"],
                                  env=p.environment(), stderr=subprocess.PIPE, text=True) for p in places]
    told = [(process.communicate(timeout=PATIENCE)[1], process.returncode) for process in processes]
    check("six programs on three machines add the same file at once: all succeed", all(code == 0 for _, code in told), *told)
    check("and each sentence is there once, in the file's order", there() == rows, len(there()))
    for p in places[:3]:
        done = p.program("pool", "check", p.uri, "--full")
        check(f"copy {p.name} is sound", done.returncode == 0 and listed(p) == sorted(rows), done.stdout[:300], done.stderr)


def main():
    if "--file" in sys.argv:  # the same with an SQLite file: what the benchmark compares with
        Place(FILM, "file", "file.pool").program("pool", "create", "file.pool", "--model", "faq.film")
        delivery([Place(FILM, name, "file.pool").start() for name in "CD"], WRITES)
        serving.finish()
    near = Place(FILM, "A", database.uri(settings=PATIENT))
    line = Line(database.port)
    far = Place(FILM, "B", database.uri(line.port, settings=PATIENT))
    places = [near, far]
    made = near.program("pool", "create", near.uri, "--model", "faq.film")
    check("film pool create makes a pool in PostgreSQL", made.returncode == 0, made.stderr)
    if made.returncode:
        serving.finish()
    for place in places:
        place.start()
    delivery(places, WRITES)
    check("the database notified the server behind the line, which need not ask again and again", line.notices > 0)
    end_state(places, "undisturbed")
    if "--delivery" in sys.argv:
        serving.finish()
    two_writers(places)
    catching_up(places, probe := Probe())
    in_the_commit(line, near, far, probe)
    whole_files(Line(database.port))
    askers, stream = [Asker(place) for place in places], Stream(places)
    try:
        check("a stream of writes by both servers and the command line", stream.more(), stream.problem)
        stopped_database("fast", places, stream, askers, probe)
        stopped_database("immediate", places, stream, askers, probe)
        cut_line(line, near, far, stream, askers, probe)
        silent_line(line, near, far, stream, askers, probe)
        killed_servers(line, places, stream, probe)
    finally:
        stream.end()
        for asker in askers:
            asker.end()
    check(f"{stream.done} writes of the stream came to be acknowledged", not stream.problem, stream.problem)
    told = stream.writer.refused
    check(f"of the {len(told)} answers that were none, each was a 503 or exit code 3 with a message, or no answer at all",
          all(status in (0, 3, 503) and message for status, message in told), *[t for t in told if t[0] not in (0, 3, 503)][:3])
    for asker in askers:
        check(f"{asker.answers} searches in {asker.place.name} were answered, none refused", not asker.wrong, *asker.wrong[:3])
        print(f"# the slowest took {asker.slowest:.2f} s")
    end_state(places, "after all that")
    for place in places:
        check(f"server {place.name} stops with exit code 0", place.stop() == 0, place.output[-600:])
        check(f"and has told nothing of a sanitizer ({place.name})", "Sanitizer" not in place.output, place.output[-3000:])
    check("every answer is as the OpenAPI file describes it", not undescribed, *undescribed[:5])
    serving.finish()


main()
