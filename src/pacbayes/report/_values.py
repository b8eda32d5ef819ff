"""The numbers of a report, all computed by the library: what a bound is made of, and how it changes with delta."""

from __future__ import annotations

from typing import Any

import numpy as np

from pacbayes.certificate import Certificate
from pacbayes.certificate._arithmetic import bound_value, vote_of
from pacbayes.certificate._words import rounded_up

__all__ = ["composition", "delta_values"]

_DELTAS = (
    *(0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01),
    *(0.005, 0.0025, 0.001, 0.0005, 0.0001, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9),
)


def value_at(
    certificate: Certificate, delta: float, *, kl: float | None = None, candidates: int | None = None
) -> float:
    """Evaluate the certificate's bound on its statistics at another delta, divergence or number of candidates."""
    value = bound_value(
        certificate.bound,
        certificate.statistics,
        certificate.n,
        delta / (certificate.candidates if candidates is None else candidates) * certificate.share,
        certificate.kl if kl is None else kl,
        reference_bound=certificate.reference_bound,
        split=certificate.split,
    )
    return max(float(value), 0.0)


def delta_values(certificate: Certificate) -> list[dict[str, Any]]:
    """Return the certificate's bound at twenty-five deltas and at its own, largest delta first.

    Parameters
    ----------
    certificate : Certificate
        Its statistics are evaluated anew at each delta.

    Returns
    -------
    list of dict
        "delta", "value", and "shown" (and "vote", "vote_shown" where there is a vote), rounded up for display.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.report import delta_values
    >>> certificate = pb.holdout_certificate([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5)
    >>> [(row["delta"], row["shown"]) for row in delta_values(certificate)[6:9]]
    [(0.1, '0.0459'), (0.075, '0.0485'), (0.05, '0.0519')]
    """
    rows = []
    for delta in sorted({*_DELTAS, certificate.delta}, reverse=True):
        value = value_at(certificate, delta)
        row: dict[str, Any] = {"delta": delta, "value": value, "shown": rounded_up(value)}
        vote = vote_of(value, certificate.vote_rule)
        if vote is not None:
            row |= {"vote": vote, "vote_shown": rounded_up(vote)}
        rows.append(row)
    return rows


def composition(certificate: Certificate) -> list[dict[str, Any]]:
    """Return what the value is made of: observed risk, then what confidence, complexity and the union add.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.report import composition
    >>> certificate = pb.holdout_certificate([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5)
    >>> [(part["name"], round(part["adds"], 4)) for part in composition(certificate)]
    [('observed', 0.025), ('confidence', 0.0268)]
    """
    observed = float(certificate.statistics["risk"])
    sure = max(value_at(certificate, certificate.delta, kl=0.0, candidates=1), observed)
    complex_ = max(value_at(certificate, certificate.delta, candidates=1), sure)
    parts = [_part("observed", observed), _part("confidence", sure - observed)]
    if certificate.kl > 0.0:
        parts.append(_part("complexity", complex_ - sure))
    if certificate.candidates > 1:
        parts.append(_part("union", certificate.value - complex_))
    return parts


def _part(name: str, adds: float) -> dict[str, Any]:
    return {"name": name, "adds": float(np.clip(adds, 0.0, 1.0))}
