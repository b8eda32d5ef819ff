"""Which classifier inside another one gives its scores, as in pipelines and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import BaggingClassifier, BaseEnsemble
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

__all__ = ["can_score", "find_pairing"]

_NAMES = ("best_estimator_", "final_estimator_", "estimator_")  # of whom wrappers of scikit-learn's kind ask
_UNFITTED = ("estimator", "final_estimator")
_METHODS = ("predict_proba", "decision_function")
_TWO = 2  # classes, which are one pair


def can_score(estimator: Any) -> bool:
    """Return whether an unfitted classifier gives probabilities or decision values, or may do so when it is fitted.

    ``StackingClassifier`` without a final estimator has such methods only when it is fitted.

    Examples
    --------
    >>> from pacbayes.learners import can_score
    >>> from sklearn.ensemble import StackingClassifier
    >>> from sklearn.linear_model import LinearRegression, LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> can_score(StackingClassifier([("linear", LogisticRegression())])), can_score(make_pipeline(LinearRegression()))
    (True, False)
    """
    if any(hasattr(estimator, name) for name in _METHODS):
        return True
    if not any(hasattr(type(estimator), name) for name in _METHODS):
        return False
    kept = getattr(estimator, "__dict__", {})
    inner = [estimator.steps[-1][1]] if isinstance(estimator, Pipeline) else [kept.get(name) for name in _UNFITTED]
    return all(can_score(each) for each in inner if each is not None)


def find_pairing(model: Any) -> Any | None:
    """Return what inside a fitted classifier gives its decision values by pairs of more than two classes, if it does.

    ``SVC(decision_function_shape="ovo")`` has a column for each pair of classes. Of three classes there are three
    pairs, so that the shape does not tell.

    Examples
    --------
    >>> from pacbayes.learners import find_pairing
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 2, 2]
    >>> find_pairing(make_pipeline(SVC(decision_function_shape="ovo")).fit(X, y))
    SVC(decision_function_shape='ovo')
    >>> find_pairing(make_pipeline(SVC()).fit(X, y)) is None
    True
    """
    if np.asarray(getattr(model, "classes_", ())).size <= _TWO:  # not fitted, or of more classes it decides between two
        return None
    if isinstance(model, FrozenEstimator):
        return find_pairing(model.estimator)
    shape = getattr(model, "decision_function_shape", None)
    if isinstance(shape, str) and shape == "ovo":
        return model
    return next((found for each in _delegates(model) if (found := find_pairing(each)) is not None), None)


def _delegates(model: Any) -> list[Any]:
    """Return the fitted classifiers whose scores a fitted one gives on; own code may make others of them."""
    kept = getattr(model, "__dict__", {})  # and not what is looked up elsewhere
    if isinstance(model, Pipeline):
        return [model.steps[-1][1]]
    if isinstance(model, BaseEnsemble):  # a bag averages scores; others count votes
        return list(kept.get("estimators_", ())[:1]) if isinstance(model, BaggingClassifier) else []
    giver = next((cls for cls in type(model).__mro__ if "decision_function" in vars(cls)), object)
    if giver.__module__.partition(".")[0] != "sklearn":
        return []
    return [kept[name] for name in _NAMES if kept.get(name) is not None and kept[name] is not model]
