"""The expected 0-1 loss of a classifier whose scores are independent Gaussians, one for each class, proved from above.

A diagonal Gaussian over the last linear layer of a network gives such scores: their means and variances are linear in
the features and in their squares.

The bound
---------
Let ``y`` be the label, ``m`` and ``s`` the means and deviations of the scores. Given the score ``m_y + s_y z`` of the
label, with ``z`` standard normal, the row is classified correctly with probability
``F(z) = prod_{c != y} Phi((m_y + s_y z - m_c)/s_c)``, and ``P(error) = 1 - E F(z)``. ``F`` increases, and ``log F`` is
concave, since ``log Phi`` is. On a cell ``[a, b]`` of width ``h``, under the normal distribution restricted to it,

    E F  >=  exp(E log F)                               Jensen's inequality
         >=  exp((1 - t) log F(a) + t log F(b))         a concave function lies above its chord; t = E (z - a)/h
         >=  exp((1 - u) log F(a) + u log F(b))         for any u <= t, since F(b) >= F(a)

with ``u = 1/2 - max(b, 0) h/12``: the density of the cell has the logarithmic slope ``-z >= -b``, so that its mean is
at least that of the density proportional to ``exp(-max(b, 0) z)`` there, which is ``1/x - 1/(exp(x) - 1)`` of the cell
at ``x = max(b, 0) h``, and ``coth(x/2) - 2/x <= x/6``. So ``P(error)`` is at most the sum over all cells of their
probability times one minus the above, plus ``Phi`` of the left end of the grid, where nothing is assumed of ``F``, plus
the probability of the right tail times ``1 - F`` at its left end. What is lost falls with the square of ``h``. Any grid
gives a bound: a row's cells are halved until that changes hardly anything, and the smallest bound counts.

A class that wins against the label with a small probability ``Phi(-(m_y - m_c)/sqrt(s_y^2 + s_c^2))`` is left out of
``F`` and this probability is added; where one class is left, its own probability is all there is. That is the closed
form for two classes.

Rounding
--------
In the model of arithmetic of :mod:`pacbayes._core.rounding`, and with a relative error of ``ndtr`` of at most
``2**-40`` (9e-13; the largest found is 2.2e-13, far in the tail):

- An argument ``(m_y - m_c)/s_c + (s_y/s_c) z`` has an error of at most ``4 EPS (|m_y - m_c| + s_y |z|)/s_c``; twice
  that is subtracted, which makes ``F`` smaller. The same is done for a class that is left out.
- A product of ``K - 1`` factors, its logarithm and the exponential have an error of at most ``K 2**-40``, since
  ``x exp(-x) <= 1``. Each of ``J`` probabilities of cells is correct to ``4 EPS``, and so is each sum.
  ``K 2**-40 + 8 J EPS`` is added in the end.
- A probability of a class that is left out is multiplied by ``1 + 2**-39``, and 1e-300 is added for what underflows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from pacbayes._core.arguments import to_floats
from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray, IntArray

__all__ = ["expected_zero_one"]

_OWNER = "expected_zero_one"
_NDTR = 2.0**-40
_UNDERFLOW = 1e-300
_SMALLEST, _LARGEST = 1e-280, 1e100  # of variances that cells are made for; of means and variances
_END = 6.0  # of the grid: each tail has the probability 1e-9
_FIRST = 48  # cells: with fewer, halving them may gain little and leave more
_LEFT_OUT = 1e-8  # of the classes that are left out of a row, together
_ABSOLUTE, _RELATIVE = 1e-6, 3e-4  # cells are halved while that lowers the bound by more
_BLOCK = 2**17  # numbers at a time, so that they stay in cache


class _Rows(NamedTuple):
    """Rows as the quadrature takes them: of each class, the likeliest to win against the label first.

    ``log F(z)`` is the sum of ``log Phi(offset + ratio z)`` for ``z > start``.
    """

    starts: FloatArray
    offsets: FloatArray
    ratios: FloatArray

    def take(self, rows: IntArray, classes: int) -> _Rows:
        """Return some of the rows, with the first classes alone."""
        return _Rows(self.starts[rows], self.offsets[rows, :classes], self.ratios[rows, :classes])


def expected_zero_one(means: ArrayLike, variances: ArrayLike, labels: ArrayLike, *, cells: int = 6144) -> FloatArray:
    """Return for each row an upper bound on the probability that its largest score is not that of its label.

    Scores are independent Gaussians, one for each class; equal scores count as an error. The bound is proved, rounding
    included; see :mod:`pacbayes.posteriors.categorical`.

    Parameters
    ----------
    means, variances : array_like, shape (n, K)
        Of the scores, ``K >= 2``; a variance may be 0.
    labels : array_like of int, shape (n,)
        The true class of each row, from 0 to ``K - 1``.
    cells : int, default=6144
        The most cells for a row; nearly all need far fewer.

    Returns
    -------
    ndarray, shape (n,)
        Never below the probability of an error, in [0, 1]. Above it by at most 1e-6 and a share of 2e-4, but for rows
        whose label has a deviation many times that of another class.

    Examples
    --------
    >>> from pacbayes.posteriors import expected_zero_one
    >>> means, variances = [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    >>> expected_zero_one(means, variances, [0, 1]).round(4).tolist()
    [0.1342, 0.6667]
    """
    centres, spreads, places = _checked(means, variances, labels)
    gaps, own, others = _compare(centres, spreads, places)
    wins = _winning(gaps, own, others)
    ranks = np.argsort(-wins, axis=1, kind="stable")
    gaps, others, wins = (np.take_along_axis(each, ranks, axis=1) for each in (gaps, others, wins))
    found = np.minimum(_add_up(wins), 1.0)
    kept, left_out = _leave_out(wins)
    tiny = ((others > 0.0) & (others < _SMALLEST)).any(axis=1) | ((own > 0.0) & (own < _SMALLEST))
    rows = _standardise(gaps, own, others, kept)
    hard = (kept > 1) & ~tiny & (found > _LEFT_OUT) & (rows.starts < _END)
    _improve(found, rows, kept, left_out, np.flatnonzero(hard), _checked_cells(cells))
    return found


def _compare(centres: FloatArray, spreads: FloatArray, places: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return by how much the label's mean exceeds that of each other class, its variance, and those of the others."""
    n, classes = centres.shape
    other = np.arange(classes - 1) + (np.arange(classes - 1) >= places[:, None])
    rows = np.arange(n)
    gaps = centres[rows, places][:, None] - np.take_along_axis(centres, other, axis=1)
    return gaps, spreads[rows, places], np.take_along_axis(spreads, other, axis=1)


def _winning(gaps: FloatArray, own: FloatArray, others: FloatArray) -> FloatArray:
    """Return at least the probability that each other class wins against the label, if there were no further ones."""
    with np.errstate(divide="ignore", invalid="ignore"):
        margins = gaps / np.sqrt(own[:, None] + others)
    margins = np.where(np.isnan(margins), -np.inf, margins)  # equal, and certain: an error
    lowered = margins * np.where(margins > 0.0, 1.0 - 8.0 * EPS, 1.0 + 8.0 * EPS)
    chances = ndtr(-lowered) * (1.0 + 2.0 * _NDTR) + _UNDERFLOW
    return np.where(np.isposinf(margins), 0.0, np.minimum(chances, 1.0))


def _add_up(chances: FloatArray) -> FloatArray:
    """Return the sums of non-negative rows, rounded up."""
    return np.asarray(chances.sum(axis=1) * (1.0 + 2.0 * chances.shape[1] * EPS))


def _leave_out(wins: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return how many classes stay in the product, and the probability of those that do not."""
    rest = np.cumsum(wins[:, ::-1], axis=1)[:, ::-1]  # of a class and all that are less likely
    stays = rest > _LEFT_OUT
    return stays.sum(axis=1), _add_up(np.where(stays, 0.0, wins))


def _standardise(gaps: FloatArray, own: FloatArray, others: FloatArray, kept: IntArray) -> _Rows:
    """Return the arguments of ``Phi`` as functions of ``z``, rounded down; a class of variance 0 moves the start."""
    deviation, fixed = np.sqrt(own)[:, None], others == 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        offsets, ratios = gaps / np.sqrt(others), deviation / np.sqrt(others)
        offsets -= 8.0 * EPS * (np.abs(offsets) + _END * ratios)
        starts = -gaps / deviation
        starts += 8.0 * EPS * np.abs(starts)
    starts = np.where(np.isnan(starts), np.inf, starts)  # never ahead: both certain, and equal or behind
    stays = np.arange(gaps.shape[1]) < kept[:, None]
    first = np.where(fixed & stays, starts, -_END).max(axis=1)
    certain = fixed | ~stays
    return _Rows(np.maximum(first, -_END), np.where(certain, np.inf, offsets), np.where(certain, 0.0, ratios))


def _improve(found: FloatArray, rows: _Rows, kept: IntArray, left_out: FloatArray, hard: IntArray, most: int) -> None:
    """Lower the bounds of rows by cells that are halved as long as that helps."""
    last, cells = np.full(found.size, np.inf), _FIRST
    waiting = hard[np.argsort(kept[hard], kind="stable")]  # so that rows of a block have as many classes
    while waiting.size and cells <= most:
        errors, step = np.empty(waiting.size), max(_BLOCK // cells, 1)
        for part in (slice(low, low + step) for low in range(0, waiting.size, step)):
            classes = int(kept[waiting[part]].max())
            errors[part] = _sum_cells(rows.take(waiting[part], classes), cells)
        errors += left_out[waiting] + (rows.offsets.shape[1] + 1) * _NDTR + 8.0 * cells * EPS
        found[waiting] = np.minimum(found[waiting], errors)
        gained = last[waiting] - errors
        last[waiting] = errors
        waiting, cells = waiting[gained > _ABSOLUTE + _RELATIVE * errors], 2 * cells


def _sum_cells(rows: _Rows, cells: int) -> FloatArray:
    """Return the probability of an error, bounded cell by cell as the module's docstring has it, before rounding."""
    z = rows.starts[:, None] + (_END - rows.starts)[:, None] * np.linspace(0.0, 1.0, cells + 1)
    product = np.ones_like(z)
    for place in range(rows.offsets.shape[1]):
        product *= ndtr(rows.offsets[:, place, None] + rows.ratios[:, place, None] * z)
    with np.errstate(divide="ignore"):
        logs = np.log(product)
    below, weights = ndtr(z), 0.5 - np.maximum(z[:, 1:], 0.0) * np.diff(z, axis=1) / 12.0
    correct = np.exp((1.0 - weights) * logs[:, :-1] + weights * logs[:, 1:])
    inside = np.sum(np.diff(below, axis=1) * (1.0 - correct), axis=1)
    return np.asarray(below[:, 0] + inside + ndtr(-z[:, -1]) * (1.0 - product[:, -1]))


def _checked(means: ArrayLike, variances: ArrayLike, labels: ArrayLike) -> tuple[FloatArray, FloatArray, IntArray]:
    centres, spreads = to_floats(_OWNER, "means", means), to_floats(_OWNER, "variances", variances)
    places = np.asarray(labels)
    if centres.ndim != 2 or centres.shape[1] < 2:
        raise ValueError(
            f"The 'means' argument of {_OWNER} must have a row for each example and a column for each of at least two "
            f"classes. Got shape {centres.shape} instead."
        )
    if spreads.shape != centres.shape:
        raise ValueError(
            f"The 'variances' argument of {_OWNER} must have the shape of the means {centres.shape}. "
            f"Got {spreads.shape} instead."
        )
    for name, values, good in (
        ("means", centres, np.abs(centres) < _LARGEST),
        ("variances", spreads, (spreads >= 0.0) & (spreads < _LARGEST)),
    ):
        if not good.all():
            words = "finite" if name == "means" else "finite and not negative"
            raise ValueError(
                f"The {name!r} argument of {_OWNER} must be {words} (and below {_LARGEST:g}). "
                f"Got {float(values[~good][0])!r} instead."
            )
    if places.shape != centres.shape[:1] or places.dtype.kind not in "iu":
        raise ValueError(
            f"The 'labels' argument of {_OWNER} must be {len(centres)} whole numbers, one for each row. "
            f"Got an array of {places.dtype} and shape {places.shape} instead."
        )
    wrong = (places < 0) | (places >= centres.shape[1])
    if wrong.any():
        raise ValueError(
            f"The 'labels' argument of {_OWNER} must lie between 0 and {centres.shape[1] - 1}. "
            f"Got {int(places[wrong][0])} instead."
        )
    return centres, spreads, places.astype(np.intp)


def _checked_cells(cells: int) -> int:
    if isinstance(cells, bool) or not isinstance(cells, int | np.integer) or cells < _FIRST:
        raise ValueError(
            f"The 'cells' argument of {_OWNER} must be a whole number of at least {_FIRST}. Got {cells!r} instead."
        )
    return int(cells)
