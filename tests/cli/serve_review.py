"""Reviews a served pool as two people at once would; prints TAP lines."""
import csv
import http.client
import io
import itertools
import math
import os
from random import Random
import subprocess
import sys
import threading

FILM, ROOT = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import Server, check, finish  # noqa: E402


def labels():
    out = subprocess.run([FILM, "pool", "export", "faq.pool", "--labels", "-o", "-"],
                         capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(out), delimiter="\t"))


def pair(one):
    return frozenset(one["id"].split("\t")[1:])


def wilson(right, count, z=1.959963984540054):
    share = right / count
    middle, root = share + z * z / (2 * count), math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return [(middle + sign * z * root) / (1 + z * z / count) for sign in (-1, 1)]


def fetch(server, into):
    for _ in range(3):
        into.append(server.ask("GET", "/v1/review?n=10")[1])


def message(server, body):
    status, answer, _ = server.ask("POST", "/v1/labels", body)
    return status, answer.get("error", {}).get("message", "")


with Server(FILM, "faq.pool") as server:
    lists = []
    people = [threading.Thread(target=fetch, args=(server, lists)) for _ in range(2)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    given = [one for answer in lists for one in answer["pairs"]]
    check("60 pairs, none twice, though two ask at once", len({pair(one) for one in given}) == 60 == len(given),
          len(given))
    check("no sentence twice in a list",
          all(len(frozenset().union(*map(pair, answer["pairs"]))) == 20 for answer in lists))
    random = [one for one in given if one["id"].startswith("review random ")]
    chosen = [one for one in given if one["id"].startswith("review chosen ")]
    check("a quarter is drawn at random", len(random) == 18 and len(chosen) == 42, (len(random), len(chosen)))
    doubt = [sum(abs(one["probability"] - 0.5) for one in some) / len(some) for some in (chosen, random)]
    check("the others are the least sure", doubt[0] < 0.7 * doubt[1], doubt)
    judged = [server.ask("POST", "/v1/match", {"a": one["a"], "b": one["b"], "reasons": 0})[1] for one in given]
    check("verdicts are those of /v1/match",
          all(one["same"] == other["same"] and abs(one["probability"] - other["probability"]) < 1e-6
              for one, other in zip(given, judged)))
    check("no answers yet", all(answer["answered"] == 0 and answer["estimate"] is None for answer in lists))

    # The model is right on every third random pair.
    answers = [{"id": one["id"], "same": one["same"] if i % 3 == 0 else not one["same"]}
               for i, one in enumerate(random)] + [{"id": one["id"], "same": True} for one in chosen[:12]]
    status, told, _ = server.ask("POST", "/v1/labels", {"labels": answers})
    low, high = wilson(6, 18)
    check("answers are stored and counted", status == 200 and told["stored"] == told["new"] == told["answered"] == 30,
          told)
    check("the estimate is the share of random pairs, with Wilson's interval",
          told["estimate"]["answers"] == 18 and abs(told["estimate"]["accuracy"] - 6 / 18) < 1e-12
          and abs(told["estimate"]["low"] - low) < 1e-9 and abs(told["estimate"]["high"] - high) < 1e-9, told)
    told = server.ask("POST", "/v1/labels", {"labels": answers[:1]})[1]
    check("an answer sent again changes nothing", told["new"] == 0 and told["answered"] == 30, told)
    told = server.ask("POST", "/v1/labels", {"labels": [{"id": answers[0]["id"], "same": not answers[0]["same"]}]})[1]
    check("another answer replaces it", told["answered"] == 30 and abs(told["estimate"]["accuracy"] - 5 / 18) < 1e-12,
          told)
    check("a label between two ids of sentences", message(server, {"labels": [
        {"ids": ["card-lost", "parcel-where"], "same": False}]}) == (200, ""))

    for name, body, part in (
            ("no labels", {}, "labels is missing"),
            ("no answer", {"labels": [{"id": "x"}]}, "labels[0].same is missing"),
            ("no pair", {"labels": [{"same": True}]}, "exactly one of id"),
            ("a made-up id", {"labels": [{"id": "a\tb\tc", "same": True}]}, "labels[0].id is not the id of a pair"),
            ("three ids", {"labels": [{"ids": ["a", "b", "c"], "same": True}]}, "two ids"),
            ("an unknown sentence", {"labels": [{"ids": ["card-lost", "nobody"], "same": True}]}, "nobody"),
            ("a text", {"labels": ["x"]}, "must be an object")):
        status, text = message(server, body)
        check(f"{name} is refused with a reason", status == 400 and part in text, (status, text))
    for number in ("0", "-1", "1001", "ten", ""):
        status = server.ask("GET", f"/v1/review?n={number}")[0]
        check(f"?n={number} is refused", status == 400, status)
    server.process.kill()
    server.process.wait()

stored = labels()
known = {frozenset((row["id_a"], row["id_b"])) for row in stored}
check("nothing is lost by kill -9", len(stored) == 31 and all(pair(one) in known for one in answers), len(stored))
check("the origin says how a pair was chosen", sum(row["origin"].startswith("review random ") for row in stored) == 18)

# Killed again and again, while a reviewer sends one answer after the other: what was confirmed is stored.
KILLS = 300 if os.environ.get("FILM_TEST_LONG") else 3
numbers = [row["id"] for row in csv.DictReader(open(os.path.join(ROOT, "examples/faq/questions.tsv"), encoding="utf-8"),
                                               delimiter="\t", quoting=csv.QUOTE_NONE)]
fresh = (two for two in itertools.combinations(numbers, 2) if frozenset(two) not in known)
confirmed, rng = {}, Random(1)


def send(server, enough, wanted):
    """Sends answers until the server is gone."""
    for count, two in enumerate(fresh, 1):
        same = rng.random() < 0.5
        try:
            if server.ask("POST", "/v1/labels", {"labels": [{"ids": two, "same": same}]})[0] == 200:
                confirmed[frozenset(two)] = same
        except (OSError, http.client.HTTPException):
            break
        if count >= wanted:
            enough.set()
    enough.set()


lost = 0
for _ in range(KILLS):
    with Server(FILM, "faq.pool") as server:
        enough = threading.Event()
        reviewer = threading.Thread(target=send, args=(server, enough, rng.randrange(1, 6)))
        reviewer.start()
        enough.wait()
        server.process.kill()
        server.process.wait()
        reviewer.join()
    now = {frozenset((row["id_a"], row["id_b"])): row["same"] == "yes" for row in labels()}
    lost += sum(now.get(two) != same for two, same in confirmed.items())
check(f"no label is lost in {KILLS} kills ({len(confirmed)} confirmed)", len(confirmed) >= KILLS and lost == 0, lost)
known |= set(confirmed)

with Server(FILM, "faq.pool") as server:
    again = [one for _ in range(5) for one in server.ask("GET", "/v1/review?n=10")[1]["pairs"]]
    check("a labelled pair is not asked again", len(again) == 50 and not known & set(map(pair, again)), len(again))
with Server(FILM, "faq.pool", "--read-only") as server:
    check("a read-only pool takes no answers", message(server, {"labels": answers[:1]})[0] == 403)
with Server(FILM, "faq.film") as server:
    check("a review needs a pool", server.ask("GET", "/v1/review")[0] == 409)
finish()
