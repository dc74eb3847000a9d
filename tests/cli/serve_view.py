"""Chooses a threshold and reviews clusters of a served pool; prints TAP lines. numpy computes the estimates again."""
import csv
import io
import json
import os
import subprocess
import sys

import numpy as np

FILM, ROOT = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import Server, check, finish, until  # noqa: E402

EDGES = [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98]


def film(*arguments):
    return subprocess.run([FILM, *arguments], capture_output=True, text=True)


def table(*arguments):
    return list(csv.DictReader(io.StringIO(film(*arguments).stdout), delimiter="\t"))


def labels(pool="faq.pool"):
    return {frozenset((row["id_a"], row["id_b"])): row for row in table("pool", "export", pool, "--labels", "-o", "-")}


def dedup(pool="faq.pool"):
    """The clusters that film dedup forms, as sets, and their representatives."""
    found = {}
    for row in table("dedup", pool):
        found.setdefault(row["cluster"], []).append(row)
    return ({frozenset(row["id"] for row in one) for one in found.values()},
            {row["id"] for one in found.values() for row in one if row["representative"]})


def message(answer):
    return answer.get("error", {}).get("message", "")


def wilson(share, count, z=1.959963984540054):
    middle, root = share + z * z / (2 * count), z * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0, (middle - root) / (1 + z * z / count)), min(1, (middle + root) / (1 + z * z / count))


def expected_points(pairs, answers):
    """Every threshold by numpy: precision and recall of weighted answers, with Kish's effective numbers."""
    given = np.array([one[0] for one in answers])
    same = np.array([one[1] for one in answers])
    strata, own = np.digitize(pairs, EDGES), np.digitize(given, EDGES)
    weight = np.array([np.sum(strata == s) / np.sum(own == s) for s in own])
    rows = []
    for t in np.arange(1, 100) / 100:
        above = given >= t
        row = {"answers": int(np.sum(above))}
        for name, chosen in (("precision", above), ("recall", same)):
            w = weight[chosen]
            row[name] = np.average((above & same)[chosen], weights=w) if w.sum() > 0 else None
            if row[name] is not None:
                row[name + "_low"], row[name + "_high"] = wilson(row[name], w.sum() ** 2 / np.sum(w ** 2))
        rows.append(row)
    return rows


def close(one, other):
    return one is None and other is None or one is not None and other is not None and abs(one - other) < 1e-9


# ---- thresholds ----

with Server(FILM, "faq.pool") as server:
    status, nothing, _ = server.ask("GET", "/v1/thresholds?budget=0.1")
    points = nothing["points"]
    check("99 thresholds, and no answers", status == 200 and len(points) == 99 and nothing["answers"] == 0
          and not nothing["enough"] and nothing["threshold"] is None
          and all(one["precision"] is None and one["recall"] is None for one in points), nothing["answers"])
    fitting = [one for one in points if one["expected_precision"] and one["expected_precision"] >= 0.9]
    check("without answers, a budget uses the model's expectation", nothing["budget"] == fitting[0],
          (nothing["budget"], fitting[0]))
    rng, answers = np.random.default_rng(5), []
    while len(answers) < 120:
        pairs = server.ask("GET", "/v1/review?n=30")[1]["pairs"]
        told = [{"id": one["id"], "same": bool(rng.random() < one["probability"] ** 1.5)} for one in pairs]
        server.ask("POST", "/v1/labels", {"labels": told})
        answers += [(one["probability"], reply["same"]) for one, reply in zip(pairs, told)]
        check("the origin has the probability",
              all(abs(float(one["id"].split("\t")[0].split()[3]) - one["probability"]) < 6e-5 for one in pairs))
    server.process.kill()
    server.process.wait()

