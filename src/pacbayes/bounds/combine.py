"""From bounds on parts to a bound on the risk: de-biasing, two halves serving each other, the vote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, single
from pacbayes._core.rounding import raised
from pacbayes._core.types import Array, FloatArray, FloatOrArray
from pacbayes.bounds._budget import clipped
from pacbayes.bounds.catalogue import evaluate, get_on_target, require_sound
from pacbayes.bounds.portfolio import portfolio

__all__ = ["DebiasedStatistics", "debiased", "forward_backward", "gibbs_to_vote"]


class DebiasedStatistics(Protocol):
    """What :func:`debiased` reads: statistics of ``x = loss - strength * reference`` and of the reference itself.

    Besides the attributes below, only the statistics that the chosen bounds need have to be there, under their names in
    :data:`pacbayes.statistics.TABLE`: plain numbers and arrays; growths have one entry per rate on their last axis.
    "clopper_pearson" for the reference also needs ``reference_second``, its mean square, which tells 0-1 losses.
    """

    @property
    def n(self) -> int:
        """Number of examples."""

    @property
    def strength(self) -> float:
        """``gamma`` in [0, 1]."""

    @property
    def reference_kind(self) -> str:
        """One of ``REFERENCE_KINDS``."""


def debiased(
    summary: DebiasedStatistics,
    kl: ArrayLike,
    delta: ArrayLike,
    *,
    excess: str = "betting",
    reference: str = "betting",
    split: float = 0.5,
    assume: str | None = None,
) -> FloatOrArray:
    """Excess bound plus strength times reference bound: an upper bound on the risk.

    ``R <= [bound on the mean of loss - gamma r] + gamma [bound on the reference's average true loss]``. Two events,
    so delta is split between them: the excess gets ``split * delta``, the reference the rest. Without a reference, or
    at strength 0, the excess gets all of delta. Betting for both is one event and one martingale: the
    :func:`portfolio` with this strength alone and share ``split``, which is never above the sum.

    Parameters
    ----------
    summary : DebiasedStatistics
        An object with the statistics as attributes.
    kl : array_like
        Divergence of the posterior from the prior; may be infinite.
    delta : array_like
        Allowed probability of failure in total, in (0, 1); what Monte-Carlo draws behind the statistics have ``spent``
        is taken from it.
    excess : str, default="betting"
        Name of a bound on an excess. ("excess_kl", "progressive_chernoff") and ("unexpected_bernstein",
        "progressive_chernoff") are the paper's two full bounds.
    reference : str, default="betting"
        Name of a bound on a reference. "clopper_pearson" is for one predictor, the same for all rows: errors of several
        have unequal probabilities, and their number is not binomial.
    split : float, default=0.5
        Share of delta for the excess, in (0, 1), chosen before the data.
    assume : {None, "published"}, default=None
        "published" admits a bound for predictable references for which it is published but not proved (erratum E7).

    Returns
    -------
    float or ndarray
        Holds for all posteriors with probability at least ``1 - delta``. Combinations that no theorem covers are
        refused with a ValueError that says why.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> rates, weights = pb.bounds.betting_rates(n=1000)
    >>> statistics = SimpleNamespace(
    ...     n=1000, strength=1.0, reference_kind="predictable", reference=0.10, plus=0.01, minus=0.02,
    ...     log_growth=0.01 * np.log1p(-rates) + 0.02 * np.log1p(rates),
    ...     reference_log_growth=0.10 * np.log1p(-rates), rates=rates, weights=weights,
    ... )
    >>> round(pb.bounds.debiased(statistics, kl=10.0, delta=0.05), 6)
    0.155863
    >>> pb.bounds.debiased(statistics, kl=10.0, delta=0.05, excess="excess_kl")
    Traceback (most recent call last):
      ...
    ValueError: debiased refuses 'excess_kl' with a predictable reference, for which it is published but not proved \
(its conditional means depend on the past: erratum E7). Use 'betting', or pass assume='published'.
    """
    deltas = _without_spent(single("debiased", "delta", delta), getattr(summary, "spent", 0.0))
    check_range("debiased", "split", np.asarray(float(split)), 1e-12, 1.0 - 1e-12, "lie strictly between 0 and 1")
    gamma = float(summary.strength)
    check_range("debiased", "strength", np.asarray(gamma), 0.0, 1.0, "lie in [0, 1]")
    excess_record = get_on_target("debiased", "excess", excess, "excess")
    reference_record = get_on_target("debiased", "reference", reference, "reference")
    kind = summary.reference_kind if gamma > 0.0 else "none"
    require_sound("debiased", excess_record, kind, assume)
    share = deltas if kind == "none" else deltas * split
    first = evaluate(excess_record, _Attributes(summary), summary.n, share, kl)
    if kind == "none":
        _require_no_negative_part(summary)
        return clipped(first)
    require_sound("debiased", reference_record, kind, assume)
    if excess == reference == "betting":
        return _one_martingale(_Attributes(summary), summary.n, gamma, kl, deltas, split)
    # of the two shares the second is what the first, as rounded, has left
    second = evaluate(reference_record, _ReferenceStatistics(summary), summary.n, deltas - share, 0.0)
    return clipped(raised(first + raised(gamma * np.asarray(second), 1), 0))


def _one_martingale(
    given: Mapping[str, ArrayLike], n: int, strength: float, kl: ArrayLike, delta: FloatArray, split: float
) -> FloatOrArray:
    growth = np.asarray(given["log_growth"], dtype=float)[..., None, :]
    other = given["reference_log_growth"]
    return portfolio(growth, [strength], other, given["rates"], kl, n, delta, given["weights"], share=split)


def _require_no_negative_part(summary: DebiasedStatistics) -> None:
    """Refuse statistics that speak of a reference where there is said to be none."""
    if np.any(np.asarray(getattr(summary, "minus", 0.0)) > 0.0) or np.any(
        np.asarray(getattr(summary, "log_growth", 0.0)) > 0.0
    ):
        raise ValueError(
            "debiased refuses these statistics: they have a negative part, as only a reference gives them, but say "
            "that there is none (or that its strength is 0)."
        )


def _without_spent(delta: FloatArray, spent: float) -> FloatArray:
    """Return what Monte-Carlo draws behind the statistics have left of delta."""
    if np.any(delta <= spent):
        raise ValueError(
            f"The 'delta' argument of debiased must exceed what Monte-Carlo draws have spent ({spent!r}). "
            f"Got {float(np.min(delta))!r} instead."
        )
    return np.asarray(delta - spent)


class _Attributes(Mapping[str, ArrayLike]):
    """An object's attributes as a mapping, so that only what a bound needs is read."""

    def __init__(self, source: object) -> None:
        self._source = source

    def __getitem__(self, name: str) -> ArrayLike:
        found: ArrayLike = getattr(self._source, name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self._source))

    def __len__(self) -> int:
        return len(vars(self._source))


