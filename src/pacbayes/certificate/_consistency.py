"""What must be so in any certificate, whatever the data were: which claims go together, and which numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pacbayes.certificate._certificate import Certificate

__all__ = ["claims_fit", "statistics_fit"]

_SLACK = 1e-9
_COUNTING = ("clopper_pearson", "chernoff")
_COUNTS = ("errors", "risk", "reference_kind")
_MEANS = (
    *("strength", "reference_kind", "risk", "plus", "minus", "excess", "second", "variance"),
    *("reference", "log_growth", "reference_log_growth", "rates", "weights"),
)


def claims_fit(record: Certificate) -> str:
    """Check that kind, bound, vote and divergence go together; return what does not, or nothing."""
    given, counting = record.statistics, record.bound in _COUNTING
    missing = [name for name in (_COUNTS if counting else _MEANS) if name not in given]
    allowed = {"holdout": ("none",), "online": ("twice", "none"), "posterior": ("same",) if counting else ("twice",)}
    reference = given.get("reference_kind", "none") != "none"
    complaints = {
        f"the statistic {''.join(missing[:1])!r} is missing": bool(missing),
        "a bound on a reference goes with a reference": (record.reference_bound is not None) != reference,
        "delta is split only with a reference": not reference and record.split != 0.5,
        "a divergence for a single predictor": (counting or record.kind != "posterior") and record.kl != 0.0,
        f"{record.bound!r} does not hold for streams": record.kind == "online" and record.bound != "betting",
        f"the vote rule {record.vote_rule!r} is not proved here": record.vote_rule not in allowed[record.kind],
    }
    return next((words for words, so in complaints.items() if so), "")


def statistics_fit(record: Certificate) -> str:
    """Check what follows from the definitions of the statistics; return what does not hold, or nothing."""
    if record.bound in _COUNTING:
        return _counts_fit(record)
    given = record.statistics
    plus, minus, excess = (float(given[name]) for name in ("plus", "minus", "excess"))
    if abs(plus - minus - excess) > _SLACK:
        return "'excess' is not 'plus' less 'minus'"
    if abs(float(given["risk"]) - float(given["strength"]) * float(given["reference"]) - excess) > _SLACK:
        return "'excess' is not 'risk' less 'strength' times 'reference'"
    if record.kind == "online" and record.loss == "zero_one" and not _whole(float(given["risk"]) * record.n):
        return "'risk' times n is no number of errors"
    if record.kind == "posterior" and not _whole(float(given["reference"]) * record.n):
        return "'reference' times n is no number of errors"
    return _growth_fits(given)


def _counts_fit(record: Certificate) -> str:
    given = record.statistics
    errors = float(given["errors"])
    if not 0.0 <= errors <= record.n or not _whole(errors):
        return f"{errors:g} errors among {record.n}"
    if abs(float(given["risk"]) * record.n - errors) > 1e-6 * max(1.0, errors):
        return "'risk' is not 'errors' over n"
    if record.vote_rule == "same":
        vote, draw = float(given["vote_errors"]), float(given["draw_errors"])
        if not (_whole(vote) and _whole(draw) and min(vote, draw) >= 0.0 and max(vote, draw) <= errors <= vote + draw):
            return "'errors' cannot be the rows on which the vote or the draw erred"
    return ""


def _whole(value: float) -> bool:
    return abs(value - round(value)) <= 1e-6


def _growth_fits(given: Mapping[str, Any]) -> str:
    """``log(1 - rate x)`` lies between its chord over [-gamma, 1] and its tangent, so its mean lies between theirs."""
    rates, growth = np.asarray(given["rates"], dtype=float), np.asarray(given["log_growth"], dtype=float)
    if rates.shape != growth.shape or not np.all((rates > 0.0) & (rates < 1.0)):
        return "'log_growth' and 'rates' do not go together"
    gamma = float(given["strength"]) if given["reference_kind"] != "none" else 0.0
    mean = float(given["excess"])
    low, high = np.log1p(rates * gamma), np.log1p(-rates)
    chord = low + (high - low) * (mean + gamma) / (1.0 + gamma)
    if np.any(growth < chord - _SLACK) or np.any(growth > np.log1p(-rates * mean) + _SLACK):
        return "'log_growth' is impossible for a mean of that size"
    return ""
