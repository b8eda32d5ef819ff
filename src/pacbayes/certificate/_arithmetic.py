"""The bound of a certificate, recomputed from its statistics with ``numerics`` and ``bounds`` alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes.bounds import debiased, gibbs_to_vote
from pacbayes.bounds._catalogue import catalogue, evaluate, require_sound
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
        _guarded("statistics agree with each other", lambda: _check_statistics(record)),
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
            record.delta / record.candidates,
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


def _check_statistics(record: Certificate) -> str:
    """Check what follows from the definitions of the statistics, whatever the data were."""
    given = record.statistics
    slack = 1e-9
    if (record.reference_bound is None) != (given.get("reference_kind", "none") == "none"):
        return "a bound on a reference goes with a reference"
    if "errors" in given:
        errors = float(given["errors"])
        if not 0.0 <= errors <= record.n:
            return f"{errors:.0f} errors among {record.n}"
        if "risk" in given and abs(float(given["risk"]) * record.n - errors) > 1e-6 * max(1.0, errors):
            return "'risk' is not 'errors' over n"
    if "plus" in given and abs(float(given["plus"]) - float(given["minus"]) - float(given["excess"])) > slack:
        return "'excess' is not 'plus' less 'minus'"
    if "risk" in given and "reference" in given and "excess" in given:
        excess = float(given["risk"]) - float(given["strength"]) * float(given["reference"])
        if abs(excess - float(given["excess"])) > slack:
            return "'excess' is not 'risk' less 'strength' times 'reference'"
    return _check_growth(given)


def _check_growth(given: Mapping[str, Any]) -> str:
    """``log(1 - rate x)`` lies between its chord over [-gamma, 1] and its tangent, so its mean lies between theirs."""
    if "log_growth" not in given:
        return ""
    rates, growth = np.asarray(given["rates"], dtype=float), np.asarray(given["log_growth"], dtype=float)
    if rates.shape != growth.shape or not np.all((rates > 0.0) & (rates < 1.0)):
        return "'log_growth' and 'rates' do not go together"
    gamma = float(given.get("strength", 1.0)) if given.get("reference_kind", "none") != "none" else 0.0
    mean = float(given["excess"]) if "excess" in given else float(given["risk"])
    low, high = np.log1p(rates * gamma), np.log1p(-rates)
    chord = low + (high - low) * (mean + gamma) / (1.0 + gamma)
    if np.any(growth < chord - 1e-9) or np.any(growth > np.log1p(-rates * mean) + 1e-9):
        return "'log_growth' is impossible for a mean of that size"
    return ""
