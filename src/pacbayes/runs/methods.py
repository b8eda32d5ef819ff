"""The methods of a run, one line each: which estimator certifies a table, and how its rows are shared out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sklearn.pipeline import Pipeline

from pacbayes.estimators import CertifiedClassifier, CertifiedLogisticRegression, OnlineCertifiedClassifier
from pacbayes.online import Geometric
from pacbayes.runs.models import make_classifier
from pacbayes.runs.tested import TestedClassifier
from pacbayes.tables import ColumnPreprocessor, Table, make_preprocessing

if TYPE_CHECKING:
    from pacbayes.runs.settings import Settings

__all__ = ["METHODS", "Method", "choose_method", "estimator_for", "fraction_of"]

MANY_ROWS = 10_000
_RATIO = 1.25


@dataclass(frozen=True, slots=True)
class Method:
    """A way to certify the model of some settings.

    Attributes
    ----------
    fraction : float
        The default share of the rows for training before the judged rows begin.
    estimator : callable
        From table, settings and that share to the unfitted estimator that issues the certificate.
    baseline : str
        The method whose estimator, at four fifths of the rows, is the hold-out to compare with; none if empty.
    help : str
        One line for the command line.
    """

    fraction: float
    estimator: Callable[[Table, Settings, float], Any]
    baseline: str
    help: str


def _common(settings: Settings) -> dict[str, Any]:
    return {"delta": settings.delta, "candidates": settings.candidates, "random_state": settings.seed}


def _pipeline(settings: Settings) -> Pipeline:
    """Return preprocessing and classifier as one unfitted estimator."""
    return Pipeline([("columns", ColumnPreprocessor()), ("classifier", make_classifier(settings.model, settings.seed))])


def _posterior(table: Table, settings: Settings, fraction: float) -> CertifiedLogisticRegression:
    steps = make_preprocessing(table.columns, missing=settings.missing)
    return CertifiedLogisticRegression(prior_fraction=fraction, preprocessing=steps, **_common(settings))


def _online(table: Table, settings: Settings, fraction: float) -> OnlineCertifiedClassifier:
    first = min(max(round(fraction * len(table.y)), 2), len(table.y) - 1)
    schedule = Geometric(_RATIO, first=first)
    return OnlineCertifiedClassifier(_pipeline(settings), schedule=schedule, **_common(settings))


def _holdout(table: Table, settings: Settings, fraction: float) -> CertifiedClassifier:
    del table
    return CertifiedClassifier(_pipeline(settings), split=fraction, refit=settings.refit, **_common(settings))


def _test(table: Table, settings: Settings, fraction: float) -> TestedClassifier:
    del fraction
    return TestedClassifier(_pipeline(settings), table.learning, settings.delta, settings.candidates)


METHODS: dict[str, Method] = {
    "posterior": Method(0.4, _posterior, "holdout", "a Gaussian posterior, learned from all rows (two classes)"),
    "online": Method(0.2, _online, "holdout", "the model predicts rows before it learns from them"),
    "holdout": Method(0.8, _holdout, "", "a fifth is kept for testing"),
    "test": Method(1.0, _test, "", "learns from all rows, is judged on those of --test"),
}


def fraction_of(settings: Settings) -> float:
    """Return the share of the rows for training before the judged rows begin."""
    return METHODS[settings.method].fraction if settings.prior_fraction is None else settings.prior_fraction


def estimator_for(table: Table, settings: Settings) -> Any:
    """Return the unfitted estimator that issues the certificate of some settings, whose method is resolved."""
    return METHODS[settings.method].estimator(table, settings, fraction_of(settings))


def choose_method(settings: Settings, classes: int, rows: int) -> tuple[Settings, str]:
    """Resolve "auto" from the model and the numbers of classes and rows, never from anything computed.

    Logistic regression of two classes has a posterior. Other models are certified online while rows are few, since
    every row then is both judged and learned from; where there are many, a fifth of them judges well enough, and the
    number is about one model and not about a choice of snapshots.

    Returns
    -------
    settings : Settings
        With the method that is used.
    why : str
        A code: "asked", "logistic", "few_rows" or "many_rows".

    Examples
    --------
    >>> from pacbayes.runs import Settings, choose_method
    >>> chosen, why = choose_method(Settings(target="label", model="random-forest"), classes=2, rows=900)
    >>> chosen.method, why
    ('online', 'few_rows')
    """
    linear = settings.model == "logistic" and classes == 2
    if settings.method != "auto":
        if settings.method == "posterior" and not linear:
            raise ValueError(
                "The method 'posterior' is for --model logistic and two classes. "
                f"Got {settings.model!r} and {classes} classes; "
                "use --method online or holdout, or set one class against the rest with --positive."
            )
        return settings, "asked"
    if linear:
        return replace(settings, method="posterior"), "logistic"
    few = rows < MANY_ROWS
    return replace(settings, method="online" if few else "holdout"), "few_rows" if few else "many_rows"
