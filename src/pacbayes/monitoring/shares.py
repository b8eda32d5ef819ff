"""Shares of alpha and delta for streams, of which nobody knows beforehand how many there will be."""

from __future__ import annotations

import math

__all__ = ["stream_share"]


def stream_share(position: int, streams: int | None = None) -> float:
    """Return the share of the stream that came as the ``position``-th; those of all streams add up to at most 1.

    With a number of streams fixed beforehand each has an equal share. Without, the share falls like
    ``1/(k log(k)^2)``: it is at most ``R(k - 1) - R(k)`` with ``R(k) = 1/(1 + log(1 + k))``, so that all add up to at
    most ``R(0) = 1``, however many come. A stream's place is known before its first loss is judged, so that its false
    alarm has at most its share of alpha, given all that came before; added up, any false alarm has at most alpha.

    Parameters
    ----------
    position : int
        1 for the stream whose first row came first, and so on.
    streams : int, optional
        The largest number of streams, if it was fixed beforehand.

    Examples
    --------
    >>> from pacbayes.monitoring import stream_share
    >>> [round(stream_share(k), 4) for k in (1, 2, 10, 1000)], stream_share(7, streams=10)
    ([0.4094, 0.1141, 0.0085, 0.0], 0.1)
    >>> sum(stream_share(k) for k in range(1, 100_001)) < 1
    True
    """
    if type(position) is not int or position < 1:
        raise ValueError(f"The 'position' argument of stream_share must be a whole number from 1. Got {position!r}.")
    if streams is not None:
        if position > streams:
            raise ValueError(
                f"The 'position' argument of stream_share must be at most the number of streams, {streams}. "
                f"Got {position} instead."
            )
        return 1.0 / streams
    # R(k - 1) - R(k), with the difference of logarithms as one, and below it by far more than rounding
    before, after = 1.0 + math.log(position), 1.0 + math.log1p(position)
    return math.log1p(1.0 / position) / (before * after) * (1.0 - 1e-12)
