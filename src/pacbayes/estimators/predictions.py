"""Certificates for models that exist, from examples that played no part in training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor

from pacbayes._core.alignment import refuse_other_order
from pacbayes._core.digests import data_digest
from pacbayes._core.foreign import adopt, collect
from pacbayes._core.labels import label_text
from pacbayes._core.predictions import known_classes
from pacbayes._core.rows import labels_of, numbers_of, rows_of
from pacbayes._core.types import Labels, Predictor, Rows, RowsLike, RowSource
from pacbayes.certificate import Certificate
from pacbayes.estimators.asked import (
    Groups,
    caution_unknown,
    find_groups,
    find_questions,
    given_procedure,
    read_classes,
    read_probabilities,
    warn_of_unknown,
)
from pacbayes.estimators.regressor import make_rule
from pacbayes.metrics import Grouping, Judged, LossRule, Questions
from pacbayes.procedures.given import Given, check_losses, choose_classes, predicted_numbers
from pacbayes.procedures.given_labels import pair_labels, refuse_fractions

__all__ = ["certify", "certify_predictions", "refuse_fitted_rows", "refuse_regressor"]


def certify(
    model: object,
    X: RowsLike | RowSource,
    y: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    loss: str | None = None,
    scale: float | None = None,
    tolerance: float | None = None,
    metrics: str | Sequence[str] | Mapping[str, float] = ("error",),
    groups: Groups | None = None,
    differences: bool = False,
    cost: Mapping[tuple[Any, Any], float] | ArrayLike | None = None,
    candidates: int = 1,
) -> Certificate:
    """Certificate for a fitted classifier or regressor from rows that played no part in training or choosing it.

    The model predicts the rows in several batches, and some of them alone; a row whose prediction depends on its
    batch counts as an error (of a regressor the prediction farthest from the label counts), and a model with many of
    them is refused. The true error is bounded by the exact binomial limit (:func:`pacbayes.bounds.clopper_pearson`);
    for a regressor see ``loss``.

    Parameters
    ----------
    model : classifier, regressor or torch module
        Fitted; anything with ``predict``. A module of PyTorch is taken as it evaluates: its largest output is the
        class that it predicts, output 0 being the label 0 (see :class:`pacbayes.torch.GivenNetwork` for other labels),
        and rows whose two largest outputs are too close to call count as errors.
    X : array_like or data frame, shape (n, d)
        Rows that it has not seen; also a Dask DataFrame or Array, whose rows are predicted where they are. For a torch
        module also a tensor or an array of any shape, a Dataset or a DataLoader.
    y : array_like, shape (n,)
        Their labels, of the kind that it predicts. A Dataset or DataLoader has them itself.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    loss : {"absolute", "squared", "within"}, optional
        For predictions that are numbers: the absolute or squared error, counted up to ``scale``, or whether it exceeds
        ``tolerance``, as in :class:`pacbayes.CertifiedRegressor`.
    scale, tolerance : float, optional
        What errors are measured by, whichever the loss has. It has to be fixed before these rows are looked at.
    metrics, differences, cost
        What is certified of a classifier, as in :class:`pacbayes.CertifiedClassifier`; all of it holds together. The
        classes are those among the labels and those in ``model.classes_``, where the model has such: one that these
        rows lack counts as 1 in the balanced error, and its probability counts in the Brier score.
    groups : str, int, sequence of them, array_like or mapping, optional
        Columns of X, by name or position; or the group of each row, or several columns of such by their names.
    candidates : int, default=1
        How many models are compared on these same rows; each gets its share of delta.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import pacbayes as pb
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GaussianNB().fit(X[:300], y[:300])
    >>> print(pb.certify(model, X[300:], y[300:]).sentence())
    With probability at least 95 % over the data, the true error of `predict` is at most 5.77 %.
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ridge = Ridge(0.1).fit(X[:200], y[:200])
    >>> print(pb.certify(ridge, X[200:], y[200:], loss="within", tolerance=100).sentence())
    With probability at least 95 % over the data, `predict` misses by more than 100 in at most 11.79 % of cases.
    """
    owner = "certify"
    refuse_other_order(owner, {"X": X, "y": y, "groups": groups})
    rule = _find_rule(owner, loss, scale, tolerance)
    adopted, taken, told = adopt(owner, {"": model}, X, y)
    model = adopted[""]
    if not hasattr(model, "predict"):
        raise ValueError(
            f"The 'model' argument of {owner} must be a fitted classifier or regressor. Got {model!r:.60} instead."
        )
    rows = rows_of(taken, in_blocks=True)
    told = collect(told, rows)
    if rule is None:
        refuse_fractions(owner, "y", np.asarray(told))
        refuse_regressor(owner, model)
    labels = labels_of(owner, rows, told) if rule is None else numbers_of(owner, "y", rows, told)
    if labels.size == 0:
        raise ValueError(f"{owner} needs at least one row. Got none.")
    refuse_fitted_rows(owner, model, rows, labels)
    named, grouping = find_groups(owner, groups, labels.size, rows)
    classes = np.unique(labels) if rule is not None else _named_classes(model, np.unique(labels), cost)
    asked = find_questions(owner, rule, metrics, named, grouping, differences, cost, classes)
    procedure = given_procedure(owner, delta, candidates, asked)
    certificate = procedure.certify_model(model, rows, labels, rule=rule, grouping=grouping)
    warn_of_unknown(owner, certificate.notes, asked)
    return certificate


def _named_classes(model: object, own: Labels, cost: Mapping[tuple[Any, Any], float] | ArrayLike | None) -> Labels:
    """Return the classes that may be asked about: the model's, too, unless there are costs of those among labels alone.

    What is none of the classes with costs has the largest.
    """
    texts = {label_text(each) for each in own}
    if isinstance(cost, Mapping):
        named = {label_text(each) for pair in cost if isinstance(pair, tuple) for each in pair}
        return own if named <= texts else known_classes(model, own)
    return own if cost is not None and np.shape(cost)[:1] == own.shape else known_classes(model, own)


def _find_rule(owner: str, loss: object, scale: object, tolerance: object) -> LossRule | None:
    """Return the loss of predictions that are numbers; None for predictions that are labels."""
    if loss is not None:
        return make_rule(owner, loss, scale, tolerance, required=True)
    if scale is not None or tolerance is not None:
        raise ValueError(f"{owner} takes 'scale' or 'tolerance' with loss='absolute', 'squared' or 'within' only.")
    return None


def refuse_fitted_rows(owner: str, model: object, rows: Rows, labels: Labels) -> None:
    """Refuse the rows that an estimator of this library was fitted on: on these it errs less often than on new ones."""
    issued = getattr(model, "certificate_", None)
    if isinstance(issued, Certificate) and issued.digests.get("data") == data_digest(rows, labels):
        raise ValueError(
            f"{owner} must be given rows that the model has not seen. Got those that the {type(model).__name__} was "
            "fitted on, whose own limit is its certificate_."
        )


def refuse_regressor(owner: str, model: Predictor) -> None:
    """Refuse a regressor where labels are expected: almost no number equals another."""
    if hasattr(model, "__sklearn_tags__") and is_regressor(model):
        raise ValueError(
            f"The 'model' argument of {owner} must be a classifier unless a loss is named. Got the regressor "
            f"{type(model).__name__}; pass loss='absolute' or 'squared' with scale=, or 'within' with tolerance=."
        )


def certify_predictions(
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    losses: ArrayLike | None = None,
    loss: str | None = None,
    scale: float | None = None,
    tolerance: float | None = None,
    metrics: str | Sequence[str] | Mapping[str, float] = ("error",),
    groups: Groups | None = None,
    differences: bool = False,
    cost: Mapping[tuple[Any, Any], float] | ArrayLike | None = None,
    probabilities: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    candidates: int = 1,
) -> Certificate:
    """Certificate for one fixed predictor from examples that it has not seen.

    Labels and predictions are classes: whole numbers, truth values or text; or, with ``loss``, numbers.
    Labels and predictions, or losses that are all 0 or 1, are bounded by the exact binomial limit
    (:func:`pacbayes.bounds.clopper_pearson`); losses with values between by :func:`pacbayes.bounds.sequential`, in
    an order that is drawn with a fixed seed, so that it does not matter how the examples are sorted.

    Parameters
    ----------
    y_true, y_pred : array_like, shape (n,)
        Labels and predictions on examples that played no part in training; also columns of Dask.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    losses : array_like, shape (n,), optional
        In place of labels and predictions: the loss on each example, in [0, 1].
    loss : {"absolute", "squared", "within"}, optional
        For predictions that are numbers: the absolute or squared error, counted up to ``scale``, or whether it exceeds
        ``tolerance``, as in :class:`pacbayes.CertifiedRegressor`.
    scale, tolerance : float, optional
        What errors are measured by, whichever the loss has. It has to be fixed before these rows are looked at.
    metrics, differences, cost
        What is certified of predicted classes, as in :class:`pacbayes.CertifiedClassifier`; all of it holds together.
    groups : array_like, mapping or data frame, optional
        The group of each example, or several columns of such by their names, which are crossed.
    probabilities : array_like, shape (n, classes), optional
        For "brier" and "log-loss": a column for each class, in the order of ``classes`` or, without these, of the
        sorted labels; a frame whose columns name the classes in another order, or name anything else, is refused.
    classes : array_like, optional
        All classes that the predictor has, if ``y_true`` may lack some; by default those in ``y_true``. The balanced
        error is the mean over them, and one without labels counts as 1.
    candidates : int, default=1
        How many predictors are compared on these same examples; each gets its share of delta.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import pacbayes as pb
    >>> y_true, y_pred = [0, 1, 1, 0, 1] * 40, [0, 1, 1, 0, 0] * 40
    >>> print(pb.certify_predictions(y_true, y_pred).sentence())
    With probability at least 95 % over the data, the true error of the predictor that made these predictions is \
