"""The constant of kl-type PAC-Bayes bounds: the Shtarkov sum, exactly.

For ``n`` i.i.d. vectors on the simplex with ``M`` atoms, ``E exp(n kl(mean||expectation)) <= xi(M, n)`` with

    xi(M, n) = sum over counts k of  n!/prod(k_a!) prod (k_a/n)**k_a ,

and equality for categorical vectors. ``xi(1, n) = 1`` and ``xi(M+2, n) = xi(M+1, n) + (n/M) xi(M, n)``, so only
``xi(2, n)`` needs work:

- for ``n < 64`` it is the rational number ``sum_j n!/((n-j)! n**j)``, summed exactly;
- from 64 on, ``xi(2, n) = n int_0^inf exp(-n (u - log(1+u))) du`` is expanded by Laplace's method: with
  ``v**2/2 = u - log(1+u)`` and ``u = sum_k a_k v**k``, ``xi(2, n) = n sum_k a_k k 2**(k/2-1) Gamma(k/2) n**(-k/2)``.
  At n = 64 the last of the 24 terms used is below 1e-23 of the sum.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import broadcast, check_range, to_floats
from pacbayes._core.rounding import EPS
from pacbayes._core.types import Array, FloatArray, FloatOrArray

__all__ = ["log_xi"]

_SERIES_FROM = 64
_TERMS = 24
_LARGEST_N = 2.0**53
_LARGEST_ATOMS = 10_000
_RESCALE = 2.0**500
_CONSTANTS = ("exact", "published")


@overload
def log_xi(atoms: float, n: float, constant: str = ...) -> float: ...
@overload
def log_xi(atoms: Array, n: ArrayLike, constant: str = ...) -> FloatArray: ...
@overload
def log_xi(atoms: ArrayLike, n: ArrayLike, constant: str = ...) -> FloatOrArray: ...
def log_xi(atoms: ArrayLike, n: ArrayLike, constant: str = "exact") -> FloatOrArray:
    """Logarithm of the constant in kl-type bounds: an upper bound on ``log xi(atoms, n)``.

    Parameters
    ----------
    atoms : array_like of int
        Number of atoms ``M``, at least 1 (2 for the risk, 3 for an excess).
    n : array_like of int
        Number of examples, at least 1; broadcasts against ``atoms``.
    constant : {"exact", "published"}, default="exact"
        "exact" is the Shtarkov sum. "published" is what the literature uses in its place, ``2 sqrt(n)`` for two
        atoms (Maurer 2004) and ``2 n`` for three (Biggs and Guedj 2023); it exists for these only, and for three
        atoms only from ``n = 3``, below which it is too small.

    Returns
    -------
    float or ndarray
        Never less than the exact logarithm; above it by at most 1e-13 of it (for up to 100 atoms and n up to 1e12).

    References
    ----------
    Shtarkov, "Universal sequential coding of single messages", 1987. Flajolet et al., "On Ramanujan's Q-function",
    1995, for ``xi(2, n) - 1``. Maurer, "A note on the PAC Bayesian theorem", 2004.

    Examples
    --------
    >>> import math
    >>> import pacbayes as pb
    >>> round(math.exp(pb.log_xi(2, 1000)), 5), round(2 * math.sqrt(1000), 5)
    (40.30321, 63.24555)
    >>> round(math.exp(pb.log_xi(3, 26048)), 2)
    26250.94
    """
    if constant not in _CONSTANTS:
        raise ValueError(f"The 'constant' argument must be one of {_CONSTANTS}. Got {constant!r} instead.")
    m, size = broadcast("log_xi", atoms=to_floats("log_xi", "atoms", atoms), n=to_floats("log_xi", "n", n))
    _check_whole("atoms", m, _LARGEST_ATOMS)
    _check_whole("n", size, _LARGEST_N)
    result = _published(m, size) if constant == "published" else _exact(m, size)
    return result if result.shape else float(result)


def _check_whole(name: str, values: FloatArray, largest: float) -> None:
    requirement = f"be a whole number between 1 and {largest:.0f}"
    check_range("log_xi", name, values, 1.0, largest, requirement)
    broken = values[values != np.floor(values)]
    if broken.size:
        raise ValueError(f"The {name!r} argument of log_xi must {requirement}. Got {broken.flat[0].item()!r} instead.")


def _published(atoms: FloatArray, n: FloatArray) -> FloatArray:
    if not np.all((atoms == 2) | (atoms == 3)):
        raise ValueError(
            "The 'constant' argument can be 'published' for 2 or 3 atoms only, as no simple constant is in "
            f"the literature for others. Got {atoms[(atoms != 2) & (atoms != 3)].flat[0]:.0f} atoms instead."
        )
    small = (atoms == 3) & (n < 3)
    if small.any():
        raise ValueError(
            "The 'constant' argument can be 'published' with 3 atoms from n = 3 only, as 2 n is below the "
            f"exact constant before (xi(3, 1) = 3, xi(3, 2) = 4.5). Got n = {n[small].flat[0]:.0f} instead."
        )
    return np.log(np.where(atoms == 2, 2.0 * np.sqrt(n), 2.0 * n)) * (1.0 + 8.0 * EPS) + 2.0 * EPS


def _exact(atoms: FloatArray, n: FloatArray) -> FloatArray:
    before, current, halvings = np.ones(n.shape), _xi_two(n), np.zeros(n.shape)
    wanted, exponent = np.where(atoms == 1, before, current), np.zeros(n.shape)
    for m in range(1, int(atoms.max(initial=1)) - 1):
        before, current = current, current + n / m * before
        large = current > _RESCALE
        before, current = (np.where(large, x / _RESCALE, x) for x in (before, current))
        halvings = halvings + np.where(large, 500.0, 0.0)
        reached = atoms == m + 2
        wanted, exponent = np.where(reached, current, wanted), np.where(reached, halvings, exponent)
    # xi(2, n) is correct to 16 EPS, each step of the recurrence (all terms positive) adds 1.5 EPS at most, and the
    # logarithm and the sum below 6 EPS of the result
    slack = (16.0 + 2.0 * atoms) * EPS
    raised = (np.log(wanted) + exponent * math.log(2.0)) * (1.0 + 8.0 * EPS) + slack
    return np.where(atoms == 1, 0.0, raised)


def _xi_two(n: FloatArray) -> FloatArray:
    table, series = _tables()
    small = np.take(table, np.minimum(n, _SERIES_FROM - 1).astype(np.int64))
    root = np.sqrt(n)
    # Horner's rule; from n = 64 on the leading term is 90 % of the sum, so nothing cancels
    return np.where(n < _SERIES_FROM, small, root * np.polynomial.polynomial.polyval(1.0 / root, series))


@cache
def _tables() -> tuple[FloatArray, FloatArray]:
    """Return ``xi(2, n)`` for ``n < 64`` (index 0 unused), and the coefficients of the series in ``1/sqrt(n)``."""
    table = [1.0]
    for n in range(1, _SERIES_FROM):
        term, total = Fraction(1), Fraction(1)
        for j in range(n):
            term *= Fraction(n - j, n)
            total += term
        table.append(float(total))
    # u u' = v (1 + u) gives a_k = a_{k-1}/(k+1) - (1/2) sum_{i=2}^{k-1} a_i a_{k+1-i}
    a = [Fraction(0), Fraction(1)]
    for k in range(2, _TERMS + 1):
        a.append(a[k - 1] / (k + 1) - sum((a[i] * a[k + 1 - i] for i in range(2, k)), Fraction(0)) / 2)
    series = [k * float(a[k]) * 2.0 ** (k / 2 - 1) * math.gamma(k / 2) for k in range(1, _TERMS + 1)]
    return np.array(table), np.array(series)