with Server(FILM, "faq.pool") as server:
    status, curve, _ = server.ask("GET", "/v1/thresholds?budget=0.2")
    check("answers survive kill -9 and are counted", curve["answers"] == 120 == len(labels()), curve["answers"])
    # The shares fix how many pairs of the sample each hundredth has, and so each stratum.
    steps = np.concatenate([[1], [one["share"] for one in curve["points"]], [0]])
    counts = np.rint((steps[:-1] - steps[1:]) * curve["pairs"]).astype(int)
    rows = expected_points(np.repeat((np.arange(100) + 0.5) / 100, counts), answers)
    wrong = [(i + 1, name, one[name], row[name]) for i, (one, row) in enumerate(zip(curve["points"], rows))
             for name in ("precision", "precision_low", "precision_high", "recall", "recall_low", "recall_high")
             if row.get(name, None) is not None and not close(one[name], row[name])]
    check("precision, recall and intervals are those of numpy at every threshold", not wrong, wrong[:3])
    check("where numpy has no precision, there is none", all((one["precision"] is None) == (row["precision"] is None)
                                                            for one, row in zip(curve["points"], rows)))
    check("answers above each threshold are counted",
          [one["answers"] for one in curve["points"]] == [row["answers"] for row in rows])
    ordered = [one["share"] for one in curve["points"]]
    check("a higher threshold calls fewer pairs the same", ordered == sorted(ordered, reverse=True))
    judged = [server.ask("POST", "/v1/match", {"a": one["a"], "b": one["b"], "reasons": 0})[1]["probability"]
              for one in curve["examples"][::40]]
    check("examples have the probability of /v1/match",
          all(abs(one["probability"] - p) < 1e-6 for one, p in zip(curve["examples"][::40], judged)))
    # Which pairs are asked is chance, and so is how many probabilities the answers cover.
    check("answers over most probabilities are enough", curve["enough"] == (curve["covered"] >= 0.95), curve["covered"])
    name = "precision" if curve["enough"] else "expected_precision"
    fitting = [one for one in curve["points"] if one[name] is not None and one[name] >= 0.8]
    check("a budget uses the estimate where answers are enough", curve["budget"] == (fitting or [None])[0], curve["budget"])

    for name, path in (("a word", "/v1/thresholds?budget=x"), ("none", "/v1/thresholds?budget="),
                       ("one", "/v1/thresholds?budget=1")):
        status, answer, _ = server.ask("GET", path)
        check(f"a budget that is {name} is refused", status == 400 and "budget must be" in message(answer))
    for body, part in (({}, "exactly one"), ({"threshold": 0.5, "budget": 0.1}, "exactly one"),
                       ({"threshold": 1.0}, "between"), ({"threshold": "x"}, "number")):
        status, answer, _ = server.ask("POST", "/v1/threshold", body)
        check(f"{body} is refused", status == 400 and part in message(answer), (status, message(answer)))

    pair = next(one for one in curve["examples"] if 0.55 < one["probability"] < 0.65)
    body = {"a": pair["a"], "b": pair["b"], "reasons": 0}
    status, told, _ = server.ask("POST", "/v1/threshold", {"threshold": 0.7})
    check("a threshold is stored", status == 200 and told == {"threshold": 0.7}, told)
    until(lambda: server.ask("POST", "/v1/match", body)[1]["same"] is False)
    server.ask("POST", "/v1/threshold", {"threshold": 0.4})
    until(lambda: server.ask("POST", "/v1/match", body)[1]["same"] is True)
    found = server.ask("POST", "/v1/search", {"q": pair["a"], "k": 20})[1]["results"]
    check("search decides by it", all(one["same"] == (one["probability"] >= 0.4) for one in found)
          and len({one["same"] for one in found}) == 2, [one["probability"] for one in found])
    check("the pool's description has it", server.ask("GET", "/v1/model")[1]["pool"]["threshold"] == 0.4)
    server.process.kill()
    server.process.wait()

check("film match uses the threshold of the pool, after kill -9",
      json.loads(film("match", "faq.pool", pair["a"], pair["b"], "--json").stdout)["same"] is True)
check("film dedup uses it", "at or above 0.40" in film("dedup", "faq.pool", "-o", "/dev/null").stderr)
stored = film("pool", "threshold", "faq.pool", "--budget", "0.2", "-q")
check("film pool threshold stores by a budget, if a threshold keeps it", (stored.returncode == 0) == bool(fitting), stored.stderr)
stored = json.loads(film("pool", "threshold", "faq.pool", "0", "--json").stdout)
check("0 removes it", stored == {"threshold": None} and "no threshold" in film("pool", "threshold", "faq.pool").stderr)
check("a wrong threshold is refused", film("pool", "threshold", "faq.pool", "1.5").returncode == 1)

# ---- clusters ----

