"""A linear model over a table as plain numbers: one term per column or category, readable and safe to share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pacbayes._core.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder

__all__ = ["LinearTerms", "Term"]

Term: TypeAlias = Mapping[str, Any]  # as it stands in JSON


@dataclass(frozen=True, slots=True)
class LinearTerms:
    """The score of a row is the intercept plus its terms; a positive score means the second class.

    Attributes
    ----------
    terms : tuple of Term
        Each has "column", "kind" and "weight": a "number" adds ``weight (x - mean)/scale`` (0 where it is missing),
        a "missing" adds its weight where the number is missing, a "category" adds it where the text is "value", and
        "others" where the text is none of those "known".
    intercept : float

    Examples
    --------
    >>> import pandas as pd
    >>> from pacbayes.tables import LinearTerms
    >>> job = {"column": "job", "kind": "category", "value": "cook", "weight": 2.0}
    >>> LinearTerms((job,), -1.0).scores(pd.DataFrame({"job": ["cook", "clerk"]})).tolist()
    [1.0, -1.0]
    """

    terms: tuple[Term, ...]
    intercept: float

    @classmethod
    def of(cls, preprocessing: ColumnTransformer, weights: Iterable[float], intercept: float) -> LinearTerms:
        """Read the terms off a fitted transformer of :func:`make_preprocessing` and the weights of its columns."""
        described: list[Term] = []
        for name, fitted, columns in preprocessing.transformers_:
            if name == "numbers":
                described += _number_terms(fitted, columns)
            elif name == "categories":
                described += _category_terms(fitted, columns)
        terms = [{**term, "weight": float(weight)} for term, weight in zip(described, weights, strict=True)]
        return cls(tuple(terms), float(intercept))

    def scores(self, frame: pd.DataFrame) -> FloatArray:
        """Return the score of each row."""
        total = np.full(len(frame), self.intercept)
        for term in self.terms:
            total += float(term["weight"]) * _feature(term, frame[term["column"]])
        return total

    def find_difference(self, again: LinearTerms) -> str | None:
        """Return what differs from the terms of the same fit, up to the last digits of other numerical libraries.

        Terms, columns, kinds and categories are the same. A weight agrees to a relative 1e-6, and where it is not
        exactly zero (as of a column that is constant) to 1e-14 of the largest, since solving a system rounds in terms
        of that; features are in units of spread or indicators, so that weights compare. Nothing multiplies the
        intercept: it may differ by 1e-9 of the largest. A scale agrees to 1e-9; a mean to 1e-9 of the scale, whatever
        its own size, since it decides where zero is.

        Parameters
        ----------
        again : LinearTerms
            Learned from the rows; not from an untrusted file.

        Examples
        --------
        >>> from pacbayes.tables import LinearTerms
        >>> one, two = (LinearTerms(({"column": "age", "kind": "missing", "weight": w},), 0.5) for w in (1.0, 2.0))
        >>> one.find_difference(two)
        'weight'
        """
        largest = max((abs(float(term["weight"])) for term in again.terms), default=0.0)
        if len(self.terms) != len(again.terms):
            return "terms"
        if not _near(self.intercept, again.intercept, 1e-6, 1e-9 * max(largest, abs(again.intercept))):
            return "intercept"
        for stored, learned in zip(self.terms, again.terms, strict=True):
            if set(stored) != set(learned):
                return "terms"
            for name in learned:
                if not _same_entry(name, stored[name], learned, largest):
                    return name
        return None


def _same_entry(name: str, stored: object, learned: Term, largest: float) -> bool:
    value = learned[name]
    if not isinstance(value, float):
        return type(stored) is type(value) and bool(stored == value)
    if name == "mean":
        return _near(stored, value, 1e-12, 1e-9 * learned["scale"])
    if name == "weight":
        return _near(stored, value, 1e-6, 1e-14 * largest if value else 0.0)
    return _near(stored, value, 1e-9, 0.0)


def _near(one: object, two: float, relative: float, floor: float) -> bool:
    """Return whether a number of an untrusted file is within a distance; what is no number is not."""
    return type(one) is float and abs(one - two) <= relative * abs(two) + floor


def _number_terms(fitted: Pipeline, columns: Sequence[str]) -> list[Term]:
    scaler = fitted.named_steps["scale"]
    terms: list[Term] = [
        {"column": name, "kind": "number", "mean": float(mean), "scale": float(scale)}
        for name, mean, scale in zip(columns, scaler.mean_, scaler.scale_, strict=True)
    ]
    if "fill" in fitted.named_steps and fitted.named_steps["fill"].indicator_ is not None:
        marked = fitted.named_steps["fill"].indicator_.features_
        terms += [{"column": columns[i], "kind": "missing"} for i in marked]
    return terms


def _category_terms(encoder: OneHotEncoder, columns: Sequence[str]) -> list[Term]:
    terms: list[Term] = []
    rare = getattr(encoder, "infrequent_categories_", [None] * len(columns))
    for name, categories, others in zip(columns, encoder.categories_, rare, strict=True):
        infrequent = set() if others is None else set(others)
        kept = [str(value) for value in categories if value not in infrequent]
        terms += [{"column": name, "kind": "category", "value": value} for value in kept]
        if infrequent:
            terms.append({"column": name, "kind": "others", "known": kept})
    return terms


def _feature(term: Term, values: pd.Series) -> FloatArray:
    kind = term["kind"]
    if kind in {"number", "missing"}:
        numbers = np.asarray(values, dtype=np.float64)
        unknown = np.isnan(numbers)
        if kind == "missing":
            return unknown.astype(np.float64)
        return np.where(unknown, 0.0, (numbers - float(term["mean"])) / float(term["scale"]))
    texts = np.asarray(values, dtype=object)
    if kind == "category":
        return np.asarray(texts == term["value"], dtype=np.float64)
    return (~np.isin(texts.astype(str), term["known"])).astype(np.float64)
