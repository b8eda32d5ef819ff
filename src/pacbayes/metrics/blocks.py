"""Losses between 0 and 1 as a certificate records them: block by block, in the order in which they are bet on."""

from __future__ import annotations

from typing import Any

from pacbayes._core.types import FloatArray
from pacbayes.bounds import sequential_statistics
from pacbayes.certificate.blocks import BLOCK_NAMES

__all__ = ["observe_blocks"]


def observe_blocks(losses: FloatArray, delta: float) -> dict[str, Any]:
    """Return the mean of losses and the numbers per block that :func:`pacbayes.bounds.sequential` follows from.

    Parameters
    ----------
    losses : ndarray
        In an order that was fixed before looking at them.
    delta : float
        That the bets are made for.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics.blocks import observe_blocks
    >>> sorted(observe_blocks(np.array([0.25, 0.75]), 0.05))
    ['block_cubes', 'block_growth', 'block_means', 'block_squares', 'risk']
    """
    found = sequential_statistics(losses, delta, n=losses.size)
    blocks = (found.means, found.squares, found.cubes, found.log_growth)
    risk = float((found.sizes * found.means).sum() / losses.size)
    return {"risk": risk, **dict(zip(BLOCK_NAMES, blocks, strict=True))}
