"""The part of delta for the last snapshot of a stream, fixed before the judged rows whatever the end will be.

Half of delta is for whatever snapshot is the last. The schedule and the rows of the first fit say before any row is
judged which one that is to be, and on how many rows: it is given most of the half. The rest is for longer streams, and
falls with the number of snapshots that came after; all of it together is the half.
"""

from __future__ import annotations

__all__ = ["last_share"]

_PLANNED, _LATER = 0.4, 0.1


def last_share(count: int, expected: int, *, planned: bool) -> float:
    """Return the share of delta of the last snapshot.

    Parameters
    ----------
    count : int
        Which snapshot it is, counted from 1.
    expected : int
        Which one was to be the last at the first fit.
    planned : bool
        Whether it is that one, judged on the rows of the first fit alone. Otherwise the bound has to hold for all
        numbers of rows.

    Examples
    --------
    >>> from pacbayes.certificate import last_share
    >>> last_share(8, 8, planned=True), last_share(8, 8, planned=False), round(last_share(10, 8, planned=False), 6)
    (0.4, 0.05, 0.008333)
    >>> sum(last_share(count, 8, planned=False) for count in range(8, 10**5)) < 0.1
    True
    """
    later = count - expected + 1
    if later < 1 or (planned and later != 1):
        raise ValueError(
            f"The 'count' argument of last_share must be {'' if planned else 'at least '}the number expected. "
            f"Got {count!r:.40} and {expected!r:.40} instead."
        )
    return _PLANNED if planned else _LATER / (later * (later + 1))
