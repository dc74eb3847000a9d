"""A pool in PostgreSQL beside one in an SQLite file, and what its users may do; called by shared_pool.sh in a folder with
faq.film, beside an empty database "answers"."""
import json
import os
import re
import subprocess
import sys

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import serving  # noqa: E402
from serving import check, undescribed  # noqa: E402
from sharing import Database, Place  # noqa: E402
from twins import Twins  # noqa: E402

SANITIZED = b"__asan_init" in open(FILM, "rb").read()  # then less of the same
PASSWORD = os.environ["PGTEST_PASSWORD"]
database = Database("answers")
QUESTIONS = "questions.tsv"
told = []  # everything that any program printed, to look for the password in


# ---- the same answers ----

def same(twins, name):
    check(f"{name}: as from a file ({twins.calls} calls)", twins.calls and not twins.differences, *twins.differences[:4])
    twins.differences.clear()
    twins.calls = 0


def answers(twins):
    code, _, problem = twins.ask("pool", "create", "POOL", "--model", "faq.film")
    same(twins, "create")
    if code or twins.last[0]:
        serving.finish()
    twins.ask("pool", "create", "POOL", "--model", "faq.film")
    check("a pool that is there is not made again", twins.last[0] == 2 or twins.last[0] == 3, twins.last)
    twins.differences.clear()  # "is there" of a file and of a database are different words
    twins.ask("pool", "list", "POOL")
    twins.ask("search", "POOL", "anything", "--json")
    same(twins, "an empty pool")
    twins.ask("pool", "add", "POOL", QUESTIONS, "--batch", "30", "--progress-lines")
    twins.ask("pool", "add", "POOL", QUESTIONS)
    twins.ask("pool", "add", "POOL", QUESTIONS, "--json")
    twins.ask("pool", "add", "POOL", "-", "--json", text=b"plain lines\n\nplain lines\nanother line\n")
    rows = [{"qid": 7, "question": "how do I\npay?", "price": 3.8, "tags": ["a", {"b": None}], "answer": "With, \"money\"",
             "url": "http://x"},
            {"qid": 9, "question": "na\u00efve \u6771\u4eac", "big": 0.12345678901234568, "flag": True, "id": "own"}]
    twins.ask("pool", "add", "POOL", "-", "--input-format", "jsonl", text="".join(json.dumps(r) + "\n" for r in rows).encode())
    same(twins, "add")
    twins.ask("pool", "add", "POOL", "-", "--batch", "2", "--progress-lines",
              text=b"id\ttext\nx1\tone\nx2\ttwo\nx1\tuno\nx3\tthree\n")
    twins.ask("pool", "add", "POOL", "-", text=b"id\ttext\nx1\tuno\n")
    twins.ask("pool", "add", "POOL", "-", "--replace",
              text=b"id\ttext\tcategory\nx1\tuno\tn\nx4\tquattro\tn\nx1\tuna\tm\nx4\tquattro\tn\n")
    twins.ask("pool", "add", "POOL", "-", text=b"id\ttext\nx5\t\n")
    twins.ask("pool", "add", "POOL", "-", "--skip-bad", text=b"id\ttext\nx5\t\nx6\tsix\n")
    same(twins, "conflicts, replacements, bad rows")
    if not SANITIZED:
        reading(twins, "after adding")
    twins.ask("pool", "label", "POOL", "card-lost", "card-stolen", "same")
    twins.ask("pool", "label", "POOL", "card-lost", "badge-lost", "different", "--json")
    twins.ask("pool", "label", "POOL", "card-lost", "nobody", "same")
    open("labels.tsv", "w").write("same\tid_a\tid_b\ttext_a\ttext_b\nno\tparcel-where\tx6\tx\ty\nyes\tx1\tx4\tx\ty\n")
    twins.ask("pool", "label", "POOL", "--from", "labels.tsv", "--json")
    twins.ask("pool", "label", "POOL", "card-lost", "badge-lost", "none", "--json")
    twins.ask("pool", "clusters", "POOL", "same", "parcel-where", "badge-lost", "--json")
    twins.ask("pool", "clusters", "POOL", "split", "badge-lost", "--json")
    twins.ask("pool", "remove", "POOL", "x2", "card-stolen")
    twins.ask("pool", "remove", "POOL", "x1", "nobody")
    twins.ask("pool", "remove", "POOL", "-", "--ignore-missing", "--json", text=b"x6\nnobody\n")
    same(twins, "labels and removals")
    reading(twins, "after removing")


