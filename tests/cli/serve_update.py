"""Updates the model of a served pool while clients match, search and add; prints TAP lines."""
import json
import os
import subprocess
import sys
import threading

FILM, ROOT = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import Load, Server, check, finish, until  # noqa: E402

A, B = "I lost my card", "what if my card is lost?"


def film(*arguments):
    return subprocess.run([FILM, *arguments], capture_output=True, text=True, check=False)


def probability(model):
    return json.loads(film("match", model, A, B, "--json").stdout)["probability"]


class Writer:
    """Adds sentences without pause, and searches for each."""

    def __init__(self, server):
        self.server, self.going, self.added, self.wrong = server, True, 0, []
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        connection = self.server.connect()
        while self.going:
            text = f"where is parcel number {self.added}?"
            for path, body in (("/v1/pool", {"sentences": [{"id": f"new-{self.added}", "text": text}]}),
                               ("/v1/search", {"q": text, "k": 1})):
                status, answer, _ = self.server.ask("POST", path, body, connection=connection)
                if status != 200 or path == "/v1/search" and answer["results"][0]["text"] != text:
                    self.wrong.append((path, status, answer))
            self.added += 1
        connection.close()

    def end(self):
        self.going = False
        self.thread.join()


before = film("pool", "export", "faq.pool").stdout.splitlines()
film("pool", "label", "faq.pool", "card-lost", "parcel-where", "different")
old, new = probability("faq.film"), probability("other.film")

# ---- an edit of the model ----
film("edit", "faq.film", "--set", "alone:what=-30", "--yes", "-o", "edited.film")
with Server(FILM, "faq.pool") as server:
    edit = {"edits": [{"what": "alone:what", "weight": -30}], "reason": "a test"}
    status, dry, _ = server.ask("POST", "/v1/edit", edit)
    check("/v1/edit lists known pairs and changes nothing", status == 200 and dry["checked"] == 1 and not dry["saved"]
          and server.ask("POST", "/v1/match", {"a": A, "b": B})[1]["probability"] == old, dry)
    status, done, _ = server.ask("POST", "/v1/edit", {**edit, "save": True})
    reloaded = until(lambda: any("reloaded" in line for line in server.lines))
    answer = server.ask("POST", "/v1/match", {"a": A, "b": B})[1]
    check("saved, the server answers as the model that film edit writes",
          done["saved"] and reloaded and answer["probability"] == probability("edited.film") != old, done, answer)
    known = server.ask("GET", "/v1/model")[1]["model"]["settings"]["edits"]
    check("the edit is recorded", [(e["what"], e["reason"]) for e in known] == [("alone:what", "a test")], known)
    check("an unknown word is refused", server.ask("POST", "/v1/edit", {"edits": [{"what": "alone:xqzyv"}]})[0] == 400)
    check("so is no edit", server.ask("POST", "/v1/edit", {"edits": []})[0] == 400)
film("pool", "update", "faq.pool", "--model", "faq.film")

with Server(FILM, "faq.pool") as server:
    load = Load(server, {"a": A, "b": B, "reasons": 1}, (old, new))
    writer = Writer(server)
    updates = []
    for model, wanted in (("other.film", new), ("faq.film", old), ("other.film", new)):
        lines = len(server.lines)
        done = film("pool", "update", "faq.pool", "--model", model)
        reloaded = until(lambda: any("reloaded" in line for line in server.lines[lines:]))
        status, answer, _ = server.ask("POST", "/v1/match", {"a": A, "b": B})
        updates.append((done.returncode, reloaded, answer["probability"] == wanted, done.stderr))
        answers, added = load.answers, writer.added
        until(lambda: load.answers > answers + 3 and writer.added > added or load.wrong or writer.wrong)
    load.end()
    writer.end()
    check("a served pool takes the new model by itself", all(u[:3] == (0, True, True) for u in updates), updates, server.lines)
    check(f"no match fails meanwhile ({load.answers} answered)", load.answers > 10 and not load.wrong, load.wrong[:3])
    check(f"no search and no addition either ({writer.added} added)", writer.added > 2 and not writer.wrong, writer.wrong[:3])
checked = film("pool", "check", "faq.pool", "--full")
check("every vector is that of the new model", checked.returncode == 0, checked.stdout)
after = film("pool", "export", "faq.pool").stdout.splitlines()
check("the sentences are still there", after[:len(before)] == before and len(after) == len(before) + writer.added)
check("and the label", "no\tcard-lost\tparcel-where" in film("pool", "export", "faq.pool", "--labels").stdout)
finish()
