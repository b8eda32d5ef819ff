"""The logarithm of the ratio of two Gaussian densities at a point, rounded up.

``log (d posterior/d prior)(h) = (|P^-1 (h - p)|^2 - |Q^-1 (h - q)|^2)/2 + log det P - log det Q`` with means ``p, q``
and roots ``P, Q`` of prior and posterior. The two squares are large and nearly cancel where the Gaussians are alike,
and a triangular system may be ill-conditioned, so that doubles would need a bound on their rounding that is hard to
have. All is therefore computed with 60 digits from the doubles as they are. Forward substitution loses a factor of at
most the condition number of the root: up to 1e20, squared in the squares, that leaves 20 digits, and the sums of ``d``
terms cost few of them. The result is correctly rounded to a double and moved to the next one above.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext

import numpy as np

from pacbayes._core.types import FloatArray

__all__ = ["log_density_ratio"]

_DIGITS = 60
_HALF = Decimal("0.5")


def log_density_ratio(
    weights: FloatArray, mean: FloatArray, root: FloatArray, prior_mean: FloatArray, prior_root: FloatArray
) -> float:
    """Return an upper bound on the log ratio of two Gaussian densities, from means and roots of covariances.

    A root is a vector of deviations, or a lower triangular factor.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.posteriors._density import log_density_ratio
    >>> point, zero, one = np.array([1.0]), np.zeros(1), np.ones(1)
    >>> log_density_ratio(point, one, one, zero, one) - 0.5 < 1e-15
    True
    """
    if np.array_equal(mean, prior_mean) and np.array_equal(root, prior_root):
        return 0.0
    with localcontext(Context(prec=_DIGITS)):
        near, own = _square(weights, mean, root), _log_determinant(root)
        far, prior = _square(weights, prior_mean, prior_root), _log_determinant(prior_root)
        return math.nextafter(float((far - near) * _HALF + prior - own), math.inf)


def _square(weights: FloatArray, mean: FloatArray, root: FloatArray) -> Decimal:
    """Return ``|root^-1 (weights - mean)|^2``."""
    offset = [Decimal(a) - Decimal(b) for a, b in zip(weights.tolist(), mean.tolist(), strict=True)]
    if root.ndim == 1:
        solved = [each / Decimal(deviation) for each, deviation in zip(offset, root.tolist(), strict=True)]
    else:
        solved = _forward(root, offset)
    return sum((each * each for each in solved), Decimal(0))


def _forward(root: FloatArray, offset: list[Decimal]) -> list[Decimal]:
    """Solve a lower triangular system."""
    solved: list[Decimal] = []
    for row, right in enumerate(offset):
        factors = map(Decimal, root[row, : row + 1].tolist())
        rest = right - sum((a * b for a, b in zip(factors, solved, strict=False)), Decimal(0))
        solved.append(rest / Decimal(float(root[row, row])))
    return solved


def _log_determinant(root: FloatArray) -> Decimal:
    """Return the logarithm of the determinant of a root."""
    diagonal = root if root.ndim == 1 else root.diagonal()
    return sum((Decimal(each).ln() for each in diagonal.tolist()), Decimal(0))
