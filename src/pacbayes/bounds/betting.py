"""The betting bound: sound for online references, and at all sample sizes at once with rates that do not depend on n.

For a rate ``lam`` in (0, 1), ``prod_i (1 - lam x_i)/(1 - lam E[x_i|past])`` is a non-negative martingale that starts
at 1 for each ``w``; so is any mixture over rates. Averaged over the prior, with the change of measure of Donsker and
Varadhan, Ville's inequality and the concavity of the logarithm, it bounds the mean of ``x`` for all posteriors, and for
all n at once if the rates were fixed without n. The proof is in `docs/theory.md`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_shapes, checked, single_number, to_floats
from pacbayes._core.rounding import EPS, log_inverse
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import LARGEST, clipped, plain
from pacbayes.bounds._grid import checked_grid
from pacbayes.bounds._signatures import Result
from pacbayes.numerics.mixture import mixture_root

__all__ = ["bet", "betting", "betting_rates"]

_GROWTH_ROUNDING = 1e-9


@overload
def betting(
    log_growth: float,
    rates: float,
    kl: float,
    n: float,
    delta: float,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> float: ...
@overload
def betting(
    log_growth: ArrayLike,
    rates: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def betting(
    log_growth: float,
    rates: float,
    kl: float,
    n: float,
    delta: float,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[True],
) -> tuple[float, dict[str, float]]: ...
@overload
def betting(
    log_growth: ArrayLike,
    rates: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def betting(
    log_growth: ArrayLike,
    rates: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    return_grad: bool = False,
) -> Result:
    """Betting: an upper bound on a mean, the root of ``sum_k w_k exp(n (G_k - log(1 - lam_k m))) = exp(kl)/delta``.

    For a single rate that is ``(1 - exp(G - (kl + log(1/delta))/n))/lam``. The mean is that of ``x_i``: of an excess
    ``loss - gamma * reference``; of the references themselves, with ``kl = 0``; or of a risk, with no reference.

    Parameters
    ----------
    log_growth : array_like, shape (..., K)
        ``G(lam) = mean_i E_posterior log(1 - lam x_i)``, one per rate on the last axis (no axis if ``rates`` is a
        number).
    rates : array_like, shape (K,) or a number
        In (0, 1), fixed before the data (:func:`betting_rates`), or chosen on other data.
    kl : array_like
        Divergence of the posterior from the prior; 0 for a reference. May be infinite.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    weights : array_like, shape (K,), optional
        Of the rates in the mixture, positive, summing to at most 1; even by default.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "log_growth" and "kl".

    Returns
    -------
    float or ndarray
        Holds for all posteriors with probability at least ``1 - delta``, for any predictable reference, and for
        all n at once if the rates do not depend on n. Between -1 and 1.

    References
    ----------
    Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024, for the martingale.
    Jang et al., "Tighter PAC-Bayes bounds through coin-betting", 2023, for its use with a prior.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> rates, weights = pb.bounds.betting_rates(n=1000)
    >>> log_growth = 0.05 * np.log1p(-rates)  # a 0-1 loss with empirical risk 0.05
    >>> round(pb.bounds.betting(log_growth, rates, kl=10.0, n=1000, delta=0.05, weights=weights), 6)
    0.098033
    """
    kls, sizes, deltas = checked("betting", kl=kl, n=n, delta=delta)
    level = np.minimum(kls + log_inverse(deltas), LARGEST) * (1.0 + 2.0 * EPS)
    value, slopes = bet("betting", log_growth, rates, weights, sizes, level)
    return (value, {"log_growth": slopes[0], "kl": slopes[1]}) if return_grad else value


def bet(
    owner: str,
    log_growth: ArrayLike,
    rates: ArrayLike,
    weights: ArrayLike | None,
    sizes: FloatArray,
    levels: FloatArray,
) -> tuple[FloatOrArray, tuple[FloatOrArray, FloatOrArray]]:
    """Return where the mixture of bets reaches a level, and the derivatives with respect to growth and level.

    Parameters
    ----------
    owner : str
        The bound that asks, for messages.
    log_growth, rates, weights : array_like
        As in :func:`betting`.
    sizes, levels : ndarray
        Numbers of examples, and logarithms of what the mixture is not to exceed, rounded up; of one shape.
    """
    lam, log_cost = checked_grid(owner, rates, weights)
    growth = _checked_growth(owner, log_growth, lam, scalar_rate=np.ndim(rates) == 0)
    check_shapes(owner, log_growth=growth.shape[:-1], others=sizes.shape)
    shape = np.broadcast_shapes(growth.shape[:-1], sizes.shape)
    rows = np.broadcast_to(growth, (*shape, lam.size)).reshape(-1, lam.size)
    n_rows, level_rows = (np.broadcast_to(each, shape).reshape(-1) for each in (sizes, levels))
    root, shares, slope = mixture_root(rows, lam, -log_cost, n_rows, level_rows)
    with np.errstate(all="ignore"):
        of_growth = (-shares / slope[:, None]).reshape(*shape, lam.size)
        of_level = (1.0 / (n_rows * slope)).reshape(shape)
    of_rates = plain(of_growth[..., 0]) if np.ndim(rates) == 0 else of_growth
    return clipped(root.reshape(shape), -1.0), (of_rates, plain(of_level))


def _checked_growth(owner: str, log_growth: ArrayLike, lam: FloatArray, *, scalar_rate: bool) -> FloatArray:
    growth = to_floats(owner, "log_growth", log_growth)
    growth = growth[..., None] if scalar_rate else growth
    if growth.ndim == 0 or growth.shape[-1] != lam.size:
        raise ValueError(
            f"The 'log_growth' argument of {owner} must have one entry per rate ({lam.size}) on its last axis. "
            f"Got shape {growth.shape} instead."
        )
    low, high = np.log1p(-lam), np.log1p(lam)
    tolerance = _GROWTH_ROUNDING * (high - low)
    inside = (growth >= low - tolerance) & (growth <= high + tolerance)
    if not np.all(inside):
        raise ValueError(
            f"The 'log_growth' argument of {owner} must lie between log(1 - rate) and log(1 + rate). "
            f"Got {float(growth[~inside].flat[0])!r} instead."
        )
    return np.clip(growth, low, high)


def betting_rates(n: int | None = None, delta: float = 0.05) -> tuple[FloatArray, FloatArray]:
    """A grid of rates for :func:`betting` and the share of delta each is given.

    The best rate is ``1/(1 + tau)`` where ``tau`` is the dual variable of the KL ball, in whose logarithm the bound
    is close to a parabola; both grids are therefore geometric in ``tau``. Spacing, range and weights minimise the
    worst and the typical difference to the best rate in hindsight with no union paid, over risks, divergences and
    sample sizes (`benchmarks/betting_rates.py`; the result is in `docs/theory.md`).

    Parameters
    ----------
    n : int, optional
        The sample size, if it is known before the data and the bound is wanted there only. By default one grid of
        63 rates for all n, as streams need.
    delta : float, default=0.05
        The probability of failure the grid for one ``n`` is made for; it is not tied to it.

    Returns
    -------
    rates, weights : ndarray of shape (K,)
        Rates falling from near 1 towards 0, and weights that sum to 1.

    Examples
    --------
    >>> import pacbayes as pb
    >>> rates, weights = pb.bounds.betting_rates(n=1000)
    >>> len(rates), round(float(rates[0]), 3), round(float(rates[-1]), 3)
    (9, 0.994, 0.094)
    >>> len(pb.bounds.betting_rates()[0])
    63
    """
    if n is None:
        return _grid_for_all_sizes()
    size, failure = single_number("betting_rates", "n", n), single_number("betting_rates", "delta", delta)
    low = 0.2 / np.sqrt(size)
    high = max(0.75 * np.sqrt(size / (2.0 * np.log(1.0 / failure))), 4.0 * low)
    spacing = 1.4 * (100.0 / size) ** (1.0 / 6.0)
    tau = np.geomspace(low, high, int(np.ceil(np.log(high / low) / spacing)) + 1)
    shares = np.asarray(tau**0.15)
    return np.asarray(1.0 / (1.0 + tau)), np.asarray(shares / shares.sum())


def _grid_for_all_sizes() -> tuple[FloatArray, FloatArray]:
    """Return the grid for which streams store their growth: the same bits on every machine, as powers by numpy are not.

    What is added, multiplied and divided here is rounded in one way only.
    """
    steps = range(-14, 49)
    tau = np.array([float(Fraction(3, 10) * Fraction(3, 2) ** step) for step in steps])
    shares = np.array([1.0 / ((abs(step) + 5.0) * (abs(step) + 6.0)) for step in steps])
    return np.asarray(1.0 / (1.0 + tau)), np.asarray(shares / math.fsum(shares))
