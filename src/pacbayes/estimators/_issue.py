"""Certificates as the estimators issue them: the same words, versions and time for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from platform import python_version
from typing import Any

from pacbayes.bounds import catalogue
from pacbayes.certificate import Certificate, Choice
from pacbayes.certificate._arithmetic import bound_value, vote_of
from pacbayes.summary import Summary

__all__ = ["IID", "NOTHING_BEFORE", "checked_candidates", "issue", "statistics_of"]

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
    reference_bound: str | None = None,
    split: float = 0.5,
    vote_rule: str,
    choices: Sequence[Choice] = (),
    **words: Any,
) -> Certificate:
    """Evaluate the bound on the statistics and return the certificate, with versions and time filled in."""
    share = float(delta) / candidates
    value = float(bound_value(bound, statistics, n, share, kl, reference_bound=reference_bound, split=split))
    return Certificate(
        value=max(value, 0.0),
        vote_value=vote_of(max(value, 0.0), vote_rule),
        vote_rule=vote_rule,
        delta=float(delta),
        n=int(n),
        kl=float(kl),
        candidates=int(candidates),
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
    if isinstance(candidates, bool) or not isinstance(candidates, int) or candidates < 1:
        raise ValueError(
            f"The 'candidates' parameter of {owner} must be a whole number of at least 1. Got {candidates!r} instead."
        )
    return candidates
