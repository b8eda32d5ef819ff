"""Bounds for a predictor that is determined by a few of the rows: sample compression, and pick-to-learn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import overload
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import checked
from pacbayes._core.rounding import log_inverse
from pacbayes._core.types import Array, FloatArray, FloatOrArray
from pacbayes.bounds._budget import budget, clipped
from pacbayes.bounds.holdout import clopper_pearson
from pacbayes.numerics import kl_inv_upper, log_xi
from pacbayes.numerics.binomial import log_binomial_probability, log_binomial_tail, log_choose

__all__ = ["compression", "compression_binomial", "pick_to_learn"]

_FORMS = ("corrected", "one_sided", "printed")
_CONSTANTS = ("exact", "published")
_SECANTS = 8
_BELOW_ONE = 1.0 - 2.0**-53
# log-probabilities here are above the exact ones by at most 1e-12, logarithms of sums of them correct to 1e-12
_SIGN_SLACK = 1e-11
_SMALLEST_TAIL = -600.0  # of a log-probability that Clopper-Pearson is evaluated at; below it, tails in logarithms
_LARGEST_EXACT = 2.0**50  # up to which 4 n + 1 is a double


@overload
def pick_to_learn(
    size: float, n: float, delta: float, errors: float = ..., looks: float = ..., form: str = ...
) -> float: ...
@overload
def pick_to_learn(
    size: Array, n: ArrayLike, delta: ArrayLike, errors: ArrayLike = ..., looks: ArrayLike = ..., form: str = ...
) -> FloatArray: ...
@overload
def pick_to_learn(
    size: ArrayLike, n: ArrayLike, delta: ArrayLike, errors: ArrayLike = ..., looks: ArrayLike = ..., form: str = ...
) -> FloatOrArray: ...
def pick_to_learn(
    size: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    errors: ArrayLike = 0,
    looks: ArrayLike = 1,
    form: str = "corrected",
) -> FloatOrArray:
    """Pick-to-learn: an upper bound on the error rate of a predictor learned from rows that it picked itself.

    With ``k = size + errors``, the root ``t`` in ``[k/n, 1]`` of
    ``(delta/3) I_t(k+1, n-k) + (delta/6) I_t(k+1, 4n+1-k) = (1 + delta/(6n)) n t P(k; n, t)``, where ``I`` is the
    regularised incomplete beta function and ``P`` the binomial probability ``I_t(k, n-k+1) - I_t(k+1, n-k)``.

    Parameters
    ----------
    size : array_like of int
        Number of rows that were picked, the compression set.
    n : array_like of int
        Number of rows that could be picked; those that taught the first predictor are not among them.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    errors : array_like of int, default=0
        Number of errors on the other ``n - size`` rows, of a rule that may stop before there are none.
    looks : array_like of int, default=1
        Number of rules among which one was chosen by its result, such as numbers of rounds; each has ``delta/looks``.
    form : {"corrected", "one_sided", "printed"}, default="corrected"
        "corrected" is the published bound after its authors' correction. "one_sided" is smaller: the root of
        ``delta I_t(k+1, n-k) = n t P(k; n, t)``, since the published weights also serve a lower bound. "printed" has a
        sum ``delta/3 + I_t(k+1, n-k)`` in place of the first product, as results before the correction had. **It is
        not a bound**: it is there to recompute these results, with a warning, and no certificate uses it.

    Returns
    -------
    float or ndarray
        Holds with probability at least ``1 - delta`` for i.i.d. rows, if each row was picked since it was the worst of
        those that the predictor was wrong on, in an order that depends on what was picked before alone, and if the rule
        was fixed beforehand. 1 where all rows were picked.

    Notes
    -----
    A value is returned only where the left side is proved not to be below the right one: probabilities and tails are
    rounded up, in logarithms. The proof of the theorem is in `docs/theory.md`.

    References
    ----------
    Paccagnan, Campi and Garatti, "The pick-to-learn algorithm", 2023. Campi and Garatti, "Compression, generalization
    and learning", 2023.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.pick_to_learn(size=339, n=24_000, delta=0.01), 6)
    0.017281
    >>> round(pb.bounds.pick_to_learn(size=339, n=24_000, delta=0.01, form="one_sided"), 6)
    0.01712
    """
    if form not in _FORMS:
        raise ValueError(f"The 'form' argument of pick_to_learn must be one of {_FORMS}. Got {form!r} instead.")
    if form == "printed":
        warn(
            "The form 'printed' of pick_to_learn is not a bound: its authors corrected it. Use 'corrected'.",
            UserWarning,
            stacklevel=2,
        )
    given = checked("pick_to_learn", size=size, n=n, delta=delta, errors=errors, looks=looks)
    picked, sizes, deltas, wrong, tried = given
    total = picked + wrong
    _check_within("pick_to_learn", "'size' and 'errors' together", total, sizes)
    root = _smallest_proved(total, sizes, lambda k, m, d, t: _excess_of_sides(k, m, d, t, form), deltas / tried)
    return clipped(root)


def _excess_of_sides(k: FloatArray, n: FloatArray, delta: FloatArray, t: FloatArray, form: str) -> FloatArray:
    """Return the logarithm of the left side over the right one: of the first a lower bound, of the second an upper."""
    probability = log_binomial_probability(k, n, t)
    first = -np.expm1(np.minimum(log_binomial_tail(k, n, t), 0.0))  # I_t(k+1, n-k)
    right = np.log(n * t) + probability
    if form == "one_sided":
        return np.log(delta * first) - right
    # rounding 4 n + 1 could go up, and fewer trials make the term smaller
    trials = np.where(n <= _LARGEST_EXACT, 4.0 * n + 1.0, 4.0 * n)
    second = -np.expm1(np.minimum(log_binomial_tail(k, trials, t), 0.0))
    left = delta / 3.0 + first if form == "printed" else delta / 3.0 * first
    return np.log(left + delta / 6.0 * second) - right - np.log1p(delta / (6.0 * n))


@overload
def compression(risk: float, size: float, n: float, delta: float, constant: str = ...) -> float: ...
@overload
def compression(risk: Array, size: ArrayLike, n: ArrayLike, delta: ArrayLike, constant: str = ...) -> FloatArray: ...
@overload
def compression(
    risk: ArrayLike, size: ArrayLike, n: ArrayLike, delta: ArrayLike, constant: str = ...
) -> FloatOrArray: ...
def compression(
    risk: ArrayLike, size: ArrayLike, n: ArrayLike, delta: ArrayLike, constant: str = "exact"
) -> FloatOrArray:
    """Sample compression: an upper bound on the risk of a predictor that is determined by ``m`` of the ``n`` rows.

    ``kl_inv_upper(risk, (log C(n, m) + log(1/(zeta(m) delta)) + log constant)/(n - m))``,
    ``zeta(m) = 6/(pi (m + 1))^2``, for any loss in [0, 1].

    Parameters
    ----------
    risk : array_like
        Mean loss, in [0, 1], on the other ``n - m`` rows.
    size : array_like of int
        Number ``m`` of the rows that determine the predictor.
    n : array_like of int
        Number of rows.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    constant : {"exact", "published"}, default="exact"
        For each set of rows there is one predictor, to which Chernoff's bound applies without a constant: the exact one
        is 1. The published one is ``2 sqrt(n - m)``.

    Returns
    -------
    float or ndarray
        Holds with probability at least ``1 - delta`` for all sets of rows and all sizes at once, so that the set may be
        chosen by looking at the bound. 1 where no other rows are left.

    References
    ----------
    Littlestone and Warmuth, "Relating data compression and learnability", 1986. Bazinet, Zantedeschi and Germain,
    "Sample compression unleashed: New generalization bounds for real valued losses", 2025.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.compression(risk=0.1, size=5, n=1000, delta=0.05), 6)
    0.2005
    >>> round(pb.bounds.compression(risk=0.1, size=5, n=1000, delta=0.05, constant="published"), 6)
    0.207014
    """
    if constant not in _CONSTANTS:
        raise ValueError(
            f"The 'constant' argument of compression must be one of {_CONSTANTS}. Got {constant!r} instead."
        )
    risks, picked, sizes, deltas = checked("compression", risk=risk, size=size, n=n, delta=delta)
    _check_within("compression", "'size'", picked, sizes)
    rest = np.maximum(sizes - picked, 1.0)
    more = log_xi(2, rest, "published") if constant == "published" else 0.0
    limit = kl_inv_upper(risks, budget(np.zeros(()), rest, deltas, _log_sets(picked, sizes) + more))
    return clipped(np.where(picked < sizes, limit, 1.0))


@overload
def compression_binomial(errors: float, size: float, n: float, delta: float) -> float: ...
@overload
def compression_binomial(errors: Array, size: ArrayLike, n: ArrayLike, delta: ArrayLike) -> FloatArray: ...
@overload
def compression_binomial(errors: ArrayLike, size: ArrayLike, n: ArrayLike, delta: ArrayLike) -> FloatOrArray: ...
def compression_binomial(errors: ArrayLike, size: ArrayLike, n: ArrayLike, delta: ArrayLike) -> FloatOrArray:
    """Sample compression for the 0-1 loss: the exact binomial limit, shared over all sets of ``m`` of the ``n`` rows.

    :func:`clopper_pearson` of the errors on the other ``n - m`` rows, at ``delta zeta(m)/C(n, m)`` with
    ``zeta(m) = 6/(pi (m + 1))^2``. It is never above :func:`compression`.

    Parameters
    ----------
    errors : array_like of int
        Number of errors on the other ``n - m`` rows.
    size : array_like of int
        Number ``m`` of the rows that determine the predictor.
    n : array_like of int
        Number of rows.
    delta : array_like
        Allowed probability of failure, in (0, 1).

    Returns
    -------
    float or ndarray
        Holds with probability at least ``1 - delta`` for all sets of rows and all sizes at once, so that the set may be
        chosen by looking at the bound. 1 where no other rows are left.

    References
    ----------
    Langford, "Tutorial on practical prediction theory for classification", 2005. Littlestone and Warmuth, "Relating
    data compression and learnability", 1986.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.compression_binomial(errors=99, size=5, n=1000, delta=0.05), 6)
    0.195681
    """
    wrong, picked, sizes, deltas = checked("compression_binomial", errors=errors, size=size, n=n, delta=delta)
    _check_within("compression_binomial", "'size' and 'errors' together", picked + wrong, sizes)
    rest = np.maximum(sizes - picked, 1.0)
    nats = (_log_sets(picked, sizes) + log_inverse(deltas)) * (1.0 + 1e-15)  # the share of delta is exp(-nats)
    direct = nats <= -_SMALLEST_TAIL
    share = np.exp(-np.where(direct, nats, 1.0)) * (1.0 - 1e-12)  # 600 nats lose at most 600 units of 2^-52
    exact = clopper_pearson(np.minimum(wrong, rest), rest, share)
    far = exact
    if not np.all(direct):
        far = _smallest_proved(np.minimum(wrong, rest), rest, lambda k, m, d, t: -d - log_binomial_tail(k, m, t), nats)
    return clipped(np.where(picked < sizes, np.where(direct, exact, far), 1.0))


def _log_sets(size: FloatArray, n: FloatArray) -> FloatArray:
    """Return ``log(C(n, m)/zeta(m))``, rounded up: what the choice among sets of rows costs."""
    sizes = 2.0 * np.log(math.pi * (size + 1.0)) - math.log(6.0)
    return (log_choose(n, size) + sizes) * (1.0 + 1e-15) + 1e-14


def _smallest_proved(
    k: FloatArray,
    n: FloatArray,
    margin: Callable[[FloatArray, FloatArray, FloatArray, FloatArray], FloatArray],
    level: FloatArray,
) -> FloatArray:
    """Return a ``t`` in ``(k/n, 1]`` next to the root of a margin at which it is proved to be positive.

    A margin is ``n kl(k/n || t)`` and terms that vary slowly, so that it is nearly linear in the budget ``b`` of
    ``t = kl_inv_upper(k/n, b)``: secants find its root in a few steps. From there the budget grows until the sign is
    proved; where it never is, the answer is 1. Above ``k/n``, where the margin is negative, it changes its sign once.
    """
    shape = np.shape(k)
    counts, sizes, levels = (np.array(np.ravel(x), dtype=np.float64) for x in (k, n, level))
    mean = counts / sizes

    def point(budgets: FloatArray) -> FloatArray:
        return np.clip(kl_inv_upper(mean, np.clip(budgets, 1e-300, 1e300)), 1e-300, _BELOW_ONE)

    with np.errstate(all="ignore"):
        before = np.full(mean.shape, 4.0) / sizes
        value_before = margin(counts, sizes, levels, point(before))
        budgets = _positive(before - value_before / sizes, before)
        for _ in range(_SECANTS):
            values = margin(counts, sizes, levels, point(budgets))
            step = values * (budgets - before) / (values - value_before)
            if np.all(np.abs(step) <= 1e-14 * budgets):
                break
            before, value_before = budgets, values
            budgets = _positive(budgets - np.where(np.isfinite(step), step, 0.0), budgets)
        found, proved = np.ones_like(mean), counts >= sizes
        for slack in 4.0 ** np.arange(-22, 3):  # relative to the budget
            points = point(budgets * (1.0 + slack))
            now = ~proved & (margin(counts, sizes, levels, points) > _SIGN_SLACK) & (points > mean)
            found, proved = np.where(now, points, found), proved | now
            if proved.all():
                break
    return found.reshape(shape)


def _positive(budgets: FloatArray, otherwise: FloatArray) -> FloatArray:
    """Return budgets, or half of the others where a step went too far."""
    return np.where(budgets > 0.0, budgets, 0.5 * otherwise)


def _check_within(owner: str, what: str, counts: FloatArray, n: FloatArray) -> None:
    beyond = counts > n
    if np.any(beyond):
        raise ValueError(
            f"The {what} argument of {owner} must be at most 'n'. "
            f"Got {np.ravel(counts)[np.ravel(beyond)][0]:.0f} of {np.ravel(n)[np.ravel(beyond)][0]:.0f} instead."
        )
