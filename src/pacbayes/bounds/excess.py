"""Bounds on an excess through vectors of frequencies: the paper's main theorem, its relaxation and its rivals."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_shapes, checked, checked_weights, to_floats
from pacbayes._core.rounding import EPS, raised
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import budget, clipped, plain
from pacbayes.bounds._signatures import Result, excess_bound
from pacbayes.numerics import kl_ball_max, kl_inv_lower, kl_inv_upper, log_xi, phi

__all__ = ["excess_kl", "excess_relaxed", "split_kl", "vector_kl"]


@overload
def vector_kl(
    frequencies: ArrayLike,
    values: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def vector_kl(
    frequencies: ArrayLike,
    values: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def vector_kl(
    frequencies: ArrayLike,
    values: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    *,
    return_grad: bool = False,
) -> Result:
    """Vector kl: an upper bound on ``sum_a v_a mu_a`` for losses on a simplex with M atoms.

    ``kl_ball_max(frequencies, values, (kl + log(xi(M, n)/delta))/n)``, for any values, at once.

    Parameters
    ----------
    frequencies : array_like, shape (..., M)
        Posterior mean of the empirical frequencies of the M error types, summing to 1.
    values : array_like, shape (..., M)
        What each type counts.
    kl, n, delta : array_like
        As in :func:`maurer`.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "frequencies", "values" and "kl".

    Returns
    -------
    float or ndarray
        Between the smallest and the largest value. Holds for all posteriors and values at once with probability at
        least ``1 - delta``, for i.i.d. examples; a fixed reference may be part of the loss.

    References
    ----------
    Adams, Shawe-Taylor and Guedj, "Controlling multiple errors simultaneously with a PAC-Bayes bound", 2022.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.vector_kl([0.9, 0.06, 0.04], [0, 1, 5], kl=10.0, n=1000, delta=0.05), 6)
    0.518539
    """
    owner = "vector_kl"
    u, v = checked_weights(owner, "frequencies", frequencies), to_floats(owner, "values", values)
    if v.ndim == 0 or v.shape[-1] != u.shape[-1] or not np.isfinite(v).all():
        raise ValueError(
            f"The 'values' argument of {owner} must be finite, one per error type ({u.shape[-1]}) on its last axis. "
            f"Got {values!r} instead."
        )
    kls, sizes, deltas = checked(owner, kl=kl, n=n, delta=delta)
    check_shapes(owner, frequencies=u.shape[:-1], values=v.shape[:-1], others=kls.shape)
    limit = budget(kls, sizes, deltas, log_xi(u.shape[-1], sizes))
    if not return_grad:
        return kl_ball_max(u, v, limit)
    value, (d_frequencies, d_values, d_budget) = kl_ball_max(u, v, limit, return_grad=True)
    return value, {"frequencies": d_frequencies, "values": d_values, "kl": plain(d_budget / sizes)}


@excess_bound
def excess_kl(
    plus: ArrayLike,
    minus: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """The paper's main theorem: an upper bound on an excess, ``phi(plus, minus, (kl + log(xi(3, n)/delta))/n)``.

    Proved for i.i.d. examples with a fixed reference (or none); published for all predictable references, but with a
    proof that treats conditional means as constants (`docs/theory.md`, erratum E7). For online references use
    :func:`betting`.

    Parameters
    ----------
    plus, minus : array_like
        Means of the positive and of the negative part of ``loss - gamma * reference``; their sum is at most 1.
    kl : array_like
        Divergence of the posterior from the prior; may be infinite.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    constant : {"exact", "published"}, default="exact"
        The exact Shtarkov constant, or the paper's ``2 n``, which is refused below n = 3.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "plus", "minus" and "kl".

    Returns
    -------
    float or ndarray
        Between -1 and 1; holds for all posteriors at once with probability at least ``1 - delta``.

    References
    ----------
    Biggs and Guedj, "Tighter PAC-Bayes generalisation bounds by leveraging example difficulty", 2023, Theorem 1.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.excess_kl(plus=0.02, minus=0.01, kl=10.0, n=1000, delta=0.05), 6)
    0.054188
    """
    positive, negative, limit, sizes = _prepared("excess_kl", plus, minus, kl, n, delta, constant)
    if not return_grad:
        return clipped(phi(positive, negative, limit), -1.0)
    value, (d_plus, d_minus, d_budget) = phi(positive, negative, limit, return_grad=True)
    gradient = {"plus": plain(d_plus), "minus": plain(d_minus), "kl": plain(d_budget / sizes)}
    return clipped(value, -1.0), gradient


@excess_bound
def excess_relaxed(
    plus: ArrayLike,
    minus: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """Relaxed form of :func:`excess_kl`: ``plus - minus + 2 sqrt(b (plus + minus)) + 2 b`` with its budget ``b``.

    Arguments and validity as there; never below it. The derivatives are those of the formula before clipping.

    References
    ----------
    Biggs and Guedj, 2023, Proposition 3; the printed proof has a false step, the statement holds (erratum E14).

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.excess_relaxed(plus=0.02, minus=0.01, kl=10.0, n=1000, delta=0.05), 6)
    0.098806
    """
    positive, negative, b, sizes = _prepared("excess_relaxed", plus, minus, kl, n, delta, constant)
    total = positive + negative
    root = 2.0 * np.sqrt(b * total)
    # the difference of the two parts is rounded once more than a single statistic would be
    value = clipped(raised(positive - negative + EPS * total + raised(root + 2.0 * b, 8), 0), -1.0)
    if not return_grad:
        return value
    with np.errstate(all="ignore"):
        bend = np.where(total > 0.0, 2.0 * b / root, np.inf)
        d_budget = 2.0 + np.where(total > 0.0, 2.0 * total / root, 0.0)
    return value, {"plus": plain(1.0 + bend), "minus": plain(bend - 1.0), "kl": plain(d_budget / sizes)}


@excess_bound
def split_kl(
    plus: ArrayLike,
    minus: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = "published",
    *,
    return_grad: bool = False,
) -> Result:
    """Split kl: an upper bound on an excess, ``kl_inv_upper(plus, b) - kl_inv_lower(minus, b)``.

    ``b = (kl + log(4 sqrt(n)/delta))/n``: each part is bounded on its own with half of delta. With
    ``constant="exact"``, ``2 xi(2, n)`` replaces ``4 sqrt(n)``. For i.i.d. examples with a fixed reference or none.
    Arguments as in
    :func:`excess_kl`.

    References
    ----------
    Wu and Seldin, "Split-kl and PAC-Bayes-split-kl inequalities for ternary random variables", 2022.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.split_kl(plus=0.02, minus=0.01, kl=10.0, n=1000, delta=0.05), 6)
    0.057872
    """
    positive, negative, b, sizes = _prepared("split_kl", plus, minus, kl, n, delta, constant, halves=True)
    upper, lower = (f(x, b, return_grad=True) for f, x in ((kl_inv_upper, positive), (kl_inv_lower, negative)))
    value = clipped(raised(upper[0] - lower[0], 0), -1.0)
    if not return_grad:
        return value
    (d_plus, up), (d_minus, down) = upper[1], lower[1]
    with np.errstate(all="ignore"):
        slope = (up - down) / sizes
    return value, {"plus": plain(d_plus), "minus": plain(-np.asarray(d_minus)), "kl": plain(slope)}


def _prepared(
    owner: str,
    plus: ArrayLike,
    minus: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str,
    *,
    halves: bool = False,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return both parts (their sum at most 1), the budget and n."""
    positive, negative, kls, sizes, deltas = checked(owner, plus=plus, minus=minus, kl=kl, n=n, delta=delta)
    if np.any(positive + negative > 1.0 + 1e-9):
        worst = float(np.max(positive + negative))
        raise ValueError(
            f"The 'plus' and 'minus' arguments of {owner} must have a sum of at most 1. Got {worst!r} instead."
        )
    atoms, share = (2, deltas / 2.0) if halves else (3, deltas)
    return positive, negative, budget(kls, sizes, share, log_xi(atoms, sizes, constant)), sizes
