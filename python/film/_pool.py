"""Pool: sentences in a file with a model, an index and labels; search, add, remove, deduplicate."""
import ctypes
import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from . import _abi
from ._library import (C, Callbacks, Handle, UsageError, c_string, check, file_of, forked,
                       open_pools, options, optional, path_bytes, pointer, read_sentence,
                       read_text, rows_of, string, text, texts)
from ._model import Model, _load_encoder, clusters_of
from ._progress import Bar
from ._verdict import Verdict

_FIELDS = ("category", "answer", "url")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a pool; the text of a record is a dict. `more` has the user's other fields."""

    id: str
    text: Union[str, Dict[str, str]]
    category: Optional[str] = None
    answer: Optional[str] = None
    url: Optional[str] = None
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """An answer of a search: the sentence, and the verdict about the query and the sentence."""

    sentence: Sentence
    verdict: Verdict
    score: float


class Pool:
    """A pool of sentences. Any number of threads and processes may use one, but a process that was
    forked while the pool was open cannot.

    >>> pool = film.Pool.create("faq.pool", "faq.film")
    >>> pool.add(["I lost my card", "when do you open?"])
    2
    >>> [found.sentence.text for found in pool.search("my card is lost", k=1)]
    ['I lost my card']
    """

    _pool_handle = Handle("pool")
    _model: Optional[Model] = None

    def __init__(self, path: Union[str, os.PathLike]):
        """Opens a pool: a file, or the URI of a pool in PostgreSQL."""
        C.set_encoder_loader(_load_encoder, None)
        path, here = c_string(path), (os.getpid(), file_of(path) or "a database")
        name = f"pool {os.fsdecode(path)}"
        for process, file in list(open_pools):
            if file == here[1] and process != here[0]:
                raise UsageError(forked(name, process))

        def free(address):
            C.pool_close(address)
            open_pools.remove(here)
        open_pools.append(here)  # before another thread can fork
        try:
            self._pool_handle = Handle(name, pointer(C.pool_open, path), free, process=here[0])
        except BaseException:
            open_pools.remove(here)
            raise
        self.__dict__.pop("_model", None)

    @classmethod
    def create(cls, path: Union[str, os.PathLike], model: Union[str, os.PathLike, Model]) -> "Pool":
        """Creates a pool with a copy of a model inside. An existing file is never overwritten."""
        if isinstance(model, Model):
            import tempfile
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "model.film")
                model.save(file)
                check(C.pool_create, path_bytes(path), path_bytes(file))
        else:
            check(C.pool_create, path_bytes(path), path_bytes(model))
        return cls(path)

    @property
    def model(self) -> Model:
        """The model of the pool."""
        if self._model is None:
            out = pointer(C.pool_model, self._pool_handle)
            return self.__dict__.setdefault(  # two threads that open it get the same one
                "_model", Model._of(Handle("model", out, owner=self._pool_handle)))
        return self._model

    # ---- sentences ------------------------------------------------------------------------------

    def add(self, sentences: Iterable[Union[str, dict, Sentence]], *, replace: bool = False) -> int:
        """Adds sentences, all or none, and returns how many were new or replaced.

        A sentence is a str, a Sentence, or a dict (a row of a frame) with `text` and maybe `id`,
        `category`, `answer`, `url`; other keys are stored too. Without an id, the id is a hash of
        the text.
        """
        rows = [_sentence(s) for s in rows_of(sentences)]
        array, kept = (_abi.film_sentence * len(rows))(), []
        for item, row in zip(array, rows):
            for name in ("id", "text", *_FIELDS):
                if row.get(name) is not None:
                    kept.append(text(row[name]))
                    setattr(item, name, kept[-1])
            if row["more"]:
                kept.append(text(json.dumps(row["more"], ensure_ascii=False)))
                item.more = kept[-1]
        added = _abi.film_pool_added(size=ctypes.sizeof(_abi.film_pool_added))
        settings = options(_abi.film_pool_add_options, {"replace": int(replace) or None})
        check(C.pool_add, self._pool_handle, array, len(rows), ctypes.byref(settings),
              ctypes.byref(added))
        return added.added + added.replaced

    def add_file(self, path: Union[str, os.PathLike], *, replace: bool = False,
                 columns: Optional[str] = None, progress: Optional[bool] = None) -> int:
        """Adds the rows of a table in batches and returns how many were new or replaced."""
        callbacks = Callbacks()
        settings = options(_abi.film_pool_add_options, {
            "replace": int(replace) or None, "table": {"columns": columns}})
        added = _abi.film_pool_added(size=ctypes.sizeof(_abi.film_pool_added))
        with Bar(progress) as bar:
            settings.progress = callbacks.progress(bar)
            callbacks.run(C.pool_add_files, self._pool_handle,
                          (ctypes.c_char_p * 1)(path_bytes(path)), 1, ctypes.byref(settings),
                          ctypes.byref(added))
        return added.added + added.replaced

    def remove(self, ids: Union[str, Iterable[str]], *, ignore_missing: bool = False) -> int:
        """Removes sentences with their labels, all or none, and returns how many."""
        array = texts([ids] if isinstance(ids, str) else ids)
        removed = ctypes.c_uint64()
        check(C.pool_remove, self._pool_handle, array, len(array), int(ignore_missing),
              ctypes.byref(removed))
        return removed.value

    def get(self, id: str) -> Optional[Sentence]:
        """The sentence with this id, or None."""
        found, callbacks = [], Callbacks()
        call = callbacks.wrap(_abi.film_sentence_fn, lambda user, s: found.append(_read(s[0])))
        return found[0] if callbacks.run(C.pool_get, self._pool_handle, text(id), call, None) \
            else None

    def __len__(self) -> int:
        return self.describe()["sentences"]

    def __iter__(self) -> Iterator[Sentence]:
        """All sentences, in the order in which they were added, as they are now."""
        found: List[Sentence] = []
        callbacks = Callbacks()
        call = callbacks.wrap(_abi.film_sentence_fn, lambda user, s: found.append(_read(s[0])))
        callbacks.run(C.pool_list, self._pool_handle, None, call, None)
        return iter(found)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.get(id) is not None

    # ---- searching ------------------------------------------------------------------------------

    def search(self, query: Union[str, dict], k: int = 10, **more: Any) -> List[Found]:
        """The K sentences most likely to mean the same as QUERY, the best first.

        WHERE is a dict of fields that must have these values; LEAST is the smallest probability;
        EXPLAIN adds reasons; PRIOR is the share of queries with an answer.
        """
        return self.search_many([query], k, **more)[0]

    def search_many(self, queries: Iterable[Union[str, dict]], k: int = 10, *,
                    where: Optional[Dict[str, str]] = None, least: Optional[float] = None,
                    explain: bool = False, prior: Optional[float] = None, threads: int = 0,
                    progress: Optional[bool] = None) -> List[List[Found]]:
        """The same for many queries in parallel: one list of answers per query."""
        rows = list(rows_of(queries))
        array, callbacks = texts(rows), Callbacks()
        answers: List[List[Found]] = [[] for _ in rows]
        conditions = [(text(name), text(value)) for name, value in (where or {}).items()]
        settings = options(_abi.film_search_options, {
            "k": k, "least": least, "explain": int(explain) or None,
            "answer": {"prior": prior, "threads": threads}})
        settings.where = (_abi.film_pool_where * len(conditions))(*conditions)
        settings.where_count = len(conditions)

        def on_found(user, found):
            f = found[0]
            sentence = _read(f.sentence)
            verdict = self.model._verdict(rows[f.query], sentence.text, f.verdict)
            answers[f.query].append(Found(sentence, verdict, f.score))
        call = callbacks.wrap(_abi.film_found_fn, on_found)
        self.model  # loaded before C holds a snapshot
        with Bar(progress) as bar:
            settings.progress = callbacks.progress(bar)
            callbacks.run(C.pool_search_many, self._pool_handle, array, len(rows),
                          ctypes.byref(settings), call, None)
        return answers

    # ---- labels and duplicates ------------------------------------------------------------------

    def label(self, a: str, b: str, same: bool, *, origin: Optional[str] = None) -> None:
        """Labels the sentences with ids A and B. A new label of a pair replaces the old one."""
        check(C.pool_label, self._pool_handle, text(a), text(b), int(same),
              c_string(origin) if origin else None)

    def labels(self) -> List[Tuple[str, str, bool]]:
        """All labels: the ids of two sentences, and whether they mean the same."""
        found: List[Tuple[str, str, bool]] = []
        callbacks = Callbacks()
        call = callbacks.wrap(_abi.film_label_fn, lambda user, r: found.append(
            (read_text(r[0].a), read_text(r[0].b), bool(r[0].same))))
        callbacks.run(C.pool_labels, self._pool_handle, call, None)
        return found

    def dedup(self, *, threshold: Optional[float] = None, prior: Optional[float] = None,
              progress: Optional[bool] = None, **more: Any) -> List[List[str]]:
        """Clusters of sentences that mean the same, as ids, the most typical sentence first."""
        return clusters_of(
            lambda settings, run: run(C.pool_dedup, self._pool_handle, settings, None),
            lambda member: read_text(member.record.id), progress,
            {"threshold": threshold, "answer": {"prior": prior}, **more})

    # ---- the pool itself ------------------------------------------------------------------------

    def describe(self) -> Dict[str, Any]:
        """Numbers of sentences, labels and clusters, and the model's checksum."""
        return json.loads(string(C.pool_describe_json, self._pool_handle))

    def export(self, path: Union[str, os.PathLike]) -> int:
        """Writes all sentences as TSV, CSV or JSON lines, by the name of the file."""
        written = ctypes.c_uint64()
        check(C.pool_export, self._pool_handle, path_bytes(path), _abi.FILM_FORMAT_AUTO, None,
              ctypes.byref(written))
        return written.value

    def close(self) -> None:
        """Closes the pool. Calls of other threads finish; the last of them closes the file."""
        self._pool_handle.close()

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __reduce__(self):
        raise TypeError("a pool cannot be copied or pickled; open it again with film.Pool(path)")


def _sentence(value) -> Dict[str, Any]:
    if isinstance(value, str):
        return {"text": value, "more": None}
    row = dict(vars(value)) if isinstance(value, Sentence) else dict(value)
    if not isinstance(row.get("text"), (str, dict)):
        raise TypeError("a sentence needs a text: a str, or a dict with the key 'text'")
    known = {name: row.pop(name, None) for name in ("id", "text", *_FIELDS)}
    more = {**(row.pop("more", None) or {}), **row}
    return {**known, "more": more}


def _read(s) -> Sentence:
    more = optional(s.more)
    return Sentence(read_text(s.id), read_sentence(s.text), optional(s.category), optional(s.answer),
                    optional(s.url), json.loads(more) if more else {})
