"""Any classifier of scikit-learn's kind as a learner of a split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from pacbayes._core.alignment import refuse_other_classes
from pacbayes._core.answers import Answers
from pacbayes._core.coded_labels import code_type, codes_of, take_labels
from pacbayes._core.predictions import check_probabilities, class_numbers, known_classes, knows_all
from pacbayes._core.rows import distinct_labels, locate_blocks, map_blocks, take
from pacbayes._core.steadiness import ask_in_blocks, seed_of
from pacbayes._core.taken import CHUNK_ROWS, TakenRows, can_take_blocks
from pacbayes._core.types import BoolArray, Classifier, FloatArray, IntArray, Labels, Predictor, Rows, Transformer
from pacbayes.certificate import Choice
from pacbayes.learners import CrossValidatedLogistic, OneClass
from pacbayes.metrics import CodedJudged, Judged
from pacbayes.procedures.base import Sample
from pacbayes.procedures.class_weights import ClassWeight, weight_classes
from pacbayes.tables import ColumnPreprocessor

__all__ = ["ClassifierLearner", "LearnedClassifier", "PreparedBlock", "answer", "judge_classes", "prepare_block"]

_SAME = 1e-5  # what sums in another order or in single precision may change in a probability
_PARAMETERS = {"steps", "transform_input", "memory", "verbose"}  # of a pipeline


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
    probabilities : bool
        Whether judged rows are asked for probabilities, too.
    """

    classifier: Classifier
    preprocessing: Transformer | None = None
    class_weight: ClassWeight | None = None
    probabilities: bool = False

    def learn(self, sample: Sample, count: int) -> LearnedClassifier:
        """Fit on the first rows of the order; those of a single class teach to predict it."""
        rows = sample.order[:count]
        labels = sample.y[rows]
        found = distinct_labels(labels)
        if found.size == 1:
            return LearnedClassifier(OneClass(found[0]), probabilities=self.probabilities)
        model = clone(self.classifier)
        parameters = {name: values[rows] for name, values in sample.fit_parameters.items()}
        if self.class_weight is not None:
            parameters = weight_classes(model, self.class_weight, labels, parameters)
        if self.preprocessing is None:
            model = model.fit(take(sample.X, rows), labels, **parameters)
            return LearnedClassifier(model, probabilities=self.probabilities)
        choice = Choice("preprocessing", type(self.preprocessing).__name__, "learning_rows")
        fitted = _fit_both(clone(self.preprocessing), model, sample.X, rows, labels, parameters)
        return LearnedClassifier(fitted, (choice,), probabilities=self.probabilities)


def _fit_both(
    steps: Transformer, model: Classifier, X: Rows, rows: IntArray, labels: Labels, parameters: Mapping[str, Labels]
) -> Pipeline:
    """Fit preprocessing and classifier on some rows, as a pipeline of both does; where it can be, without copies."""
    pipeline = Pipeline([("columns", steps), ("classifier", model)])
    if not (type(steps) is ColumnPreprocessor and can_take_blocks(X)):
        named = {f"classifier__{name}": values for name, values in parameters.items()}
        return pipeline.fit(take(X, rows), labels, **named)
    taken = TakenRows(X, rows)
    prepared = steps.fit_taken(taken).prepare(taken)
    # numbers are prepared again whenever they are needed; texts, which take longer, and for other learners, once
    in_blocks = type(model) is CrossValidatedLogistic and steps.is_cheap
    model.fit(prepared if in_blocks and rows.size > CHUNK_ROWS else prepared.whole(), labels, **parameters)
    return pipeline


@dataclass(frozen=True, slots=True)
class LearnedClassifier:
    """A fitted classifier."""

    model: Predictor
    choices: tuple[Choice, ...] = ()
    probabilities: bool = False
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
        rows, classes = sample.order[start:stop], distinct_labels(sample.y)
        if not rows.size:
            return 0
        total = 0
        for first in range(0, rows.size, CHUNK_ROWS):
            part = rows[first : first + CHUNK_ROWS]
            answers = self.model.predict(take(sample.X, part))
            found = class_numbers(type(self.model).__name__, answers, classes, part.size)
            total += int(np.count_nonzero(found != np.searchsorted(classes, sample.y[part])))
        return total

    def judge(self, sample: Sample, start: int) -> CodedJudged:
        """Predict the rows from a position of the order on; what depends on the batch is wrong."""
        rows, own = sample.order[start:], distinct_labels(sample.y)
        classes, labels = known_classes(self.model, own), take_labels(sample.y, rows)
        seed, truth = seed_of(sample.seed, labels), codes_of(labels, classes)
        del labels  # of many rows; the numbers take less memory
        judged = _judge(self.model, sample.X, truth, classes, seed, rows, probabilities=self.probabilities)
        return _doubt_unknown(self.model, judged, own)