class _ReferenceStatistics(_Attributes):
    """The reference's statistics under the names that bounds on a single predictor use."""

    _NAMES: ClassVar = {"risk": "reference", "log_growth": "reference_log_growth"}

    def __getitem__(self, name: str) -> ArrayLike:
        if name == "errors":
            return self._errors()
        return super().__getitem__(self._NAMES.get(name, name))

    def _errors(self) -> FloatArray:
        """Return the number of errors of a 0-1 reference; refuse any other, for which the binomial law says nothing."""
        mean = np.asarray(self["reference"], dtype=float)
        errors = mean * np.asarray(self["n"])
        second = np.asarray(getattr(self._source, "reference_second", np.nan))  # without it nobody knows
        if np.any(np.abs(errors - np.round(errors)) > 1e-6) or not np.all(np.abs(second - mean) <= 1e-12):
            raise ValueError(
                "debiased refuses 'clopper_pearson' for this reference: it is for losses of 0 and 1 alone, whose mean "
                "square 'reference_second' is their mean 'reference'. Use 'betting'."
            )
        return np.asarray(np.round(errors))


def forward_backward(
    bound: str,
    forward: Mapping[str, ArrayLike],
    backward: Mapping[str, ArrayLike],
    delta: float,
    *,
    mixture: bool = False,
) -> FloatOrArray:
    """Two informed bounds, each half of the data serving the other's prior: an upper bound on the risk.

    Each bound is computed with half of ``delta``.

    Parameters
    ----------
    bound : str
        Name of a bound on the risk.
    forward, backward : mapping
        The arguments of that bound, without delta: on the second half with the prior from the first, and vice versa.
    delta : float
        Allowed probability of failure in total, in (0, 1).
    mixture : bool, default=False
        If False, both sets of arguments are about one posterior, and the smaller bound holds for it. If True, they are
        about two, and the mean of both bounds holds for their even mixture.

    Returns
    -------
    float or ndarray
        Holds with probability at least ``1 - delta`` under the assumptions of ``bound``.

    References
    ----------
    Mhammedi, Grunwald and Guedj, "PAC-Bayes un-expected Bernstein inequality", 2019.

    Examples
    --------
    >>> import pacbayes as pb
    >>> halves = {"risk": 0.05, "kl": 2.0, "n": 500}, {"risk": 0.06, "kl": 1.0, "n": 500}
    >>> round(pb.bounds.forward_backward("maurer", *halves, delta=0.05), 6)
    0.102459
    """
    record = get_on_target("forward_backward", "bound", bound, "risk")
    share = single("forward_backward", "delta", delta) / 2.0
    one, two = (np.asarray(record.function(**half, delta=share)) for half in (forward, backward))
    return clipped(raised((one + two) / 2.0, 2) if mixture else np.minimum(one, two))


@overload
def gibbs_to_vote(value: float) -> float: ...
@overload
def gibbs_to_vote(value: Array) -> FloatArray: ...
@overload
def gibbs_to_vote(value: ArrayLike) -> FloatOrArray: ...
def gibbs_to_vote(value: ArrayLike) -> FloatOrArray:
    """From the randomised predictor to its majority vote under the 0-1 loss: ``2 * value``.

    Where the vote errs, at least half of the posterior does. For a Gaussian over linear weights the vote is the
    predictor at the mean.

    Parameters
    ----------
    value : array_like
        An upper bound on the risk of the randomised predictor, in [0, 1].

    Returns
    -------
    float or ndarray
        An upper bound on the error rate of the vote, on the same event.

    References
    ----------
    Langford and Shawe-Taylor, "PAC-Bayes and margins", 2002.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.bounds.gibbs_to_vote(0.125)
    0.25
    """
    return clipped(2.0 * single("gibbs_to_vote", "value", value))
