"""Synthetic distributions for which the true risk of any linear classifier is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtr
from sklearn.utils import check_random_state

from pacbayes._core.arguments import to_floats
from pacbayes._core.types import BoolArray, FloatArray, IntArray, RandomState

__all__ = ["KnownRisk", "make_known_risk"]

_LAWS = ("gaussian", "logistic", "grid")
_NODES = 400  # Gauss-Hermite quadrature of a smooth function: far below 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class KnownRisk:
    """A sample and the distribution it came from.

    Attributes
    ----------
    X, y : ndarray
        Features (n, d) and labels 0 and 1.
    law : str
        "gaussian", "logistic" or "grid".
    best_risk : float
        The smallest risk of any linear classifier under the distribution.
    """

    X: FloatArray
    y: IntArray
    law: str
    parameters: dict[str, Any]

    def risk(self, weights: ArrayLike, intercept: float = 0.0) -> float:
        """True 0-1 risk of the rule that says 1 where ``w.x + intercept > 0``: exact, for "logistic" to 1e-6."""
        w = to_floats("KnownRisk.risk", "weights", weights)
        if w.shape != (self.X.shape[1],):
            raise ValueError(
                f"The 'weights' argument of KnownRisk.risk must have {self.X.shape[1]} entries. "
                f"Got shape {w.shape} instead."
            )
        return _RISKS[self.law](w, float(intercept), **self.parameters)

    @property
    def best_risk(self) -> float:
        """The risk of the best linear rule."""
        return self.risk(self.parameters["direction"])


def make_known_risk(
    n: int, d: int = 5, *, law: str = "gaussian", separation: float = 1.0, random_state: RandomState = None
) -> KnownRisk:
    """Draw a sample from a distribution whose true risks are known.

    Parameters
    ----------
    n, d : int
        Number of examples and of features.
    law : {"gaussian", "logistic", "grid"}, default="gaussian"
        "gaussian": two unit Gaussians at plus and minus ``separation`` along a random direction. "logistic": normal
        features, label 1 with probability ``sigma(separation * 2 u.x)``. "grid": features uniform on the corners of
        a cube, labelled by a linear rule and flipped with probability ``1/(1 + exp(2 separation))``; ``d`` at most 16.
    separation : float, default=1.0
        How easy the problem is.
    random_state : int, RandomState or None
        Where the sample comes from.

    Examples
    --------
    >>> import pacbayes as pb
    >>> sample = pb.datasets.make_known_risk(500, d=3, separation=1.0, random_state=0)
    >>> sample.X.shape, round(sample.best_risk, 6)
    ((500, 3), 0.158655)
    """
    if law not in _LAWS:
        raise ValueError(f"The 'law' argument of make_known_risk must be one of {_LAWS}. Got {law!r} instead.")
    if n < 1 or d < 1 or (law == "grid" and d > 16):
        raise ValueError(
            "The 'n' and 'd' arguments of make_known_risk must be at least 1 (and d at most 16 on a grid). "
            f"Got {n} and {d} instead."
        )
    rng = check_random_state(random_state)
    direction = rng.standard_normal(d)
    direction /= np.linalg.norm(direction)
    parameters = {"direction": direction, "separation": float(separation)}
    x, y = _DRAWS[law](rng, n, **parameters)
    return KnownRisk(x, y.astype(np.int64), law, parameters)


def _draw_gaussian(
    rng: np.random.RandomState, n: int, direction: FloatArray, separation: float
) -> tuple[FloatArray, BoolArray]:
    y = rng.random_sample(n) < 0.5
    return rng.standard_normal((n, direction.size)) + separation * np.where(y, 1.0, -1.0)[:, None] * direction, y


def _risk_gaussian(w: FloatArray, intercept: float, direction: FloatArray, separation: float) -> float:
    norm, shift = np.linalg.norm(w), separation * (w @ direction)
    if norm == 0.0:
        return 0.5
    return float(0.5 * ndtr(-(shift + intercept) / norm) + 0.5 * ndtr(-(shift - intercept) / norm))


def _draw_logistic(
    rng: np.random.RandomState, n: int, direction: FloatArray, separation: float
) -> tuple[FloatArray, BoolArray]:
    x = rng.standard_normal((n, direction.size))
    return x, rng.random_sample(n) < expit(2.0 * separation * (x @ direction))


@cache
def _quadrature() -> tuple[FloatArray, FloatArray]:
    """Return nodes and masses for a standard normal variable."""
    nodes, masses = np.polynomial.hermite_e.hermegauss(_NODES // 2)
    return nodes, masses / masses.sum()


def _risk_logistic(w: FloatArray, intercept: float, direction: FloatArray, separation: float) -> float:
    """Integrate over ``v = u.x``; given it, ``w.x`` is Gaussian with mean ``(w.u) v`` and the rest of the variance."""
    nodes, masses = _quadrature()
    slope = float(w @ direction)
    rest = np.sqrt(max(float(w @ w - slope**2), 0.0))
    if rest > 1e-3 * np.linalg.norm(w) and rest > 0.0:
        says_one = ndtr((slope * nodes + intercept) / rest)
        positive = expit(2.0 * separation * nodes)
        return float(masses @ (says_one * (1.0 - positive) + (1.0 - says_one) * positive))
    return _risk_along(slope, intercept, rest, separation)


def _risk_along(slope: float, intercept: float, rest: float, separation: float) -> float:
    """The same by a fine trapezoidal rule, for rules that switch too sharply along ``v`` for quadrature."""
    v = np.linspace(-12.0, 12.0, 2_000_001)
    density = np.exp(-0.5 * v * v)
    positive = expit(2.0 * separation * v)
    score = slope * v + intercept
    says_one = ndtr(score / rest) if rest > 0.0 else (score > 0.0).astype(np.float64)
    return float(density @ (says_one * (1.0 - positive) + (1.0 - says_one) * positive) / density.sum())


def _corners(d: int) -> FloatArray:
    return np.array(np.meshgrid(*[[-1.0, 1.0]] * d, indexing="ij")).reshape(d, -1).T


def _draw_grid(
    rng: np.random.RandomState, n: int, direction: FloatArray, separation: float
) -> tuple[FloatArray, BoolArray]:
    corners = _corners(direction.size)
    x = corners[rng.randint(len(corners), size=n)]
    return x, (x @ direction > 0.0) ^ (rng.random_sample(n) < expit(-2.0 * separation))


def _risk_grid(w: FloatArray, intercept: float, direction: FloatArray, separation: float) -> float:
    corners, flip = _corners(direction.size), expit(-2.0 * separation)
    agree = (corners @ w + intercept > 0.0) == (corners @ direction > 0.0)
    return float(np.where(agree, flip, 1.0 - flip).mean())


_DRAWS = {"gaussian": _draw_gaussian, "logistic": _draw_logistic, "grid": _draw_grid}
_RISKS = {"gaussian": _risk_gaussian, "logistic": _risk_logistic, "grid": _risk_grid}
