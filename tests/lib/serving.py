"""Starts film serve, sends requests and prints TAP lines, for the tests of the server."""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

from openapi import OpenApi

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
api = OpenApi(json.load(open(os.path.join(ROOT, "server", "openapi.json"))))
PATIENCE = 300  # timeout in seconds for what must happen; no test asserts a speed
undescribed = []  # responses that do not match the OpenAPI file
counts = {"tests": 0, "failures": 0}


def check(name, condition, *details):
    counts["tests"] += 1
    if not condition:
        counts["failures"] += 1
    print(f"{'ok' if condition else 'not ok'} {counts['tests']} - {name}")
    for detail in details if not condition else ():
        print("# " + str(detail)[:600].replace("\n", "\n# "))
    sys.stdout.flush()


def finish():
    print(f"1..{counts['tests']}")
    sys.exit(counts["failures"] > 0)


def until(condition, patience=PATIENCE):
    """Whether it comes true."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Server:
    """A running film serve; stopped at the end of a with block."""

    def __init__(self, film, path, *options, environment=None, listen="127.0.0.1:0"):
        self.process = subprocess.Popen([film, "serve", path, "--listen", listen, *options], stderr=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})
        self.lines = []
        line = self.process.stderr.readline()
        self.lines.append(line)
        found = re.match(r"listening on http://(.*):(\d+)\n", line)
        if not found:
            raise RuntimeError(line + self.process.stderr.read())
        self.host, self.port = found[1].strip("[]"), int(found[2])
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def reload(self, wanted):
        """Sends SIGHUP, waits for the line that reports the result, and returns whether it has the wanted words."""
        before = len(self.lines)
        self.process.send_signal(signal.SIGHUP)
        until(lambda: any(re.search("reloaded|stays in use", line) for line in self.lines[before:]))
        return any(wanted in line for line in self.lines[before:])

    def ask(self, method, path, body=None, headers=None, connection=None, raw=False):
        """(status, parsed answer or text, headers); the answer is held against the OpenAPI file."""
        own = connection or self.connect()
        sent = {} if headers is None else dict(headers)
        if body is not None and not raw:
            body = json.dumps(body)
        if body is not None and "Content-Type" not in sent:
            sent["Content-Type"] = "application/json"
        own.request(method, path, body, {k: v for k, v in sent.items() if v is not None})
        answer = own.getresponse()
        content = answer.read()
        kind = answer.getheader("Content-Type")
        if method != "HEAD" and answer.status != 304:
            wrong = api.answer_problems(method, path, answer.status, kind, content)
            if wrong:
                undescribed.append((method, path, wrong[:3]))
        if not connection:
            own.close()
        is_json = (kind or "").startswith("application/json") and content
        return answer.status, json.loads(content) if is_json else content.decode("utf-8", "replace"), answer.headers


class Load:
    """Threads that ask without pause, or with PAUSE seconds; every answer is looked at."""

    def __init__(self, server, body, expected, pause=0):
        self.pause = pause
        self.server, self.body, self.expected = server, body, expected
        self.going, self.stopping, self.answers, self.wrong = True, False, 0, []
        self.threads = [threading.Thread(target=self.work) for _ in range(4)]
        for thread in self.threads:
            thread.start()

    def work(self):
        connection = self.server.connect()
        while self.going:
            try:
                status, answer, headers = self.server.ask("POST", "/v1/match", self.body, connection=connection)
                if status != 200 or answer["probability"] not in self.expected:
                    self.wrong.append((status, answer))
                self.answers += 1
                time.sleep(self.pause)
            except ConnectionRefusedError:
                if not self.stopping:
                    self.wrong.append("refused")
                return
            except (OSError, http.client.HTTPException) as problem:
                # an idle connection that was closed may be reopened; half a response is an error
                if not self.stopping or isinstance(problem, http.client.IncompleteRead):
                    self.wrong.append(repr(problem))
                connection.close()
                connection = self.server.connect()
        connection.close()

    def end(self):
        self.going = False
        for thread in self.threads:
            thread.join(PATIENCE)
