"""The bets of a portfolio around a rate that was learned: most of the weight where other rows predict the best bet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pacbayes._core.arguments import check_range, to_floats
from pacbayes._core.types import FloatArray
from pacbayes.bounds.betting import betting_rates
from pacbayes.statistics import STRENGTHS

__all__ = ["LearnedBets", "learned_bets"]

# What the predicted bet keeps of each weight. Chosen on splits of the paper's data that no benchmark uses: larger parts
# gain at most 0.3 % where the prediction is right, and have nothing left where it is wrong (Mushroom).
_OF_RATES = 0.95
_OF_STRENGTHS = 0.98
_SHARE = 0.99
_CLOSEST = 1e-6


class LearnedBets(NamedTuple):
    """What :func:`portfolio` takes besides statistics, for the strengths of a :class:`pacbayes.Summary`.

    Attributes
    ----------
    rates, weights : ndarray, shape (K,)
        The predicted rate first, then the grid for one n.
    strength_weights : ndarray, shape (J,)
        Most of it for strength 0.
    share : float
        Of the bets on the risk.

    Examples
    --------
    >>> import pacbayes as pb
    >>> bets = pb.bounds.learned_bets(0.3, n=1000)
    >>> float(bets.rates[0]), round(float(bets.weights[0]), 2), round(float(bets.weights.sum()), 12), bets.share
    (0.3, 0.95, 1.0, 0.99)
    """

    rates: FloatArray
    weights: FloatArray
    strength_weights: FloatArray
    share: float


def learned_bets(rate: float, n: int, delta: float = 0.05) -> LearnedBets:
    """Bets for :func:`portfolio` around a rate predicted from rows that the bound is not computed on.

    The rate has 95 % of the weight of the rates, strength 0 has 98 % of that of the strengths, and the bets on the risk
    have a share of 99 %; the rest is spread over :func:`betting_rates` and the other strengths. Strength 0, since the
    posterior is predicted to be the prior that has learned: a reference gains only by making what the divergence is
    charged on vary less. Against :func:`betting` at that rate alone this costs at most ``log(1/(.95 * .98 * .99))``,
    0.082 nats; against the whole grid, however wrong the rate is, at most 3.1 nats.

    Parameters
    ----------
    rate : float
        In (0, 1), fixed before the data or chosen on other data.
    n : int
        Number of examples.
    delta : float, default=0.05
        The probability of failure that the grid is made for; it is not tied to it.

    Returns
    -------
    LearnedBets
        Rates, their weights, the strengths' weights and the share.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> bets = pb.bounds.learned_bets(0.4, n=1000)
    >>> len(bets.rates), float(bets.rates[0]), round(float(bets.weights[0]), 4), bets.share
    (10, 0.4, 0.95, 0.99)
    >>> losses = reference = np.repeat([1.0, 0.0], [50, 950])
    >>> summary = pb.Summary.from_losses(losses, reference, reference_kind="fixed", rates=bets.rates)
    >>> growths = summary.growths, summary.strengths, summary.reference_log_growth
    >>> round(pb.bounds.portfolio(*growths, kl=0.1, n=1000, delta=0.05, **bets._asdict()), 6)
    0.070671
    >>> round(pb.bounds.betting(0.05 * np.log1p(-0.4), rates=0.4, kl=0.1, n=1000, delta=0.05), 6)
    0.070577
    """
    chosen = to_floats("learned_bets", "rate", rate)
    if chosen.shape:
        raise ValueError(f"The 'rate' argument of learned_bets must be a number. Got shape {chosen.shape} instead.")
    check_range("learned_bets", "rate", chosen, _CLOSEST, 1.0 - _CLOSEST, "lie strictly between 0 and 1")
    grid, weights = betting_rates(n=n, delta=delta)
    others = (1.0 - _OF_STRENGTHS) / (len(STRENGTHS) - 1)
    return LearnedBets(
        np.append(chosen, grid),
        np.append(_OF_RATES, (1.0 - _OF_RATES) * weights),
        np.array([others if strength else _OF_STRENGTHS for strength in STRENGTHS]),
        _SHARE,
    )
