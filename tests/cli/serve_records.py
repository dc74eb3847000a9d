"""Records over HTTP: objects in every request and response, and what is refused; prints TAP lines."""
import os
import sys

FILM, ROOT = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import Server, check, finish, undescribed  # noqa: E402

A = {"title": "Canon camera ABC-123X", "brand": "Canon", "price": 100}
B = {"title": "canon ABC-127L camera", "price": "501.50"}

with Server(FILM, "shop.pool") as server:
    def ask(path, body=None, method="POST"):
        return server.ask(method, path, body)[:2]

    status, why = ask("/v1/explain", {"a": A, "b": B})
    check("an explanation has fields, and edits that name them", status == 200 and len(why["fields"]) == 4 and
          all("field" in e for r in why["reversals"] for e in r["edits"]) and why["reversals"], why)
    status, match = ask("/v1/match", {"a": A, "b": B, "reversals": True})
    check("so has a verdict with reversals", match["fields"] == why["fields"] and match["reversals"] == why["reversals"], match)
    edited = why["reversals"][0]
    status, after = ask("/v1/match", {"a": edited["a"], "b": edited["b"]})
    check("the edited records have the other verdict", after["same"] != why["same"] and
          after["probability"] == edited["probability"], after)
    status, found = ask("/v1/search", {"q": {"title": "Canon camera"}, "k": 3})
    check("a search returns objects", all("title" in one["text"] for one in found["results"]), found)
    status, groups = ask("/v1/dedup", {"texts": [A, B, A]})
    check("so do clusters", {"title", "price"} <= set(groups["clusters"][0]["members"][0]["text"]), groups)
    status, review = ask("/v1/review", None, "GET")
    check("and pairs to review", "title" in review["pairs"][0]["a"], review)
    unknown = 'unknown field "name"; fields of the model: title, brand, price, released'
    for path, body, where in (("/v1/match", {"a": {"name": "Canon"}, "b": B}, "a"),
                              ("/v1/explain", {"a": A, "b": {**B, "name": "Canon"}}, "b"),
                              ("/v1/match", {"pairs": [[A, B], [A, {"name": 1}]]}, "pairs[1][1]"),
                              ("/v1/dedup", {"texts": [A, {"name": 1}]}, "texts[1]"),
                              ("/v1/pool", {"sentences": [{"text": {"name": 1}}]}, "sentences[0].text"),
                              ("/v1/search", {"q": {"name": "Canon"}}, "q")):
        status, answer = ask(path, body)
        check(f"{path}: an unknown field is named", status == 400 and
              answer["error"]["message"] == f"{where}: {unknown}", answer)
    status, answer = ask("/v1/match", {"a": {"title": None}, "b": B})
    check("a record without a value", status == 400 and answer["error"]["message"] ==
          "a: the record has no value; fields of the model: title, brand, price, released", answer)
check("every response is as openapi.json describes it", not undescribed, undescribed[:3])
finish()
