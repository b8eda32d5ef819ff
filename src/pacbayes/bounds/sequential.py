"""One fixed predictor, losses between 0 and 1 in their given order: bets that learn from the losses before.

With rates ``lam_i`` in [0, 1) that depend on earlier losses alone, ``prod_i (1 - lam_i l_i)/(1 - lam_i m)`` is a
non-negative martingale at the true mean ``m``, and it increases in ``m``. Statement and proof are in `docs/theory.md`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, check_shapes, single, single_number, to_floats
from pacbayes._core.rounding import log_inverse
from pacbayes._core.types import Array, FloatArray, FloatOrArray
from pacbayes.bounds._bets import Bets, Block, block_sizes
from pacbayes.bounds._budget import clipped
from pacbayes.numerics.growth import growth_root

__all__ = [
    "SequentialStatistics",
    "sequential",
    "sequential_from_blocks",
    "sequential_rates",
    "sequential_statistics",
]


class SequentialStatistics(NamedTuple):
    """What :func:`sequential` reads of losses: numbers per block, on the last axis.

    Attributes
    ----------
    sizes : ndarray, shape (B,)
        Losses in each block, fixed by their number and the plan.
    rates : ndarray, shape (..., B)
        The rate of each block, which follows from the statistics of the blocks before it.
    means, squares, cubes : ndarray, shape (..., B)
        Means of the losses, of their squares and of their cubes.
    log_growth : ndarray, shape (..., B)
        Means of ``log(1 - rate loss)``.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.bounds.sequential_statistics([0.5, 0.25], delta=0.05).means.tolist()
    [0.375]
    """

    sizes: FloatArray
    rates: FloatArray
    means: FloatArray
    squares: FloatArray
    cubes: FloatArray
    log_growth: FloatArray


@overload
def sequential(losses: ArrayLike, delta: float, n: int | None = ...) -> FloatOrArray: ...
@overload
def sequential(losses: ArrayLike, delta: Array, n: int | None = ...) -> FloatArray: ...
def sequential(losses: ArrayLike, delta: ArrayLike, n: int | None = None) -> FloatOrArray:
    """Sequential bets: an upper bound on the mean loss of one fixed predictor, from its losses in their order.

    The smallest ``m`` at which ``prod_{i <= t} (1 - lam_i l_i)/(1 - lam_i m)`` has reached ``1/delta`` at the end ``t``
    of some block. Rates adapt to the variance and the skewness of the losses so far, so that the bound is close to what
    the normal approximation says, without assuming it. For 0-1 losses :func:`clopper_pearson` is exact.

    Parameters
    ----------
    losses : array_like, shape (..., T)
        In [0, 1], of examples that the predictor has not seen, in an order that was fixed before looking at them.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    n : int, optional
        The number of losses that was planned before the first was seen, at least ``T``: the bound is then made for that
        number. By default it is made for all at once: it holds after every loss, and one may stop when one likes.

    Returns
    -------
    float or ndarray
        Holds with probability at least ``1 - delta``, with ``n`` as without for all ``T`` at once. Never below the mean
        of the losses.

    See Also
    --------
    sequential_statistics : the numbers that the bound follows from.

    References
    ----------
    Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> losses = np.random.default_rng(0).beta(2.0, 18.0, size=1000)
    >>> round(float(losses.mean()), 4), round(pb.bounds.sequential(losses, delta=0.05, n=1000), 4)
    (0.0961, 0.101)
    >>> round(pb.bounds.sequential(losses, delta=0.05), 4), round(pb.bounds.chernoff(losses.mean(), 1000, 0.05), 4)
    (0.1018, 0.1205)
    """
    values = _checked_losses("sequential", losses)
    planned = _checked_plan("sequential", n, values.shape[-1])
    deltas = single("sequential", "delta", delta)
    found = _observe(values, deltas, planned)
    shape = check_shapes("sequential", losses=values.shape[:-1], delta=deltas.shape)
    return _value(found, np.broadcast_to(deltas, shape))


def sequential_statistics(losses: ArrayLike, delta: ArrayLike, n: int | None = None) -> SequentialStatistics:
    """Return the numbers from which :func:`sequential` follows: four for each of about a hundred blocks.

    Parameters
    ----------
    losses, delta, n
        As there.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> found = pb.bounds.sequential_statistics(np.linspace(0.0, 1.0, 500), delta=0.05, n=500)
    >>> found.sizes.size, found.sizes[:3].tolist(), found.sizes[-3:].tolist()
    (146, [4.0, 4.0, 4.0], [1.0, 1.0, 1.0])
    """
    values = _checked_losses("sequential_statistics", losses)
    planned = _checked_plan("sequential_statistics", n, values.shape[-1])
    return _observe(values, single("sequential_statistics", "delta", delta), planned)


def sequential_from_blocks(
    block_means: ArrayLike,
    block_squares: ArrayLike,
    block_cubes: ArrayLike,
    block_growth: ArrayLike,
    n: int,
    delta: float,
    planned: int | None = None,
    rates_delta: float | None = None,
) -> float:
    """Return the bound of one sequence from what was recorded of its blocks; their rates are computed again.

    Parameters
    ----------
    block_means, block_squares, block_cubes, block_growth : array_like, shape (B,)
        As in :class:`SequentialStatistics`.
    n : int
        Number of losses.
    delta : float
        Allowed probability of failure.
    planned : int, optional
        The number that was planned; None if the bound is for all at once.
    rates_delta : float, optional
        The delta that the rates were made for, if another.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> losses = np.linspace(0.0, 1.0, 500)
    >>> found = pb.bounds.sequential_statistics(losses, delta=0.05, n=500)
    >>> numbers = (found.means, found.squares, found.cubes, found.log_growth)
    >>> value = pb.bounds.sequential_from_blocks(*numbers, n=500, delta=0.05, planned=500)
    >>> value == pb.bounds.sequential(losses, delta=0.05, n=500)
    True
    """
    owner = "sequential_from_blocks"
    numbers = (block_means, block_squares, block_cubes, block_growth)
    found = _replay(owner, numbers, n, delta if rates_delta is None else rates_delta, planned)
    return float(_value(found, single(owner, "delta", delta)))


def sequential_rates(
    block_means: ArrayLike,
    block_squares: ArrayLike,
    block_cubes: ArrayLike,
    block_growth: ArrayLike,
    n: int,
    delta: float,
    planned: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the sizes of the blocks of one sequence and the rates that the rule gives each from the blocks before.

    Parameters
    ----------
    block_means, block_squares, block_cubes, block_growth, n, delta, planned
        As in :func:`sequential_from_blocks`.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> found = pb.bounds.sequential_statistics(np.linspace(0.0, 1.0, 500), delta=0.05)
    >>> sizes, rates = pb.bounds.sequential_rates(found.means, found.squares, found.cubes, found.log_growth, 500, 0.05)
    >>> np.array_equal(rates, found.rates), sizes[:10].tolist()
    (True, [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0])
    """
    numbers = (block_means, block_squares, block_cubes, block_growth)
    found = _replay("sequential_rates", numbers, n, delta, planned)
    return found.sizes, found.rates


