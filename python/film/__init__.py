"""FILM decides whether two sentences mean the same, finds duplicates, and says why, word by word.

    import film

    model = film.train("pairs.tsv")            # or a data frame, or a list of (a, b, label)
    model.match("I lost my card", "what if my card is lost?")
    model.save("faq.film")

    model = film.Model("faq.film")
    pool = film.Pool.create("faq.pool", model)
    pool.add(["I lost my card", "when do you open?"])
    pool.search("my card is lost")

`film.sklearn` has estimators for scikit-learn. The package is a thin layer over the C library:
calls release the GIL and use all cores.
"""
from ._library import (C as _C, BadInputError, Cancelled, DeniedError, Error, FileError,
                       UsageError)
from ._model import Matches, Model
from ._pool import Found, Pool, Sentence
from ._train import evaluate, report, train
from ._verdict import Explanation, Reason, Verdict

__all__ = ["BadInputError", "Cancelled", "DeniedError", "Error", "Explanation", "FileError",
           "Found", "Matches", "Model", "Pool", "Reason", "Sentence", "UsageError", "Verdict",
           "evaluate", "report", "train"]
__version__ = _C.version().decode()
