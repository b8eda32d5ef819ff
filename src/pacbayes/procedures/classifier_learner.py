"""Any classifier of scikit-learn's kind as a learner of a split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from pacbayes._core.predictions import class_numbers, wrong_labels
from pacbayes._core.rows import take
from pacbayes._core.steadiness import ask_row_by_row, seed_of
from pacbayes._core.types import Classifier, IntArray, Predictor, Transformer
from pacbayes.certificate import Choice
from pacbayes.learners import OneClass
from pacbayes.metrics import Judged
from pacbayes.procedures.base import Sample
from pacbayes.procedures.class_weights import ClassWeight, weight_classes

__all__ = ["ClassifierLearner", "LearnedClassifier"]


@dataclass(frozen=True, slots=True)
class ClassifierLearner:
    """Any classifier or pipeline of scikit-learn's kind; it is cloned before it learns.

    Attributes
    ----------
    classifier : classifier
    preprocessing : transformer or None
        Cloned too, and learned from the same rows: the two become a pipeline.
    class_weight : mapping, "balanced" or None
        Of the labels, in learning.
    """

    classifier: Classifier
    preprocessing: Transformer | None = None
    class_weight: ClassWeight | None = None

    def learn(self, sample: Sample, count: int) -> LearnedClassifier:
        """Fit on the first rows of the order; those of a single class teach to predict it."""
        rows = sample.order[:count]
        found = np.unique(sample.y[rows])
        if found.size == 1:
            return LearnedClassifier(OneClass(found[0]))
        model = clone(self.classifier)
        parameters = {name: values[rows] for name, values in sample.fit_parameters.items()}
        if self.class_weight is not None:
            parameters = weight_classes(model, self.class_weight, sample.y[rows], parameters)
        if self.preprocessing is None:
            return LearnedClassifier(model.fit(take(sample.X, rows), sample.y[rows], **parameters))
        model = Pipeline([("columns", clone(self.preprocessing)), ("classifier", model)])
        parameters = {f"classifier__{name}": values for name, values in parameters.items()}
        choice = Choice("preprocessing", type(self.preprocessing).__name__, "learning_rows")
        return LearnedClassifier(model.fit(take(sample.X, rows), sample.y[rows], **parameters), (choice,))


@dataclass(frozen=True, slots=True)
class LearnedClassifier:
    """A fitted classifier."""

    model: Predictor
    choices: tuple[Choice, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def fitted(self) -> dict[str, Any]:
        """What an estimator keeps."""
        return {"estimator_": self.model}

    @property
    def stored(self) -> dict[str, Any]:
        """The fitted classifier itself."""
        return {"predictor": self.model}

    def count_errors(self, sample: Sample, start: int, stop: int) -> int:
        """Count the errors on rows between two positions of the order, asked once."""
        rows, classes = sample.order[start:stop], np.unique(sample.y)
        if not rows.size:
            return 0
        answers = self.model.predict(take(sample.X, rows))
        found = class_numbers(type(self.model).__name__, answers, classes, rows.size)
        return int(np.count_nonzero(found != np.searchsorted(classes, sample.y[rows])))

    def judge(self, sample: Sample, start: int) -> Judged:
        """Predict the rows from a position of the order on; what depends on the batch is wrong."""
        rows = sample.order[start:]
        labels, classes = sample.y[rows], np.unique(sample.y)

        def ask(model: Predictor, part: IntArray) -> IntArray:
            return class_numbers(type(model).__name__, model.predict(take(sample.X, rows[part])), classes, part.size)

        truth = np.searchsorted(classes, labels)
        answers = ask_row_by_row(self.model, ask, rows.size, seed_of(sample.seed, labels), truth=truth)
        found = answers.wrong_where_different(truth)
        return Judged(labels, wrong_labels(found, labels, classes))
