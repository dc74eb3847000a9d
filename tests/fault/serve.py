"""One allocation or system call of film serve fails, alone, while it answers requests, reloads and stops (serve.sh). Every
answer 200 is the right one, at most two requests fail, the server goes on, nothing acknowledged is lost."""
import errno
import http.client
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading

import cases
from cases import A, B, FILM, PATIENCE, PRELOAD, spread

POINTS = int(os.environ.get("FAULT_POINTS", 6))
CALLS = {"memory": ["ENOMEM"], "open": ["EMFILE", "EIO"], "read": ["EIO", "EINTR", "SHORT"], "write": ["ENOSPC", "EIO", "EINTR", "SHORT"],
         "sync": ["EIO"], "map": ["ENOMEM"], "truncate": ["EIO"], "accept": ["EMFILE", "ECONNABORTED", "EINTR"],
         "send": ["EPIPE", "ECONNRESET", "EINTR"], "receive": ["ECONNRESET", "EINTR"]}
# No EAGAIN and no short counts for sockets: the kernel reports an event after each of its own, and none after ours.
REQUESTS = [("POST", "/v1/match", {"a": A, "b": B, "reasons": 3}), ("POST", "/v1/explain", {"a": A, "b": B}),
            ("POST", "/v1/predict", {"pairs": [[A, B], [A, A]]}), ("POST", "/v1/embed", {"texts": [A, B]}),
            ("POST", "/v1/search", {"q": A, "k": 2}), ("POST", "/v1/dedup", {"texts": [A, B, A]}), ("GET", "/v1/model", None),
            ("GET", "/", None)]


class Session:
    """A server that is asked everything twice, with a reload between, and stopped."""

    def __init__(self, environment=None):
        self.folder = tempfile.mkdtemp(dir=".")
        self.pool = os.path.join(self.folder, "p.pool")
        shutil.copy("p.pool", self.pool)
        self.answers, self.failed, self.acknowledged, self.err = [], 0, [], ""
        self.process = subprocess.Popen([FILM, "serve", "p.pool", "--listen", "127.0.0.1:0", "-t", "1"], cwd=self.folder, stderr=subprocess.PIPE,
                                        env={**cases.ENVIRONMENT, **(environment or {}), "FAULT_TRACE": "trace", "GNUTLS_NO_IMPLICIT_INIT": "1"}, text=True)
        watch = threading.Timer(PATIENCE, self.process.kill)
        watch.start()
        found, line = None, "\n"
        while line and not found:
            line = self.process.stderr.readline()
            self.err += line
            found = re.match(r"listening on http://127.0.0.1:(\d+)", line)
        self.port = int(found[1]) if found else None
        reader = threading.Thread(target=self.collect)
        reader.start()
        if self.port:
            self.round("one")
            self.process.send_signal(signal.SIGHUP)
            self.round("two")
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
        self.status = self.process.wait()
        self.hung = not watch.is_alive()
        watch.cancel()
        reader.join()
        self.process.stderr.close()
        self.trace = (cases.read(os.path.join(self.folder, "trace")) or b"").decode("utf-8", "replace")

    def collect(self):
        self.err += self.process.stderr.read()

    def ask(self, method, path, body):
        """The answer's text, or None where there is none or it is an error of the server."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"} if body else {})
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status == 200:  # how many sentences there are depends on what was added before
                return re.sub(r'"(sentences|changes)": \d+', "", text)
            if answer.status < 500 and answer.status != 408:  # 408: without descriptors, an unfinished request has to go
                self.answers.append((path, f"status {answer.status}: {text}"))
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
        self.failed += 1
        return None

    def round(self, name):
        if self.ask("POST", "/v1/pool", {"sentences": [{"id": name, "text": "quagga " + name}]}) is not None:
            self.acknowledged.append(name)
        for method, path, body in REQUESTS:
            text = self.ask(method, path, body)
            if text is not None:
                self.answers.append((path, text))

    def problem(self, right):
        foreign = any(name in self.trace for name in cases.FOREIGN)
        if self.hung:
            return "crash", "it hangs"
        if (self.status < 0 or self.status > 4) and not foreign:
            return "crash", f"exit status {self.status}: {self.err[-300:]}"
        if self.status and len(self.err.splitlines()) < (2 if self.port else 1):
            return "wrong", f"exit code {self.status} without a message"
        wrong = [(path, text) for path, text in self.answers if text not in right.get(path, ())]
        if wrong:
            return "wrong", f"{wrong[0][0]}: {wrong[0][1][:200]}"
        if self.port and self.failed > 2 and self.status == 0:
            return "wrong", f"{self.failed} requests failed: {self.err[-300:]}"
        database = sqlite3.connect(self.pool)
        present = {row[0] for row in database.execute("SELECT id FROM sentence")}
        database.close()
        if not set(self.acknowledged) <= present:
            return "loss", f"acknowledged, but not in the pool: {set(self.acknowledged) - present}"
        checked = subprocess.run([FILM, "pool", "check", self.pool], env=cases.ENVIRONMENT, capture_output=True, text=True)
        return ("loss", checked.stdout + checked.stderr) if checked.returncode else ""

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    cases.make_inputs()
    table, right = cases.Table(), {}
    for _ in range(2):
        session = Session({"LD_PRELOAD": PRELOAD, "FAULT_COUNT": "count"})
        for path, text in session.answers:
            right.setdefault(path, set()).add(text)
        with open(os.path.join(session.folder, "count"), encoding="ascii") as file:
            counts = {name: int(number) for name, number in (line.split() for line in file)}
        if session.problem(right) or session.failed:
            raise RuntimeError(f"undisturbed: {session.problem(right)} {session.err}")
        session.remove()
    for call, errors in CALLS.items():
        if call not in (sys.argv[1:] or CALLS):
            continue
        points = [(place, error) for error in errors for place in range(1, counts[call] + 1)]
        most = (20000 if call == "memory" else 2000) if cases.LONG else POINTS if call == "memory" else int(os.environ.get("FAULT_CALLS", 2))
        problems, ended = [], 0
        chosen = [points[i - 1] for i in spread(len(points), most)]
        for place, error in chosen:
            session = Session({"LD_PRELOAD": PRELOAD, "FAULT_CALL": call, "FAULT_AT": str(place), "FAULT_ERROR": str(getattr(errno, error, 0))})
            found = session.problem(right)
            ended += session.status != 0
            if found:
                problems.append((f"{call} {place} of {counts[call]}, {error}", found, session.trace))
            session.remove()
        table.report(f"film serve, {call}", len(chosen), ended, problems)
    sys.exit(table.finish())


main()
