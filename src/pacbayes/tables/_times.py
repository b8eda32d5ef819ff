"""When the rows were: a column of dates, times or numbers that orders them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.types import IntArray
from pacbayes.tables._columns import holds_numbers, holds_times
from pacbayes.tables._error import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Times", "looks_like_dates", "read_times", "show_time", "sort_by_time"]

Times: TypeAlias = "NDArray[np.float64] | NDArray[np.datetime64]"

# Fixed formats, and not what a version of pandas guesses: whoever verifies has to get the same order.
_DAYS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d",
    "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y",
)  # fmt: skip
_FORMATS = ("ISO8601", *("".join(pair) for pair in product(_DAYS, ("", " %H:%M", " %H:%M:%S"))))
_SHORTEST = 6  # characters of a date; shorter texts are years or codes
_SAMPLE = 50


def read_times(series: pd.Series, name: str) -> Times:
    """Return the values of a column as moments or numbers that can be sorted, or say why they cannot be.

    Numbers are taken as they are. Text is read as ISO 8601, or in one of a list of usual formats; where more than one
    format reads the whole column and they disagree, as day and month may, it is refused.
    """
    unknown = int(series.isna().sum())
    if unknown:
        raise TableError(f"The time {name!r} must be known in every row. It is missing in {unknown}.")
    if holds_numbers(series):
        numbers: NDArray[np.float64] = series.to_numpy(dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise TableError(f"The time {name!r} holds infinite values.")
        return numbers
    if getattr(series.dtype, "kind", "O") == "m":
        return np.asarray(series.dt.total_seconds(), dtype=np.float64)
    found = [_to_moments(series)] if holds_times(series) else _parse(series)
    if not found:
        example = str(series.iloc[0])
        raise TableError(
            f"The time {name!r} must hold numbers or dates, such as 2024-12-31. Got {example!r:.60} instead."
        )
    if any(not np.array_equal(found[0], other) for other in found[1:]):
        raise TableError(
            f"The time {name!r} can be read with the day or the month first, as {str(series.iloc[0])!r:.60} shows. "
            "Write dates as 2024-12-31."
        )
    return found[0]


def looks_like_dates(series: pd.Series) -> bool:
    """Return whether a column of text holds dates in all of its known values."""
    known = series.dropna()
    texts = known.iloc[:_SAMPLE].astype(str)
    if known.empty or bool((texts.str.len() < _SHORTEST).any()) or not _parse(texts):
        return False
    return bool(_parse(known))


def _parse(series: pd.Series) -> list[NDArray[np.datetime64]]:
    """Return what each format that reads the whole column makes of it."""
    import pandas as pd  # noqa: PLC0415

    texts = series.astype(str).str.strip()
    found = []
    for form in _FORMATS:
        try:
            moments = pd.to_datetime(texts, format=form, utc=True)
        except (ValueError, TypeError, OverflowError):
            continue
        found.append(_to_moments(moments))
    return found


def _to_moments(series: pd.Series) -> NDArray[np.datetime64]:
    """Return moments without a time zone, in UTC where there was one."""
    aware = series.dt.tz is not None
    moments: Any = series.dt.tz_convert("UTC").dt.tz_localize(None) if aware else series
    return np.asarray(moments.to_numpy(), dtype="datetime64[us]")


def sort_by_time(times: Times) -> IntArray:
    """Return the row numbers from the earliest to the latest; rows of the same time stay as they came."""
    return np.argsort(times, kind="stable")


def show_time(times: Times, row: int) -> str:
    """Return a time as people write it: a number, or a date with the time of day where there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.tables import show_time
    >>> show_time(np.array(["2024-12-31"], dtype="datetime64[us]"), 0), show_time(np.array([7.0]), 0)
    ('2024-12-31', '7')
    """
    if times.dtype.kind == "f":
        return f"{float(times[row]):.10g}"
    text = str(times[row].astype("datetime64[s]"))
    return text.removesuffix("T00:00:00").replace("T", " ")
