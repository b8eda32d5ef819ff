"""Certificates as the estimators issue them: the same words, versions and time for all."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from platform import python_version
from typing import Any

from pacbayes.bounds import catalogue
from pacbayes.certificate import Certificate, Choice
from pacbayes.certificate._arithmetic import bound_value, vote_of
from pacbayes.summary import Summary

__all__ = ["IID", "NOTHING_BEFORE", "checked_candidates", "checked_delta", "forget", "issue", "statistics_of"]

IID = "The rows are independent draws from one law, and the guarantee is about new rows from that law."
NOTHING_BEFORE = (
    "Nothing that was used before this fit (a scaler, a feature selection, a search) had learned from these rows; "
    "give such steps as preprocessing=, or count the settings that were compared as candidates=."
)

_SCALARS = (
    *("strength", "reference_kind", "risk", "plus", "minus", "excess", "second", "variance"),
    *("reference", "reference_second"),
)
_VECTORS = ("log_growth", "reference_log_growth", "rates", "weights")


def statistics_of(summary: Summary) -> dict[str, Any]:
    """Return a summary's statistics as plain numbers, by the names that bounds know them by."""
    scalars = {name: getattr(summary, name) for name in _SCALARS}
    return scalars | {name: getattr(summary, name).tolist() for name in _VECTORS}


def issue(
    *,
    bound: str,
    statistics: Mapping[str, Any],
    n: int,
    delta: float,
    kl: float = 0.0,
    candidates: int = 1,
    share: float = 1.0,
    reference_bound: str | None = None,
    split: float = 0.5,
    vote_rule: str,
    choices: Sequence[Choice] = (),
    **words: Any,
) -> Certificate:
    """Evaluate the bound on the statistics and return the certificate, with versions and time filled in."""
    failure = float(delta) / candidates * share
    value = float(bound_value(bound, statistics, n, failure, kl, reference_bound=reference_bound, split=split))
    return Certificate(
        value=max(value, 0.0),
        vote_value=vote_of(max(value, 0.0), vote_rule),
        vote_rule=vote_rule,
        delta=float(delta),
        n=int(n),
        kl=float(kl),
        candidates=int(candidates),
        share=share,
        bound=bound,
        reference_bound=reference_bound,
        split=split,
        statistics=statistics,
        citation={entry.name: entry.citation for entry in catalogue()}[bound],
        choices=tuple(choices),
        versions={name: version(name) for name in ("pacbayes", "numpy", "scipy", "scikit-learn")}
        | {"python": python_version()},
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        **words,
    )


def checked_candidates(owner: str, candidates: Any) -> int:
    """Return the number of settings compared from outside, or say what it must be."""
    if isinstance(candidates, bool) or not isinstance(candidates, numbers.Integral) or candidates < 1:
        raise ValueError(
            f"The 'candidates' parameter of {owner} must be a whole number of at least 1. Got {candidates!r} instead."
        )
    return int(candidates)


def checked_delta(owner: str, delta: Any) -> float:
    """Return delta as a float, or say what it must be."""
    if isinstance(delta, bool) or not isinstance(delta, numbers.Real) or not 0.0 < float(delta) < 1.0:
        raise ValueError(f"The 'delta' parameter of {owner} must be a float in (0, 1). Got {delta!r} instead.")
    return float(delta)


def forget(estimator: Any, *names: str) -> None:
    """Remove what an earlier fit left, so that a fit that fails leaves nothing that could be taken for its own."""
    for name in names:
        if hasattr(estimator, name):
            delattr(estimator, name)