_TOGETHER = 256  # sequences at a time, whose arrays stay in the cache
_NAMES = ("block_means", "block_squares", "block_cubes", "block_growth")


def _replay(
    owner: str, numbers: tuple[ArrayLike, ...], n: int, delta: float, planned: int | None
) -> SequentialStatistics:
    """Bet again on what was recorded of one sequence."""
    rows = int(single(owner, "n", n))
    plan = _checked_plan(owner, planned, rows)
    sizes, _ = block_sizes(rows, plan)
    given = [to_floats(owner, name, number) for name, number in zip(_NAMES, numbers, strict=True)]
    for name, array in zip(_NAMES, given, strict=True):
        if array.shape != sizes.shape:
            raise ValueError(
                f"The {name!r} argument of {owner} must have one number for each of {sizes.size} blocks. "
                f"Got shape {array.shape} instead."
            )
        low, high, words = (
            (-np.inf, 0.0, "be finite and at most 0") if name == _NAMES[3] else (0.0, 1.0, "lie in [0, 1]")
        )
        check_range(owner, name, array, low, high, words, finite=True)
    key = np.stack(given).tobytes()
    rates = np.frombuffer(_replay_rates(key, rows, single_number(owner, "delta", delta), plan))
    return SequentialStatistics(sizes, rates, *given)


