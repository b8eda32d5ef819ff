"""Classifiers by name: some that are built in or known, and any other by its dotted path."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import isclass
from typing import cast

from sklearn.base import BaseEstimator, is_classifier

from pacbayes._core.near import did_you_mean
from pacbayes._core.types import Classifier
from pacbayes.learners import CrossValidatedLogistic, EncodedClassifier
from pacbayes.runs.trusted import CLASSIFIERS, is_trusted_model

__all__ = ["MODELS", "make_classifier", "trust_needed"]


def _logistic() -> Classifier:
    return CrossValidatedLogistic()


def _boosting() -> Classifier:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415

    return HistGradientBoostingClassifier()  # type: ignore[no-any-return]


def _forest() -> Classifier:
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415

    return RandomForestClassifier()  # type: ignore[no-any-return]


# on one thread and without words of their own, so that whoever verifies learns the same numbers again
def _xgboost() -> Classifier:
    made = _make_known("xgboost", "XGBClassifier")
    return EncodedClassifier(made(n_jobs=1, verbosity=0))


def _lightgbm() -> Classifier:
    made = _make_known("lightgbm", "LGBMClassifier")
    return EncodedClassifier(made(n_jobs=1, verbosity=-1, deterministic=True, force_row_wise=True))


def _make_known(package: str, name: str) -> Callable[..., Classifier]:
    try:
        return cast("Callable[..., Classifier]", getattr(import_module(package), name))
    except ImportError:
        raise ValueError(f"The model {package!r} needs the package {package}, which is not installed here.") from None


MODELS: dict[str, Callable[[], Classifier]] = {
    "logistic": _logistic,
    "hist-gradient-boosting": _boosting,
    "random-forest": _forest,
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
}


def make_classifier(name: str, seed: int) -> Classifier:
    """Return an unfitted classifier: a built-in one, or of the class at a dotted path.

    Parameters
    ----------
    name : str
        "logistic", "hist-gradient-boosting", "random-forest", "xgboost" and "lightgbm" where they are installed, or
        "package.module.Class". Those from outside scikit-learn are shown the classes as 0, 1, ...
    seed : int
        Its ``random_state``, if it has one.

    Examples
    --------
    >>> from pacbayes.runs import make_classifier
    >>> make_classifier("sklearn.naive_bayes.GaussianNB", seed=0)
    GaussianNB()
    """
    made = MODELS[name]() if name in MODELS else _import_classifier(name)
    parameters = made.get_params()
    for each in ("random_state", "estimator__random_state"):
        if each in parameters and (each == "random_state" or isinstance(made, EncodedClassifier)):
            made.set_params(**{each: seed})  # type: ignore[attr-defined]
    return made


def _import_classifier(path: str) -> Classifier:
    expected = f"The model must be {', '.join(MODELS)} or the dotted path of a classifier of scikit-learn's kind."
    place, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(place), name) if place else None
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"{expected} Got {path!r}, which cannot be imported ({error}).{_suggest(path)}") from None
    if found is None or not (isclass(found) and issubclass(found, BaseEstimator)):
        raise ValueError(f"{expected} Got {path!r} instead.{_suggest(path)}")
    maker = cast("Callable[[], Classifier]", found)
    try:
        made = maker()
    except TypeError:
        raise ValueError(f"The model {path!r} must be a class that can be made without arguments.") from None
    if not is_classifier(made):
        raise ValueError(f"{expected} Got {path!r}, which is not a classifier.")
    return made if place.partition(".")[0] == "sklearn" else EncodedClassifier(made)


def _suggest(name: str) -> str:
    """Return a sentence with a model that may have been meant, be it by the name of its class alone."""
    classes = {path.rpartition(".")[2]: path for path in CLASSIFIERS}
    return did_you_mean(name, {each: each for each in CLASSIFIERS} | classes | {each: each for each in MODELS})


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
