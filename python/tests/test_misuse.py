"""Misuse of the Python package: no calls crash or hang, and no acknowledged row is lost.

Run by tests/e2e/python_misuse.sh. Every case is a function that runs in a process of its own, so
that a crash is a status of a process. Classes, methods and options are found by introspection:
what is added to the package is called here too.
"""
import copy
import faulthandler
import functools
import gc
import inspect
import itertools
import math
import multiprocessing
import os
import pickle
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ProcessPoolExecutor

import film
from film import _progress, sklearn

CARD = ("I lost my card", "what if my card is lost?")
PAIRS = [(*CARD, 1), (CARD[0], "when do you open?", 0)] * 20
LIMIT = 300  # seconds, only against a hang


# ---- objects ------------------------------------------------------------------------------------


@functools.lru_cache(None)
def fitted(kind):
    labelled = [pair[:2] for pair in PAIRS], [0, 1] * 20
    return pickle.dumps(kind(dim=2).fit(
        *(labelled if kind is sklearn.FilmPairClassifier else [CARD * 20])))


# How to make an object of each class, in a folder with faq.film and faq.pool.
MAKE = {
    film.Model: lambda: film.Model("faq.film"),
    film.Pool: lambda: film.Pool("faq.pool"),
    film.Matches: lambda: film.Model("faq.film").match_many([CARD, CARD]),
    film.Verdict: lambda: film.Model("faq.film").match(*CARD),
    film.Reason: lambda: film.Model("faq.film").match(*CARD).reasons[0],
    film.Explanation: lambda: film.Model("faq.film").explain(*CARD),
    film.Sentence: lambda: film.Sentence("1", "a"),
    film.Found: lambda: film.Pool("faq.pool").search(CARD[0], 1)[0],
    sklearn.FilmPairClassifier: lambda: pickle.loads(fitted(sklearn.FilmPairClassifier)),
    sklearn.FilmVectorizer: lambda: pickle.loads(fitted(sklearn.FilmVectorizer)),
}


def closed(make):
    subject = make()
    subject.close()
    return subject


def copied_from_closed(make):
    original = make()
    subject = copy.copy(original)
    if hasattr(original, "close"):
        original.close()
    del original
    gc.collect()
    return subject


def failed(make):
    subject = object.__new__(type(make()))
    for value in odd_values():
        attempt("__init__", lambda: subject.__init__(value))
    return subject


def made_twice(make):
    subject = make()
    for value in ("faq.film", "faq.pool"):
        attempt("__init__", lambda: subject.__init__(value))
    return subject


def of_a_closed_pool(make):
    with MAKE[film.Pool]() as pool:
        return {film.Model: pool.model, film.Pool: pool,
                film.Found: pool.search(CARD[0], 1)[0]}.get(type(make()))


# The states that an object can be in. A state that an object refuses, as a copy of a pool, or that
# its class does not have, is an exception or None.
STATES = {
    "open": lambda make: make(), "closed": closed, "copied": lambda make: copy.copy(make()),
    "deeply copied": lambda make: copy.deepcopy(make()),
    "pickled": lambda make: pickle.loads(pickle.dumps(make())),
    "copied from closed": copied_from_closed,
    "half-built": lambda make: object.__new__(type(make())), "failed": failed,
    "made twice": made_twice, "of a closed pool": of_a_closed_pool,
}


# ---- calls --------------------------------------------------------------------------------------


def odd_values():
    """Values for any argument; those up to the seventh also for any option, the first four also for
    objects in any state."""
    loop = {"text": "a"}
    loop["more"] = loop
    return [None, -1, 2**63, "a\0b", {}, [None], math.nan, True, 0, 2**31, 2**200, 0.5, -math.inf,
            "", "a", "\ud800", "\x1ea\x1fb", b"\xff", "x" * 2000, [], ["a"], [CARD], [[]],
            {"text": None}, {"a": {"b": object()}}, loop, object(), print, film.Model("faq.film"),
            film.Pool("faq.pool"), film.Model.__new__(film.Model), film.Pool.__new__(film.Pool)]


# Valid arguments by name, or by the name of a method and the name; "a" for all others.
VALID = {
    "a": CARD[0], "b": CARD[1], "sentences": list(CARD), "pairs": [CARD], "queries": list(CARD),
    "path": "out.tsv", "id": "1", "same": True, "data": PAIRS, "k": 1, "index": 0, "X": [CARD] * 20,
    "y": [0, 1] * 10, "model": MAKE[film.Model], "Model.link.a": list(CARD),
    "Model.link.b": list(CARD), "Model.__init__.path": "faq.film", "Pool.__init__.path": "faq.pool",
    "Pool.create.path": "new.pool", "Pool.create.model": "faq.film",
    "Pool.add_file.path": "rows.tsv", "train.y": None, "evaluate.y": None,
}