@lru_cache(maxsize=8)
def _replay_rates(numbers: bytes, n: int, delta: float, planned: int | None) -> bytes:
    """Return the rates of one sequence; the same are asked for at every delta that a report shows."""
    sizes, whole = block_sizes(n, planned)
    bets = Bets(log_inverse(np.array([delta])), planned)
    for size, uncut, block in zip(sizes, whole, np.frombuffer(numbers).reshape(4, -1).T, strict=True):
        bets.add(size, bets.next_rate(uncut), Block(*block[:, None]))
    return bets.rates.tobytes()


def _checked_losses(owner: str, losses: ArrayLike) -> FloatArray:
    values = np.ascontiguousarray(to_floats(owner, "losses", losses))
    if np.ndim(losses) == 0 or values.shape[-1] == 0:
        raise ValueError(
            f"The 'losses' argument of {owner} must hold at least one loss on its last axis. "
            f"Got shape {np.shape(losses)} instead."
        )
    check_range(owner, "losses", values, 0.0, 1.0, "lie in [0, 1]")
    return values


def _checked_plan(owner: str, n: int | None, rows: int) -> int | None:
    if n is None:
        return None
    planned = int(single(owner, "n", n))
    if planned < rows:
        raise ValueError(f"The 'n' argument of {owner} must be at least the number of losses, {rows}. Got {n} instead.")
    return planned


def _observe(losses: FloatArray, delta: FloatArray, planned: int | None) -> SequentialStatistics:
    """Bet block by block on each sequence; where there are several deltas, on each with its own rates."""
    shape = check_shapes("sequential", losses=losses.shape[:-1], delta=delta.shape)
    rows = losses.shape[-1]
    flat = np.broadcast_to(losses, (*shape, rows)).reshape(-1, rows)
    levels = log_inverse(np.broadcast_to(delta, shape).reshape(-1))
    parts = [slice(start, start + _TOGETHER) for start in range(0, levels.size, _TOGETHER)]
    found = np.concatenate([_observe_together(flat[part], levels[part], planned) for part in parts], axis=1)
    return SequentialStatistics(block_sizes(rows, planned)[0], *(each.reshape(*shape, -1) for each in found))


def _observe_together(losses: FloatArray, levels: FloatArray, planned: int | None) -> FloatArray:
    """Return rates, means, means of squares and cubes, and growths: one row per sequence, one column per block."""
    bets = Bets(levels, planned)
    blocks, start = [], 0
    for size, uncut in zip(*block_sizes(losses.shape[-1], planned), strict=True):
        part = losses[:, start : start + int(size)]
        rate = bets.next_rate(uncut)
        # numpy adds up a contiguous axis pairwise, as the bound on rounding assumes
        block = Block(*(each.mean(axis=-1) for each in (part, part**2, part**3, np.log1p(-rate[:, None] * part))))
        bets.add(size, rate, block)
        blocks.append(block)
        start += int(size)
    return np.stack([bets.rates, *(np.stack(each, axis=-1) for each in zip(*blocks, strict=True))])


def _value(found: SequentialStatistics, delta: FloatArray) -> FloatOrArray:
    """Return the root at each sequence's rates, or the mean where losses rose after the bound was low already."""
    growth, rates = (each.reshape(-1, found.sizes.size) for each in (found.log_growth, found.rates))
    root = growth_root(growth, rates, found.sizes, log_inverse(np.ravel(delta)))
    mean = np.asarray((found.sizes * found.means).sum(axis=-1) / found.sizes.sum())
    return clipped(np.maximum(root.reshape(mean.shape), mean))
