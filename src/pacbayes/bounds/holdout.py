"""Bounds for predictors that the data had no part in choosing: the baselines, and the paper's for references."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincc, betainccinv

from pacbayes._core.arguments import checked
from pacbayes._core.types import Array, FloatArray, FloatOrArray
from pacbayes.bounds._budget import budget, clipped
from pacbayes.numerics import kl_inv_upper

__all__ = ["chernoff", "clopper_pearson", "progressive_chernoff"]

# The binomial tail is solved for delta (1 - 1e-9). The inverse of scipy's incomplete beta function may miss that by
# 1e-8 of delta and more; the loop below moves its answer until the function itself, correct to about 1e-12 of its
# value, is at most delta (1 - 1e-9/2), so the exact tail at the answer is below delta.
_TAIL_SLACK = 1e-9


@overload
def chernoff(risk: float, n: float, delta: float) -> float: ...
@overload
def chernoff(risk: Array, n: ArrayLike, delta: ArrayLike) -> FloatArray: ...
@overload
def chernoff(risk: ArrayLike, n: ArrayLike, delta: ArrayLike) -> FloatOrArray: ...
def chernoff(risk: ArrayLike, n: ArrayLike, delta: ArrayLike) -> FloatOrArray:
    """Chernoff-Hoeffding: an upper bound on the risk of one fixed predictor, ``kl_inv_upper(risk, log(1/delta)/n)``.

    Parameters
    ----------
    risk : array_like
        Mean loss in [0, 1] over ``n`` i.i.d. examples that the predictor has not seen.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).

    Returns
    -------
    float or ndarray
        Holds with probability at least ``1 - delta`` for any loss in [0, 1].

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.chernoff(risk=0.1, n=500, delta=0.05), 6)
    0.136
    """
    risks, sizes, deltas = checked("chernoff", risk=risk, n=n, delta=delta)
    return clipped(kl_inv_upper(risks, budget(np.zeros(()), sizes, deltas)))


@overload
def clopper_pearson(errors: float, n: float, delta: float) -> float: ...
@overload
def clopper_pearson(errors: Array, n: ArrayLike, delta: ArrayLike) -> FloatArray: ...
@overload
def clopper_pearson(errors: ArrayLike, n: ArrayLike, delta: ArrayLike) -> FloatOrArray: ...
def clopper_pearson(errors: ArrayLike, n: ArrayLike, delta: ArrayLike) -> FloatOrArray:
    """Clopper-Pearson: the exact binomial upper bound on the error rate of one fixed predictor.

    The largest ``p`` for which ``errors`` or fewer errors among ``n`` have a probability of at least ``delta``.

    Parameters
    ----------
    errors : array_like of int
        Number of errors (0-1 loss) on examples that the predictor has not seen.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).

    Returns
    -------
    float or ndarray
        Holds with probability at least ``1 - delta``; 1 if every example was an error.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.clopper_pearson(errors=50, n=500, delta=0.05), 6)
    0.124866
    """
    counts, sizes, deltas = checked("clopper_pearson", errors=errors, n=n, delta=delta)
    if np.any(counts > sizes):
        where = np.argmax(np.ravel(counts > sizes))
        raise ValueError(
            "The 'errors' argument of clopper_pearson must be at most 'n'. "
            f"Got {np.ravel(counts)[where]:.0f} errors among {np.ravel(sizes)[where]:.0f} instead."
        )
    successes = np.maximum(sizes - counts, 1.0)
    limit = betainccinv(counts + 1.0, successes, deltas * (1.0 - _TAIL_SLACK))
    frequency = counts / sizes
    # where the inverse is not as exact as the tail, move out until the tail says so
    for step in 2.0 ** np.arange(-32, 4):
        unsound = betaincc(counts + 1.0, successes, limit) > deltas * (1.0 - 0.5 * _TAIL_SLACK)
        if not np.any(unsound):
            break
        limit = np.where(unsound, limit + step * np.abs(limit - frequency) + step / sizes, limit)
    sound = betaincc(counts + 1.0, successes, limit) <= deltas * (1.0 - 0.5 * _TAIL_SLACK)
    return clipped(np.where((counts < sizes) & sound, limit, 1.0))


@overload
def progressive_chernoff(reference: float, n: float, delta: float) -> float: ...
@overload
def progressive_chernoff(reference: Array, n: ArrayLike, delta: ArrayLike) -> FloatArray: ...
@overload
def progressive_chernoff(reference: ArrayLike, n: ArrayLike, delta: ArrayLike) -> FloatOrArray: ...
def progressive_chernoff(reference: ArrayLike, n: ArrayLike, delta: ArrayLike) -> FloatOrArray:
    """The paper's bound on an online reference's average true loss, ``kl_inv_upper(mean r, log(1/delta)/n)``.

    Proved for references whose conditional means do not depend on the past (a fixed reference, for which it is
    :func:`chernoff`), published for all predictable ones. **It fails for some**: the reference that follows
    ``1[V_i <= p]`` and switches to 0 for good as soon as its running mean is improbably low violates it in 14.6 % of
    runs at delta = 0.05 (n = 20000, p = 0.05). See `docs/theory.md`, erratum E7; :func:`betting` is sound there.

    Parameters
    ----------
    reference : array_like
        Mean of the reference's losses, in [0, 1].
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.progressive_chernoff(reference=0.1, n=500, delta=0.05), 6)
    0.136
    """
    means, sizes, deltas = checked("progressive_chernoff", reference=reference, n=n, delta=delta)
    return clipped(kl_inv_upper(means, budget(np.zeros(()), sizes, deltas)))