at most 25.23 %.
    >>> y_true, y_pred = [1.5, 2.0, 4.0] * 100, [1.0, 2.5, 3.5] * 100
    >>> print(pb.certify_predictions(y_true, y_pred, loss="absolute", scale=2).sentence())
    With probability at least 95 % over the data, the mean absolute error of the predictor that made these \
predictions, counted up to 2, is at most 0.5169.
    >>> round(pb.certify_predictions(losses=[0.1, 0.3, 0.2] * 100, delta=0.05).value, 4)
    0.2119

    Recall by group, which holds together with the error:

    >>> y, group = [0, 1] * 200, ["a", "a", "b", "b"] * 100
    >>> asked = pb.certify_predictions(y, y, metrics=("error", "recall:1"), groups=group)
    >>> [(each.name, each.group, each.n, round(each.value, 3)) for each in asked.statements][:3]
    [('error', None, 400, 0.011), ('recall:1', None, 200, 0.978), ('error', {'group': 'a'}, 200, 0.025)]
    """
    owner = "certify_predictions"
    refuse_other_order(owner, {"y_true": y_true, "y_pred": y_pred, "groups": groups, "probabilities": probabilities})
    y_true, y_pred, losses = (collect(each) for each in (y_true, y_pred, losses))
    rule = _find_rule(owner, loss, scale, tolerance)
    if losses is not None and y_true is None and y_pred is None and rule is None:
        if metrics != ("error",) or any(each is not None for each in (groups, cost, probabilities, classes)):
            raise ValueError(f"{owner} takes 'metrics' and 'groups' with 'y_true' and 'y_pred'. Got 'losses' instead.")
        return _certify_losses(given_procedure(owner, delta, candidates, Questions()), losses)
    if losses is not None or y_true is None or y_pred is None:
        raise ValueError(f"{owner} takes either 'y_true' and 'y_pred', or 'losses'. Got both, neither or one of two.")
    y_true, y_pred = pair_labels(owner, y_true, y_pred) if rule is None else (y_true, y_pred)
    labels = np.asarray(y_true)
    named, grouping = find_groups(owner, groups, labels.size, None)
    known, places = read_classes(owner, classes, labels, rule)
    asked = find_questions(owner, rule, metrics, named, grouping, differences, cost, known)
    procedure = given_procedure(owner, delta, candidates, asked)
    if rule is not None:
        return _certify_numbers(procedure, rule, y_true, y_pred, grouping)
    caution_unknown(owner, labels, np.asarray(y_pred), asked, known)
    chances = read_probabilities(owner, collect(probabilities), asked, labels.size, known, places)
    judged = Judged(labels, np.asarray(y_pred), classes=known, probabilities=chances)
    choices = choose_classes(None if classes is None else known)
    return procedure.certify_judged(judged, about="given_predictions", choices=choices, grouping=grouping)


def _certify_losses(procedure: Given, losses: ArrayLike) -> Certificate:
    return procedure.certify(check_losses("certify_predictions", losses), about="given_losses")


def _certify_numbers(
    procedure: Given, rule: LossRule, y_true: ArrayLike, y_pred: ArrayLike, grouping: Grouping | None
) -> Certificate:
    owner = "certify_predictions"
    labels = numbers_of(owner, "y_true", None, y_true)
    if labels.size == 0:
        raise ValueError(f"{owner} needs at least one example. Got none.")
    predictions = predicted_numbers(f"The 'y_pred' argument of {owner}", y_pred, labels.size, verb="hold")
    return procedure.certify_numbers(rule, labels, predictions, about="given_predictions", grouping=grouping)
