"""Estimators for scikit-learn: FilmPairClassifier judges pairs, FilmVectorizer encodes texts."""
from typing import Any, Optional

import numpy
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._train import train


def _pairs(X):
    """X as a list of pairs: an array of two columns, a data frame, or a list."""
    rows = X.to_numpy() if hasattr(X, "to_numpy") else X
    pairs = [tuple(row) for row in rows]
    if any(len(pair) != 2 or not all(isinstance(text, str) for text in pair) for pair in pairs):
        raise ValueError("X: expected pairs of texts, (n_samples, 2)")
    return pairs


class FilmPairClassifier(ClassifierMixin, BaseEstimator):
    """Decides whether two texts mean the same. X has two columns of texts, y two classes.

    >>> X = [("I lost my card", "my card is lost"), ("I lost my card", "when do you open?")] * 200
    >>> FilmPairClassifier().fit(X, [1, 0] * 200).predict(X[:2])
    array([1, 0])
    """

    def __init__(self, method: str = "auto", dim: Optional[int] = None,
                 features: Optional[str] = None, stem: Optional[str] = None,
                 prior: Optional[float] = None, seed: int = 1, threads: int = 0):
        self.method = method
        self.dim = dim
        self.features = features
        self.stem = stem
        self.prior = prior
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any, y: Any) -> "FilmPairClassifier":
        pairs = _pairs(X)
        self.classes_, labels = numpy.unique(numpy.asarray(y), return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(f"y: expected two classes, got {len(self.classes_)}")
        self.n_features_in_ = 2
        self.model_ = train(pairs, labels, method=self.method, dim=self.dim, stem=self.stem,
                            features=self.features, prior=self.prior, seed=self.seed,
                            threads=self.threads, progress=False)
        return self

    def _matches(self, X):
        check_is_fitted(self)
        return self.model_.match_many(_pairs(X), prior=self.prior, threads=self.threads)

    def predict_proba(self, X: Any) -> numpy.ndarray:
        probability = self._matches(X).probability
        return numpy.column_stack([1 - probability, probability])

    def predict(self, X: Any) -> numpy.ndarray:
        same = self._matches(X).same
        return self.classes_[same.astype(int)]

    def _more_tags(self):
        return {"X_types": ["string"], "binary_only": True, "no_validation": True}


class FilmVectorizer(TransformerMixin, BaseEstimator):
    """Maps texts to dense vectors. With y, texts of one category are drawn together.

    >>> texts = ["my card is lost", "I lost my card", "when do you open?", "do you open today?"]
    >>> FilmVectorizer(dim=2).fit_transform(texts).shape
    (4, 2)
    """

    def __init__(self, method: str = "auto", dim: Optional[int] = None,
                 features: Optional[str] = None, stem: Optional[str] = None, seed: int = 1,
                 threads: int = 0):
        self.method = method
        self.dim = dim
        self.features = features
        self.stem = stem
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any, y: Any = None) -> "FilmVectorizer":
        texts = [str(text) for text in X]
        self.model_ = train(texts, y, method=self.method, dim=self.dim, stem=self.stem,
                            features=self.features, seed=self.seed, threads=self.threads,
                            progress=False)
        return self

    def transform(self, X: Any) -> numpy.ndarray:
        check_is_fitted(self)
        return self.model_.encode([str(text) for text in X], threads=self.threads)

    def get_feature_names_out(self, input_features: Any = None) -> numpy.ndarray:
        check_is_fitted(self)
        return numpy.array([f"film{i}" for i in range(self.model_.dim)], dtype=object)

    def _more_tags(self):
        return {"X_types": ["string"], "no_validation": True}