with Server(FILM, "other.pool") as server:
    def clusters(order="size"):
        return server.ask("GET", f"/v1/clusters?n=1000&order={order}")[1]

    def edit(**body):
        return server.ask("POST", "/v1/clusters", body)[:2]

    first = clusters()
    sets = [frozenset(member["id"] for member in one["members"]) for one in first["clusters"]]
    check("the clusters are those of film dedup", set(sets) == dedup("other.pool")[0] and first["count"] == len(sets))
    sizes = [one["size"] for one in first["clusters"]]
    check("the largest first", sizes == sorted(sizes, reverse=True) and sizes[0] > 2, sizes[:3])
    doubts = [one["weakest"] for one in clusters("doubt")["clusters"]]
    check("the most doubtful first", doubts == sorted(doubts) and doubts[0] < doubts[-1])
    check("the weakest link is the lowest probability",
          all(one["weakest"] == min(member["probability"] for member in one["members"]) for one in first["clusters"]))
    part = server.ask("GET", "/v1/clusters?from=2&n=3")[1]["clusters"]
    check("a part of the list", part == first["clusters"][2:5] and [one["place"] for one in part] == [2, 3, 4])

    ids = [member["id"] for member in first["clusters"][0]["members"]]
    before = labels("other.pool")
    status, told = edit(action="split", ids=[ids[1]], rest=ids[:1] + ids[2:])
    check("a split labels each pair of the two parts", status == 200 and told["labels"] == len(ids) - 1, told)
    now = labels("other.pool")
    check("as different, from clusters", all(now[frozenset((ids[1], other))]["same"] == "no"
                                             and now[frozenset((ids[1], other))]["origin"] == "cluster"
                                             for other in ids[:1] + ids[2:]))
    check("film dedup obeys the split", not any(ids[1] in one and one & (set(ids) - {ids[1]}) for one in dedup("other.pool")[0]))

    other = [member["id"] for member in first["clusters"][1]["members"]]
    together = [*ids, *other]
    status, told = edit(action="same", ids=together)
    check("a merge overrules the split", status == 200 and any(set(together) <= one for one in dedup("other.pool")[0]), told)
    merged = next(one for one in clusters()["clusters"] if set(together) <= {member["id"] for member in one["members"]})
    check("what was merged is reviewed, and last", merged["reviewed"] and clusters()["clusters"][-1] == merged
          and clusters()["reviewed"] == 1)
    status, told = edit(action="represent", ids=[other[0]])
    check("a chosen representative", status == 200 and told["labels"] == 0 and other[0] in dedup("other.pool")[1], told)

    edit(action="same", ids=ids)
    server.ask("POST", "/v1/labels", {"labels": [{"ids": ids[:2], "same": False}]})
    given = labels("other.pool")
    for name, body, part in (
            ("no action", {}, "action is missing"), ("a wrong action", {"action": "x"}, "action"),
            ("one id", {"action": "same", "ids": ids[:1]}, "two or more"),
            ("no rest", {"action": "split", "ids": ids}, "both parts"),
            ("both sides", {"action": "split", "ids": ids, "rest": ids}, "both parts"),
            ("two representatives", {"action": "represent", "ids": ids}, "exactly one"),
            ("an unknown sentence", {"action": "same", "ids": [ids[0], "nobody"]}, "nobody")):
        status, answer = edit(**body)
        check(f"{name} is refused with a reason", status == 400 and part in message(answer), (status, message(answer)))
    check("a refused edit changes nothing", labels("other.pool") == given)
    for path in ("n=0", "n=x", "from=-1", "order=up"):
        check(f"?{path} is refused", server.ask("GET", f"/v1/clusters?{path}")[0] == 400)

    # ---- taking answers back ----
    one = server.ask("GET", "/v1/review?n=1")[1]["pairs"][0]
    server.ask("POST", "/v1/labels", {"labels": [{"id": one["id"], "same": True}]})
    status, told, _ = server.ask("DELETE", "/v1/labels", {"labels": [{"id": one["id"]}]})
    check("an answer is taken back", status == 200 and told["removed"] == 1 and told["answered"] == 0
          and told["estimate"] is None, told)
    check("and again, it is not there", server.ask("DELETE", "/v1/labels", {"labels": [{"id": one["id"]}]})[1]["removed"] == 0)
    edit(action="same", ids=ids[2:])
    server.process.kill()
    server.process.wait()

now = labels("other.pool")
check("edits and removals survive kill -9", frozenset(one["id"].split("\t")[1:]) not in now
      and all(frozenset((ids[2], other)) in now for other in ids[3:]))
film("pool", "label", "other.pool", ids[0], ids[1], "none", "-q")
check("film pool label none removes a label", frozenset(ids[:2]) not in labels("other.pool"))
check("film pool check finds a sound pool", film("pool", "check", "other.pool").returncode == 0)

# ---- on the command line ----

for pair in labels("other.pool"):
    film("pool", "label", "other.pool", *pair, "none")
first = table("pool", "clusters", "other.pool")
members = {}
for row in first:
    members.setdefault(row["cluster"], []).append(row["id"])
chosen = next(one for one in members.values() if len(one) > 2 and not set(one) & set(ids))
film("pool", "clusters", "other.pool", "split", chosen[0])
check("film pool clusters split", not any(chosen[0] in one and one & set(chosen[1:]) for one in dedup("other.pool")[0]))
film("pool", "clusters", "other.pool", "same", chosen[0], chosen[1])
check("film pool clusters same is about whole clusters", any(set(chosen) <= one for one in dedup("other.pool")[0]))
film("pool", "clusters", "other.pool", "represent", chosen[2])
check("film pool clusters represent", chosen[2] in dedup("other.pool")[1])
check("an unknown action is refused", film("pool", "clusters", "other.pool", "up").returncode == 1)

with Server(FILM, "other.pool", "--read-only") as server:
    check("a read-only pool takes no edits and no threshold",
          server.ask("POST", "/v1/clusters", {"action": "same"})[0] == 403
          and server.ask("POST", "/v1/threshold", {"threshold": 0.5})[0] == 403)
with Server(FILM, "faq.film") as server:
    check("both need a pool", server.ask("GET", "/v1/clusters")[0] == 409 == server.ask("GET", "/v1/thresholds")[0])
finish()