def reading(twins, name):
    twins.ask("pool", "list", "POOL")
    twins.ask("pool", "list", "POOL", "--json")
    twins.ask("pool", "list", "POOL", "--where", "category=bank-card", "--limit", "3")
    twins.ask("pool", "list", "POOL", "--where", "flag=true", "--json")
    twins.ask("pool", "list", "POOL", "--where", "no-such-field=1")
    for kind in ("csv", "jsonl", "tsv"):
        twins.ask("pool", "export", "POOL", "--format", kind)
    same(twins, f"list and export {name}")
    queries = "".join(line.split("\t")[1] + "?\n" for line in open(QUESTIONS).readlines()[1:40:5]).encode()
    twins.ask("search", "POOL", "what if my card is lost?", "-k", "5", "--explain")
    twins.ask("search", "POOL", "-", "--json", "-k", "10", text=queries)
    twins.ask("search", "POOL", "-", "--json", "--where", "category=bank-card", text=queries)
    same(twins, f"search {name}")
    twins.ask("dedup", "POOL")
    twins.ask("dedup", "POOL", "--threshold", "0.5", "--pairs", "--json")
    twins.ask("dedup", "POOL", "--review", "5", "-o", "review.tsv")
    same(twins, f"dedup {name}")
    twins.ask("pool", "check", "POOL", "--full")
    twins.ask("pool", "check", "POOL", "--json")
    same(twins, f"check {name}")


def many(twins):
    """Enough for an index that is kept beside the pool, or beside the copy."""
    rows = "".join(f"m{i}\tquestion {i * 7919 % 5000} about {['cards', 'parcels', 'badges'][i % 3]}\n" for i in range(5000))
    twins.ask("pool", "add", "POOL", "-", "--columns", "id,text", text=rows.encode())
    twins.ask("search", "POOL", "-", "--json", "-k", "5", text=b"question 17 about cards\nmy parcel 99\n")
    twins.ask("pool", "remove", "POOL", "-", "-q", text="\n".join(f"m{i}" for i in range(0, 5000, 2)).encode())
    twins.ask("search", "POOL", "-", "--json", "-k", "5", text=b"question 17 about cards\nmy parcel 99\n")
    twins.ask("pool", "remove", "POOL", "-", "-q", text="\n".join(f"m{i}" for i in range(1, 5000, 2)).encode())
    twins.ask("pool", "check", "POOL")
    same(twins, "5000 sentences more, and half of them")


def another_machine(twins):
    """A new replica, made of the database alone, answers as the one that saw every change."""
    first, second = Place(FILM, "first", twins.pools[1]), Place(FILM, "second", twins.pools[1])
    for words in (["pool", "export", "--format", "jsonl"], ["search", "where is my card?", "--json"],
                  ["dedup", "--threshold", "0.6"], ["pool", "check", "--full"]):
        at = 2 if words[0] == "pool" else 1
        command = [*words[:at], twins.pools[1], *words[at:]]
        file = twins.one(twins.pools[0], ["POOL" if w == twins.pools[1] else w for w in command])[1]
        outputs = [place.program(*command).stdout for place in (first, second)]
        check(f"film {' '.join(words[:at])} on two other machines: as from a file", all(o.encode() == file for o in outputs),
              file[:300], outputs[0][:300])
    trained = [twins.one(pool, ["train", "--pool", "POOL", "--method", "svd", "--rank", "4", "--seed", "1", "-q", "-o",
                                f"from{i}.film"]) for i, pool in enumerate(twins.pools)]
    check("film train --pool: as from a file", trained[0] == trained[1]
          and (trained[0][0] != 0 or open("from0.film", "rb").read() == open("from1.film", "rb").read()), *trained)