def methods(kind):
    """The names of what KIND defines for its users, with properties and special methods."""
    found = {name for base in kind.__mro__ if base.__module__.startswith("film.")
             for name, value in vars(base).items()
             if callable(value) or isinstance(value, (property, classmethod, staticmethod))}
    return sorted(name for name in found if not re.match("_(?!_|repr_html_)", name))


class Enough(Exception):
    """Ends a call that an odd value makes long, after a number of progress reports."""


def count_reports(bar, *rest):
    bar.reports = getattr(bar, "reports", 0) + 1
    if bar.reports > 10000:
        raise Enough


def attempt(what, call):
    """The result of CALL, or its exception. WHAT is the last line of the output if it crashes."""
    print(what[:300], flush=True)
    try:
        return call()
    except Exception as error:
        return error


def shown(arguments):
    return ", ".join(f"{name}={value!r:.60}" for name, value in arguments.items())


def options_of(call, arguments, path=()):
    """The options of CALL, each as a function from its value to keywords. The message about an
    unknown option lists those that are known, and so for the options inside of an option."""
    def keywords(name, value):
        for outer in (name, *reversed(path)):
            value = {outer: value}
        return value
    error = attempt("options", lambda: call(**arguments, **keywords("no such option", 1)))
    known = re.search("unknown option.*known: (.*)", str(error))
    for name in known[1].split(", ") if known else ():
        yield functools.partial(keywords, name)
        yield from options_of(call, arguments, (*path, name))