def judge_classes(
    model: Predictor,
    X: Rows,
    labels: Labels,
    classes: Labels,
    seed: Sequence[int],
    *,
    rows: IntArray | None = None,
    probabilities: bool = False,
) -> Judged:
    """Return what a model predicts for rows, asked in several batches; what depends on the batch is wrong.

    So is a prediction that is no label, and it is in doubt unless the model has all labels among its ``classes_``. A
    model with a method ``near_ties`` tells by it which rows another machine's rounding may answer otherwise; they count
    like those that depend on the batch.

    Parameters
    ----------
    model : Predictor
    X : rows
    labels : ndarray
        Of the judged rows.
    classes : ndarray
        Those among the labels, sorted; the model's own are added.
    seed : sequence of int
        Of the batches, from :func:`pacbayes._core.steadiness.seed_of`.
    rows : ndarray, optional
        Positions of the judged rows in X; all of them by default.
    probabilities : bool
        Whether it is asked for probabilities, too.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pacbayes.procedures.classifier_learner import judge_classes
    >>> X, y = np.arange(10.0)[:, None], np.arange(10) > 4
    >>> judge_classes(GaussianNB().fit(X, y), X, y, np.array([False, True]), [0]).predictions.sum()
    np.int64(5)
    """
    places = np.arange(len(labels)) if rows is None else rows
    known = known_classes(model, classes)
    truth = codes_of(labels, known)
    judged = _judge(model, X, truth, known, seed, places, probabilities=probabilities)
    return _doubt_unknown(model, judged, classes).whole()


def _judge(
    model: Predictor,
    X: Rows,
    truth: IntArray,
    classes: Labels,
    seed: Sequence[int],
    places: IntArray,
    *,
    probabilities: bool,
) -> CodedJudged:
    """Judge rows, whose labels are positions of classes, block by block."""
    answers = ask_in_blocks(model, partial(_ask_classes, classes), X, places, seed, truth=truth, prepare=prepare_block)
    found, close = answers.wrong_where_different(truth), _find_near_ties(model, X, places)
    found[close] = -1
    chances = _ask_probabilities(model, X, places, classes, seed) if probabilities else None
    return CodedJudged(classes, truth, found, answers.different(0.0) | close, chances)


def _doubt_unknown(model: Predictor, judged: CodedJudged, own: Labels) -> CodedJudged:
    """Doubt predictions that are no label, unless the model says that it writes all labels as they are written here.

    They may be classes that are written in another way, and then nobody can tell whether they are wrong.
    """
    if knows_all(model, own):
        return judged
    other = np.append(~np.isin(judged.classes, own), True)  # the last for what is no class at all
    return replace(judged, unsteady=judged.unsteady | other[judged.found])


def _ask_classes(classes: Labels, asked: Predictor, rows: Rows, part: IntArray) -> IntArray:
    """Return the positions of predictions among the classes, for some of the rows of a block."""
    found = class_numbers(type(asked).__name__, answer(asked, "predict", rows, part), classes, part.size)
    return found.astype(code_type(classes.size))


def _find_near_ties(model: Any, X: Rows, places: IntArray) -> BoolArray:
    """Return which rows are too close to call, for models that tell; it can only add errors."""
    close = np.zeros(places.size, dtype=bool)
    if not hasattr(model, "near_ties"):
        return close
    located = list(locate_blocks(X, places))
    found = map_blocks(X, _ask_near_ties, ((inside,) for _, inside in located), model)
    for (members, _), part in zip(located, found, strict=True):
        close[members] = part
    return close


def _ask_near_ties(block: Rows, task: tuple[IntArray | None], model: Any) -> BoolArray:
    rows = take(block, slice(0, int(block.shape[0])) if task[0] is None else task[0])
    count = int(rows.shape[0])
    found = np.asarray(model.near_ties(rows))
    if found.dtype != np.bool_ or found.shape != (count,):
        raise ValueError(
            f"near_ties of {type(model).__name__} must tell True or False for each of {count} rows. "
            f"Got {found.dtype} of shape {found.shape} instead."
        )
    return found


