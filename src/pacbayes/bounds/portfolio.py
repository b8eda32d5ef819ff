"""The portfolio: bets over rates and strengths of a reference in one martingale, so that nothing has to be chosen.

For each strength ``gamma`` and rate ``lam``, ``prod_i (1 - lam (l_i - gamma r_i))/(1 - lam (L - gamma rho_i))`` is a
non-negative martingale that starts at 1, with ``rho_i`` the conditional mean of the reference; so is
``prod_i (1 - lam r_i)/(1 - lam rho_i)``. A mixture of all of them is one too, and what it cannot exceed bounds the
risk, whatever the reference's own average loss is. The proof is in `docs/theory.md`.
"""

from __future__ import annotations

from typing import Literal, overload

from numpy.typing import ArrayLike

from pacbayes._core.arguments import checked
from pacbayes._core.types import FloatOrArray
from pacbayes.bounds._portfolio_solver import SHARE, find_bets, solve
from pacbayes.bounds._signatures import Result

__all__ = ["portfolio"]


@overload
def portfolio(
    growths: ArrayLike,
    strengths: ArrayLike,
    reference_log_growth: ArrayLike,
    rates: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = ...,
    strength_weights: ArrayLike | None = ...,
    share: float = ...,
    *,
    several: bool = ...,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def portfolio(
    growths: ArrayLike,
    strengths: ArrayLike,
    reference_log_growth: ArrayLike,
    rates: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = ...,
    strength_weights: ArrayLike | None = ...,
    share: float = ...,
    *,
    several: bool = ...,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def portfolio(
    growths: ArrayLike,
    strengths: ArrayLike,
    reference_log_growth: ArrayLike,
    rates: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = None,
    strength_weights: ArrayLike | None = None,
    share: float = SHARE,
    *,
    several: bool = False,
    return_grad: bool = False,
) -> Result:
    """Portfolio: an upper bound on the risk from bets over rates and strengths of one or several references.

    The smallest ``R`` with ``F(R, b) > 1/delta`` for all ``b``, which stands for the reference's average true loss:
    ``F(R, b) = a e^-kl sum_jk v_j w_k exp(n (G_jk - log(1 - lam_k (R - gamma_j b)))) + (1 - a) sum_k w_k
    exp(n (G*_k - log(1 - lam_k b)))``.

    Parameters
    ----------
    growths : array_like, shape (..., J, K)
        ``G_jk = mean_i E_posterior log(1 - lam_k (l_i - gamma_j r_i))`` for each strength and rate.
    strengths : array_like, shape (J,)
        ``gamma_j`` in [0, 1]. With 0 among them the bound is never worse than one without reference by more than
        ``log(1/(a v_0))`` nats.
    reference_log_growth : array_like, shape (..., K)
        ``G*_k = mean_i log(1 - lam_k r_i)``.
    rates : array_like, shape (K,)
        In (0, 1), fixed before the data (:func:`betting_rates`).
    kl : array_like
        Divergence of the posterior from the prior; may be infinite.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    weights : array_like, shape (K,), optional
        Of the rates, positive, summing to at most 1; even by default.
    strength_weights : array_like, shape (J,), optional
        ``v_j`` of the strengths, likewise; by default half for 0 if it is among them, and the rest even (for those of
        a :class:`pacbayes.Summary`: .5, .1, .1, .1, .2).
    share : float, default=0.8
        ``a``: the weight of the bets on the risk; the rest is for the reference's own loss.
    several : bool, default=False
        Whether there are several references, on one more axis before the strengths of ``growths`` and before the rates
        of ``reference_log_growth``; they share the weight evenly, each with its own ``b``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "growths", "reference_log_growth" and "kl".

    Returns
    -------
    float or ndarray
        Holds for all posteriors with probability at least ``1 - delta``, for any predictable references, and for all n
        at once if the rates do not depend on n.

    References
    ----------
    Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024, for the martingale.
    Biggs and Guedj, "Tighter PAC-Bayes generalisation bounds by leveraging example difficulty", 2023, for references.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> losses = np.repeat([1.0, 1.0, 0.0, 0.0], [10, 90, 10, 890])
    >>> reference = np.repeat([0.0, 1.0, 1.0, 0.0], [10, 90, 10, 890])  # errs on much the same examples
    >>> summary = pb.Summary.from_losses(losses, reference, reference_kind="predictable")
    >>> statistics = summary.growths, summary.strengths, summary.reference_log_growth, summary.rates
    >>> round(pb.bounds.portfolio(*statistics, kl=10.0, n=1000, delta=0.05, weights=summary.weights), 6)
    0.157294
    >>> round(summary.bound("maurer", kl=10.0, delta=0.05), 6)
    0.163511
    """
    kls, sizes, deltas = checked("portfolio", kl=kl, n=n, delta=delta)
    bets = find_bets("portfolio", strengths, rates, weights, strength_weights, share)
    value, slopes = solve(
        "portfolio",
        bets,
        growths,
        reference_log_growth,
        (kls, sizes, deltas),
        several=several,
        return_grad=return_grad,
    )
    return (
        value if slopes is None else (value, dict(zip(("growths", "reference_log_growth", "kl"), slopes, strict=True)))
    )
