"""A mixed load on film serve, built with the thread sanitizer: every kind of request at once, changes of the pool, reloads,
then a stop. The sanitizer reports no data race (races.sh)."""
import itertools
import os
import shutil
import sys
import threading

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import serving  # noqa: E402
from serving import check  # noqa: E402

A, B = "I lost my card", "my card is gone"
ROUNDS = 200 if os.environ.get("FILM_TEST_LONG") else 10
REQUESTS = [("POST", "/v1/match", {"a": A, "b": B, "reasons": 3}), ("POST", "/v1/explain", {"a": A, "b": B}),
            ("POST", "/v1/predict", {"pairs": [[A, B]] * 50}), ("POST", "/v1/embed", {"texts": [A, B] * 100}),
            ("POST", "/v1/search", {"q": A, "k": 5}), ("POST", "/v1/dedup", {"texts": [A, B, A + " again"] * 20}),
            ("GET", "/v1/model", None), ("GET", "/metrics", None), ("GET", "/healthz", None), ("GET", "/", None)]


def load(server, number, statuses):
    connection = server.connect()
    for turn in range(ROUNDS):
        for method, path, body in itertools.chain(REQUESTS[number:], REQUESTS[:number]):
            statuses.append(server.ask(method, path, body, connection=connection)[0])
        name = f"n{number}-{turn}"
        statuses.append(server.ask("POST", "/v1/pool", {"sentences": [{"id": name, "text": "quagga " + name}]}, connection=connection)[0])
        if turn % 2:
            statuses.append(server.ask("DELETE", "/v1/pool", {"ids": [name]}, connection=connection)[0])
    connection.close()


def served(path):
    statuses, name = [], "a pool" if path.endswith(".pool") else "a model"
    with serving.Server(FILM, path, "--threads", "3", "--log", "access.log", "--max-queue", "1000") as server:
        threads = [threading.Thread(target=load, args=(server, number, statuses)) for number in range(6)]
        for thread in threads:
            thread.start()
        reloads = 0
        while any(thread.is_alive() for thread in threads) and reloads < 2 * ROUNDS:
            reloads += server.reload("reloaded")
        for thread in threads:
            thread.join()
        code = server.stop()
        reports = [number for number, line in enumerate(server.lines) if "ThreadSanitizer" in line]
    expected = {200} if name == "a pool" else {200, 409}
    check(f"{name}: {len(statuses)} requests, {reloads} reloads", len(statuses) > 50 and set(statuses) <= expected and reloads > 0 and code == 0,
          set(statuses), reloads, code)
    check(f"{name}: no data race", not reports, "".join(server.lines[reports[0]:reports[0] + 60] if reports else ()))


shutil.copy("faq.pool", "live.pool")
served("live.pool")
served("faq.film")
serving.finish()
