"""A stored predictor in use: labels and probabilities for new rows, with the certificate that is about them."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.special import expit

from pacbayes._core.notes import Note
from pacbayes._core.predictions import class_numbers, vote_shares
from pacbayes._core.types import BoolArray, FloatArray, Labels, ObjectArray
from pacbayes.certificate import Certificate
from pacbayes.certificate.verdicts import caution_words
from pacbayes.learners import AbstainingClassifier, ShiftedClassifier, WeightedVote
from pacbayes.tables import LinearTerms, align_rows
from pacbayes.tables.words import sentence

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Label", "Predictions", "RunPredictor"]

Label: TypeAlias = "str | int"
_Categories: TypeAlias = "Mapping[str, Collection[str]]"


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a predictor says of new rows.

    Attributes
    ----------
    labels : ndarray
        One per row, of the kind that the target had.
    probabilities : ndarray or None
        One row each, one column per class; None if the model has no probabilities.
    notes : tuple of Note
        What was ignored, and what the model had not seen; :func:`pacbayes.tables.words.sentence` says them.
    answered : ndarray of bool or None
        Of a model that abstains: the rows that it answers, which its certificate is about. None of any other.
    """

    labels: Labels
    probabilities: FloatArray | None
    notes: tuple[Note, ...] = ()
    answered: BoolArray | None = None

    @property
    def answers(self) -> ObjectArray:
        """The labels of answered rows, and None for the others."""
        found: ObjectArray = self.labels.astype(object)
        if self.answered is not None:
            found[~self.answered] = None
        return found


@dataclass(frozen=True, slots=True)
class RunPredictor:
    """The predictor that a certificate is about, ready for new rows.

    Attributes
    ----------
    certificate : Certificate or None
        None of a model that is not certified: one refitted on all rows.
    columns : tuple of (name, kind)
        What it predicts from.
    classes : tuple
        The labels, all whole numbers or all text, in the order of the columns of probabilities.
    missing : {"refuse", "category"}
        What happens to missing values.
    model : LinearTerms or mapping
        Plain numbers, or fitted models: one "predictor", or "snapshots" with their "weights".
    ignore : tuple of str
        Columns that new rows may have without a note: the target, and what was left out.
    """

    certificate: Certificate | None
    columns: tuple[tuple[str, str], ...]
    classes: tuple[Label, ...]
    missing: str
    model: LinearTerms | Mapping[str, Any]
    ignore: tuple[str, ...] = ()

    @property
    def cautions(self) -> list[str]:
        """What has to be known beside what is certified, in sentences; nothing of a model that is not."""
        return [] if self.certificate is None else caution_words(self.certificate)

    def apply(self, frame: pd.DataFrame) -> Predictions:
        """Return labels, probabilities and notes; columns are found by name, and rows that do not fit are refused."""
        try:
            known = _known_categories(self.model)
            rows = align_rows(frame, self.columns, missing=self.missing, ignore=self.ignore, known=known)
            labels, shares = self._answer(rows.X)
            answered = self._answered(rows.X)
        except (KeyError, IndexError, AttributeError, TypeError) as error:  # a file that somebody changed
            raise ValueError(
                f"The stored predictor has no answer for these rows ({error!r:.80}). Verify it with the data."
            ) from None
        return Predictions(labels, shares, rows.notes, answered)

    def predict(self, frame: pd.DataFrame) -> Labels:
        """Return a label for each row, of the kind that the target had; notes become a warning."""
        found = self._apply_aloud(frame)
        return found.labels

    def predict_or_abstain(self, frame: pd.DataFrame) -> ObjectArray:
        """Return the labels of rows that are answered, and None for the others, as an array of objects."""
        return self._apply_aloud(frame).answers

    def predict_proba(self, frame: pd.DataFrame) -> FloatArray:
        """Return a probability for each row and class, in the order of ``classes``; for snapshots their votes."""
        found = self._apply_aloud(frame)
        if found.probabilities is None:
            raise ValueError("The model of this run has no probabilities. Use predict.")
        return found.probabilities

    def _apply_aloud(self, frame: pd.DataFrame) -> Predictions:
        found = self.apply(frame)
        if found.notes:
            warnings.warn(" ".join(map(sentence, found.notes)), stacklevel=3)
        return found

    def _answered(self, rows: pd.DataFrame) -> BoolArray | None:
        found = None if isinstance(self.model, LinearTerms) else self.model.get("predictor")
        return found.answered(rows) if isinstance(found, AbstainingClassifier) and len(rows) else None

    def _answer(self, rows: pd.DataFrame) -> tuple[Labels, FloatArray | None]:
        classes = np.array(self.classes)
        if len(rows) == 0:
            return classes[:0], np.zeros((0, classes.size))
        if isinstance(self.model, LinearTerms):
            return _answer_linear(self.model, rows, classes)
        if "snapshots" in self.model:
            return _answer_vote(self.model["snapshots"], self.model["weights"], rows, classes)
        return _answer_model(self.model["predictor"], rows, classes)


