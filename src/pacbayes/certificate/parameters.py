"""What costs and log losses are measured by: recorded so that nobody can put another number in its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["COSTS", "LARGEST_COST", "LARGEST_LOG_LOSS", "is_own_parameter"]

COSTS, LARGEST_COST = "costs", "largest_cost"  # the choices of the costs themselves, and of the largest of them
LARGEST_LOG_LOSS = 7.0  # as that of a probability of about 0.0009


def is_own_parameter(record: Certificate, parameter: str, scale: float) -> bool:
    """Return whether a number that losses are measured by is the one that is recorded: the largest cost, or 7.

    Any other parameter is free.
    """
    if parameter == LARGEST_COST:
        found = [each for each in record.choices if each.what == COSTS]
        return len(found) == 1 and found[0].where == "given" and _largest(str(found[0].value)) == scale
    return scale == LARGEST_LOG_LOSS if parameter == "largest_log_loss" else True


def _largest(text: str) -> float:
    """Return the largest of costs, by true and by predicted class; all of them are finite and at least 0."""
    costs = [float(cost) for row in json.loads(text).values() for cost in row.values()]
    if not all(0.0 <= cost < float("inf") for cost in costs):
        raise ValueError("Costs must be finite and at least 0.")
    return max(costs)
