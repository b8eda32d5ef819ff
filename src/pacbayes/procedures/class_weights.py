"""Weights of classes in learning, by whatever way an estimator has for them."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import compute_sample_weight
from sklearn.utils.validation import has_fit_parameter

from pacbayes._core.types import Classifier, Labels

__all__ = ["ClassWeight", "check_class_weight", "weight_classes"]

ClassWeight: TypeAlias = "Mapping[Any, float] | str"


def check_class_weight(owner: str, class_weight: object, estimator: Classifier, classes: Labels) -> None:
    """Refuse weights that are none, are about other labels, or that the estimator has no way to learn with.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from pacbayes.procedures.class_weights import check_class_weight
    >>> check_class_weight("Me", "balanced", KNeighborsClassifier(), np.array([0, 1]))
    Traceback (most recent call last):
      ...
    ValueError: The 'class_weight' parameter of Me must be None for KNeighborsClassifier, which takes neither class \
nor sample weights.
    """
    if isinstance(class_weight, Mapping):
        _check_mapping(owner, class_weight, classes)
    elif not (isinstance(class_weight, str) and class_weight == "balanced"):
        raise ValueError(
            f"The 'class_weight' parameter of {owner} must be None, 'balanced' or a mapping from labels to weights. "
            f"Got {class_weight!r:.60} instead."
        )
    if _name_parameter(estimator) is None and _name_argument(estimator) is None:
        raise ValueError(
            f"The 'class_weight' parameter of {owner} must be None for {type(estimator).__name__}, which takes neither "
            "class nor sample weights."
        )


def _check_mapping(owner: str, weights: Mapping[Any, float], classes: Labels) -> None:
    known = classes.tolist()
    for label, weight in weights.items():
        if label not in known:
            raise ValueError(
                f"The 'class_weight' parameter of {owner} must weight labels of 'y'. Got {label!r:.60} instead."
            )
        number = isinstance(weight, numbers.Real) and not isinstance(weight, bool)
        if not number or not 0.0 <= float(weight) < np.inf:
            raise ValueError(
                f"The 'class_weight' parameter of {owner} must hold finite weights of at least 0. Got {weight!r:.60} "
                f"for {label!r:.60}."
            )


def weight_classes(
    model: Classifier, class_weight: ClassWeight, labels: Labels, given: Mapping[str, Labels]
) -> dict[str, Labels]:
    """Set the weights in an unfitted classifier, or return sample weights beside what else its ``fit`` is given.

    Parameters
    ----------
    model : classifier
        Its own clone; of a pipeline the last step is weighted, of a search the estimator inside.
    class_weight : mapping or "balanced"
        Labels that a mapping leaves out weigh 1.
    labels : ndarray
        Of the learning rows, which "balanced" counts.
    given : mapping
        Further values, one for each of these rows, for ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pacbayes.procedures.class_weights import weight_classes
    >>> labels, logistic = np.array([0, 0, 0, 1]), LogisticRegression()
    >>> weight_classes(logistic, {1: 3.0}, labels, {}), logistic.class_weight
    ({}, {0: 1.0, 1: 3.0})
    >>> weight_classes(GaussianNB(), {1: 3.0}, labels, {})
    {'sample_weight': array([1., 1., 1., 3.])}
    """
    if isinstance(class_weight, Mapping):  # all labels: what a small part of the rows lacks must not be missed
        class_weight = {label: float(class_weight.get(label, 1.0)) for label in np.unique(labels).tolist()}
    parameter, argument = _name_parameter(model), _name_argument(model)
    if parameter is not None:
        model.set_params(**{parameter: class_weight})  # type: ignore[attr-defined]
        return dict(given)
    weights = compute_sample_weight(class_weight, labels)
    return {**given, str(argument): weights * given.get(str(argument), 1.0)}


def _inside(model: Any) -> tuple[str, Any] | None:
    """Return what learns inside a pipeline or a search, and its name there."""
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        return str(name), last
    return ("estimator", model.estimator) if _is_search(model) else None


def _is_search(model: Any) -> bool:
    return hasattr(model, "get_params") and {"estimator", "refit", "cv"} <= model.get_params(deep=False).keys()


def _name_parameter(model: Any) -> str | None:
    """Return the parameter for weights of classes, as ``set_params`` has it."""
    if hasattr(model, "get_params") and "class_weight" in model.get_params(deep=False):
        return "class_weight"
    inside = _inside(model)
    found = None if inside is None else _name_parameter(inside[1])
    return None if inside is None or found is None else f"{inside[0]}__{found}"


def _name_argument(model: Any) -> str | None:
    """Return the argument for weights of rows, as ``fit`` has it; a search hands on what it is given."""
    inside = _inside(model)
    if inside is None:
        return "sample_weight" if has_fit_parameter(model, "sample_weight") else None
    found = _name_argument(inside[1])
    return found if found is None or _is_search(model) else f"{inside[0]}__{found}"
