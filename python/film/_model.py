"""Model: match pairs, encode sentences, explain, find duplicates in a list, link two lists."""
import ctypes
import json
import os
from contextlib import contextmanager
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _abi
from ._library import (C, Callbacks, Handle, check, is_frame, library, options, path_bytes, pointer,
                       read, rows_of, string, text, texts)
from ._progress import Bar
from ._verdict import Explanation, Reason, Verdict

Text = Union[str, Dict[str, Any]]  # a sentence, or a record
_CHUNK = 65536  # pairs per call of the library; Ctrl-C is served between two calls


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _load_encoder(user):
    """Loads libfilm-train when a model with a BERT encoder is opened."""
    try:
        library("train")
        C.train_register()
    except ImportError:
        pass  # film_open then reports which library the model needs


class Model:
    """A trained model: a file, or what `film.train` returns. Any number of threads may use it, and
    processes that were forked after it was opened.

    >>> model = film.Model("faq.film")
    >>> model.match("I lost my card", "what if my card is lost?").same
    True
    """

    _model_handle = Handle("model")

    def __init__(self, path: Union[str, os.PathLike]):
        """Opens a model file."""
        C.set_encoder_loader(_load_encoder, None)
        self._model_handle = Handle("model", pointer(C.open, path_bytes(path)), C.close)

    @classmethod
    def _of(cls, handle: Handle) -> "Model":
        """The model of an open handle."""
        model = cls.__new__(cls)
        model._model_handle = handle
        return model

    # ---- verdicts -------------------------------------------------------------------------------

    def match(self, a: Text, b: Text, *, reasons: Optional[int] = 10,
              prior: Optional[float] = None, decision: str = "auto") -> Verdict:
        """Decides whether two sentences mean the same, or two records: dicts of fields.

        REASONS is the number of reasons to return, the strongest first; None returns all of them,
        which add up to the log-odds with the bias. PRIOR is the share of pairs that mean the same.

        >>> verdict = model.match("I lost my card", "opening hours?")
        >>> verdict.same, round(verdict.probability) == 0, len(verdict.reasons) <= 10
        (False, True, True)
        """
        verdict = _abi.film_verdict()
        with self._context({"decision": decision, "prior": prior,
                            "no_reasons": 1 if reasons == 0 else None,
                            "most_reasons": reasons or None}) as context:
            check(C.match, context, self._text(a), self._text(b), ctypes.byref(verdict))
            return self._verdict(a, b, verdict)

    def match_many(self, pairs: Iterable[Sequence[Text]], *, prior: Optional[float] = None,
                   decision: str = "auto", threads: int = 0) -> "Matches":
        """Decides about many pairs in parallel, without reasons. A data frame has two columns.

        >>> matches = model.match_many([("I lost my card", "my card is lost"), ("hi", "bye")])
        >>> [verdict.same for verdict in matches]
        [True, False]
        >>> matches.probability.shape
        (2,)
        """
        if is_frame(pairs):
            pairs = [row.values() for row in rows_of(pairs)]
        try:
            pairs = [(a, b) for a, b in pairs]
        except ValueError:
            raise ValueError("expected pairs (a, b), or a data frame of two columns") from None
        self._check_records(value for pair in pairs for value in pair)
        settings = options(_abi.film_answer_options,
                           {"prior": prior, "decision": decision, "threads": threads})
        verdicts = (_abi.film_verdict * len(pairs))()
        for start in range(0, len(pairs), _CHUNK):
            some = pairs[start:start + _CHUNK]
            at = ctypes.byref(verdicts, start * ctypes.sizeof(_abi.film_verdict))
            check(C.match_batch, self._model_handle, texts(a for a, _ in some),
                  texts(b for _, b in some), len(some), ctypes.byref(settings),
                  ctypes.cast(at, ctypes.POINTER(_abi.film_verdict)))
        return Matches(self, pairs, verdicts)

    def explain(self, a: Text, b: Text) -> Explanation:
        """Explains a verdict by words and readable groups. A notebook shows it in colours.

        >>> model.explain("I lost my card", "what if my card is lost?").words[0]["text"]
        'I'
        """
        result = _abi.film_explanation(size=ctypes.sizeof(_abi.film_explanation))
        with self._context({}) as context:
            first, second = self._text(a), self._text(b)
            check(C.explain_pair, context, first, second, ctypes.byref(result))
            check(C.explain_reversals, context, 0, ctypes.byref(result))
            out = string(C.explanation_json, ctypes.byref(result), 10, before_error=(None,))
            return Explanation(out, self._verdict(a, b, result.verdict))

    def _text(self, value):
        """A sentence or record; a record must have the model's fields."""
        result = text(value)
        if isinstance(value, dict):
            check(C.record_check, self._model_handle, result)
        return result

    def _check_records(self, values):
        """Records must have the model's fields; each set of fields is checked once."""
        known = set()
        for value in values:
            if isinstance(value, dict):
                names = frozenset(name for name, x in value.items()
                                  if x is not None and x == x and x != "")
                if names not in known:
                    self._text(value)
                    known.add(names)

    def _verdict(self, a, b, verdict) -> Verdict:
        reasons = [_reason(verdict.reasons[i]) for i in range(verdict.reason_count)]
        return Verdict(a, b, verdict.probability, bool(verdict.same), verdict.similarity,
                       verdict.log_odds, verdict.bias, reasons, self)

    # ---- vectors --------------------------------------------------------------------------------

    @property
    def dim(self) -> int:
        """The length of a sentence vector; 0 for a model of features alone."""
        with self._model_handle as address:
            return C.dim(address)

    def encode(self, sentences: Union[str, Iterable[str]], *, normalize_embeddings: bool = False,
               threads: int = 0, **ignored: Any):
        """The vectors of sentences as a NumPy array, one row each; one row for a single str.

        The signature is that of sentence-transformers. Its options about batches, devices and
        progress have no effect here: the library runs on all cores.

        >>> model.encode(["I lost my card", "opening hours?"]).shape == (2, model.dim)
        True
        """
        import numpy
        unknown = set(ignored) - {"batch_size", "show_progress_bar", "device", "output_value",
                                  "convert_to_numpy", "convert_to_tensor", "precision"}
        if unknown or ignored.get("convert_to_tensor"):
            raise TypeError("encode: unknown option " + ", ".join(unknown or ["convert_to_tensor"]))
        single = isinstance(sentences, str)
        rows = [sentences] if single else list(rows_of(sentences))
        out = numpy.zeros((len(rows), self.dim), numpy.float32)
        check(C.embed_batch, self._model_handle, texts(rows), len(rows), threads,
              out.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))
        if normalize_embeddings:
            length = numpy.linalg.norm(out, axis=1, keepdims=True)
            out /= numpy.where(length > 0, length, 1)
        return out[0] if single else out

    # ---- lists ----------------------------------------------------------------------------------

    def dedup(self, sentences: Iterable[str], *, threshold: Optional[float] = None,
              prior: Optional[float] = None, progress: Optional[bool] = None,
              **more: Any) -> List[List[int]]:
        """Finds duplicates in a list: clusters of positions, the most typical sentence first.

        >>> model.dedup(["I lost my card", "opening hours?", "my card is lost"])
        [[0, 2]]
        """
        rows = texts(sentences)
        records = (_abi.film_record * len(rows))()
        for record, row in zip(records, rows):
            record.text = row
        return clusters_of(
            lambda settings, run: run(C.dedup, self._model_handle, records, len(rows), settings, None),
            lambda member: member.at, progress,
            {"threshold": threshold, "answer": {"prior": prior}, **more})

    def link(self, a: Iterable[str], b: Iterable[str], *, threshold: Optional[float] = None,
             prior: Optional[float] = None, most: Optional[int] = None, unique: bool = False,
             progress: Optional[bool] = None) -> List[Tuple[int, int, float]]:
        """Finds for each sentence of A those of B that mean the same: (i, j, probability).

        >>> [(i, j) for i, j, p in model.link(["my card is lost"], ["hours?", "I lost my card"])]
        [(0, 1)]
        """
        sides, found, callbacks = [], [], Callbacks()
        for rows in (texts(a), texts(b)):
            records = (_abi.film_record * len(rows))()
            for record, row in zip(records, rows):
                record.text = row
            sides += [records, len(rows)]
            callbacks.kept.append(rows)
        settings = options(_abi.film_link_options, {
            "threshold": threshold, "most": most, "unique": int(unique), "answer": {"prior": prior}})

        def on_match(user, match):
            if match[0].b != ctypes.c_size_t(-1).value:
                found.append((match[0].a, match[0].b, match[0].probability))
        settings.match = callbacks.wrap(_abi.film_link_fn, on_match)
        with Bar(progress) as bar:
            settings.progress = callbacks.progress(bar)
            callbacks.run(C.link, self._model_handle, *sides, ctypes.byref(settings), None)
        return found

    # ---- the model itself -----------------------------------------------------------------------

    def describe(self) -> Dict[str, Any]:
        """Settings, sizes and training figures."""
        return json.loads(string(C.describe, self._model_handle))

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the model to a file. The file is always complete, the old one or the new one."""
        check(C.save, self._model_handle, path_bytes(path))

    def close(self) -> None:
        """Frees the model when no other thread uses it. Using it afterwards is an error."""
        self._model_handle.close()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            return f"<film.Model, dim {self.dim}>"
        except ValueError as error:
            return f"<film.Model: {error}>"

    def __getstate__(self) -> bytes:
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.film")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def __setstate__(self, state: bytes) -> None:
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.film")
            with open(path, "wb") as file:
                file.write(state)
            self.__init__(path)  # the file stays mapped after its name is removed

    @contextmanager
    def _context(self, settings):
        """A context with these settings for one call; one thread uses it at a time."""
        key = tuple(settings.items())
        with self._model_handle as address:
            idle = self._model_handle.contexts
            try:
                context, known = idle.pop()
            except IndexError:
                context, known = pointer(C.context_new, address), None
            try:
                if known != key:
                    known = None
                    check(C.context_set, context,
                          ctypes.byref(options(_abi.film_answer_options, settings)))
                    known = key
                yield context
            finally:
                idle.append((context, known))


class Matches(Sequence):
    """The verdicts of many pairs: a sequence of Verdict, and columns as NumPy arrays."""

    def __init__(self, model, pairs, verdicts):
        self._model, self._pairs, self._verdicts = model, pairs, verdicts

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        a, b = self._pairs[index]
        return self._model._verdict(a, b, self._verdicts[index])

    def _column(self, name, kind):
        import numpy
        member = getattr(_abi.film_verdict, name)
        view = numpy.ndarray(len(self), kind, memoryview(self._verdicts).cast("B"), member.offset,
                             ctypes.sizeof(_abi.film_verdict))
        return view.copy()

    @property
    def probability(self):
        """The probabilities, as float64."""
        return self._column("probability", "f8")

    @property
    def same(self):
        """The decisions at the model's threshold, as bool."""
        return self._column("same", "i4").astype(bool)

    @property
    def similarity(self):
        """The similarities of the vectors, as float64."""
        return self._column("similarity", "f8")


def _side(value):
    return value.decode() if value != b"\0" else None


def _reason(r) -> Reason:
    side, other_side = _side(r.side), _side(r.other_side)
    return Reason(
        r.id.decode(), r.kind.decode(), read(r.text, r.text_length), r.weight, side,
        (r.start, r.end) if side else None, read(r.other, r.other_length) if r.other else None,
        other_side, (r.other_start, r.other_end) if other_side else None,
        r.family.decode() if r.family else None)


def clusters_of(call, pick, progress, settings) -> List[list]:
    """Runs a deduplication and collects its clusters: lists of what PICK takes of a member."""
    clusters: Dict[int, list] = {}
    callbacks = Callbacks()
    struct = options(_abi.film_dedup_options, settings)

    def on_member(user, member):
        clusters.setdefault(member[0].cluster, []).append(pick(member[0]))
    struct.member = callbacks.wrap(_abi.film_member_fn, on_member)
    with Bar(progress) as bar:
        struct.progress = callbacks.progress(bar)
        call(ctypes.byref(struct), callbacks.run)
    return list(clusters.values())
