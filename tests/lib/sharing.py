"""A shared pool for tests: its database, an unreliable connection to it, servers that restart, and a writer that counts."""
import atexit
import collections
import contextlib
import http.client
import json
import os
import queue
import random
import socket
import subprocess
import threading
import time

import serving
from serving import PATIENCE, until


class Database:
    """The PostgreSQL server that tests/lib/postgres.sh has started; its variables are exported."""

    def __init__(self, name):
        self.name, self.folder, self.port, self.bin = name, os.environ["PGTEST_DIR"], os.environ["PGTEST_PORT"], os.environ["PGTEST_BIN"]

    def uri(self, port=None, user="owner", settings=""):
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{self.name}{settings}"

    def sql(self, command):
        """Rows as lists of text, asked as the superuser over the local socket."""
        done = subprocess.run([f"{self.bin}/psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", self.folder,
                               "-p", self.port,
                               "-U", "postgres", "-d", self.name, "-c", command], capture_output=True, text=True, check=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def control(self, *words):
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        subprocess.run([*as_postgres, f"{self.bin}/pg_ctl", "-D", f"{self.folder}/data", "-w", "-t", str(PATIENCE), *words], check=True,
                       cwd="/",
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self, how):
        self.control("-m", how, "stop")

    def start(self):
        self.control("-l", f"{self.folder}/log", "-o", f"-p {self.port}", "start")


class Line:
    """A TCP line to the database that can be cut: what comes in on our port goes out to its port and back."""

    def __init__(self, port):
        self.target, self.pairs, self.lock = ("127.0.0.1", int(port)), [], threading.Lock()
        self.listener, self.port = None, 0
        self.trap, self.sprung = None, threading.Event()
        self.notices = 0  # number of notifications of writes
        self.held, self.answered = None, threading.Event()  # the connection whose reply is held back, and whether it has arrived
        self.accept()

    def set_trap(self, piece, before=None, after=None):
        """The next time the program sends PIECE: BEFORE is called and it is not passed on; or it is, and AFTER is called
        when the database has answered, whose answer is not passed back."""
        self.sprung.clear()
        self.trap = (piece, before, after)

    def accept(self):
        """Takes connections (again)."""
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.work, args=(self.listener,), daemon=True).start()

    def work(self, listener):
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                try:
                    far = socket.create_connection(self.target)
                except OSError:
                    near.close()
                    continue
                flowing = threading.Event()
                flowing.set()
                with self.lock:
                    self.pairs.append((near, far, flowing))
                threading.Thread(target=self.carry, args=(near, far, flowing, True), daemon=True).start()
                threading.Thread(target=self.carry, args=(far, near, flowing, False), daemon=True).start()

    def carry(self, source, target, flowing, outward):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if not outward:
                    self.notices += data.count(b"film\0")  # NOTIFY film
                    if self.held is flowing:
                        self.answered.set()
                flowing.wait()
                if outward and self.trap and self.trap[0] in data:
                    if not self.spring(data, target, flowing):
                        continue
                flowing.wait()
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        if not outward:  # both directions are closed, or will be
            with self.lock:
                self.pairs = [pair for pair in self.pairs if pair[1] is not source]

    def spring(self, data, target, flowing):
        """Returns whether the data is still to be passed on."""
        (_, before, after), self.trap = self.trap, None
        if before:
            before()
        else:
            self.answered.clear()
            flowing.clear()  # holds the reply back
            self.held = flowing
            target.sendall(data)
            self.answered.wait(PATIENCE)
            self.held = None
            after()
        self.sprung.set()
        return before is not None

    def refuse(self):
        """New connections are refused; those there are go on."""
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def cut(self):
        """Closes all that is open."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for near, far, flowing in pairs:
            for end in (near, far):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
            flowing.set()

    def freeze(self):
        """Nothing flows any more in what is open, and nobody is told; new connections are as ever."""
        with self.lock:
            for _, _, flowing in self.pairs:
                flowing.clear()

    def thaw(self):
        with self.lock:
            for _, _, flowing in self.pairs:
                flowing.set()

    def opened(self):
        with self.lock:
            return len(self.pairs)


class Place:
    """A machine, as far as the pool knows: a folder for replicas, and a server that can be killed and started again."""

    def __init__(self, film, name, uri, *options):
        self.film, self.name, self.uri, self.options = film, name, uri, options
        self.cache = os.path.abspath("cache-" + name)
        self.server, self.output = None, ""
        self.down = False  # not expected to respond

    def environment(self):
        return {**os.environ, "XDG_CACHE_HOME": self.cache}

    def start(self, **environment):
        self.server = serving.Server(self.film, self.uri, *self.options, environment={"XDG_CACHE_HOME": self.cache,
                                                                                      **environment})
        atexit.register(self.server.process.kill)  # a failing test leaves no server running
        return self

    def processor(self):
        """Seconds of a processor the server has used."""
        fields = open(f"/proc/{self.server.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self):
        self.server.process.kill()
        self.bury()

    def bury(self):
        self.server.process.wait(PATIENCE)
        self.server.reader.join(PATIENCE)
        self.output += "".join(self.server.lines)

    def stop(self):
        code = self.server.stop()
        self.output += "".join(self.server.lines)
        return code

    def ask(self, method, path, body=None, connection=None):
        """(status, answer); status 0 and the problem when there was no answer."""
        try:
            return self.server.ask(method, path, body, connection=connection)[:2]
        except (OSError, http.client.HTTPException) as problem:
            return 0, repr(problem)

    def program(self, *arguments, text=None):
        return subprocess.run([self.film, *arguments], input=text, capture_output=True, text=True, env=self.environment(),
                              timeout=PATIENCE)

    def text_of(self, name, connection=None):
        """The text this server has of an id: None when there is none, False when it did not answer."""
        status, answer = self.ask("POST", "/v1/search", {"q": "a sentence", "k": 1, "where": {"id": name}}, connection)
        if status != 200:
            return False
        return answer["results"][0]["text"] if answer["results"] else None


Write = collections.namedtuple("Write", "group sentences removals")  # {id: text} to add or replace, or ids to remove


class Writer:
    """Makes writes, repeats what was not acknowledged, and knows what must be there: `there` has the text of each id, None
    once it is removed. Ids are PREFIX, group and member; a group is always written as a whole, so that half a write shows."""

    def __init__(self, prefix, groups=200, members=1, seed=7):
        self.prefix, self.groups, self.members, self.random = prefix, groups, members, random.Random(seed)
        self.there, self.busy, self.version = {}, set(), 0
        self.refused, self.ways = [], collections.Counter()

    def make(self):
        """A write of a group nobody waits for: an addition or a replacement, or a removal in two of five cases."""
        group = next(g for g in iter(lambda: self.random.randrange(self.groups), None) if g not in self.busy)
        names = [f"{self.prefix}{group}-{member}" for member in range(self.members)]
        self.version += 1
        if self.there.get(names[0]) and self.random.random() < 0.4:
            return Write(group, {}, names)
        return Write(group, {n: f"sentence {n} in its version {self.version}" for n in names}, [])

    def send(self, write, way):
        """Once: (status, message); 200 is acknowledged. WAY is a place, or (place,) for the command line there."""
        if isinstance(way, tuple):
            return self.command(write, *way)
        if write.removals:
            status, answer = way.ask("DELETE", "/v1/pool", {"ids": write.removals, "ignore_missing": True})
        else:
            rows = [{"id": n, "text": t} for n, t in write.sentences.items()]
            status, answer = way.ask("POST", "/v1/pool", {"sentences": rows, "replace": True})
        return status, answer if status in (0, 200) else answer["error"]["message"]

    @staticmethod
    def command(write, place):
        if write.removals:
            done = place.program("pool", "remove", place.uri, "--ignore-missing", "-q", *write.removals)
        else:
            rows = "".join(f"{n}\t{t}\n" for n, t in write.sentences.items())
            done = place.program("pool", "add", place.uri, "-", "--replace", "-q", "--columns", "id,text", text=rows)
        return (200 if done.returncode == 0 else done.returncode), done.stderr

    def acknowledged(self, write):
        for name in write.removals:
            self.there[name] = None
        self.there.update(write.sentences)

    def insist(self, write, way, patience=PATIENCE):
        """Until it is acknowledged; what was answered before that is in `refused`."""
        self.ways["command line" if isinstance(way, tuple) else way.name] += 1
        end = time.monotonic() + patience
        while True:
            status, message = self.send(write, way)
            if status == 200:
                self.acknowledged(write)
                return
            self.refused.append((status, message))
            if time.monotonic() > end:
                raise RuntimeError(f"never acknowledged: {status} {message}")
            time.sleep(0.05)


class Asker:
    """Searches a place without pause, to show that it never stops answering."""

    def __init__(self, place):
        self.place, self.going, self.answers, self.wrong, self.slowest = place, True, 0, [], 0.0
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        while self.going:
            down, server, began = self.place.down, self.place.server, time.monotonic()
            status, answer = self.place.ask("POST", "/v1/search", {"q": "sentence in its version", "k": 3})
            if status == 200:
                self.slowest = max(self.slowest, time.monotonic() - began)
            if status == 200 and answer["results"]:
                self.answers += 1
            elif not (down or self.place.down or self.place.server is not server):
                # a server that is being killed need not respond
                if not until(lambda: server.process.poll() is not None):
                    self.wrong.append((status, answer))
            time.sleep(0.02)

    def more(self, count=3):
        """Whether so many more answers come."""
        wanted = self.answers + count
        return until(lambda: self.answers >= wanted)

    def end(self):
        self.going = False
        self.thread.join(PATIENCE)


class Watcher:
    """Looks in one place for each acknowledged write and notes how long after its acknowledgement it was seen."""

    def __init__(self, place, seen):
        self.place, self.seen, self.queue, self.delays, self.missing = place, seen, queue.Queue(), [], []
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        connection = self.place.server.connect()
        while (item := self.queue.get()) is not None:
            write, when = item
            for name in [*write.sentences, *write.removals]:
                while (found := self.place.text_of(name, connection)) != write.sentences.get(name):
                    if time.monotonic() - when > PATIENCE:
                        self.missing.append((name, found))
                        break
            self.delays.append(time.monotonic() - when)
            self.seen(write)
        connection.close()
