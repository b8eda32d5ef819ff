"""Bounds on the error of a weighted majority vote, from the errors of its voters one by one and two by two.

The vote errs on a row only if voters of at least half of the weight do, whatever the number of classes; ties count as
errors. So with ``x`` the weight of the voters that err, the error of the vote is at most ``P(x >= 1/2)``, and the
inequalities of Markov, Chebyshev and Cantelli bound that by ``E x``, the Gibbs loss, and ``E x**2``, the tandem loss.
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import checked
from pacbayes._core.rounding import raised
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import clipped, plain
from pacbayes.bounds._signatures import Result
from pacbayes.bounds._vote_limits import at_mu, best_mu, limit, times

__all__ = ["chebyshev_cantelli", "disagreement", "first_order", "tandem"]


@overload
def first_order(
    gibbs: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def first_order(
    gibbs: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def first_order(
    gibbs: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """First order: an upper bound on the error of a vote, ``2 kl_inv_upper(gibbs, (kl + log(xi(2, n)/delta))/n)``.

    Twice :func:`maurer`: where the vote errs, voters of at least half of the weight do (Markov's inequality).

    Parameters
    ----------
    gibbs : array_like
        Weighted mean of the voters' error rates, in [0, 1]; each may be judged on rows of its own.
    kl : array_like
        Divergence of the weights from weights fixed before the data; may be infinite.
    n : array_like of int
        Number of rows on which each voter was judged; where numbers differ, the smallest.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    constant : {"exact", "published"}, default="exact"
        The exact Shtarkov constant, or ``2 sqrt(n)``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "gibbs", "kl" and
        "delta".

    Returns
    -------
    float or ndarray
        Holds for all weights at once with probability at least ``1 - delta``, for i.i.d. rows that a voter has not
        learned from, and for any number of classes.

    References
    ----------
    Langford and Shawe-Taylor, "PAC-Bayes and margins", 2002.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.first_order(gibbs=0.05, kl=10.0, n=1000, delta=0.05), 6)
    0.199948
    """
    losses, kls, sizes, deltas = checked("first_order", gibbs=gibbs, kl=kl, n=n, delta=delta)
    high, of_loss, of_nat = limit(losses, kls, sizes, deltas, constant)
    value = clipped(2.0 * high)
    slopes = {"gibbs": 2.0 * of_loss, "kl": 2.0 * of_nat, "delta": -2.0 * of_nat / deltas}
    return (value, _plain(slopes)) if return_grad else value


@overload
def tandem(
    tandem: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def tandem(
    tandem: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def tandem(
    tandem: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """Tandem: an upper bound on the error of a vote, ``4 kl_inv_upper(tandem, (2 kl + log(xi(2, n)/delta))/n)``.

    Parameters
    ----------
    tandem : array_like
        Weighted mean over pairs of voters, a voter with itself included, of the share of rows on which both err.
    kl : array_like
        Divergence of the weights, as in :func:`first_order`; that of pairs is twice as large.
    n : array_like of int
        Number of rows on which each *pair* was judged; where numbers differ, the smallest.
    delta, constant
        As in :func:`first_order`.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "tandem", "kl" and
        "delta".

    Returns
    -------
    float or ndarray
        Holds for all weights at once with probability at least ``1 - delta``, for any number of classes.

    References
    ----------
    Masegosa, Lorenzen, Igel and Seldin, "Second order PAC-Bayesian bounds for the weighted majority vote", 2020.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.tandem(tandem=0.01, kl=5.0, n=1000, delta=0.05), 6)
    0.160467
    """
    losses, kls, sizes, deltas = checked("tandem", tandem=tandem, kl=kl, n=n, delta=delta)
    high, of_loss, of_nat = limit(losses, kls, sizes, deltas, constant, pairs=True)
    value = clipped(4.0 * high)
    slopes = {"tandem": 4.0 * of_loss, "kl": 8.0 * of_nat, "delta": -4.0 * of_nat / deltas}
    return (value, _plain(slopes)) if return_grad else value


@overload
def disagreement(
    gibbs: ArrayLike,
    disagreement: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    n_pairs: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def disagreement(
    gibbs: ArrayLike,
    disagreement: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    n_pairs: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def disagreement(
    gibbs: ArrayLike,
    disagreement: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    n_pairs: ArrayLike,
    delta: ArrayLike,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """Disagreement: an upper bound on the error of a vote between two classes, ``4 high(gibbs) - 2 low(disagreement)``.

    ``high = kl_inv_upper(gibbs, (kl + log(2 xi(2, n)/delta))/n)`` and
    ``low = kl_inv_lower(disagreement, (2 kl + log(2 xi(2, n_pairs)/delta))/n_pairs)``, half of delta each. With two
    classes, two voters disagree where exactly one of them errs, so that the tandem loss is the Gibbs loss less half of
    the disagreement. No labels are needed for the disagreement.

    Parameters
    ----------
    gibbs, kl, n, delta, constant
        As in :func:`first_order`.
    disagreement : array_like
        Weighted mean over pairs of voters of the share of rows on which they differ, in [0, 1].
    n_pairs : array_like of int
        Number of rows on which each pair was compared; where numbers differ, the smallest.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "gibbs", "disagreement", "kl" and
        "delta".

    Returns
    -------
    float or ndarray
        Holds for all weights at once with probability at least ``1 - delta``, for **two classes** only.

    References
    ----------
    Masegosa, Lorenzen, Igel and Seldin, "Second order PAC-Bayesian bounds for the weighted majority vote", 2020.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.disagreement(gibbs=0.05, disagreement=0.06, kl=5.0, n=1000, n_pairs=1000, delta=0.05), 6)
    0.316233
    """
    losses, differ, kls, sizes, paired, deltas = checked(
        "disagreement", gibbs=gibbs, disagreement=disagreement, kl=kl, n=n, n_pairs=n_pairs, delta=delta
    )
    high, of_loss, of_nat = limit(losses, kls, sizes, deltas / 2.0, constant)
    low, of_differ, of_pairs = limit(differ, kls, paired, deltas / 2.0, constant, pairs=True, lower=True)
    value = clipped(raised(4.0 * high - 2.0 * low, 1))  # one rounding, of the difference
    slopes = {
        "gibbs": 4.0 * of_loss,
        "disagreement": -2.0 * of_differ,
        "kl": 4.0 * (of_nat - of_pairs),
        "delta": (2.0 * of_pairs - 4.0 * of_nat) / deltas,
    }
    return (value, _plain(slopes)) if return_grad else value


@overload
def chebyshev_cantelli(
    gibbs: ArrayLike,
    tandem: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    n_pairs: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def chebyshev_cantelli(
    gibbs: ArrayLike,
    tandem: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    n_pairs: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def chebyshev_cantelli(
    gibbs: ArrayLike,
    tandem: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    n_pairs: ArrayLike,
    delta: ArrayLike,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """Chebyshev-Cantelli: an upper bound on the error of a vote, the least of ``(L2 - 2 mu L1 + mu^2)/(1/2 - mu)^2``.

    ``L2`` is the upper limit on the tandem loss, at half of delta, and ``L1`` a limit on the Gibbs loss at the other
    half: the lower one for ``mu > 0``, the upper one for ``mu < 0``. One event has both limits on the Gibbs loss (the
    bound on its kl is two-sided), so that ``mu < 1/2`` is free: ``(L1/2 - L2)/(1/2 - L1)`` where that has the sign that
    belongs to its ``L1``, otherwise 0, which is the tandem bound.

    Parameters
    ----------
    gibbs, kl, n, delta, constant
        As in :func:`first_order`.
    tandem, n_pairs : array_like
        The tandem loss, as in :func:`tandem`, and its smallest number of rows.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "gibbs", "tandem", "kl" and "delta".

    Returns
    -------
    float or ndarray
        Holds for all weights, and all mu, at once with probability at least ``1 - delta``, for any number of classes.

    References
    ----------
    Wu, Masegosa, Lorenzen, Igel and Seldin, "Chebyshev-Cantelli PAC-Bayes-Bennett inequality for the weighted majority
    vote", 2021.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.chebyshev_cantelli(gibbs=0.2, tandem=0.05, kl=1.0, n=10000, n_pairs=5000, delta=0.05), 6)
    0.239595
    """
    first, second, kls, sizes, paired, deltas = checked(
        "chebyshev_cantelli", gibbs=gibbs, tandem=tandem, kl=kl, n=n, n_pairs=n_pairs, delta=delta
    )
    both, of_both, both_nat = limit(second, kls, paired, deltas / 2.0, constant, pairs=True)
    high, of_high, high_nat = limit(first, kls, sizes, deltas / 2.0, constant)
    low, of_low, low_nat = limit(first, kls, sizes, deltas / 2.0, constant, lower=True)
    mu = np.where(low > 2.0 * both, best_mu(low, both), np.where(high < 2.0 * both, best_mu(high, both), 0.0))
    reached = at_mu(np.where(mu > 0.0, low, high), both, mu)
    value = clipped(np.minimum(reached, 4.0 * both))
    if not return_grad:
        return value
    mu = np.where(reached < 4.0 * both, mu, 0.0)
    of_two = 1.0 / (0.5 - mu) ** 2
    of_one = -2.0 * mu * of_two
    one_nat = times(of_one, np.where(mu > 0.0, low_nat, high_nat))
    slopes = {
        "gibbs": times(of_one, np.where(mu > 0.0, of_low, of_high)),
        "tandem": of_two * of_both,
        "kl": 2.0 * of_two * both_nat + one_nat,
        "delta": -(of_two * both_nat + one_nat) / deltas,
    }
    return value, _plain(slopes)


def _plain(slopes: dict[str, FloatArray]) -> dict[str, FloatOrArray]:
    return {name: plain(each) for name, each in slopes.items()}