def _ask_probabilities(model: Predictor, X: Rows, places: IntArray, classes: Labels, seed: Sequence[int]) -> Answers:
    """Ask for the probabilities of the classes, which include the model's own; 0 for one that it does not know."""
    for name in ("predict_proba", "classes_"):
        if getattr(model, name, None) is None:
            raise ValueError(f"A metric of probabilities needs {name}. {type(model).__name__} has none.")
    return ask_in_blocks(model, partial(_ask_chances, classes), X, places, seed, within=_SAME, prepare=prepare_block)


def _ask_chances(classes: Labels, asked: Any, rows: Rows, part: IntArray) -> FloatArray:
    """Return the probabilities of the classes, for some of the rows of a block."""
    returned = answer(asked, "predict_proba", rows, part)
    what, given = f"What predict_proba of {type(asked).__name__} returns", np.asarray(returned, dtype=np.float64)
    if (names := getattr(returned, "columns", None)) is not None:
        refuse_other_classes(what, "columns", names, np.asarray(asked.classes_))
    columns = class_numbers(type(asked).__name__, asked.classes_, classes, len(asked.classes_))
    if given.shape != (part.size, columns.size):
        raise ValueError(
            f"{type(asked).__name__} must give a probability for each of its {columns.size} classes and each of "
            f"{part.size} rows. Got shape {given.shape} instead."
        )
    if np.unique(columns[columns >= 0]).size != columns.size:  # no probability is left out
        raise ValueError(f"{type(asked).__name__} must have different labels as classes_. Got {asked.classes_!r:.60}.")
    found = np.zeros((part.size, classes.size))
    found[:, columns] = check_probabilities(what, given)
    return found


class PreparedBlock:
    """Rows of a block as the last step of a pipeline takes them, prepared once, however many batches they come in.

    Our own preprocessing looks up or scales each value by itself: what becomes of a row is the same, bit for bit, in
    every batch. Whether the model behind it answers row by row is another question, and that one is asked.

    Parameters
    ----------
    values : rows
        What the first step makes of the block.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.classifier_learner import PreparedBlock
    >>> PreparedBlock(np.arange(6.0).reshape(3, 2)).take(np.array([2])).tolist()
    [[4.0, 5.0]]
    """

    def __init__(self, values: Any) -> None:
        self.values = values
        self.shape = values.shape

    def take(self, part: IntArray) -> Any:
        """Return a copy of some rows, laid out as all of them; all of them, which are asked for last, themselves."""
        if 1 < part.size == self.shape[0] and np.array_equal(part, np.arange(part.size)):
            return self.values
        found = take(self.values, part)
        by_column = isinstance(found, np.ndarray) and not self.values.flags.c_contiguous
        return np.asfortranarray(found) if by_column else found


def prepare_block(model: Any, rows: Rows) -> Any:
    """Return the rows of a block prepared, if this is a pipeline of ours that prepares each by itself, or as they are.

    Parameters
    ----------
    model : predictor
        Fitted.
    rows : rows
        Nobody changes them.
    """
    if not (type(model) is Pipeline and len(model.steps) == 2 and vars(model).keys() <= _PARAMETERS):
        return rows
    first = model.steps[0][1]
    if not (type(first) is ColumnPreprocessor and first.goes_row_by_row(rows)):
        return rows
    return PreparedBlock(first.transform(rows))


def answer(model: Any, method: str, rows: Any, part: IntArray) -> Any:
    """Return what a method of a predictor gives for some rows of a block, which may be a prepared one.

    The predictor gets a copy that it may change; one that makes its own gets all of the rows themselves.
    """
    if isinstance(rows, PreparedBlock):
        ask = getattr(model.steps[-1][1], method)
        return np.concatenate([ask(rows.take(chunk)) for chunk in _chunks_for(model.steps[-1][1], rows, part)])
    makes_its_own = type(model) is Pipeline and type(model.steps[0][1]) is ColumnPreprocessor
    whole = makes_its_own and part.size == int(rows.shape[0]) and np.array_equal(part, np.arange(part.size))
    return getattr(model, method)(rows if whole else take(rows, part))


def _chunks_for(last: Any, rows: PreparedBlock, part: IntArray) -> list[IntArray]:
    """Return some rows as one chunk, or as those in which our own logistic regression multiplies them by itself.

    Given the same chunks it answers the same, to the last bit, and no copy of all rows is made.
    """
    by_row = isinstance(rows.values, np.ndarray) and rows.values.flags.c_contiguous
    if not (by_row and type(last) is CrossValidatedLogistic and CHUNK_ROWS < part.size < rows.shape[0]):
        return [part]
    return [part[start : start + CHUNK_ROWS] for start in range(0, part.size, CHUNK_ROWS)]
