"""The bound of a certificate, recomputed from its statistics with ``numerics`` and ``bounds`` alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes.bounds import catalogue, debiased, evaluate, gibbs_to_vote, require_sound
from pacbayes.certificate._consistency import claims_fit, statistics_fit
from pacbayes.certificate._verification import Check

if TYPE_CHECKING:
    from pacbayes.certificate._certificate import Certificate

__all__ = ["arithmetic_checks", "bound_value", "vote_of"]

# Elementary functions of two platforms may differ in their last places; a larger difference is not rounding.
_AGREEMENT = 1e-9


def bound_value(
    bound: str,
    statistics: Mapping[str, Any],
    n: int,
    delta: float,
    kl: Any = 0.0,
    *,
    reference_bound: str | None = None,
    split: float = 0.5,
) -> Any:
    """Evaluate a bound on the risk: by its name alone, or with a reference as excess plus reference.

    Arrays broadcast, so that an estimator searches over posteriors with the very function that verifies the result.
    """
    records = {record.name: record for record in catalogue()}
    if bound not in records:
        raise ValueError(f"The bound must be one of {', '.join(records)}. Got {bound!r} instead.")
    numbers = {key: np.asarray(item) if isinstance(item, list) else item for key, item in statistics.items()}
    if reference_bound is not None:
        return debiased(
            SimpleNamespace(n=n, **numbers), kl, delta, excess=bound, reference=reference_bound, split=split
        )
    require_sound("Certificate", records[bound], str(statistics.get("reference_kind", "none")), None)
    return np.minimum(evaluate(records[bound], numbers, n, delta, kl), 1.0)


def vote_of(value: float, rule: str) -> float | None:
    """Return the vote's bound: twice the value, the same (where errors of both were counted), or none."""
    if rule == "none":
        return None
    return float(gibbs_to_vote(value)) if rule == "twice" else value


def arithmetic_checks(record: Certificate) -> list[Check]:
    """Recompute value and vote_value, and check that the statistics agree with each other."""
    return [
        _guarded("bound recomputed from the statistics", lambda: _check_value(record)),
        _guarded("vote's bound", lambda: _check_vote(record)),
        _guarded("claims go together", lambda: claims_fit(record)),
        _guarded("statistics agree with each other", lambda: statistics_fit(record)),
        _guarded("citation belongs to the bound", lambda: _check_citation(record)),
    ]


def _guarded(what: str, compute: Callable[[], str]) -> Check:
    """Return the check whose computation says in words what is wrong, or nothing; a refusal is a failure."""
    try:
        detail = compute()
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        detail = f"it cannot be recomputed ({error})"
    return Check(what, not detail, detail)


def _differ(one: float, other: float) -> bool:
    return not abs(one - other) <= _AGREEMENT * max(abs(one), abs(other))


def _check_value(record: Certificate) -> str:
    value = float(
        bound_value(
            record.bound,
            record.statistics,
            record.n,
            record.delta / record.candidates * record.share,
            record.kl,
            reference_bound=record.reference_bound,
            split=record.split,
        )
    )
    return f"it gives {value!r}, recorded is {record.value!r}" if _differ(value, record.value) else ""


def _check_vote(record: Certificate) -> str:
    expected = vote_of(record.value, record.vote_rule)
    if expected is None or record.vote_value is None:
        return "" if expected is record.vote_value else f"recorded is {record.vote_value!r} under {record.vote_rule!r}"
    differs = _differ(expected, record.vote_value)
    return f"it gives {expected!r}, recorded is {record.vote_value!r}" if differs else ""


def _check_citation(record: Certificate) -> str:
    cited = {entry.name: entry.citation for entry in catalogue()}[record.bound]
    return "" if record.citation == cited else f"another one is recorded for {record.bound!r}"
