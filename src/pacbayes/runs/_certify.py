"""One table, one certificate: the estimator of the method, fitted, with what a report shows beside it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from pacbayes.bounds import betting, betting_rates
from pacbayes.certificate import Certificate, data_digest
from pacbayes.estimators import (
    CertificateWarning,
    CertifiedLogisticRegression,
    OnlineCertifiedClassifier,
    holdout_certificate,
)
from pacbayes.online import Geometric
from pacbayes.runs._models import classifier
from pacbayes.runs._settings import Settings
from pacbayes.tables import LinearTerms, Table, make_preprocessing

__all__ = ["Run", "certify_table", "estimator", "pipeline", "split"]

_RATIO = 1.25
_CURVE_POINTS = 80


@dataclass(frozen=True, slots=True)
class Run:
    """A certificate, the predictor it is about, and what a report shows beside them.

    Attributes
    ----------
    certificate : Certificate
    settings : Settings
    table : Table
    model : estimator
        Fitted.
    terms : LinearTerms or None
        The predictor as plain numbers, where it is linear.
    baseline : dict or None
        What a hold-out of a fifth of the rows would have given: "value", "n", "errors".
    curve : dict or None
        The anytime bound along the stream: "n", "observed", "bound".
    """

    certificate: Certificate
    settings: Settings
    table: Table
    model: Any
    terms: LinearTerms | None = None
    baseline: dict[str, Any] | None = None
    curve: dict[str, list[float]] | None = field(default=None)


def certify_table(table: Table, settings: Settings, *, baseline: bool = True, threads: int = 1) -> Run:
    """Fit the model of the settings on a table and certify it.

    Parameters
    ----------
    table : Table
        From :func:`pacbayes.tables.prepare_table`.
    settings : Settings
        What was asked for.
    baseline : bool, default=True
        Whether to compute also what an 80/20 hold-out would have given, for comparison only.
    threads : int, default=1
        For linear algebra and boosting; many small fits are fastest on one.

    Examples
    --------
    >>> import pandas as pd
    >>> import pacbayes as pb
    >>> from pacbayes.runs import Settings, certify_table
    >>> from pacbayes.tables import prepare_table
    >>> sample = pb.datasets.make_known_risk(300, d=2, random_state=0)
    >>> frame = pd.DataFrame(sample.X, columns=["a", "b"]).assign(label=sample.y)
    >>> run = certify_table(prepare_table(frame, "label"), Settings(target="label"))
    >>> run.certificate.kind, run.certificate.n
    ('posterior', 180)
    """
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)  # the certificate carries the same as notes
        if settings.method == "holdout":
            return _held_out(table, settings)
        model = estimator(table, settings).fit(table.X, table.y)
        other = _baseline(table, settings) if baseline else None
    if settings.method == "posterior":
        terms = LinearTerms.of(model.preprocessing_, model.coef_[0], model.intercept_[0])
        return Run(model.certificate_, settings, table, model, terms, other)
    return Run(model.certificate_, settings, table, model, None, other, _curve(model, settings))


def pipeline(table: Table, settings: Settings) -> Pipeline:
    """Return preprocessing and classifier as one unfitted estimator."""
    steps = make_preprocessing(table.columns, missing=settings.missing)
    return Pipeline([("columns", steps), ("classifier", classifier(settings.model, settings.seed))])


def estimator(table: Table, settings: Settings, share: float | None = None) -> Any:
    """Return the unfitted estimator that issues the certificate, for the methods "posterior" and "online"."""
    common: dict[str, Any] = {
        "delta": settings.delta,
        "candidates": settings.candidates,
        "random_state": settings.seed,
    }
    fraction = settings.share if share is None else share
    if settings.method == "posterior":
        steps = make_preprocessing(table.columns, missing=settings.missing)
        return CertifiedLogisticRegression(prior_fraction=fraction, preprocessing=steps, **common)
    first = _first_rows(fraction, len(table.y))
    return OnlineCertifiedClassifier(pipeline(table, settings), schedule=Geometric(_RATIO, first=first), **common)


def _first_rows(fraction: float, rows: int) -> int:
    if not 0.0 < fraction < 1.0:
        raise ValueError(f"The prior fraction must lie strictly between 0 and 1. Got {fraction!r} instead.")
    return min(max(round(fraction * rows), 2), rows - 1)


def split(table: Table, settings: Settings, share: float | None = None) -> tuple[Any, Any]:
    """Return the row numbers to train on and those held out, in shuffled order."""
    order = check_random_state(settings.seed).permutation(len(table.y))
    count = _first_rows(settings.share if share is None else share, len(table.y))
    return order[:count], order[count:]


def _held_out(table: Table, settings: Settings) -> Run:
    train, test = split(table, settings)
    model = clone(pipeline(table, settings)).fit(table.X.iloc[train], table.y[train])
    predicted = model.predict(table.X.iloc[test])
    certificate = holdout_certificate(table.y[test], predicted, delta=settings.delta, candidates=settings.candidates)
    digests = {**certificate.digests, "table": data_digest(table.X, table.y)}
    return Run(replace(certificate, digests=digests, digest=""), settings, table, model)


def _baseline(table: Table, settings: Settings) -> dict[str, Any]:
    """What the same learner gives on a fifth of the rows that it has not seen: a comparison, not a second chance."""
    train, test = split(table, settings, share=0.8)
    if settings.method == "posterior":
        given = estimator(table, settings, share=0.8).fit(table.X, table.y).certificate_
        errors, n = int(given.statistics["vote_errors"]), given.n
    else:
        model = pipeline(table, settings).fit(table.X.iloc[train], table.y[train])
        errors, n = int(np.sum(model.predict(table.X.iloc[test]) != table.y[test])), test.size
    losses = np.arange(n) < errors
    value = holdout_certificate(losses=losses, delta=settings.delta, candidates=settings.candidates).value
    return {"value": value, "n": int(n), "errors": errors}


def _curve(model: OnlineCertifiedClassifier, settings: Settings) -> dict[str, list[float]]:
    """The bound after each of about eighty numbers of rows; it holds at all of them at once."""
    total = np.cumsum(model.losses_)
    sizes = np.unique(np.geomspace(min(10, total.size), total.size, _CURVE_POINTS).astype(np.int64))
    risks = total[sizes - 1] / sizes
    rates, weights = betting_rates()
    growth = risks[:, None] * np.log1p(-rates)  # losses are 0 or 1
    values = betting(growth, rates, 0.0, sizes, settings.delta / settings.candidates, weights)
    return {"n": sizes.tolist(), "observed": risks.tolist(), "bound": np.asarray(values).tolist()}