def call_in_every_way(label, call, odd):
    """Calls CALL with valid arguments, and with each value of ODD for each argument and option."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):  # a method that is not written in Python
        parameters = []
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    needed = {p.name: VALID.get(f"{label}.{p.name}", VALID.get(p.name, "a"))
              for p in named if p.default is p.empty}
    needed = {name: value() if callable(value) else value for name, value in needed.items()}

    def one(**arguments):
        attempt(f"{label}({shown(arguments)})", lambda: call(**arguments))
    one()
    one(**needed)
    for value in odd:
        attempt(f"{label}({value!r:.60})", lambda: call(value))
        attempt(f"{label}({value!r:.60}, the same)", lambda: call(value, value))
        for p in named:
            one(**{**needed, p.name: value})
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        for keywords in list(options_of(call, needed)):
            for value in odd[1:7]:
                one(**{**needed, **keywords(value)})


def use(kind, name, subject, odd):
    label = f"{kind.__name__}.{name}"
    method = attempt(label, lambda: getattr(subject, name))
    if callable(method):
        call_in_every_way(label, method, odd)


# ---- cases --------------------------------------------------------------------------------------


def every_method():
    """Every method of every class, on objects in every state."""
    odd = odd_values()
    for kind, state in itertools.product(MAKE, STATES):
        for name in methods(kind):
            subject = attempt(f"{kind.__name__}, {state}", lambda: STATES[state](MAKE[kind]))
            if isinstance(subject, kind):
                use(kind, name, subject, odd if state == "open" else odd[:4])
            else:
                assert state != "open", subject


def every_method_after_a_fork():
    """In a child, on objects of its parent, which are then used in the parent."""
    subjects = [(kind, name, MAKE[kind]()) for kind in MAKE for name in methods(kind)]
    odd, child = odd_values(), os.fork()
    for subject in subjects if child == 0 else ():
        use(*subject, odd[:4])
    if child:
        assert os.waitpid(child, 0)[1] == 0
        for subject in subjects:
            use(*subject, odd[:1])


def every_function():
    for name in film.__all__:
        if inspect.isfunction(getattr(film, name)):
            call_in_every_way(name, getattr(film, name), odd_values())


def a_thread_closes_what_others_use():
    for turn in range(20):
        model, pool, begun = film.Model("faq.film"), film.Pool.create(f"{turn}.pool", "faq.film"), \
            threading.Semaphore(0)
        added, wrong = [], []

        def repeat(step):
            try:
                for number in itertools.count():
                    step(number)
                    begun.release()
            except ValueError as error:
                if "closed" not in str(error):
                    wrong.append(error)
        steps = [lambda n: model.match(*CARD), lambda n: model.match_many([CARD] * 9),
                 lambda n: model.encode(CARD), lambda n: model.explain(*CARD), lambda n: list(pool),
                 lambda n: pool.search(CARD[0]), lambda n: pool.model.match(*CARD),
                 lambda n: added.append(pool.add([f"{n}"]))]
        threads = [threading.Thread(target=repeat, args=(step,)) for step in steps]
        for thread in threads:
            thread.start()
        for _ in range(3 * len(threads)):
            begun.acquire()
        model.close()
        pool.close()
        for thread in threads:
            thread.join()
        assert not wrong, wrong
        assert not os.path.exists(f"{turn}.pool-wal")  # the last call has closed the file
        assert len(film.Pool(f"{turn}.pool")) == len(added), added


def rows_after_a_fork(pool_of_child):
    """Every row that a process was told is stored is there, though the parent closes the pool."""
    pool = film.Pool.create("fork.pool", "faq.film")
    pool.add(["before"])
    reports, written = os.pipe()
    closed, go_on = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go_on)
        try:
            inherited = pool_of_child(pool)
            for number in range(20):
                inherited.add([f"{number}"])
                os.write(written, b"x")
                if number == 10:
                    os.write(written, b"half")
                    os.read(closed, 1)
        except film.UsageError as error:
            assert "before it forked" in str(error), error
        os._exit(0)  # as a worker of multiprocessing ends
    os.close(written)
    said = b""
    while b"half" not in said:
        more = os.read(reports, 1)
        said += more
        if not more:
            break
    pool.add(["after"])
    pool.close()
    os.close(go_on)
    while (more := os.read(reports, 100)):
        said += more
    assert os.waitpid(child, 0)[1] == 0
    assert len(film.Pool("fork.pool")) == 2 + said.count(b"x"), said


def rows_that_an_inherited_pool_adds():
    rows_after_a_fork(lambda pool: pool)


def rows_that_a_pool_opened_again_adds():
    rows_after_a_fork(lambda pool: film.Pool("fork.pool"))


def rows_of_a_pool_that_other_calls_take_for_a_file():
    """Closing a descriptor of a file drops the locks of SQLite, so such calls are refused."""
    pool = film.Pool("faq.pool")
    pool.add(["before"])
    os.symlink("faq.pool", "link.pool")
    for call in (film.Model, film.train, pool.add_file, pool.export, pool.model.save,
                 lambda path: film.Pool.create("new.pool", path),
                 lambda path: film.evaluate(pool.model, path),
                 lambda path: film.report(pool.model, "out.html", eval=path)):
        refused = attempt(str(call), lambda: call("link.pool"))
        assert isinstance(refused, film.UsageError) and "close it first" in str(refused), refused
    code = "import film; film.Pool('faq.pool').add(['of another process'])"
    subprocess.run([sys.executable, "-c", code], check=True)
    pool.add(["after"])
    pool.close()
    assert len(film.Pool("faq.pool")) == 5


SHARED = {}


def match(_):
    return SHARED["model"].match(*CARD).probability


def train(_):
    return film.train(PAIRS).match(*CARD).probability


def search(_):
    return len(SHARED["pool"].search(CARD[0]))


def open_and_search(_):
    with film.Pool("faq.pool") as pool:
        return len(pool.search(CARD[0]))


def workers_of_multiprocessing():
    """Forked workers use a model of their parent and train as it did; an open pool refuses."""
    SHARED.update(model=film.train(PAIRS), pool=film.Pool("faq.pool"))
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as workers:
        expected = {match(None)}
        assert set(workers.map(match, range(8))) == expected
        assert set(workers.map(train, range(4))) == expected
        for step in (search, open_and_search):
            refused = workers.submit(step, None).exception()
            assert isinstance(refused, film.UsageError) and "spawn" in str(refused), refused
    assert search(None) == 2
    SHARED["pool"].close()
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as workers:
        assert set(workers.map(open_and_search, range(4))) == {2}


CASES = {case.__name__: case for case in (
    every_method, every_method_after_a_fork, every_function, a_thread_closes_what_others_use,
    rows_that_an_inherited_pool_adds, rows_that_a_pool_opened_again_adds,
    rows_of_a_pool_that_other_calls_take_for_a_file, workers_of_multiprocessing)}


class Misuse(unittest.TestCase):
    """One test per case."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        model, pool = (os.path.join(cls.folder, name) for name in ("faq.film", "faq.pool"))
        film.train(PAIRS).save(model)
        with film.Pool.create(pool, model) as pool:
            pool.add(CARD)
            pool.export(os.path.join(cls.folder, "rows.tsv"))

    def run_case(self, name):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(self.folder, folder, dirs_exist_ok=True)
            done = subprocess.run([sys.executable, os.path.abspath(__file__), name], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace")
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])

    def test_every_class_is_called(self):
        known = [getattr(film, name) for name in film.__all__] + list(vars(sklearn).values())
        self.assertEqual(set(MAKE), {
            kind for kind in known if isinstance(kind, type) and kind.__module__.startswith("film.")
            and not issubclass(kind, Exception)})


for name in CASES:
    setattr(Misuse, f"test_{name}", functools.partialmethod(Misuse.run_case, name))

if __name__ == "__main__" and len(sys.argv) > 1:
    faulthandler.enable()
    faulthandler.register(signal.SIGALRM, chain=True)
    signal.alarm(LIMIT)
    os.register_at_fork(after_in_child=functools.partial(signal.alarm, LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))  # a huge count is refused, not met
    _progress.Bar.update = count_reports
    CASES[sys.argv[1]]()
elif __name__ == "__main__":
    from test_film import TapResult
    result = TapResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Misuse).run(result)
    print(f"1..{result.testsRun}")
    sys.exit(not result.wasSuccessful())
