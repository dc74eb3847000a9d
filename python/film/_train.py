"""film.train, film.evaluate, film.report: data as Python has it, options as the library names them.

A table goes to the library as a temporary file of JSON lines with the table's own column names, so
that columns and labels are recognised by the same code as those of files.
"""
import ctypes
import json
import os
from contextlib import contextmanager
from typing import Any, Dict, Iterable, Iterator, Optional, Tuple, Union

from . import _abi
from ._library import (C, Callbacks, Handle, check, data_file, is_frame, options, path_bytes,
                       rows_of, string, texts)
from ._model import Model
from ._progress import Bar

_FEATURES = {"word": 1, "bigram": 2, "char": 4}


def train(data: Any, y: Optional[Iterable] = None, *, columns: Optional[str] = None,
          dev: Any = None, operating: Optional[str] = None, features: Optional[str] = None,
          progress: Optional[bool] = None, **more: Any) -> Model:
    """Trains a model in seconds, on all cores.

    DATA is one of:

    - the path of a table, as `film train` takes it (a str is a path);
    - a list of pairs with Y their labels (0, 1 or scores), or of triples (a, b, label);
    - a list of sentences with Y their categories, or without Y, unlabelled;
    - a data frame (pandas, or anything with `__dataframe__`) or a list of dicts, whose columns are
      recognised by name (question1, question2, is_duplicate; text, category; ...) or named with
      COLUMNS ("a,b,label").

    DEV is a labelled table to choose the threshold on. OPERATING is "precision=0.95" and the like.
    FEATURES is "word,bigram,char" or some of these. All other options are those of
    film_train_options in film_train.h: method, dim, rank, seed, threads, stem, prior, ...
    As `film train` does, it uses the installed table of English words (language="": none).

    >>> model = film.train([("I lost my card", "my card is lost", 1),
    ...                     ("I lost my card", "when do you open?", 0)] * 200)
    >>> model.match("my card is lost", "I lost my card").same
    True
    """
    settings: Dict[str, Any] = dict(more)
    table = settings.pop("table", {})
    if columns is not None:
        table = {**table, "columns": columns}
    if operating is not None:
        criterion, _, target = operating.partition("=")
        settings["operating"] = {"criterion": criterion, "target": float(target) if target else None}
    if features is not None:
        settings["features"] = _feature_bits(features)
    settings.setdefault("language", data_file("english.words"))
    settings["language"] = settings["language"] or None
    callbacks = Callbacks()
    with _table(data, y, always_file=columns is not None) as (path, pairs), _table(dev) as (dev_path, dev_pairs):
        if dev_pairs is not None:
            raise TypeError("dev: give a path, a data frame or a list of dicts")
        struct = options(_abi.film_train_options, {"table": table or None, "dev": dev_path,
                                                   **settings})
        if pairs is not None:
            struct.pairs, struct.pair_count = pairs, len(pairs)
        out = ctypes.c_void_p()
        paths = (ctypes.c_char_p * 1)(path_bytes(path) if path else None)
        with Bar(progress) as bar:
            struct.progress = callbacks.progress(bar)
            try:
                callbacks.run(C.train, paths, 1 if path else 0, ctypes.byref(struct),
                              ctypes.byref(out))
            except BaseException:
                C.close(out)  # Ctrl-C after the last check of training: the model is complete
                raise
    return Model._of(Handle("model", out, C.close))


def evaluate(model: Model, data: Any, y: Optional[Iterable] = None, *,
             columns: Optional[str] = None, progress: Optional[bool] = None,
             **more: Any) -> Dict[str, Any]:
    """Measures a model on labelled data and returns the figures, as `film eval --json` prints them.

    DATA and Y are as for `film.train`. Other options are those of film_eval_options.

    >>> figures = film.evaluate(model, "heldout.tsv", bootstrap=0, no_knn=True)
    >>> 0.5 < figures["accuracy"] <= 1
    True
    """
    callbacks = Callbacks()
    table = {"columns": columns} if columns is not None else None
    result = _abi.film_eval_result(size=ctypes.sizeof(_abi.film_eval_result))
    with _table(data, y, always_file=True) as (path, _), Bar(progress) as bar:
        struct = options(_abi.film_eval_options, {"table": table, **more})
        struct.progress = callbacks.progress(bar)
        callbacks.run(C.eval, _handle(model), path_bytes(path), ctypes.byref(struct),
                      ctypes.byref(result))
    try:
        return json.loads(string(C.eval_json, ctypes.byref(result)))
    finally:
        C.eval_result_free(ctypes.byref(result))


