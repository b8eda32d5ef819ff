"""Weights of voters by the bound on their vote, which holds for all weights at once: only their divergence is paid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pacbayes import bounds
from pacbayes._core.rounding import EPS, raised
from pacbayes._core.types import FloatArray, IntArray
from pacbayes.procedures.voters import Judgement

__all__ = ["VOTE_BOUNDS", "VoteBound", "Weighing"]

VOTE_BOUNDS = ("tandem", "first_order", "chebyshev_cantelli", "disagreement")
_WHOLE = 2**40  # the sum of weights: sums of them are exact, and each is as good as a real number
_STEPS, _STEP = 40, 0.3


@dataclass(frozen=True, slots=True)
class Weighing:
    """Weights of voters, whole numbers, and what the bound reads of their vote.

    Attributes
    ----------
    weights : ndarray of int
    kl : float
        Divergence from even weights, rounded up.
    n : int
        The smallest number of rows that a voter, or a pair of voters, was judged on.
    observed : dict
        The numbers that the bound reads, by name.
    """

    weights: IntArray
    kl: float
    n: int
    observed: dict[str, Any]


class VoteBound:
    """A bound on the vote of judged voters, as a function of their weights.

    Parameters
    ----------
    name : str
        One of ``VOTE_BOUNDS``.
    judgement : Judgement
        Errors of the voters on rows that they have not learned from.
    delta : float
        Of the bound.
    """

    def __init__(self, name: str, judgement: Judgement, delta: float) -> None:
        self._record, self._delta = bounds.get(name), delta
        reads = set(self._record.numbers)
        self._n_pairs = int(judgement.pair_sizes().min()) if reads != {"gibbs"} else 0
        self._n = self._n_pairs if reads == {"tandem"} else int(judgement.sizes.min())
        self._singly = {"gibbs": judgement.losses} if "gibbs" in reads else {}
        pairs = {"tandem": judgement.pair_losses, "disagreement": judgement.pair_differences}
        self._in_pairs = {name: make() for name, make in pairs.items() if name in reads}
        self._voters = len(judgement.judged)

    def weigh_evenly(self) -> Weighing:
        """Return even weights, which cost nothing."""
        return self._weigh(np.ones(self._voters, dtype=np.int64))

    def weigh(self) -> Weighing:
        """Return the weights with the smallest bound among those on the way to where its derivative vanishes.

        There the weights are proportional to the exponential of minus the derivative of the bound by them, less that of
        the divergence, over its derivative by the divergence. The way is a fixed number of damped steps towards that,
        which starts at even weights, so that whoever weighs again arrives at the same.
        """
        logits, best, least = np.zeros(self._voters), None, math.inf
        for _ in range(_STEPS):
            share = np.exp(logits - logits.max())
            share /= share.sum()
            value, target = self._step(share)
            if value < least:
                best, least = share, value
            if not np.isfinite(target).all():
                break
            logits = (1.0 - _STEP) * logits + _STEP * target
        even = self.weigh_evenly()
        if best is None:
            return even
        found = self._weigh(_whole_numbers(best))
        return found if self.value(found) < self.value(even) else even

    def value(self, weighing: Weighing) -> float:
        """Return the bound at some weights."""
        given = {**weighing.observed, "kl": weighing.kl, "n": weighing.n, "delta": self._delta}
        return float(self._record.function(**given))

    def _step(self, share: FloatArray) -> tuple[float, FloatArray]:
        """Return the bound at real weights, and the logits at which they would stay if they had its derivatives."""
        divergence = max(float(np.sum(share * np.log(np.maximum(share * self._voters, 1e-300)))), 0.0)
        given = {**self._means(share), "kl": divergence, "n": self._n, "delta": self._delta}
        value, slopes = self._record.function(**given, return_grad=True)  # type: ignore[misc]
        total = np.zeros(self._voters)
        with np.errstate(all="ignore"):
            for name, each in self._singly.items():
                total += slopes[name] * each
            for name, pairs in self._in_pairs.items():
                total += 2.0 * slopes[name] * (pairs @ share)
            target = -total / slopes["kl"]
            return float(value), np.asarray(target - target.mean())

    def _means(self, share: FloatArray) -> dict[str, Any]:
        """Return the numbers that the bound reads; a sum of so many terms is rounded to its adverse side."""
        slack = 4.0 * self._voters
        found: dict[str, Any] = {name: math.fsum((share * each).tolist()) for name, each in self._singly.items()}
        for name, pairs in self._in_pairs.items():
            mean = float(share @ pairs @ share)
            found[name] = min(float(raised(mean, slack)), 1.0) if name == "tandem" else mean * (1.0 - slack * EPS)
        return found | ({"n_pairs": self._n_pairs} if "n_pairs" in self._record.numbers else {})

    def _weigh(self, weights: IntArray) -> Weighing:
        share = weights / weights.sum()
        return Weighing(weights, _divergence(weights), self._n, self._means(share))


def _divergence(weights: IntArray) -> float:
    """Return the divergence of weights from even ones, rounded up; 0 for even ones."""
    if np.all(weights == weights[0]):
        return 0.0
    share = weights[weights > 0] / weights.sum()
    terms = share * np.log(share * weights.size)  # each to 8 units of itself, but for cancellation in the logarithm
    slack = 16.0 * EPS * float(np.sum(share * (1.0 + np.abs(np.log(share * weights.size)))))
    return max(math.fsum(terms.tolist()) + slack, 0.0)


def _whole_numbers(share: FloatArray) -> IntArray:
    """Return whole numbers in proportion to weights, with a power of two as their sum."""
    weights = np.floor(share * _WHOLE).astype(np.int64)
    weights[int(np.argmax(share))] += _WHOLE - int(weights.sum())
    return np.asarray(weights)
