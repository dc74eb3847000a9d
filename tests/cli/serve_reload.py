"""Sends signals to a real film serve: reload, stop, kill; called by serve_reload.sh in a folder with faq.film, other.film
and faq.pool."""
import contextlib
import functools
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import serving  # noqa: E402
from serving import Load, check, undescribed, until  # noqa: E402

Server = functools.partial(serving.Server, FILM)
A, B = "I lost my card", "my card is gone"


def message(answer):
    return answer.get("error", {}).get("message", "") if isinstance(answer, dict) else str(answer)


def program(*arguments):
    return subprocess.run([FILM, *arguments], capture_output=True, text=True)


def add(server, name, text="quagga quagga"):
    return server.ask("POST", "/v1/pool", {"sentences": [{"id": name, "text": text}]})


def nearest(server, query="quagga quagga"):
    """The id of the first result."""
    return [r["id"] for r in server.ask("POST", "/v1/search", {"q": query, "k": 1})[1]["results"]]


def counted(server, *lines):
    return until(lambda: set(lines) <= set(server.ask("GET", "/metrics")[1].splitlines()))


def reloading():
    def p(model):
        return json.loads(program("match", model, A, B, "--json").stdout)["probability"]
    shutil.copy("faq.film", "live.film")
    with Server("live.film") as server:
        load = Load(server, {"a": A, "b": B, "reasons": 1}, (p("faq.film"), p("other.film")))
        done = 0
        for turn in range(6):
            shutil.copy("other.film" if turn % 2 == 0 else "faq.film", "next.film")
            os.rename("next.film", "live.film")
            done += server.reload("reloaded")
            before = load.answers
            until(lambda: load.answers >= before + 4 or load.wrong)
        open("next.film", "wb").write(open("faq.film", "rb").read()[:5000])
        os.rename("next.film", "live.film")
        kept = server.reload("the old model stays in use")
        status, answer, _ = server.ask("POST", "/v1/match", {"a": A, "b": B})
        load.end()
        check(f"6 reloads under load, no request failed ({load.answers} answered)", done == 6 and not load.wrong and load.answers > 20, done, load.wrong[:3])
        check("a damaged model is refused and the old one keeps answering", kept and answer["probability"] == p("faq.film"), server.lines)
        check("reloads are counted", counted(server, "film_reloads_total 6", "film_reloads_failed_total 1"))
    with Server("faq.film") as server:
        load = Load(server, {"a": A, "b": B, "reasons": 1}, (p("faq.film"),))
        until(lambda: load.answers >= 20 or load.wrong)
        load.stopping = True
        code = server.stop()
        load.end()
        check(f"stopped under load: exit 0, no wrong answer ({load.answers} answered)", code == 0 and not load.wrong, code, load.wrong[:3])
    with Server("faq.film") as server:
        check("Ctrl-C stops as well", server.stop(signal.SIGINT) == 0)


def pool_reloaded():
    """SIGHUP reopens the pool that is served: it stays usable for this process and for others."""
    shutil.copy("faq.pool", "again.pool")
    with Server("again.pool") as server:
        add(server, "before")  # now there is a log, with locks that the reload must not lose
        done = sum(server.reload("reloaded") for _ in range(3))
        check("SIGHUP reloads a served pool, three times", done == 3 and counted(server, "film_reloads_total 3", "film_reloads_failed_total 0"),
              server.lines)
        check("its sentences are found afterwards", nearest(server) == ["before"], nearest(server))
        check("and it takes new ones", add(server, "after", "okapi okapi")[0] == 200 and nearest(server, "okapi okapi") == ["after"])
        other = program("pool", "label", "again.pool", "before", "after", "different")
        check("another process can write to it", other.returncode == 0, other.stderr)
    whole = program("pool", "check", "again.pool")
    check("the pool is whole after it was served", whole.returncode == 0, whole.stdout, whole.stderr)
    os.mkdir("one"), os.mkdir("two")
    for folder in ("one", "two"):
        shutil.copy("faq.pool", f"{folder}/live.pool")
        open("row.tsv", "w").write(f"from-{folder}\tquagga quagga\n")
        program("pool", "add", f"{folder}/live.pool", "--columns", "id,text", "row.tsv")
    os.symlink("one", "current")
    with Server("current/live.pool") as server:
        first = nearest(server)
        os.symlink("two", "new")
        os.rename("new", "current")
        check("a pool behind a changed link is served after SIGHUP", first == ["from-one"] and server.reload("reloaded")
              and nearest(server) == ["from-two"], first, nearest(server), server.lines)
        add(server, "later", "okapi okapi")
    lists = [program("pool", "list", f"{folder}/live.pool").stdout for folder in ("one", "two")]
    check("and only that pool is changed", "later" not in lists[0] and "later" in lists[1])


