"""Classifiers by name: three that are built in, and any other by its dotted path."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import isclass
from typing import cast

from sklearn.base import BaseEstimator, is_classifier

from pacbayes._core.types import Classifier
from pacbayes.runs.trusted import is_trusted_model

__all__ = ["MODELS", "make_classifier", "trust_needed"]


def _logistic() -> Classifier:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    return LogisticRegression(max_iter=1000)  # type: ignore[no-any-return]


def _boosting() -> Classifier:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415

    return HistGradientBoostingClassifier()  # type: ignore[no-any-return]


def _forest() -> Classifier:
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415

    return RandomForestClassifier()  # type: ignore[no-any-return]


MODELS: dict[str, Callable[[], Classifier]] = {
    "logistic": _logistic,
    "hist-gradient-boosting": _boosting,
    "random-forest": _forest,
}


def make_classifier(name: str, seed: int) -> Classifier:
    """Return an unfitted classifier: a built-in one, or of the class at a dotted path.

    Parameters
    ----------
    name : str
        "logistic", "hist-gradient-boosting", "random-forest", or "package.module.Class".
    seed : int
        Its ``random_state``, if it has one.

    Examples
    --------
    >>> from pacbayes.runs import make_classifier
    >>> make_classifier("sklearn.naive_bayes.GaussianNB", seed=0)
    GaussianNB()
    """
    made = MODELS[name]() if name in MODELS else _import_classifier(name)
    if "random_state" in made.get_params():
        made.set_params(random_state=seed)  # type: ignore[attr-defined]
    return made


def _import_classifier(path: str) -> Classifier:
    expected = f"The model must be {', '.join(MODELS)} or the dotted path of a classifier of scikit-learn's kind."
    place, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(place), name) if place else None
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"{expected} Got {path!r}, which cannot be imported ({error}).") from None
    if found is None or not (isclass(found) and issubclass(found, BaseEstimator)):
        raise ValueError(f"{expected} Got {path!r} instead.")
    maker = cast("Callable[[], Classifier]", found)
    try:
        made = maker()
    except TypeError:
        raise ValueError(f"The model {path!r} must be a class that can be made without arguments.") from None
    if not is_classifier(made):
        raise ValueError(f"{expected} Got {path!r}, which is not a classifier.")
    return made


def trust_needed(name: str) -> tuple[str, ...]:
    """Return what ``verify --trust`` has to name before it learns this model again: nothing, or the model itself.

    Built-in models and the classifiers of scikit-learn on a list need nothing.

    Examples
    --------
    >>> from pacbayes.runs import trust_needed
    >>> trust_needed("random-forest"), trust_needed("sklearn.svm.SVC"), trust_needed("mine.Learner")
    ((), (), ('mine.Learner',))
    """
    return () if name in MODELS or is_trusted_model(name) else (name,)
