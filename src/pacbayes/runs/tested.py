"""A classifier learned from all rows of one table and judged on all rows of another."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import clone

from pacbayes._core.digests import data_digest
from pacbayes._core.rows import take
from pacbayes._core.types import Classifier, IntArray, Labels, Rows
from pacbayes.certificate import Certificate, Choice
from pacbayes.metrics import Grouping, Questions
from pacbayes.procedures import Given, Issued
from pacbayes.procedures.cautions import find_repetitions

__all__ = ["TestedClassifier"]


class TestedClassifier:
    """Any classifier: the first rows are learned from, the others, of another table, are judged.

    Parameters
    ----------
    classifier : classifier
        Cloned before it learns.
    learning : int or None
        How many of the rows are learned from; None where there is no other table, which is refused.
    delta : float
        Allowed probability of failure.
    candidates : int
        How many settings are compared by their certificates on the judged rows.
    questions : Questions
        What is stated.
    """

    certificate_: Certificate
    order_: IntArray
    issued_: Issued
    estimator_: Classifier
    classes_: Labels

    def __init__(
        self, classifier: Classifier, learning: int | None, delta: float, candidates: int, questions: Questions
    ) -> None:
        self.classifier, self.learning = classifier, learning
        self.delta, self.candidates = delta, candidates
        self.questions = questions

    def fit(self, X: Rows, y: Labels, *, in_order: bool = False, grouping: Grouping | None = None) -> Self:
        """Learn, judge and issue; the two tables say which rows are which, so that ``in_order`` plays no part."""
        del in_order
        if self.learning is None:
            raise ValueError("The method 'test' needs a table of rows to judge on: pass --test.")
        first, rest = slice(self.learning), slice(self.learning, None)
        rows, labels = take(X, first), y[first]
        model: Classifier = clone(self.classifier).fit(rows, labels)
        own = Given(delta=self.delta, candidates=self.candidates, questions=self.questions)
        certificate = own.certify_model(
            model,
            take(X, rest),
            y[rest],
            choices=[Choice("learning_rows", self.learning, "given")],
            digests={"learning_data": data_digest(rows, labels)},
            notes=find_repetitions(X, y, np.arange(self.learning)),
            grouping=None if grouping is None else grouping.take(np.arange(self.learning, len(y))),
            classes=np.unique(y),
        )
        self.estimator_, self.classes_ = model, np.unique(labels)
        self.order_ = np.arange(len(y))  # as the rows came: those to learn from, then those to judge
        self.issued_, self.certificate_ = Issued(certificate, {}, {"predictor": model}), certificate
        return self

    def predict(self, X: Rows) -> Labels:
        """Return the labels that the certificate is about."""
        return np.asarray(self.estimator_.predict(X))
