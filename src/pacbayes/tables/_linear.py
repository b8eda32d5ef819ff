"""A linear model over a table as plain numbers: one term per column or category, readable and safe to share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["LinearTerms"]


@dataclass(frozen=True, slots=True)
class LinearTerms:
    """The score of a row is the intercept plus its terms; a positive score means the second class.

    Attributes
    ----------
    terms : tuple of mapping
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

    terms: tuple[Mapping[str, Any], ...]
    intercept: float

    @classmethod
    def of(cls, preprocessing: Any, weights: Any, intercept: float) -> LinearTerms:
        """Read the terms off a transformer fitted by :func:`preprocessing` and the weights of its columns."""
        described: list[dict[str, Any]] = []
        for name, fitted, columns in preprocessing.transformers_:
            if name == "numbers":
                described += _number_terms(fitted, columns)
            elif name == "categories":
                described += _category_terms(fitted, columns)
        terms = [term | {"weight": float(w)} for term, w in zip(described, weights, strict=True)]
        return cls(tuple(terms), float(intercept))

    def scores(self, frame: Any) -> Any:
        """Return the score of each row."""
        total = np.full(len(frame), self.intercept)
        for term in self.terms:
            total += float(term["weight"]) * _feature(term, frame[term["column"]])
        return total


def _number_terms(fitted: Any, columns: Sequence[str]) -> list[dict[str, Any]]:
    scaler = fitted.named_steps["scale"]
    terms: list[dict[str, Any]] = [
        {"column": name, "kind": "number", "mean": float(mean), "scale": float(scale)}
        for name, mean, scale in zip(columns, scaler.mean_, scaler.scale_, strict=True)
    ]
    if "fill" in fitted.named_steps and fitted.named_steps["fill"].indicator_ is not None:
        marked = fitted.named_steps["fill"].indicator_.features_
        terms += [{"column": columns[i], "kind": "missing"} for i in marked]
    return terms


def _category_terms(encoder: Any, columns: Sequence[str]) -> list[dict[str, Any]]:
    terms: list[dict[str, Any]] = []
    rare = getattr(encoder, "infrequent_categories_", [None] * len(columns))
    for name, categories, others in zip(columns, encoder.categories_, rare, strict=True):
        infrequent = set() if others is None else set(others)
        kept = [str(value) for value in categories if value not in infrequent]
        terms += [{"column": name, "kind": "category", "value": value} for value in kept]
        if infrequent:
            terms.append({"column": name, "kind": "others", "known": kept})
    return terms


def _feature(term: Mapping[str, Any], values: Any) -> Any:
    kind = term["kind"]
    if kind in {"number", "missing"}:
        numbers = np.asarray(values, dtype=np.float64)
        unknown = np.isnan(numbers)
        if kind == "missing":
            return unknown.astype(np.float64)
        return np.where(unknown, 0.0, (numbers - float(term["mean"])) / float(term["scale"]))
    texts = np.asarray(values, dtype=object)
    if kind == "category":
        return (texts == term["value"]).astype(np.float64)
    return (~np.isin(texts.astype(str), term["known"])).astype(np.float64)