def _answer_linear(terms: LinearTerms, rows: pd.DataFrame, classes: Labels) -> tuple[Labels, FloatArray]:
    scores = terms.scores(rows)
    second = expit(scores)
    return classes[(scores > 0.0).astype(np.int64)], np.column_stack([1.0 - second, second])


def _answer_vote(
    models: Sequence[Any], weights: FloatArray, rows: pd.DataFrame, classes: Labels
) -> tuple[Labels, FloatArray]:
    """Return the label with the largest weight among the snapshots, and the weights."""
    positions = (_positions(each, rows, classes) for each in models)
    shares = vote_shares(positions, np.asarray(weights), len(rows), classes.size)
    return classes[np.argmax(shares, axis=1)], shares


def _answer_model(model: Any, rows: pd.DataFrame, classes: Labels) -> tuple[Labels, FloatArray | None]:
    labels = classes[_positions(model, rows, classes)]
    if not hasattr(model, "predict_proba"):
        return labels, None
    own, given = np.asarray(model.classes_), np.asarray(model.predict_proba(rows))
    shares = np.zeros((len(rows), classes.size))
    shares[:, class_numbers("The model", own, classes, own.size)] = given  # a class may be lacking in the learning rows
    return labels, shares


def _positions(model: Any, rows: pd.DataFrame, classes: Labels) -> Any:
    found = class_numbers(type(model).__name__, model.predict(rows), classes, len(rows))
    return np.maximum(found, 0)


def _known_categories(model: LinearTerms | Mapping[str, Any]) -> _Categories:
    """Return the categories of each column that were seen in learning, as far as the model keeps them."""
    if isinstance(model, LinearTerms):
        return _categories_of_terms(model)
    fitted = model["snapshots"][-1] if "snapshots" in model else model["predictor"]
    if isinstance(fitted, WeightedVote):
        return _categories_of_any(list(map(_categories_of, fitted.voters_)))
    return _categories_of(fitted.estimator_ if isinstance(fitted, AbstainingClassifier | ShiftedClassifier) else fitted)


def _categories_of_any(several: Sequence[_Categories]) -> _Categories:
    """Return the categories that at least one of those who vote has seen."""
    names = dict.fromkeys(name for each in several for name in each)
    return {name: {value for each in several for value in each.get(name, ())} for name in names}


def _categories_of(fitted: Any) -> _Categories:
    """Return the categories that a fitted pipeline has seen."""
    columns = getattr(fitted, "named_steps", {}).get("columns")
    found: dict[str, Collection[str]] = {}
    for name, encoder, columns_of_step in getattr(getattr(columns, "transformer_", None), "transformers_", ()):
        if name == "categories":
            seen = (list(map(str, each)) for each in encoder.categories_)
            found |= dict(zip(columns_of_step, seen, strict=True))
    return found


def _categories_of_terms(terms: LinearTerms) -> _Categories:
    """Return the categories that have a term; where rare ones share one, they cannot be told from unseen ones."""
    found: dict[str, list[str]] = {}
    for each in terms.terms:
        if each["kind"] == "category":
            found.setdefault(str(each["column"]), []).append(str(each["value"]))
    shared = {str(each["column"]) for each in terms.terms if each["kind"] == "others"}
    return {name: values for name, values in found.items() if name not in shared}