# ---- who may do what ----

def program(*words, password=PASSWORD, text=None, cache="cache-roles"):
    environment = {k: v for k, v in os.environ.items() if k != "PGPASSFILE"}
    environment.update(XDG_CACHE_HOME=os.path.abspath(cache), PGPASSWORD=password)
    done = subprocess.run([FILM, *words], capture_output=True, text=True, timeout=300, env=environment, input=text)
    told.append(done.stdout + done.stderr)
    return done


def one_line(done, code, *pieces):
    """Refused with this code and one line that has the pieces."""
    told = done.stderr
    return (done.returncode == code and told.count("\n") == 1 and told.startswith("film")
            and all(re.search(piece, told, re.I) for piece in pieces))


def make_role(name, *rights):
    database.sql(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
    for right in rights:
        database.sql(right)


def writes(uri):
    return {"add": ["pool", "add", uri, "few.tsv"], "add --replace": ["pool", "add", uri, "few.tsv", "--replace"],
            "remove": ["pool", "remove", uri, "card-lost"],
            "label": ["pool", "label", uri, "card-lost", "badge-lost", "same"],
            "label --from": ["pool", "label", uri, "--from", "few-labels.tsv"]}


def readers():
    make_role("reader", "GRANT USAGE ON SCHEMA film TO reader", "GRANT SELECT ON ALL TABLES IN SCHEMA film TO reader")
    uri, owner = database.uri(user="reader"), database.uri()
    for words in (["pool", "list", "--limit", "3"], ["search", "where is my card?"], ["pool", "export", "--format", "jsonl"],
                  ["dedup"], ["pool", "check"]):
        at = 2 if words[0] == "pool" else 1
        done, wanted = (program(*words[:at], u, *words[at:], cache=f"cache-{who}")
                        for who, u in (("reader", uri), ("owner", owner)))
        check(f"a reader may {' '.join(words[:at])}", done.returncode == 0 and done.stdout == wanted.stdout, done.stderr,
              done.stdout[:200])
    before = database.sql("SELECT count(*), max(change), md5(string_agg(text, ',' ORDER BY number)) FROM film.sentence")
    for name, words in writes(uri).items():
        done = program(*words, cache="cache-reader")
        check(f"a reader may not {name}", one_line(done, 3, "reader|right|permission|write"), done.returncode, done.stderr)
        print("# " + done.stderr.strip())
    done = program("pool", "check", uri, "--repair", cache="cache-reader")
    print(f"# check --repair by a reader: exit code {done.returncode} {done.stderr.strip()}")
    place = Place(FILM, "reader", uri, "--log", "requests.log", "--log-text")
    place.start(PGPASSWORD=PASSWORD, PGPASSFILE="/dev/null")
    line = open(f"/proc/{place.server.process.pid}/cmdline").read()
    check("the server's command line has no password", PASSWORD not in line, line)
    asked = [place.ask("POST", "/v1/search", {"q": "where is my card?", "k": 2}), place.ask("GET", "/v1/model"),
             place.ask("GET", "/metrics")]
    check("a reader's server answers", [a[0] for a in asked] == [200] * 3, asked)
    refused = [place.ask("POST", "/v1/pool", {"sentences": [{"id": "never", "text": "x"}]}),
               place.ask("DELETE", "/v1/pool", {"ids": ["card-lost"]})]
    check("and refuses changes with 403 and a message",
          all(status == 403 and re.search("right|permission|write", answer["error"]["message"]) for status, answer in refused),
          *refused)
    place.stop()
    told.extend([place.output, json.dumps(asked), json.dumps(refused), open("requests.log").read()])
    after = database.sql("SELECT count(*), max(change), md5(string_agg(text, ',' ORDER BY number)) FROM film.sentence")
    check("nothing has changed", before == after, before, after)


def strangers():
    make_role("stranger")
    done = program("pool", "list", database.uri(user="stranger"), cache="cache-stranger")
    check("who has no right at all is told so", one_line(done, 3, "stranger|right|permission"), done.returncode, done.stderr)
    done = program("pool", "create", database.uri(user="reader").replace("/answers", "/empty"), "--model", "faq.film",
                   cache="cache-reader")
    check("who may not create is told so", one_line(done, 3, "reader|right|permission|create"), done.returncode, done.stderr)


def addresses():
    uri = database.uri()
    cases = [("a wrong password", [uri], "wrong-" + PASSWORD, ["password|authentication"]),
             ("an unknown database", [uri.replace("/answers", "/nowhere")], PASSWORD, ["nowhere"]),
             ("an unknown user", [uri.replace("owner@", "nobody@")], PASSWORD, ["nobody|password|authentication"]),
             ("TLS required but not offered", [uri + "?sslmode=require"], PASSWORD, ["SSL|TLS"]),
             ("nobody listens", [uri.replace(f":{database.port}/", ":1/")], PASSWORD, ["refused|reach"]),
             ("a database without a pool", [uri.replace("/answers", "/empty")], PASSWORD, ["pool create|no pool|not a pool"])]
    for name, (address,), password, pieces in cases:
        for words in (["pool", "list", address], ["pool", "add", address, "few.tsv"], ["search", address, "x"],
                      ["dedup", address], ["serve", address, "--listen", "127.0.0.1:0"])[::4 if SANITIZED else 1]:
            done = program(*words, password=password, cache="cache-addresses")
            if not one_line(done, 2 if "pool" in pieces[0] else 3, *pieces):
                check(f"{name}: film {words[0]} says so", False, done.returncode, done.stderr)
                break
        else:
            check(f"{name}: is said", True)
        print("# " + done.stderr.strip())
    for address in (uri.replace("owner@", f"owner:{PASSWORD}@"), uri + f"?password={PASSWORD}",
                    uri.replace("postgresql:", "postgres:").replace("owner@", f"owner:{PASSWORD}@")):
        for words in (["pool", "list", address], ["pool", "create", address, "--model", "faq.film"], ["serve", address],
                      ["search", address, "x"], ["dedup", address])[::4 if SANITIZED else 1]:
            done = program(*words)
            if not one_line(done, 1, "password", "PGPASSWORD|pgpass"):
                check(f"a password in the address is refused: film {' '.join(words[:2])[:12]}", False, done.returncode,
                      done.stderr.replace(PASSWORD, "****"))
                break
        else:
            check("a password in the address is refused, and where it belongs is said", True)


def leaks():
    found = [text for text in told if PASSWORD in text]
    check(f"the password is in none of {len(told)} outputs, answers and logs", not found,
          *[f.replace(PASSWORD, "****")[:300] for f in found[:3]])
    kept = subprocess.run(["grep", "-rlaF", "--exclude=pgpass", PASSWORD, "."], capture_output=True, text=True).stdout
    check("nor in any file written", not kept, kept)
    modes = [(name, oct(os.stat(os.path.join(folder, name)).st_mode & 0o77)) for folder, _, names in os.walk("cache-reader")
             for name in names]
    check("replicas can be read by their user alone", modes and all(mode == "0o0" for _, mode in modes), modes)


def main():
    open("few.tsv", "w").write("id\ttext\nfew-1\tone of few\ncard-lost\tanother text\n")
    open("few-labels.tsv", "w").write("same\tid_a\tid_b\ttext_a\ttext_b\nno\tparcel-where\tcard-lost\tx\ty\n")
    database.sql("CREATE DATABASE empty OWNER owner")
    twins = Twins(FILM, "answers.pool", database.uri())
    answers(twins)
    if not SANITIZED:
        many(twins)
    another_machine(twins)
    readers()
    strangers()
    addresses()
    leaks()
    check("every answer is as the OpenAPI file describes it", not undescribed, *undescribed[:5])
    serving.finish()


main()
