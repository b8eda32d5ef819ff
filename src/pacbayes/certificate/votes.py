"""What must be so in a statement about a weighted vote, whatever the data were."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pacbayes import bounds

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["VOTERS", "VOTE_WEIGHTS", "wrong_votes"]

VOTERS = "voters"  # the choice of how many vote
VOTE_WEIGHTS = "vote_weights"  # the choice of their weights: "even", or "optimised"
_SLACK = 1e-9
_OF_VOTES = {"gibbs", "tandem", "disagreement"}


def wrong_votes(record: Certificate, statement: Statement) -> str | None:
    """Return what cannot be so among the numbers of a vote; None if nothing, or if it is about something else.

    Even weights have no divergence from even ones, others at most the logarithm of the number of voters; and two
    voters have no more rows in common than one has.
    """
    if not _OF_VOTES & set(bounds.get(statement.bound).numbers):
        return None
    chosen = {each.what: each.value for each in record.choices}
    voters, weights, given = chosen.get(VOTERS), chosen.get(VOTE_WEIGHTS), statement.observed
    if not isinstance(voters, int) or isinstance(voters, bool) or voters < 2 or weights not in ("even", "optimised"):
        return "voters"
    most = 0.0 if weights == "even" else math.log(voters) * (1.0 + _SLACK)
    if not 0.0 <= statement.kl <= most:
        return "divergence"
    if "n_pairs" in given and not _is_count_below(given["n_pairs"], statement.n):
        return "pairs"
    return None


def _is_count_below(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
