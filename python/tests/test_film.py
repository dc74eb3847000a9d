"""Tests of the Python package, against the C headers, the program and plain Python.

Run by tests/e2e/python.sh: FAQ is the folder of the example, FILM the program. With TAP set, results
are printed as TAP lines.
"""
import copy
import ctypes
import doctest
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy

import film
from film import _abi, _progress

FAQ = pathlib.Path(os.environ["FAQ"])
PROGRAM = os.environ["FILM"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
CARD = ("I lost my card", "what if my card is lost?")
MODEL = None


def heldout():
    with open(FAQ / "heldout.tsv", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return [(row[1], row[2], int(row[0])) for row in rows if row[0] in "01"]


def setUpModule():
    global MODEL
    folder = tempfile.mkdtemp()
    unittest.addModuleCleanup(lambda: __import__("shutil").rmtree(folder))
    os.chdir(folder)
    with open(FAQ / "train.tsv", encoding="utf-8") as file:
        lines = file.readlines()
    with open("third.tsv", "w", encoding="utf-8") as file:
        file.writelines(lines[:1] + lines[1::3])
    MODEL = film.train("third.tsv")
    MODEL.save("faq.film")


class Layout(unittest.TestCase):
    """The structs of _abi are those of the headers, by the C compiler's own sizes and offsets."""

    def test_generated(self):
        subprocess.run([sys.executable, ROOT / "python" / "generate", "--check"], check=True)

    def test_offsets(self):
        structs = [getattr(_abi, name) for name, kind in _abi.TYPES.items()
                   if not isinstance(kind, str)]
        lines, ours = [], []
        for struct in structs:
            name = struct.__name__
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            ours.append(f"{name} {ctypes.sizeof(struct)}")
            for field, _ in struct._fields_:
                lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
                ours.append(f"{name}.{field} {getattr(struct, field).offset}")
        source = "#include <stdio.h>\n#include <film_explain.h>\n#include <film_pool.h>\n" \
                 "#include <film_train.h>\nint main(void) {" + "\n".join(lines) + "return 0;}"
        subprocess.run(["cc", "-xc", "-", "-I", ROOT / "include", "-o", "offsets"],
                       input=source.encode(), check=True)
        theirs = subprocess.run(["./offsets"], capture_output=True, check=True, text=True).stdout
        self.assertGreater(len(structs), 30)
        self.assertEqual("\n".join(ours), theirs.strip())

    def test_every_function_exists(self):
        for name in _abi.FUNCTIONS:
            getattr(film._C, name[len("film_"):])



class Records(unittest.TestCase):
    """Records as dicts, against the program."""

    @classmethod
    def setUpClass(cls):
        subprocess.run([sys.executable, ROOT / "tests" / "cli" / "records.py"], check=True)
        cls.model = film.train("train.jsonl")
        cls.model.save("shop.film")
        cls.a = {"title": "Canon camera ABC-123X", "brand": "Canon", "price": 100.5,
                 "released": None}
        cls.b = {"title": "canon ABC-123X", "brand": float("nan"), "price": "101"}

    def test_match_and_explain(self):
        out = subprocess.run(
            [PROGRAM, "explain", "shop.film", "--pair", json.dumps(self.a),
             json.dumps({**self.b, "brand": None}), "--json"],
            check=True, capture_output=True, text=True)
        wanted = json.loads(out.stdout)
        verdict = self.model.match(self.a, self.b)
        self.assertEqual(verdict.probability, wanted["probability"])
        why = verdict.explain()
        self.assertEqual([f["weight"] for f in why.fields], [f["weight"] for f in wanted["fields"]])
        self.assertTrue(why.reversals)
        edited = why.reversals[0]
        self.assertNotEqual(self.model.match(edited["a"], edited["b"]).same, verdict.same)
        self.assertIn("price", str(why))
        self.assertIn("<i>title</i>", why._repr_html_())
        self.assertNotIn("\x1e", why._repr_html_())
        many = self.model.match_many([(self.a, self.b), (self.b, self.a)])
        self.assertEqual(many.probability[0], verdict.probability)

    def test_unknown_fields(self):
        with self.assertRaisesRegex(film.BadInputError, 'unknown field "name"; fields of the model: '
                                    'title, brand, price, released'):
            self.model.match({"name": "Canon"}, self.a)
        with self.assertRaisesRegex(film.BadInputError, 'unknown field "name"'):
            self.model.match_many([(self.a, self.b), (self.a, {"title": "Canon", "name": "x"})])
        with self.assertRaisesRegex(film.BadInputError, "the record has no value"):
            self.model.match_many([(self.a, self.b), ({"title": None}, self.b)])

    def test_pool(self):
        with film.Pool.create("shop.pool", self.model) as pool:
            pool.add([{"id": "1", "text": self.a}, {"id": "2", "text": {"title": "Sony lens"}}])
            found = pool.search({"title": "Canon camera ABC-123X"}, 1)[0]
            self.assertEqual((found.sentence.id, found.sentence.text["brand"]), ("1", "Canon"))


class Matching(unittest.TestCase):
    def test_same_as_the_program(self):
        """Probabilities are those of `film predict`, to the last digit that it prints."""
        pairs = [(a, b) for a, b, _ in heldout()]
        with open("pairs.jsonl", "w", encoding="utf-8") as file:
            for a, b in pairs:
                file.write(json.dumps({"a": a, "b": b}) + "\n")
        out = subprocess.run([PROGRAM, "predict", "faq.film", "pairs.jsonl", "-o", "-"],
                             capture_output=True, text=True, check=True).stdout
        printed = [line.split("\t")[0] for line in out.splitlines()]
        printed = [p for p in printed if p[0].isdigit()]
        ours = [f"{p:.9g}" for p in MODEL.match_many(pairs).probability]
        self.assertEqual(printed, ours)

    def test_one_and_many_agree_to_the_bit(self):
        pairs = [(a, b) for a, b, _ in heldout()[:100]]
        many = MODEL.match_many(pairs)
        ones = [MODEL.match(a, b, reasons=0) for a, b in pairs]
        self.assertEqual([v.probability for v in ones], list(many.probability))
        self.assertEqual([v.same for v in ones], list(many.same))
        self.assertEqual(many[3], ones[3])
        self.assertEqual(len(many[2:5]), 3)

    def test_reasons_add_up(self):
        verdict = MODEL.match(*CARD, reasons=None)
        self.assertAlmostEqual(verdict.bias + sum(r.weight for r in verdict.reasons),
                               verdict.log_odds, places=9)
        self.assertAlmostEqual(1 / (1 + numpy.exp(-verdict.log_odds)), verdict.probability)
        self.assertEqual(len(MODEL.match(*CARD, reasons=3).reasons), 3)
        self.assertEqual(MODEL.match(*CARD, reasons=0).reasons, [])

    def test_prior_shifts_the_log_odds(self):
        half, rare = MODEL.match(*CARD), MODEL.match(*CARD, prior=0.1)
        self.assertAlmostEqual(half.log_odds - rare.log_odds, numpy.log(0.9 / 0.1), places=9)

    def test_accuracy(self):
        rows = heldout()
        right = numpy.mean(MODEL.match_many([r[:2] for r in rows]).same
                           == [r[2] for r in rows])
        figures = film.evaluate(MODEL, rows, bootstrap=0, no_knn=True)
        self.assertAlmostEqual(figures["accuracy"], right, places=9)

    def test_empty_and_unknown(self):
        self.assertEqual(len(MODEL.match_many([]).probability), 0)
        self.assertEqual(MODEL.encode([]).shape, (0, MODEL.dim))
        self.assertFalse(MODEL.encode("\u5341\u5341").any())
        with self.assertRaises(TypeError):
            MODEL.match("a", None)
        with self.assertRaises(film.BadInputError):
            MODEL.match("a", "\ud800")

    def test_encode(self):
        texts = [a for a, _, _ in heldout()[:20]]
        vectors = MODEL.encode(texts, normalize_embeddings=True)
        numpy.testing.assert_allclose(numpy.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
        numpy.testing.assert_array_equal(MODEL.encode(texts[3]), MODEL.encode(texts)[3])
        verdict = MODEL.match(texts[0], texts[1])
        self.assertAlmostEqual(float(vectors[0] @ vectors[1]), verdict.similarity, places=4)

    def test_threads_share_a_model(self):
        wanted = MODEL.match(*CARD).probability
        got = []
        workers = [threading.Thread(target=lambda: got.extend(
            MODEL.match(*CARD).probability for _ in range(50))) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(set(got), {wanted})
        self.assertEqual(len(got), 200)

    def test_pickle(self):
        for duplicate in (copy.copy(MODEL), pickle.loads(pickle.dumps(MODEL))):
            self.assertEqual(duplicate.match(*CARD), MODEL.match(*CARD))

    def test_closed(self):
        model = film.Model("faq.film")
        model.match(*CARD)
        model.close()
        model.close()
        self.assertIn("closed", repr(model))
        with self.assertRaisesRegex(ValueError, "closed"):
            model.match(*CARD)

    def test_html(self):
        html = MODEL.match("I lost <b>my</b> card & key", CARD[1])._repr_html_()
        self.assertIn("&lt;", html)
        self.assertIn("&amp;", html)
        self.assertNotIn("<b>my", html)
        self.assertIn("probability", html)
        self.assertNotIn("http", html)


class Training(unittest.TestCase):
    def test_same_model_from_file_frame_and_list(self):
        rows = [line.split("\t") for line in
                (FAQ / "train.tsv").read_text("utf-8").splitlines()[1:400]]
        rows = [(r[1], r[2], int(r[0])) for r in rows if r[0] in "01"]

        class Frame:  # what a pandas frame shows
            def __dataframe__(self):
                raise AssertionError("to_dict is enough")

            def to_dict(self, orient):
                assert orient == "records"
                return [{"question1": a, "question2": b, "is_duplicate": label}
                        for a, b, label in rows]
        models = [film.train(rows), film.train([r[:2] for r in rows], [r[2] for r in rows]),
                  film.train(Frame())]
        probabilities = {m.match(*CARD).probability for m in models}
        self.assertEqual(len(probabilities), 1)

    def test_same_model_as_the_program(self):
        subprocess.run([PROGRAM, "train", "third.tsv", "-q", "-o", "third.film"], check=True)
        self.assertEqual(pathlib.Path("third.film").read_bytes(),
                         pathlib.Path("faq.film").read_bytes())

    def test_frames(self):
        """A frame is its rows, with pandas, or with anything that has __dataframe__ and to_dict."""
        try:
            from pandas import DataFrame
        except ImportError:
            class DataFrame:
                def __init__(self, columns):
                    self.columns = list(columns)
                    self.rows = [dict(zip(columns, row)) for row in zip(*columns.values())]

                def __iter__(self):
                    return iter(self.columns)

                def to_dict(self, orient):
                    return self.rows
        a, b = ["I lost my card", "opening hours?"], ["my card is lost", "I lost my card"]
        pairs = DataFrame({"question1": a, "question2": b})
        self.assertEqual(list(MODEL.match_many(pairs).probability),
                         list(MODEL.match_many(zip(a, b)).probability))
        if hasattr(pairs, "__dataframe__"):
            class Interchange:  # all that a library other than pandas has to offer
                __dataframe__ = staticmethod(pairs.__dataframe__)
            self.assertEqual(list(MODEL.match_many(Interchange()).probability),
                             list(MODEL.match_many(pairs).probability))
        with self.assertRaisesRegex(ValueError, "two columns"):
            MODEL.match_many(DataFrame({"a": a, "b": b, "label": [1, 0]}))
        pool = film.Pool.create("frame.pool", MODEL)
        self.assertEqual(pool.add(DataFrame({"text": a, "category": ["card", float("nan")]})), 2)
        self.assertEqual({s.text: s.category for s in pool}, {a[0]: "card", a[1]: None})
        labelled = DataFrame({"question1": a * 200, "question2": b * 200,
                              "is_duplicate": [1, 0] * 200, "note": [float("nan"), "x"] * 200})
        model, same = film.train(labelled), film.train(zip(a * 200, b * 200), [1, 0] * 200)
        self.assertEqual(model.match(*CARD).probability, same.match(*CARD).probability)

    def test_categories_and_sentences(self):
        texts = ["my card is lost", "I lost my card", "card gone", "when do you open?",
                 "opening hours", "are you open today?"] * 5
        model = film.train(texts, ["card"] * 3 + ["hours"] * 3 + (["card"] * 3 + ["hours"] * 3) * 4)
        self.assertGreater(model.dim, 0)
        self.assertGreater(film.train(texts, dim=3).dim, 0)

    def test_errors(self):
        with self.assertRaisesRegex(film.FileError, "no.such"):
            film.train("no.such")
        with self.assertRaisesRegex(TypeError, "unknown option colour"):
            film.train([("a", "b", 1)], colour=1)
        with self.assertRaisesRegex(ValueError, "unknown value 'magic'"):
            film.train([("a", "b", 1)], method="magic")
        with self.assertRaisesRegex(TypeError, "unknown option user"):  # a pointer
            MODEL.dedup(["a", "b"], user=1)
        with self.assertRaisesRegex(film.UsageError, "option table.skip_bad: 4294967296 is out"):
            film.train([("a", "b", 1)], table={"skip_bad": 2**32})
        with self.assertRaisesRegex(film.UsageError, 'columns: unknown name "c"'):
            film.train([("a", "b", 1)], columns="a,b,c")
        with self.assertRaisesRegex(TypeError, "option table.columns: expected str"):
            film.train([("a", "b", 1)], columns=["a", "b", "label"])
        with self.assertRaisesRegex(film.UsageError, "NUL"):
            film.Model("faq.film\0")
        with self.assertRaisesRegex(TypeError, "expected a film.Model, got str"):
            film.evaluate("faq.film", [("a", "b", 1)])
        with self.assertRaisesRegex(ValueError, "3 rows, but 1 labels"):
            film.train(["a", "b", "c"], ["x"])
        with self.assertRaises(film.BadInputError):
            with open("bad.tsv", "w", encoding="utf-8") as file:
                file.write("label\ta\tb\nmaybe\tx\ty\n")
            film.train("bad.tsv", columns="label,a,b")

    def test_interrupt(self):
        """Ctrl-C while C works reaches Python as KeyboardInterrupt, and the next call works."""
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored

        def interrupt():
            os.kill(os.getpid(), signal.SIGINT)

        def interrupt_c():
            """As Ctrl-C comes: while C runs. The handler is then run at the entry of a callback."""
            if not sent:
                main, sent[:] = threading.main_thread().ident, [True]

                def wait_and_interrupt():
                    while sys._current_frames()[main].f_code.co_name != "check":
                        time.sleep(0)
                    interrupt()
                threading.Thread(target=wait_and_interrupt).start()
        update, sent = _progress.Bar.update, []
        for send in (interrupt, interrupt_c):
            _progress.Bar.update = lambda self, *rest: send()
            try:
                with self.assertRaises(KeyboardInterrupt):
                    film.train(FAQ / "train.tsv")
            finally:
                _progress.Bar.update = update
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        self.assertTrue(MODEL.match(*CARD).same)

    def test_report(self):
        film.report(MODEL, "report.html", eval=FAQ / "heldout.tsv", name="FAQ")
        self.assertIn("<html", pathlib.Path("report.html").read_text("utf-8"))


class Pools(unittest.TestCase):
    def test_life(self):
        with film.Pool.create("life.pool", MODEL) as pool:
            self.assertEqual(pool.add([
                {"id": "1", "text": "I lost my card", "category": "card", "shelf": 4},
                {"id": "2", "text": "when do you open?", "category": "hours"},
                film.Sentence("3", "my card is lost")]), 3)
            self.assertEqual(len(pool), 3)
            self.assertEqual([s.id for s in pool], ["1", "2", "3"])
            self.assertEqual(pool.get("1").more, {"shelf": 4})
            self.assertIsNone(pool.get("9"))
            self.assertIn("2", pool)
            best = pool.search("my card is lost", k=1, explain=True)[0]
            self.assertEqual(best.sentence.id, "3")
            self.assertTrue(best.verdict.reasons)
            only = pool.search("my card is lost", where={"category": "hours"})
            self.assertEqual([f.sentence.id for f in only], ["2"])
            self.assertEqual(pool.dedup(), [["1", "3"]] if pool.dedup()[0][0] == "1"
                             else [["3", "1"]])
            pool.label("1", "2", False)
            self.assertEqual(pool.labels(), [("1", "2", False)])
            self.assertEqual(pool.model.match(*CARD), MODEL.match(*CARD))
            self.assertEqual(pool.remove("2"), 1)
            with self.assertRaises(film.BadInputError):
                pool.remove("2")
            self.assertEqual(pool.export("life.jsonl"), 2)
        with self.assertRaisesRegex(ValueError, "closed"):
            len(pool)
        for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "open it again with film.Pool"):
                duplicate(pool)
        self.assertEqual(film.Pool.create("again.pool", "faq.film").add_file("life.jsonl"), 2)

    def test_search_many_is_search(self):
        texts = [a for a, _, _ in heldout()[:50]]
        with film.Pool.create("many.pool", MODEL) as pool:
            pool.add(texts)
            many = pool.search_many(texts[:5], k=3)
            for query, answers in zip(texts, many):
                self.assertEqual(answers, pool.search(query, k=3))
                self.assertEqual(answers[0].sentence.text, query)


class ScikitLearn(unittest.TestCase):
    def setUp(self):
        from film.sklearn import FilmPairClassifier, FilmVectorizer
        self.classifier, self.vectorizer = FilmPairClassifier, FilmVectorizer
        rows = heldout()[::3]
        self.X, self.y = [r[:2] for r in rows], [r[2] for r in rows]

    def test_classifier(self):
        from sklearn.base import clone
        from sklearn.model_selection import GridSearchCV, cross_val_score
        fitted = self.classifier(dim=20).fit(self.X, ["yes" if y else "no" for y in self.y])
        self.assertEqual(set(fitted.predict(self.X)), {"yes", "no"})
        probability = fitted.predict_proba(self.X)
        numpy.testing.assert_allclose(probability.sum(axis=1), 1)
        again = pickle.loads(pickle.dumps(fitted))
        numpy.testing.assert_array_equal(again.predict_proba(self.X), probability)
        self.assertEqual(clone(fitted).get_params(), fitted.get_params())
        scores = cross_val_score(self.classifier(dim=20), self.X, self.y, cv=2)
        self.assertEqual(len(scores), 2)
        grid = GridSearchCV(self.classifier(), {"dim": [10, 20]}, cv=2).fit(self.X, self.y)
        self.assertIn(grid.best_params_["dim"], (10, 20))

    def test_vectorizer(self):
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        texts = [a for a, _ in self.X]
        labels = [len(text) > 40 for text in texts]
        pipeline = make_pipeline(self.vectorizer(dim=10), LogisticRegression())
        self.assertGreater(pipeline.fit(texts, labels).score(texts, labels), 0.5)
        names = pipeline[0].get_feature_names_out()
        self.assertEqual(len(names), pipeline[0].transform(texts[:1]).shape[1])

    # Checks of check_estimator that fit numbers, which are no pairs of texts. scikit-learn itself
    # skips every check for estimators of texts (the tag X_types).
    NUMBERS = """check_classifier_data_not_an_array check_classifiers_classes check_classifiers_one_label
        check_classifiers_train check_dict_unchanged check_dont_overwrite_parameters
        check_estimator_sparse_data check_estimators_dtypes check_estimators_fit_returns_self
        check_estimators_overwrite_params check_estimators_pickle check_fit2d_1feature
        check_fit2d_1sample check_fit_check_is_fitted check_fit_idempotent check_fit_score_takes_y
        check_methods_sample_order_invariance check_methods_subset_invariance
        check_pipeline_consistency""".split()

    def test_checks_of_scikit_learn(self):
        from sklearn.utils import estimator_checks as checks

        class Judge(self.classifier):
            def _more_tags(self):
                return {**super()._more_tags(), "X_types": ["2darray"]}
        passed = set()
        for estimator, check in checks.check_estimator(Judge(), generate_only=True):
            name = getattr(check, "func", check).__name__
            if name not in self.NUMBERS:
                check(estimator)
                passed.add(name)
        self.assertIn("check_estimators_unfitted", passed)
        for check in (checks.check_no_attributes_set_in_init, checks.check_get_params_invariance,
                      checks.check_set_params, checks.check_parameters_default_constructible):
            check("FilmVectorizer", self.vectorizer())

    def test_bad_pairs(self):
        with self.assertRaisesRegex(ValueError, "pairs of texts"):
            self.classifier().fit([("a", 1)], [1])


class Package(unittest.TestCase):
    def test_import_is_light(self):
        """NumPy, the pool and training are loaded at their first use."""
        code = "import sys, film; print('numpy' in sys.modules, sorted(film._library._loaded))"
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                             check=True).stdout
        self.assertEqual(out.strip(), "False ['film']")

    def test_version(self):
        self.assertIn(film.__version__,
                      subprocess.run([PROGRAM, "--version"], capture_output=True,
                                     text=True).stdout)

    def test_docstrings(self):
        from film import _model, _pool, _train, sklearn
        names = {"film": film, "model": MODEL}
        with open("heldout.tsv", "w", encoding="utf-8") as file:
            file.write((FAQ / "heldout.tsv").read_text("utf-8"))
        tried = 0
        for module in (_model, _pool, _train, sklearn):
            result = doctest.testmod(module, extraglobs=names)
            self.assertEqual(result.failed, 0, module)
            tried += result.attempted
        self.assertGreater(tried, 10)


class TapResult(unittest.TestResult):
    """Prints a line per test, as the project's other tests do."""

    def startTest(self, test):
        super().startTest(test)
        self.fine = True

    def _fail(self, test, err):
        self.fine = False
        print(f"not ok {self.testsRun} - {test}")
        print("# " + self._exc_info_to_string(err, test).replace("\n", "\n# "))

    def addError(self, test, err):
        super().addError(test, err)
        self._fail(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._fail(test, err)

    def addSuccess(self, test):
        print(f"ok {self.testsRun} - {test.id().split('.', 1)[1]}", flush=True)


if __name__ == "__main__":
    result = TapResult()
    unittest.defaultTestLoader.loadTestsFromName("__main__").run(result)
    print(f"1..{result.testsRun}")
    sys.exit(not result.wasSuccessful())
