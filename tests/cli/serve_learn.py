"""Learns while a pool is served and asked; prints TAP lines."""
import os
import signal
import sys

FILM, ROOT = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import Load, Server, check, finish, undescribed, until  # noqa: E402


def state(server):
    return server.ask("GET", "/v1/learn")[1]


def idle(server):
    until(lambda: state(server)["state"] == "idle")
    return state(server)


def present(told):
    return [model["id"] for model in told["models"] if model["in_service"]]


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()


# The child stops itself in the middle of writing its model (tests/lib/signal_at.c), so it cannot be done before it is looked at.
STOPPED = {"LD_PRELOAD": os.path.join(os.path.dirname(FILM), "tests", "signal_at.so"), "SIGNAL_AT_RAISE": str(int(signal.SIGSTOP)),
           "SIGNAL_AT_CALL": "write", "SIGNAL_AT_COUNT": "1", "SIGNAL_AT_PATH": "faq.pool.",
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}


def stopped_child(server):
    """Starts learning; the process that learns, once it has stopped."""
    server.ask("POST", "/v1/learn", {"force": True})

    def stops():
        return [child for child in children(server.process.pid)
                if open(f"/proc/{child}/stat").read().rsplit(")", 1)[1].split()[0] == "T"]
    until(stops)
    return stops()


# Sentences 3 i, 3 i + 1 and 3 i + 2 are the same question.
answers = [{"ids": [str(i), str(j)], "same": i // 3 == j // 3} for i in range(24) for j in (i + 1, i + 3) if j < 24]
body = {"a": "I lost my card", "b": "my card is gone", "reasons": 0}


class AnyOf:
    """The probability may change with the model; what matters is that there is one."""

    def __contains__(self, probability):
        return 0 <= probability <= 1


with Server(FILM, "faq.pool", "--learn-after", "0") as server:
    told = state(server)
    check("nothing learned yet", told["state"] == "idle" and told["after"] == 0 and told["last"] is None
          and len(told["models"]) == 1 and told["models"][0]["when"] is None, told)
    first = present(told)
    status, told, _ = server.ask("POST", "/v1/learn", {})
    check("learning is accepted", status == 202 and told["state"] == "learning", status, told)
    status, refused, headers = server.ask("POST", "/v1/learn", {})
    check("a second at the same time is refused", status == 409 and headers["Retry-After"] == "1"
          or state(server)["state"] == "idle", status, refused)
    told = idle(server)
    check("without labels it says why", told["problem"] == "faq.pool has no labels to learn from; review some pairs first",
          told)
    server.ask("POST", "/v1/labels", {"labels": answers})
    told = state(server)
    check("labels are counted and not learned by themselves", told["state"] == "idle" and told["new_labels"] == len(answers),
          told)
    load = Load(server, body, AnyOf(), pause=0.05)
    server.ask("POST", "/v1/learn", {"force": True})
    told = idle(server)
    second = present(told)
    check("the new model is in service", told["problem"] is None and told["last"]["taken"] and second != first
          and len(told["models"]) == 2 and told["new_labels"] == 0 and told["last"]["compared"] == len(answers), told)
    model = server.ask("GET", "/v1/model")[1]
    check("and answers requests", model["pool"]["model"]["checksum"] == second[0]
          and model["model"]["figures"]["rows"] == len(answers), model["model"]["figures"])
    server.ask("POST", "/v1/learn/restore", {})
    told = idle(server)
    check("the model before is restored", present(told) == first and told["problem"] is None, told)
    server.ask("POST", "/v1/learn/restore", {})
    check("and the other again", present(idle(server)) == second)
    rounds = 49 if os.environ.get("FILM_TEST_LONG") else 2
    for _ in range(rounds):
        for _ in (first, second):
            server.ask("POST", "/v1/learn/restore", {})
            idle(server)
    load.end()
    check(f"no request was lost in {3 + 2 * rounds} exchanges ({load.answers} requests)", load.answers > 0 and not load.wrong,
          load.wrong[:3])
    check("other methods are refused", server.ask("DELETE", "/v1/learn")[0] == 405)

with Server(FILM, "faq.pool", "--learn-after", "2") as server:
    check("enough labels are there already, but they were compared", state(server)["state"] == "idle")
    changed = [{"ids": [str(i), str(i + 7)], "same": False} for i in range(5)]
    server.ask("POST", "/v1/labels", {"labels": changed})
    labels = len(answers) + len(changed)
    check("after N new labels learning starts by itself", until(lambda: (state(server)["last"] or {})["labels"] == labels))
    told = idle(server)
    check("and does not start again", told["state"] == "idle" and told["new_labels"] == 0, told)

# Killed in the middle: the child ends with the server, labels and model stay.
with Server(FILM, "faq.pool", "--learn-after", "0", environment=STOPPED) as server:
    learning = stopped_child(server)
    server.stop(signal.SIGKILL)
    gone = until(lambda: not any(os.path.exists(f"/proc/{child}") for child in learning))
    check("kill -9 of the server ends the child", learning and gone, learning)

with Server(FILM, "faq.pool", environment=STOPPED) as server:
    told = state(server)
    check("nothing is lost, learning every 50 labels", told["labels"] == labels and len(present(told)) == 1
          and told["after"] == 50, told)
    learning = stopped_child(server)
    check("stopping does not wait for the child", server.stop() == 0
          and not any(os.path.exists(f"/proc/{child}") for child in learning))

with Server(FILM, "faq.pool", "--read-only") as server:
    check("read-only: no learning", server.ask("POST", "/v1/learn", {})[0] == 403 and state(server)["state"] == "idle")
check("every response is as described", not undescribed, undescribed[:3])
finish()
