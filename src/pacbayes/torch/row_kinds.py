"""What the rows of a fit were like, so that a network is not asked about rows that it would take for others.

A network takes columns by their places, and whole numbers of eight bits divided by 255. The same columns in another
order, or the same pixels as numbers of another type, would be other rows to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowKind"]

_NUMBERS = ("bytes", "unit", "any")
_MOST_COLUMNS = 100_000


@dataclass(frozen=True, slots=True)
class RowKind:
    """Names of columns, and the kind of numbers.

    Attributes
    ----------
    columns : tuple of str or None
        Of a data frame, in its order.
    numbers : {"bytes", "unit", "any"}
        Whole numbers of eight bits, which are divided by 255; other numbers from -1 to 1; or other numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.torch.row_kinds import RowKind
    >>> pixels = np.array([[0, 255]], dtype=np.uint8)
    >>> kind = RowKind.of(pixels, pixels)
    >>> kind.check("me", pixels / 255, pixels / 255)
    >>> kind.check("me", pixels, pixels.astype(float))
    Traceback (most recent call last):
    ...
    ValueError: The 'X' argument of me must be whole numbers of eight bits (uint8) as in fit, or these divided by 255. \
Got float64 up to 255 instead.
    """

    columns: tuple[str, ...] | None = None
    numbers: str = "any"

    @classmethod
    def of(cls, X: object, rows: NDArray[Any]) -> Self:
        """Return the kind of rows as they were given, and as they were read."""
        if rows.dtype == np.uint8:
            numbers = "bytes"
        else:
            numbers = "unit" if rows.size == 0 or np.abs(rows).max() <= 1.0 else "any"
        return cls(_names(X), numbers)

    def check(self, owner: str, X: object, rows: NDArray[Any]) -> None:
        """Refuse rows that the network would take for others."""
        names = _names(X)
        if self.columns is not None and names is not None and names != self.columns:
            odd = next(
                (
                    f"{name!r:.40} in place of {own!r:.40}"
                    for own, name in zip(self.columns, names, strict=False)
                    if own != name
                ),
                f"{len(names)} columns in place of {len(self.columns)}",
            )
            raise ValueError(f"The 'X' argument of {owner} must have the columns of fit, in their order. Got {odd}.")
        is_bytes = rows.dtype == np.uint8
        if is_bytes and self.numbers == "any":
            raise ValueError(
                f"The 'X' argument of {owner} must hold numbers as in fit, which were no whole numbers of eight bits: "
                "those are divided by 255. Got uint8 instead; convert it to the type of fit."
            )
        if not is_bytes and self.numbers == "bytes" and rows.size and rows.max() > 1.0:
            raise ValueError(
                f"The 'X' argument of {owner} must be whole numbers of eight bits (uint8) as in fit, or these divided "
                f"by 255. Got {rows.dtype} up to {rows.max():g} instead."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"columns": None if self.columns is None else list(self.columns), "numbers": self.numbers}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return what :meth:`to_dict` gave."""
        columns = record["columns"]
        return cls(None if columns is None else tuple(columns), record["numbers"])

    @staticmethod
    def is_record(value: object) -> bool:
        """Return whether a value is as :meth:`to_dict` gives it."""
        if not isinstance(value, dict) or value.keys() != {"columns", "numbers"} or value["numbers"] not in _NUMBERS:
            return False
        columns = value["columns"]
        is_list = isinstance(columns, list) and 0 < len(columns) <= _MOST_COLUMNS
        return columns is None or (is_list and {*map(type, columns)} == {str})


def _names(X: object) -> tuple[str, ...] | None:
    """Return the names of a frame's columns, if they are texts."""
    columns = getattr(X, "columns", None)
    names = () if columns is None or callable(columns) else tuple(columns)
    return names if names and all(isinstance(each, str) for each in names) else None