def report(model: Model, path: Union[str, os.PathLike], *, eval: Any = None, train: Any = None,
           name: Optional[str] = None, progress: Optional[bool] = None, **more: Any) -> None:
    """Writes a report about a model as one HTML file.

    EVAL is labelled data to measure it on, TRAIN the data it was trained on.
    """
    callbacks = Callbacks()
    with _table(eval, always_file=True) as (eval_path, _), \
            _table(train, always_file=True) as (train_path, _), Bar(progress) as bar:
        struct = options(_abi.film_report_options, {"name": name, "eval": eval_path, **more})
        if train_path:
            struct.train = (ctypes.c_char_p * 1)(path_bytes(train_path))
            struct.train_count = 1
        struct.progress = callbacks.progress(bar)
        callbacks.run(C.report, _handle(model), ctypes.byref(struct), path_bytes(path))


def _handle(model):
    if not isinstance(model, Model):
        raise TypeError(f"model: expected a film.Model, got {type(model).__name__}")
    return model._model_handle


def _feature_bits(features: str) -> int:
    bits = 0
    for name in features.split(","):
        if name.strip() not in _FEATURES:
            raise ValueError(f"features: unknown group {name!r}; known: word, bigram, char")
        bits |= _FEATURES[name.strip()]
    return bits


# ---- data ---------------------------------------------------------------------------------------


@contextmanager
def _table(data, y=None, always_file=False) -> Iterator[Tuple[Optional[str], Any]]:
    """DATA as the path of a table, or as an array of labelled pairs, for one call."""
    if data is None or isinstance(data, (str, os.PathLike)):
        if y is not None:
            raise TypeError("y: a file has its labels in a column")
        yield (None if data is None else os.fspath(data)), None
        return
    rows = _rows(data, y)
    first = rows[0] if rows else None
    if first is None:
        raise ValueError("the data is empty")
    if not always_file and set(first) == {"a", "b", "label"} and \
            all(len(row) == 3 and row.get("label") in (0, 1) for row in rows):
        yield None, _pairs(rows)
        return
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False, default=_plain) + "\n")
        yield path, None


def _rows(data, y) -> list:
    """DATA as a list of dicts."""
    if is_frame(data) and y is not None:
        raise TypeError("y: a data frame has its labels in a column")
    rows = list(rows_of(data))
    if y is not None:
        labels = list(y)
        if len(labels) != len(rows):
            raise ValueError(f"{len(rows)} rows, but {len(labels)} labels")
        if rows and isinstance(rows[0], str):
            return [{"text": text, "category": str(label)} for text, label in zip(rows, labels)]
        return [{"a": a, "b": b, "label": _plain(label)} for (a, b), label in zip(rows, labels)]
    if not rows or isinstance(rows[0], dict):
        return rows
    if isinstance(rows[0], str):
        return [{"text": text} for text in rows]
    if len(rows[0]) != 3:
        raise TypeError("expected (a, b, label) for each row; give labels or categories with y")
    return [{"a": a, "b": b, "label": _plain(label)} for a, b, label in rows]


def _plain(value):
    """A number of NumPy or a bool as a number of Python."""
    return value.item() if hasattr(value, "item") else int(value) if value is True or \
        value is False else value


def _pairs(rows):
    pairs = (_abi.film_pair * len(rows))()
    first, second = texts(row["a"] for row in rows), texts(row["b"] for row in rows)
    for pair, a, b, row in zip(pairs, first, second, rows):
        pair.a, pair.b, pair.label = a, b, row["label"]
    pairs.kept = (first, second)
    return pairs
