"""The summary: additive statistics, their Monte-Carlo correction, and the bounds they can feed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import single_number
from pacbayes._core.types import FloatOrArray
from pacbayes.bounds import Entry, catalogue, evaluate, require_sound
from pacbayes.summary._inputs import Options, ReferenceLike, Setting, checked_losses, checked_setting
from pacbayes.summary._monte_carlo import MonteCarloError
from pacbayes.summary._statistics import Statistics
from pacbayes.summary._totals import Totals, draw_totals, exact_totals, mixture_totals

__all__ = ["Summary"]


@dataclass(frozen=True, slots=True, eq=False)
class Summary(Statistics):
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

    @classmethod
    def _of(cls, n: int, setting: Setting, totals: Totals) -> Summary:
        return cls(
            n=n,
            strength=setting.strength,
            reference_kind=setting.reference_kind,
            rates=setting.rates,
            weights=setting.weights,
            totals=totals,
        )

    @classmethod
    def from_losses(
        cls,
        losses: ArrayLike,
        reference: ReferenceLike = None,
        *,
        reference_kind: str | None = None,
        strength: float = 1.0,
        rates: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Summary:
        """Summarise *expected 0-1 losses*: for each example the posterior probability of an error.

        For losses of one predictor that take values between 0 and 1, see :meth:`from_values`.

        Parameters
        ----------
        losses : array_like, shape (n,)
            In [0, 1], as from :meth:`pacbayes.Gaussian.zero_one`.
        reference : array_like, shape (n,), or OnlineReference, optional
            The reference's loss on each example, in [0, 1]. An :class:`pacbayes.OnlineReference` is paired with its
            rows and brings its kind.
        reference_kind : {"none", "fixed", "predictable"}, optional
            "none" without a reference; with one it has to be said: "fixed" if its rule was chosen before these
            examples (and is the same for all of them, where "clopper_pearson" is to bound its loss), "predictable" if
            the rule for each example was chosen from the earlier ones alone.
        strength : float, default=1.0
            ``gamma`` in [0, 1].
        rates, weights : array_like, optional
            Grid for :func:`pacbayes.bounds.betting`; by default :func:`pacbayes.bounds.betting_rates` for all n.
        """
        p = checked_losses("losses", losses)
        options: Options = {
            "reference_kind": reference_kind,
            "strength": strength,
            "rates": rates,
            "weights": weights,
        }
        setting = checked_setting(p.size, reference, options)
        return cls._of(p.size, setting, exact_totals(p, setting.references, setting.strength, setting.rates))

    @classmethod
    def from_mixture(
        cls, losses: ArrayLike, probabilities: ArrayLike, reference: ReferenceLike = None, **options: Unpack[Options]
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
        setting = checked_setting(matrix.shape[1], reference, options)
        totals = mixture_totals(matrix, shares, setting.references, setting.strength, setting.rates)
        return cls._of(matrix.shape[1], setting, totals)

    @classmethod
    def from_values(cls, losses: ArrayLike, reference: ReferenceLike = None, **options: Unpack[Options]) -> Summary:
        """Summarise the losses of a single predictor (or a reference, a stream), any values in [0, 1].

        Unlike :meth:`from_losses` it takes a loss of 0.3 for a loss of 0.3 and not for an error with probability 0.3,
        so that bounds see how little such losses vary. Arguments as there.

        Examples
        --------
        >>> import pacbayes as pb
        >>> values = [0.3, 0.2, 0.25, 0.25]
        >>> round(pb.Summary.from_values(values).second, 6), round(pb.Summary.from_losses(values).second, 6)
        (0.06375, 0.25)
        """
        return cls.from_mixture(checked_losses("losses", losses)[None, :], [1.0], reference, **options)

    @classmethod
    def from_draws(
        cls, losses: ArrayLike, delta: float, reference: ReferenceLike = None, **options: Unpack[Options]
    ) -> Summary:
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
        matrix = checked_losses("losses", losses, dimensions=2)
        setting = checked_setting(matrix.shape[1], reference, options)
        totals, sums = draw_totals(matrix, setting.references, setting.strength, setting.rates)
        error = MonteCarloError(len(matrix), single_number("Summary", "delta", delta), sums)
        return replace(cls._of(matrix.shape[1], setting, totals), monte_carlo=error)

    @classmethod
    def from_chunks(
        cls,
        chunks: Iterable[ArrayLike | tuple[ArrayLike, ArrayLike]],
        *,
        values: bool = False,
        **options: Unpack[Options],
    ) -> Summary:
        """Summarise a stream of ``losses`` or ``(losses, reference)`` chunk by chunk, in flat memory.

        Parameters
        ----------
        chunks : iterable
            Arrays, or pairs of arrays.
        values : bool, default=False
            Whether losses are those of one predictor (:meth:`from_values`) and not expected 0-1 losses.
        **options
            As in :meth:`from_losses`.

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
            losses, reference = chunk if isinstance(chunk, tuple) else (chunk, None)
            make = cls.from_values if values else cls.from_losses
            part = make(losses, reference, **options)
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
        draws = self.monte_carlo
        if draws is not None and other.monte_carlo is not None:
            draws = draws + other.monte_carlo
        return replace(self, n=self.n + other.n, totals=self.totals + other.totals, monte_carlo=draws)

    @property
    def feeds(self) -> tuple[str, ...]:
        """Names of the bounds that :meth:`bound` can evaluate and that are proved for this kind of reference.

        Examples
        --------
        >>> import pacbayes as pb
        >>> pb.Summary.from_losses([0.1], reference=[0.2], reference_kind="predictable").feeds[-2:]
        ('betting', 'portfolio')
        """
        return tuple(
            record.name
            for record in catalogue()
            if record.reads_summary
            and record.uses_kl
            and "sum" not in record.targets
            and ("risk" in record.targets or self.reference_kind in record.valid_for)
        )

    @overload
    def bound(self, name: str, *, kl: float, delta: float, assume: str | None = None) -> float: ...
    @overload
    def bound(self, name: str, *, kl: ArrayLike, delta: float, assume: str | None = None) -> FloatOrArray: ...
    def bound(self, name: str, *, kl: ArrayLike, delta: float, assume: str | None = None) -> FloatOrArray:
        """Evaluate a bound of the catalogue on these statistics.

        With a reference, a bound on an excess ("betting", "excess_kl", ...) bounds the mean of
        ``loss - strength * reference``, which is *below the risk* by about the reference's loss;
        :func:`pacbayes.bounds.debiased` gets from there to the risk.

        Parameters
        ----------
        name : str
            One of :attr:`feeds` (or, with ``assume``, one that is published for this kind of reference).
        kl : array_like
            Divergence of the posterior from the prior.
        delta : float
            Allowed probability of failure in total; what Monte-Carlo draws spent is taken from it.
        assume : {None, "published"}, default=None
            Admit a bound that is published but not proved for predictable references.
        """
        record = self._record(name)
        if name in _EXCESS:
            require_sound("Summary.bound", record, self.reference_kind, assume)
        statistics = {key: self.statistic(key) for key in record.statistics}
        return evaluate(record, statistics, self.n, self.remaining(delta), kl)

    def _record(self, name: str) -> Entry:
        """Return the record of a bound that a summary has the statistics for, or say which there are."""
        listed = (record for record in catalogue() if record.reads_summary and record.uses_kl)
        usable = {record.name: record for record in listed if "sum" not in record.targets}
        if name not in usable:
            close = get_close_matches(str(name), usable, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ValueError(
                f"The 'name' argument of Summary.bound must be one of {', '.join(self.feeds)}. "
                f"Got {name!r} instead.{hint}"
            )
        return usable[name]


_EXCESS = frozenset(record.name for record in catalogue() if "excess" in record.targets)
