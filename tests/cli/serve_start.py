"""Starts a server without a pool, sends it a table and asks what comes of it; prints TAP lines."""
import os
import subprocess
import sys

FILM, ROOT = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import Server, check, finish, undescribed, until  # noqa: E402

table = open("questions.csv").read()
rows = table.count("\n") - 1
two = "question,topic\n" + "".join(f"\"my card, number {i}, is lost\",faq\n" for i in range(5))


def send(server, path, body, kind="text/csv"):
    return server.ask("POST", path, body.encode(), {"Content-Type": kind}, raw=True)[:2]


def message(answer):
    return answer[0], answer[1]["error"]["message"]


def waited(server):
    until(lambda: server.ask("GET", "/v1/start")[1]["state"] != "building")
    return server.ask("GET", "/v1/start")[1]


with open("mine", "w") as file:
    file.write("precious")
os.symlink("mine", "faq.pool.table.csv")
with Server(FILM, "faq.pool", "--new") as server:
    check("no pool yet", server.ask("GET", "/v1/start")[1] == {"state": "waiting", "problem": None})
    model = server.ask("GET", "/v1/model")[1]
    check("and no model", model["model"] is None and model["pool"] is None and server.ask("GET", "/healthz")[0] == 200)
    check("other requests say what is missing", message(server.ask("POST", "/v1/match", {"a": "x", "b": "y"})[:2]) ==
          (409, "there is no pool yet; send a table to POST /v1/start"))
    check("and so do those about a pool", server.ask("GET", "/v1/review")[0] == 409 == server.ask("GET", "/v1/learn")[0])
    check("the page is there", "Start with a table" in server.ask("GET", "/")[1])
    check("a table is not JSON", message(server.ask("POST", "/v1/start", {})[:2])[0] == 415)
    status, told = send(server, "/v1/start/columns", table)
    check("columns are guessed", status == 200 and told["rows"] == rows and
          {one["name"]: one["use"] for one in told["columns"]} == {"number": "other", "question": "text", "category": "category"},
          told)
    check("with the first sentences", len(told["sentences"]) == 3 and told["sentences"][0] in table, told)
    told = send(server, "/v1/start/columns", two)[1]
    check("also with other names", told["rows"] == 5 and told["columns"][1] == {"name": "topic", "use": "other"}, told)
    bad = 'id,text\n1,hello\n2,"quo"te\n'
    check("a bad row is named by its line", message(send(server, "/v1/start/columns", bad)) ==
          (400, 'line 3: text after the closing quote of column 2; write a quote inside a quoted field twice (""); '
                'fix the row or skip bad rows'), send(server, "/v1/start/columns", bad))
    check("building is accepted", send(server, "/v1/start", bad)[0] == 202)
    told = waited(server)
    check("the table has no name that others can guess", open("mine").read() == "precious" and os.path.islink("faq.pool.table.csv"))
    os.remove("faq.pool.table.csv")
    check("and reports the line too", told["state"] == "waiting" and told["problem"].startswith("line 3: text after"), told)
    twice = "id,text\n1,I lost my card\n1,my card is lost\n2,my card\n"
    send(server, "/v1/start", twice)
    told = waited(server)
    check("an id twice is refused, and nothing is left", "line 3" in told["problem"] and
          [name for name in os.listdir() if name.startswith("faq.pool")] == [], told, os.listdir())
    check("a good table", send(server, "/v1/start", table)[0] == 202)
    told = waited(server)
    check("becomes the pool", told == {"state": "ready", "problem": None}, told)
    about = server.ask("GET", "/v1/model")[1]
    check("with a model without labels", about["pool"]["sentences"] == rows and about["model"]["figures"]["labels"] == "none",
          about)
    check("only the pool is left", sorted(name for name in os.listdir() if name.startswith("faq.pool") and
                                          not name.endswith(("-wal", "-shm"))) == ["faq.pool"], os.listdir())
    check("review goes on", len(server.ask("GET", "/v1/review")[1]["pairs"]) > 3)
    check("another table is refused", message(send(server, "/v1/start", table)) ==
          (409, "the server has a pool already; add sentences to it"))

with Server(FILM, "faq.pool", "--new") as server:
    check("after a restart the pool is there", server.ask("GET", "/v1/start")[1]["state"] == "ready")

ended = subprocess.Popen([FILM, "--version"], stdout=subprocess.DEVNULL)
ended.wait()  # a process that has ended, and one that runs
os.makedirs("other", 0o700)
left = [f"same.pool.part-{ended.pid}-abcdef", f"same.pool.part-{os.getpid()}-abcdef", "other", f"same.pool.part-{ended.pid}-linked"]
os.symlink("other", left[3])
for folder in left[:3]:
    os.makedirs(folder, exist_ok=True)
    for name in ("model.film", "pool", "pool-wal"):
        open(os.path.join(folder, name), "w").close()
if os.getuid() == 0:  # the folder of another user
    os.makedirs(f"same.pool.part-{ended.pid}-nobody")
    open(f"same.pool.part-{ended.pid}-nobody/file", "w").close()
    os.chown(f"same.pool.part-{ended.pid}-nobody", 65534, 65534)
made = subprocess.run([FILM, "pool", "create", "same.pool", "--from", "questions.csv", "-q"], capture_output=True, text=True)
check("the folder of an interrupted run is removed, with a message; those of a running one, of others and behind links stay",
      [os.path.exists(folder) and len(os.listdir(folder)) for folder in left] == [False, 3, 3, 3] and
      made.stderr == f"film: removed {left[0]} of an interrupted run\n" and
      (os.getuid() != 0 or os.path.exists(f"same.pool.part-{ended.pid}-nobody/file")), made.stderr, os.listdir())
lists = [subprocess.run([FILM, "pool", "list", pool], capture_output=True, text=True).stdout for pool in ("faq.pool", "same.pool")]
check("the command line makes the same pool", made.returncode == 0 and lists[0] == lists[1] != "", made.stderr)
again = subprocess.run([FILM, "pool", "create", "same.pool", "--from", "questions.csv", "-q"], capture_output=True, text=True)
check("and overwrites none", again.returncode == 3 and
      again.stderr == "film: same.pool exists already; remove it or choose another name\n", again.stderr)
check("every response is as described", not undescribed, undescribed[:3])
finish()
