"""The first pass over a table that stays in its files: what all rows tell, without having them in memory at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.labels import label_text
from pacbayes._core.rows import count_labels
from pacbayes._core.types import Labels
from pacbayes.tables._batches import Batches
from pacbayes.tables._columns import NOTED_ROWS, ColumnFacts, require_column
from pacbayes.tables._error import TableError
from pacbayes.tables._groups import check_group
from pacbayes.tables._limits import check_limit
from pacbayes.tables._prepare import Table, check_rows, describe_columns, find_all_notes, name_columns, split_names
from pacbayes.tables._stored import StoredRows
from pacbayes.tables._target import read_labels, refuse_unknown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["scan_table"]

_ROW = 64  # bytes that are kept of each row: label, place in the order, prediction and the like
_MOST_VALUES = 100_000  # of a target or a group


def scan_table(
    batches: Batches,
    target: str,
    *,
    drop: Sequence[str] = (),
    positive: str | None = None,
    missing: str = "refuse",
    groups: Sequence[str] = (),
) -> Table:
    """Return the table that :func:`prepare_table` would make of all rows in memory, with rows that stay in files.

    Parameters
    ----------
    batches : Batches
        The files.
    target, drop, positive, missing, groups
        As for :func:`prepare_table`.
    """
    scan: _Scan | None = None
    for frame in batches.frames():
        if scan is None:
            scan = _Scan(frame, target, drop, groups)
        scan.add(frame)
        check_limit(scan.rows * _ROW, batches.description.limit)
    if scan is None or not scan.rows:
        raise TableError(f"{batches.name} has no rows.")
    check_rows(scan.rows)
    grouped = {name: codes.to_groups(name, missing) for name, codes in scan.groups.items()}
    y = scan.labels.to_labels(target, positive)
    head = scan.head()
    columns, empty = describe_columns(scan.facts, head, target, missing)
    labels, counts = count_labels(y)
    classes = tuple(str(label) for label in labels)
    notes = find_all_notes(head, scan.rows, columns, empty, classes, counts.tolist())
    rows = StoredRows(batches, columns, scan.rows, head[:1])
    return Table(rows, y, target, columns, classes, tuple(counts.tolist()), notes, groups=grouped)


class _Scan:
    """What was seen so far."""

    def __init__(self, frame: pd.DataFrame, target: str, drop: Sequence[str], groups: Sequence[str]) -> None:
        self.names = name_columns(frame, target, split_names(frame, drop), None)
        self.target, self.rows = target, 0
        self.facts = {name: ColumnFacts() for name in self.names}
        self.labels = _Codes()
        self.groups: dict[str, _Codes] = {}
        for name in split_names(frame, groups):
            require_column(frame, name)
            check_group(name, target)
            self.groups[name] = _Codes(label_text)
        self._head: list[pd.DataFrame] = []

    def add(self, frame: pd.DataFrame) -> None:
        """Look at a batch of rows."""
        for name in self.names:
            self.facts[name] += ColumnFacts.of(frame[name])
        self.labels.add(frame[self.target], self.target)
        for name, codes in self.groups.items():
            codes.add(frame[name], name)
        if self.rows < NOTED_ROWS:
            self._head.append(frame[self.names].iloc[: NOTED_ROWS - self.rows])
        self.rows += len(frame)

    def head(self) -> pd.DataFrame:
        """Return the first rows, by which notes are made, and give them up."""
        import pandas as pd  # noqa: PLC0415

        parts, self._head = self._head, []
        return pd.concat(parts, ignore_index=True)


class _Codes:
    """The values of a column as numbers, one per row, and what each number stands for."""

    def __init__(self, key: Callable[[Any], Hashable] = lambda value: cast("Hashable", value)) -> None:
        self._key = key
        self._known: dict[Hashable, int] = {}
        self._parts: list[NDArray[np.int32]] = []
        self._missing = 0
        self._type: Any = object

    def add(self, series: pd.Series, name: str) -> None:
        """Number the values of a batch; missing ones have -1."""
        import pandas as pd  # noqa: PLC0415

        if not self._parts:
            self._type = object if isinstance(series.dtype, pd.CategoricalDtype) else series.dtype
        try:
            codes, values = pd.factorize(series)
            found = [self._known.setdefault(self._key(each), len(self._known)) for each in values.tolist()]
        except TypeError:  # lists and the like
            raise TableError(f"The column {name!r} must hold classes or groups. Got {series.iloc[0]!r:.60}.") from None
        self._missing += int(np.count_nonzero(codes < 0))
        if len(self._known) > _MOST_VALUES:
            raise TableError(
                f"The column {name!r} has more than {_MOST_VALUES} different values, which are no classes or groups."
            )
        self._parts.append(np.append(np.array(found, dtype=np.int32), np.int32(-1))[codes])

    def _joined(self) -> NDArray[np.int32]:
        parts, self._parts = self._parts, []
        return np.concatenate(parts)

    def to_labels(self, target: str, positive: str | None) -> Labels:
        """Return the labels of all rows, or say why they are not classes."""
        import pandas as pd  # noqa: PLC0415

        refuse_unknown(self._missing, target)
        values = pd.Series(list(self._known), dtype=self._type)
        return read_labels(values, target, positive, self._joined())

    def to_groups(self, name: str, missing: str) -> Any:
        """Return the group of each row, by the number of its text."""
        import pandas as pd  # noqa: PLC0415

        check_group(name, None, self._missing, missing)
        codes = self._joined()
        if self._missing:
            codes[codes < 0] = self._known.setdefault(label_text(None), len(self._known))
        return pd.Categorical.from_codes(codes, categories=list(self._known))
