"""Every statistic at once from the outcomes of 0-1 losses: counts of errors, or shares of the examples."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, single_number, to_floats
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.statistics.table import TABLE, ExpectedLosses, Mean, means

__all__ = ["from_frequencies", "from_outcomes"]

_ROUNDING = 1e-9  # as in the table of domains: this much beyond a range is rounding
Numbers: TypeAlias = dict[str, FloatOrArray]


def from_outcomes(
    n: int,
    errors: ArrayLike,
    reference_errors: ArrayLike = 0,
    both: ArrayLike = 0,
    *,
    strength: float = 1.0,
    rates: ArrayLike,
    weights: ArrayLike,
) -> Numbers:
    """Return every statistic of 0-1 losses, by name, from numbers of errors.

    Parameters
    ----------
    n : int
        Number of examples.
    errors : array_like
        Number of errors of the predictor; expected numbers, of one posterior or of many at once, in an array.
    reference_errors : array_like, default=0
        Number of errors of the reference.
    both : array_like, default=0
        Number of examples on which both err, expected like ``errors``.
    strength : float, default=1.0
        ``gamma`` in ``x = loss - gamma * reference``.
    rates, weights : array_like, shape (K,)
        The grid of :func:`pacbayes.bounds.betting`.

    Returns
    -------
    dict
        A float for each statistic that is a number (an array for arrays of errors); vectors on the last axis.

    See Also
    --------
    from_frequencies : the same from shares of the examples.

    Examples
    --------
    >>> from pacbayes import statistics
    >>> found = statistics.from_outcomes(100, errors=8, reference_errors=10, both=6, rates=[0.5], weights=[1.0])
    >>> found["risk"], found["plus"], round(found["minus"], 6), round(found["excess"], 6)
    (0.08, 0.02, 0.04, -0.02)
    >>> statistics.from_outcomes(100, errors=[8.0, 9.5], rates=[0.5], weights=[1.0])["risk"].tolist()
    [0.08, 0.095]
    """
    owner, size = "from_outcomes", single_number("from_outcomes", "n", n)
    counts = {"errors": errors, "reference_errors": reference_errors, "both": both}
    arrays = {name: to_floats(owner, name, count) for name, count in counts.items()}
    for name, array in arrays.items():
        check_range(owner, name, array, 0.0, size * (1.0 + _ROUNDING), "lie between 0 and n")
    total, common = arrays["errors"], arrays["both"]
    found = from_frequencies(
        n,
        (total - common) / size,
        common / size,
        arrays["reference_errors"] / size,
        strength=strength,
        rates=rates,
        weights=weights,
    )
    # counted, and not through a quotient that has been rounded
    return found | {"errors": _plain(np.ceil(total - _ROUNDING))}


def from_frequencies(
    n: int,
    alone: ArrayLike,
    both: ArrayLike = 0.0,
    reference: ArrayLike = 0.0,
    *,
    strength: float = 1.0,
    rates: ArrayLike,
    weights: ArrayLike,
) -> Numbers:
    """Return every statistic of 0-1 losses, by name, from shares of the examples.

    References are 0 or 1 here, so that each statistic is a sum over the three kinds of example on which someone errs.

    Parameters
    ----------
    n : int
        Number of examples.
    alone, both : array_like
        Share of the examples on which the predictor errs and the reference does not, and on which both do.
    reference : array_like, default=0.0
        Share of the examples on which the reference errs.
    strength, rates, weights
        As in :func:`from_outcomes`.

    Examples
    --------
    >>> from pacbayes import statistics
    >>> found = statistics.from_frequencies(100, 0.02, 0.06, 0.10, rates=[0.5], weights=[1.0])
    >>> found["risk"], round(found["variance"], 6), found["log_growth"].round(6).tolist()
    (0.08, 0.074343, [0.002356])
    """
    grid, gamma = np.atleast_1d(np.asarray(rates, dtype=float)), float(strength)
    right, wrong, share = (np.asarray(part, dtype=float) for part in (alone, both, reference))
    risk = np.minimum(right + wrong, 1.0)
    saved = np.maximum(share - wrong, 0.0)  # the reference errs and the predictor does not
    found: Numbers = {"n": n, "strength": gamma, "rates": grid, "weights": np.asarray(weights, dtype=float)}
    for entry, values, kinds in _of_kinds(gamma, grid.tobytes()):
        value = _combined(entry, values, kinds, (risk, share) if entry.additive else (right, wrong, saved))
        if entry.per is None:
            value = np.minimum(value, 1.0 if entry.rest_of is None else 1.0 - found[entry.rest_of])
        else:
            value = value.reshape(*value.shape[:-1], *entry.shape(grid.size))
        found[entry.name] = _plain(value)
    for name, other in TABLE.items():
        if other.derived is not None:
            found[name] = _plain(other.derived(found))
    return {name: found[name] for name in TABLE}


@lru_cache(maxsize=64)
def _of_kinds(strength: float, rates: bytes) -> tuple[tuple[Mean, FloatArray, tuple[int, ...]], ...]:
    """Return each mean with its values for the kinds of example, and which of these kinds contribute.

    Searches ask for the same strength and rates hundreds of times.
    """
    grid = np.frombuffer(rates)
    of_examples = ExpectedLosses.of(np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0]), strength, grid)
    of_means = ExpectedLosses.of(np.array([1.0, 0.0]), np.array([0.0, 1.0]), strength, grid)
    found = []
    for entry in means():
        values = np.asarray(entry.expected(of_means if entry.additive else of_examples))
        found.append((entry, values, tuple(k for k in range(values.shape[-1]) if np.any(values[..., k]))))
    return tuple(found)


def _combined(entry: Mean, values: FloatArray, kinds: tuple[int, ...], shares: tuple[FloatArray, ...]) -> FloatArray:
    """Return the sum over kinds of example of their share times the statistic's value; terms of 0 are left out."""
    terms = [(shares[kind] if entry.per is None else shares[kind][..., None]) * values[..., kind] for kind in kinds]
    total = terms[0] if terms else np.zeros((*shares[0].shape, *values.shape[:-1]))
    for term in terms[1:]:
        total = total + term
    return total


def _plain(value: FloatOrArray) -> FloatOrArray:
    array = np.asarray(value)
    return array if array.shape else float(array)
