"""The methods of a run, one line each: which estimator certifies a table, and how its rows are shared out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from sklearn.pipeline import Pipeline

from pacbayes._core.rows import distinct_labels
from pacbayes.estimators import (
    CertifiedClassifier,
    CertifiedForest,
    CertifiedLogisticRegression,
    OnlineCertifiedClassifier,
    SelectiveClassifier,
)
from pacbayes.metrics import group_values
from pacbayes.online import Geometric
from pacbayes.procedures import ClassifierLearner, FixedFraction, Sample, Split, draw_order
from pacbayes.runs.models import make_classifier
from pacbayes.runs.tested import TestedClassifier
from pacbayes.tables import ColumnPreprocessor, Table, make_preprocessing

if TYPE_CHECKING:
    from pacbayes.certificate import Statement
    from pacbayes.runs.settings import Settings

__all__ = ["METHODS", "Method", "choose_method", "estimator_for", "fit_on_table", "try_out_split"]

_RATIO = 1.25
_LOGISTIC = frozenset({"posterior", "draw"})  # methods for two classes and logistic regression
_ASKED = frozenset({"auto", "split", "test"})  # methods that state more than the error


@dataclass(frozen=True, slots=True)
class Method:
    """A way to certify the model of some settings.

    Attributes
    ----------
    fraction : float or None
        The default share of the rows for training before the judged rows begin; None if it is found on the way.
    estimator : callable
        From table, settings and that share to the unfitted estimator that issues the certificate.
    compared : bool
        Whether a hold-out of a fifth of the same rows is something to compare with.
    help : str
        One line for the command line.
    """

    fraction: float | None
    estimator: Callable[[Table, Settings, float | None], Any]
    compared: bool
    help: str


def _common(settings: Settings) -> dict[str, Any]:
    return {"delta": settings.delta, "candidates": settings.candidates, "random_state": settings.seed}


def _pipeline(settings: Settings) -> Pipeline:
    """Return preprocessing and classifier as one unfitted estimator."""
    return Pipeline([("columns", ColumnPreprocessor()), ("classifier", make_classifier(settings.model, settings.seed))])


def _split(table: Table, settings: Settings, fraction: float | None) -> CertifiedClassifier:
    model, split = make_classifier(settings.model, settings.seed), "adaptive" if fraction is None else fraction
    options = {"preprocessing": "auto", "refit": settings.refit, **_common(settings)}
    options["max_learning_rows"] = settings.max_learning_rows
    classes = distinct_labels(table.y)
    settings.asked.questions(sorted(table.groups), classes)  # what cannot be asked is refused by the option's name
    options |= settings.asked.options(classes)
    return CertifiedClassifier(model, split=split, **options)


def _selective(table: Table, settings: Settings, fraction: float | None) -> SelectiveClassifier:
    del table
    model, split = make_classifier(settings.model, settings.seed), "adaptive" if fraction is None else fraction
    rate = settings.max_false_negative_rate
    options = {"preprocessing": "auto", "positive": None if rate is None else settings.positive, **_common(settings)}
    return SelectiveClassifier(model, settings.max_error, max_fnr=rate, split=split, **options)


def _posterior(table: Table, settings: Settings, fraction: float | None) -> CertifiedLogisticRegression:
    steps = make_preprocessing(table.columns, missing=settings.missing)
    options = {"prior_fraction": cast("float", fraction), **_common(settings)}
    kept = "draw" if settings.method == "draw" else "vote"
    return CertifiedLogisticRegression(preprocessing=steps, derandomize=kept, **options)


def _online(table: Table, settings: Settings, fraction: float | None) -> OnlineCertifiedClassifier:
    first = min(max(round(cast("float", fraction) * len(table.y)), 2), len(table.y) - 1)
    schedule = Geometric(_RATIO, first=first)
    return OnlineCertifiedClassifier(_pipeline(settings), schedule=schedule, **_common(settings))


def _test(table: Table, settings: Settings, fraction: float | None) -> TestedClassifier:
    del fraction
    asked = settings.asked.questions(sorted(table.groups), distinct_labels(table.y))
    return TestedClassifier(_pipeline(settings), table.learning, settings.delta, settings.candidates, asked)


def _out_of_bag(table: Table, settings: Settings, fraction: float | None) -> CertifiedForest:
    """Return a vote of trees for a random forest, and otherwise of the model itself."""
    del table
    voter = None if settings.model == "random-forest" else make_classifier(settings.model, settings.seed)
    options = {"preprocessing": "auto", "max_samples": cast("float", fraction), **_common(settings)}
    return CertifiedForest(voter, **options)


METHODS: dict[str, Method] = {
    "split": Method(None, _split, True, "trains on a part of the rows, is evaluated on the rest"),
    "selective": Method(None, _selective, False, "a threshold by --max-error or --max-false-negative-rate"),
    "online": Method(0.2, _online, True, "predicts each row before training on it, as in a stream"),
    "out-of-bag": Method(
        0.4, _out_of_bag, True, "a vote (100 trees, of --model random-forest) that learns from all rows"
    ),
    "posterior": Method(0.4, _posterior, True, "a distribution over logistic regressions (two classes)"),
    "draw": Method(0.4, _posterior, True, "one logistic regression drawn from such a distribution, and kept"),
    "test": Method(1.0, _test, False, "trains on all rows, is evaluated on those of --test"),
}


def estimator_for(table: Table, settings: Settings) -> Any:
    """Return the unfitted estimator that issues the certificate of some settings, whose method is resolved."""
    method, given = METHODS[settings.method], settings.learning_fraction
    return method.estimator(table, settings, method.fraction if given is None else given)


def fit_on_table(estimator: Any, table: Table, settings: Settings) -> Any:
    """Fit the estimator of some settings on a table, with the groups of its rows if there are such."""
    grouping = group_values("--group", table.groups) if table.groups else None
    beside = {} if grouping is None else {"grouping": grouping}
    return estimator.fit(table.X, table.y, in_order=settings.time is not None, **beside)


def try_out_split(table: Table, settings: Settings) -> Statement:
    """Return what a split of a fixed share states first, for comparison: nothing is issued, and no data is hashed."""
    order, seed = draw_order(settings.seed, len(table.y), in_order=settings.time is not None)
    asked = settings.asked.questions(sorted(table.groups), distinct_labels(table.y))
    model = make_classifier(settings.model, settings.seed)
    split = Split(
        learner=ClassifierLearner(model, ColumnPreprocessor(), probabilities=asked.needs_probabilities),
        questions=asked,
        stop=FixedFraction(cast("float", settings.learning_fraction), settings.max_learning_rows),
        delta=settings.delta,
        candidates=settings.candidates,
    )
    grouping = group_values("--group", table.groups) if table.groups else None
    return split.try_out(Sample(table.X, table.y, order, seed, settings.seed, grouping=grouping))


def choose_method(settings: Settings, classes: int) -> tuple[Settings, str]:
    """Resolve "auto", and refuse a method that the model has not.

    "auto" is "split" for every model, or "selective" where a threshold is to be certified. Nothing that was computed
    plays a part: choosing among certificates would break them.

    Parameters
    ----------
    settings : Settings
        What is asked for.
    classes : int
        How many there are.

    Returns
    -------
    settings : Settings
        With the method that is used.
    why : str
        A code: "asked" or "default".

    Examples
    --------
    >>> from pacbayes.runs import Settings, choose_method
    >>> chosen, why = choose_method(Settings(target="label", model="random-forest"), classes=2)
    >>> chosen.method, why
    ('split', 'default')
    """
    if not settings.asked.is_error and (settings.selects or settings.method not in _ASKED):
        named = "selective" if settings.selects else settings.method
        raise ValueError(f"--metric and --group go with the methods split and test. Got the method {named!r} instead.")
    if settings.method == "auto" and settings.selects:
        return replace(settings, method="selective"), "asked"
    if settings.method == "auto":
        return replace(settings, method="split"), "default"
    if settings.method in _LOGISTIC and (settings.model != "logistic" or classes != 2):
        raise ValueError(
            f"The method {settings.method!r} is for --model logistic and two classes. "
            f"Got {settings.model!r} and {classes} classes; "
            "use --method split or online, or set one class against the rest with --positive."
        )
    return settings, "asked"
