"""The summary: additive statistics, their Monte-Carlo correction, and the bounds they can feed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pacbayes.bounds._arguments import single
from pacbayes.bounds._catalogue import catalogue, entry, evaluate, require_sound
from pacbayes.numerics._arrays import FloatArray
from pacbayes.summary._inputs import checked_losses, checked_options
from pacbayes.summary._monte_carlo import MonteCarloError
from pacbayes.summary._totals import SCALARS, Totals, exact_totals, mixture_totals

__all__ = ["Summary"]


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What a bound needs to know of the data: sums over examples, which merge with ``+``.

    Made by :meth:`from_losses`, :meth:`from_mixture`, :meth:`from_draws` or :meth:`from_chunks`. The statistics are
    those of ``x = loss - strength * reference``, averaged over examples and over the posterior; after Monte-Carlo
    draws each statistic is already moved to its safe side (see :attr:`spent`).

    Examples
    --------
    >>> import pacbayes as pb
    >>> summary = pb.Summary.from_losses([0.0, 0.1, 0.9, 0.2], reference=[0, 0, 1, 0], reference_kind="fixed")
    >>> summary.n, round(summary.risk, 6), round(summary.plus, 6), round(summary.minus, 6)
    (4, 0.3, 0.075, 0.025)
    >>> both = summary + summary
    >>> both.n, both.risk == summary.risk
    (8, True)
    >>> round(both.bound("excess_kl", kl=0.1, delta=0.5), 4)
    0.4815
    """

    n: int
    strength: float
    reference_kind: str
    rates: FloatArray
    weights: FloatArray
    totals: Totals
    monte_carlo: MonteCarloError | None = None

    @classmethod
    def from_losses(
        cls,
        losses: ArrayLike,
        reference: ArrayLike | None = None,
        *,
        reference_kind: str | None = None,
        strength: float = 1.0,
        rates: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Summary:
        """Summarise *expected 0-1 losses*: for each example the posterior probability of an error.

        Parameters
        ----------
        losses : array_like, shape (n,)
            In [0, 1], as from :meth:`pacbayes.Gaussian.zero_one`.
        reference : array_like, shape (n,), optional
            The reference's loss on each example, in [0, 1].
        reference_kind : {"none", "fixed", "predictable"}, optional
            "none" without a reference; with one it has to be said: "fixed" if its rule was chosen before these
            "predictable" if the rule for each example was chosen from the earlier ones alone.
        strength : float, default=1.0
            ``gamma`` in [0, 1].
        rates, weights : array_like, optional
            Grid for :func:`pacbayes.bounds.betting`; by default :func:`pacbayes.bounds.betting_rates` for all n.
        """
        p = checked_losses("losses", losses)
        setting = checked_options(p.size, reference, reference_kind, strength, rates, weights)
        totals = exact_totals(p, setting.pop("references"), setting["strength"], setting["rates"])
        return cls(n=p.size, totals=totals, **setting)

    @classmethod
    def from_mixture(
        cls, losses: ArrayLike, probabilities: ArrayLike, reference: ArrayLike | None = None, **options: Any
    ) -> Summary:
        """Summarise the losses of finitely many predictors, averaged exactly with posterior probabilities.

        Parameters
        ----------
        losses : array_like, shape (H, n)
            Loss of each predictor on each example, any values in [0, 1].
        probabilities : array_like, shape (H,)
            The posterior, summing to 1.
        reference, **options
            As in :meth:`from_losses`.

        Examples
        --------
        >>> import pacbayes as pb
        >>> pb.Summary.from_mixture([[0.0, 0.5], [1.0, 0.5]], [0.75, 0.25]).risk
        0.375
        """
        matrix = checked_losses("losses", losses, dimensions=2)
        shares = checked_losses("probabilities", probabilities)
        if shares.size != matrix.shape[0] or abs(shares.sum() - 1.0) > 1e-9:
            raise ValueError(
                f"The 'probabilities' argument of Summary must be {matrix.shape[0]} numbers that sum to 1. "
                f"Got {shares.size} with sum {float(shares.sum())!r} instead."
            )
        shares = shares / shares.sum()
        setting = checked_options(matrix.shape[1], reference, **options)
        totals = mixture_totals(matrix, shares, setting.pop("references"), setting["strength"], setting["rates"])
        return cls(n=matrix.shape[1], totals=totals, **setting)

    @classmethod
    def from_draws(cls, losses: ArrayLike, delta: float, reference: ArrayLike | None = None, **options: Any) -> Summary:
        """Summarise the losses of independent draws from the posterior, with the error of drawing accounted for.

        Parameters
        ----------
        losses : array_like, shape (N, n)
            Loss of each of ``N`` independent draws on each example, any values in [0, 1].
        delta : float
            Probability that the correction may fail; it becomes part of the delta of every bound.
        reference, **options
            As in :meth:`from_losses`.

        Examples
        --------
        >>> import numpy as np
        >>> import pacbayes as pb
        >>> draws = np.random.default_rng(0).random((2000, 50)) < 0.2
        >>> summary = pb.Summary.from_draws(draws.astype(float), delta=0.01, rates=[0.5])
        >>> 0.2 < summary.risk < 0.25, summary.spent
        (True, 0.01)
        """
        count = max(1, len(np.atleast_1d(np.asarray(losses))))
        even = cls.from_mixture(losses, np.full(count, 1.0 / count), reference, **options)
        return replace(even, monte_carlo=MonteCarloError(count, float(single("Summary", "delta", delta))))

    @classmethod
    def from_chunks(cls, chunks: Iterable[Any], **options: Any) -> Summary:
        """Summarise a stream of ``losses`` or ``(losses, reference)`` chunk by chunk, in flat memory.

        Examples
        --------
        >>> import numpy as np
        >>> import pacbayes as pb
        >>> chunks = (np.full(1000, 0.1) for _ in range(100))
        >>> pb.Summary.from_chunks(chunks).n
        100000
        """
        total: Summary | None = None
        for chunk in chunks:
            part = cls.from_losses(*(chunk if isinstance(chunk, tuple) else (chunk,)), **options)
            total = part if total is None else total + part
        if total is None:
            raise ValueError(
                "The 'chunks' argument of Summary.from_chunks must hold at least one chunk. Got none instead."
            )
        return total

    def __add__(self, other: Summary) -> Summary:
        """Merge with the summary of other examples; refuse if the two do not describe the same thing."""
        if not isinstance(other, Summary):
            return NotImplemented
        for what, same in (
            ("rates", np.array_equal(self.rates, other.rates)),
            ("weights", np.array_equal(self.weights, other.weights)),
            ("strength", self.strength == other.strength),
            ("reference kind", self.reference_kind == other.reference_kind),
            ("Monte-Carlo draws and delta", self.monte_carlo == other.monte_carlo),
        ):
            if not same:
                raise ValueError(f"Summaries can be added only if they have the same {what}.")
        return replace(self, n=self.n + other.n, totals=self.totals + other.totals)

    def _mean(self, position: int) -> float:
        # both doubles divided: the mean is correct to its last place
        return float(self.totals.high[position] / self.n + self.totals.low[position] / self.n)

    def _statistic(self, name: str) -> float:
        value = self._mean(SCALARS.index(name))
        low, high = (-self.strength, 1.0) if name == "excess" else (0.0, 1.0)
        value = min(max(value, low), high)
        if self.monte_carlo is None or name.startswith("reference"):
            return value
        return self.monte_carlo.corrected(name, value, low, high, self._shares)

    @property
    def _shares(self) -> int:
        """How many statistics depend on draws: six scalars, the risk from below, and one growth per rate."""
        return 7 + self.rates.size

    @property
    def risk(self) -> float:
        """Mean loss."""
        return self._statistic("risk")

    @property
    def plus(self) -> float:
        """Mean of the positive part of ``x``."""
        return self._statistic("plus")

    @property
    def minus(self) -> float:
        """Mean of the negative part of ``x``."""
        return min(self._statistic("minus"), 1.0 - self.plus)

    @property
    def second(self) -> float:
        """Mean of ``x**2``."""
        return self._statistic("second")

    @property
    def excess(self) -> float:
        """Mean of ``x``."""
        return self._statistic("excess")

    @property
    def variance(self) -> float:
        """An upper bound on the posterior mean of the unbiased sample variance of the loss."""
        if self.n < 2:
            return 0.5
        mean = self._mean(SCALARS.index("risk"))
        if self.monte_carlo is not None:
            mean = self.monte_carlo.corrected("risk from below", mean, 0.0, 1.0, self._shares)
        spread = self._statistic("risk_second") - mean**2
        return float(np.clip(self.n / (self.n - 1) * spread, 0.0, 0.5))

    @property
    def reference(self) -> float:
        """Mean loss of the reference."""
        return self._statistic("reference")

    @property
    def reference_second(self) -> float:
        """Mean of the reference's squared loss; equal to :attr:`reference` for losses of 0 and 1."""
        return self._statistic("reference_second")

    @property
    def log_growth(self) -> FloatArray:
        """``G(rate) = mean of log(1 - rate x)``, one per rate."""
        start = len(SCALARS)
        value = self._growth(start)
        if self.monte_carlo is None:
            return value
        low, high = np.log1p(-self.rates), np.log1p(self.strength * self.rates)
        return self.monte_carlo.corrected_growth(value, low, high, self._shares)

    @property
    def reference_log_growth(self) -> FloatArray:
        """The same of the reference itself: mean of ``log(1 - rate r)``."""
        return self._growth(len(SCALARS) + self.rates.size)

    def _growth(self, start: int) -> FloatArray:
        part = slice(start, start + self.rates.size)
        return np.asarray(self.totals.high[part] / self.n + self.totals.low[part] / self.n)

    @property
    def spent(self) -> float:
        """What Monte-Carlo draws have spent of delta."""
        return 0.0 if self.monte_carlo is None else self.monte_carlo.delta

    @property
    def feeds(self) -> tuple[str, ...]:
        """Names of the bounds that :meth:`bound` can evaluate and that are proved for this kind of reference.

        Examples
        --------
        >>> import pacbayes as pb
        >>> pb.Summary.from_losses([0.1], reference=[0.2], reference_kind="predictable").feeds[-2:]
        ('unexpected_bernstein', 'betting')
        """
        return tuple(
            record.name
            for record in catalogue()
            if record.uses_kl
            and "sum" not in record.targets
            and ("risk" in record.targets or self.reference_kind in record.valid_for)
        )

    def bound(self, name: str, *, kl: ArrayLike, delta: float, assume: str | None = None) -> Any:
        """Evaluate a bound of the catalogue on these statistics.

        Parameters
        ----------
        name : str
            A bound on the risk, or one on the excess (see :func:`pacbayes.bounds.debiased` to get from there to the
            risk).
        kl : array_like
            Divergence of the posterior from the prior.
        delta : float
            Allowed probability of failure in total; what Monte-Carlo draws spent is taken from it.
        assume : {None, "published"}, default=None
            Admit a bound that is published but not proved for predictable references.
        """
        record = (
            entry("Summary.bound", "name", name, "excess")
            if name in _EXCESS
            else entry("Summary.bound", "name", name, "risk")
        )
        if not record.uses_kl:
            raise ValueError(
                f"Summary.bound refuses {name!r}, which is for one fixed predictor and not for a posterior."
            )
        if name in _EXCESS:
            require_sound("Summary.bound", record, self.reference_kind, assume)
        left = self.remaining(delta)
        statistics = {key: getattr(self, key) for key in record.statistics}
        return evaluate(record, statistics, self.n, left, kl)

    def remaining(self, delta: float) -> float:
        """Return what is left of a total delta after the draws, or say that nothing is."""
        total = float(single("Summary.bound", "delta", delta))
        if total <= self.spent:
            raise ValueError(
                "The 'delta' argument of Summary.bound must exceed what Monte-Carlo draws have spent "
                f"({self.spent!r}). Got {total!r} instead."
            )
        return total - self.spent


_EXCESS = frozenset(record.name for record in catalogue() if "excess" in record.targets)