def killed():
    shutil.copy("faq.pool", "killed.pool")
    with Server("killed.pool") as server:
        acknowledged, moment = 0, threading.Event()  # a few are acknowledged; then at whatever it does just now

        def stop():
            moment.wait()
            time.sleep(0.1)
            server.process.kill()
        threading.Thread(target=stop, daemon=True).start()
        with contextlib.suppress(OSError, http.client.HTTPException):
            for i in range(100000):
                if server.ask("POST", "/v1/pool", {"sentences": [{"id": f"k{i}", "text": f"sentence {i}"}]})[0] != 200:
                    break
                acknowledged = i + 1
                if acknowledged == 5:
                    moment.set()
        moment.set()
        server.process.wait()
    with Server("killed.pool") as first, Server("killed.pool") as second:
        here = [int(line.split("\t")[0][1:]) for line in program("pool", "list", "killed.pool").stdout.splitlines() if re.match(r"k\d", line)]
        check(f"kill -9: {acknowledged} acknowledged sentences are there afterwards", acknowledged and set(range(acknowledged)) <= set(here)
              and len(here) <= acknowledged + 1, acknowledged, len(here))
        check("the pool is whole", program("pool", "check", "killed.pool").returncode == 0)
        add(first, "two")
        check("two servers on one pool: what one adds the other finds", nearest(second) == ["two"], nearest(second))
        first.ask("DELETE", "/v1/pool", {"ids": ["two"]})
        check("and what one removes the other does not", nearest(second) != ["two"], nearest(second))


def exchanged():
    shutil.copy("faq.pool", "exchanged.pool")
    shutil.copy("faq.pool", "next.pool")
    open("next.tsv", "w").write("next-one\tquagga\n")
    program("pool", "add", "next.pool", "--columns", "id,text", "next.tsv")
    with Server("exchanged.pool") as server:
        add(server, "before")
        os.rename("next.pool", "exchanged.pool")
        check("a pool renamed over the one that is served is refused", server.reload("has been replaced"), server.lines)
        check("the old one keeps answering", nearest(server) == ["before"], nearest(server))
        status, answer, _ = add(server, "after")
        check("and takes no more sentences", status == 503 and "replaced" in message(answer), answer)
    refused = program("pool", "check", "exchanged.pool")
    check("its log is not taken for the new one's", refused.returncode == 3 and "exchanged.pool-wal" in refused.stderr, refused.stderr)
    os.remove("exchanged.pool-wal")
    check("without it the new pool is whole", program("pool", "check", "exchanged.pool").returncode == 0
          and "next-one" in program("pool", "list", "exchanged.pool").stdout)


def words_reloaded():
    """A file of words takes effect at a reload, for a model and for a pool."""
    body = {"a": "How do I frobnicate my card?", "b": "How do I zorkify my card?"}

    def p(server):
        return server.ask("POST", "/v1/match", body)[1]["probability"]
    for path in ("faq.film", "faq.pool"):
        open("words.txt", "w").write("frobnicate = zorkify\n")
        with Server(path, "--words", "words.txt") as server:
            before = p(server)
            open("words.txt", "w").write("frobnicate ! zorkify\n")
            check("words of %s are read again" % path, server.reload("reloaded") and p(server) < before)
            now = p(server)
            open("words.txt", "w").write("frobnicate zorkify\n")
            check("a bad file of words leaves the old ones (%s)" % path,
                  server.reload("words.txt:1: ") and p(server) == now, server.lines)


reloading()
words_reloaded()
pool_reloaded()
killed()
exchanged()
check("every answer is as the OpenAPI file describes it", not undescribed, *undescribed[:5])
serving.finish()
