"""The first pass over a table that stays in its files: what all rows tell, without having them in memory at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.coded_labels import CodedLabels, code_type
from pacbayes._core.labels import label_text, refuse_nul
from pacbayes._core.rows import count_labels
from pacbayes._core.types import FloatArray, Labels
from pacbayes.tables._batches import Batches, release_memory
from pacbayes.tables._columns import NOTED_ROWS, Column, ColumnFacts, holds_numbers, require_column, to_values
from pacbayes.tables._error import TableError
from pacbayes.tables._groups import check_group
from pacbayes.tables._limits import check_limit
from pacbayes.tables._notes import find_spellings
from pacbayes.tables._prepare import Table, check_rows, describe_columns, find_all_notes, name_columns, split_names
from pacbayes.tables._stored import StoredRows, join_columns
from pacbayes.tables._target import read_coded_labels, refuse_unknown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["scan_table"]

_CELL = 8  # bytes of a number, or of a reference to a text
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
    most: int = 0,
) -> Table:
    """Return the table that :func:`prepare_table` would make of all rows in memory, with rows that stay in files.

    Parameters
    ----------
    batches : Batches
        The files.
    target, drop, positive, missing, groups
        As for :func:`prepare_table`.
    most : int
        Bytes up to which rows are in memory after all.
    """
    scan: _Scan | None = None
    for frame in batches.frames():
        if scan is None:
            scan = _Scan(frame, target, drop, groups, most)
        scan.add(frame)
        check_limit(scan.rows * _ROW, batches.description.limit)
    if scan is None or not scan.rows:
        raise TableError(f"{batches.name} has no rows.")
    check_rows(scan.rows)
    grouped = {name: codes.to_groups(name, missing) for name, codes in scan.groups.items()}
    merged = () if positive is None else find_spellings(scan.labels.texts(), positive)
    y = scan.labels.to_labels(target, positive)
    head = scan.head()
    columns, empty = describe_columns(scan.facts, head, target, missing)
    labels, counts = count_labels(y)
    classes = tuple(str(label) for label in labels)
    notes = find_all_notes(head, scan.rows, columns, empty, classes, counts.tolist(), dropped=scan.dropped)
    notes = (*notes, *merged)
    held, first = scan.held.join(columns), head[scan.names][:1].copy()
    del head
    release_memory()
    rows = _store(StoredRows(batches, columns, scan.rows, first), most) if held is None else held
    return Table(rows, cast("Labels", y), target, columns, classes, tuple(counts.tolist()), notes, groups=grouped)


def _store(rows: StoredRows, most: int) -> pd.DataFrame | StoredRows:
    """Return rows, with all of them in memory if they need no more than so much."""
    return rows.take_all() if rows.shape[0] * rows.shape[1] * _CELL <= most else rows


class _Held:
    """Rows of numbers that were read so far, as long as they need no more than so many bytes.

    They are written where they stay: memory that is asked for takes no place before it is written to.
    """

    def __init__(self, names: Sequence[str], most: int) -> None:
        self._names, self._rows = list(names), 0
        self._numbers: FloatArray | None = np.empty((most // (_CELL * len(self._names)), len(self._names)))

    def add(self, frame: pd.DataFrame) -> None:
        """Add a batch of rows, or give up all."""
        if self._numbers is None:
            return
        stop = self._rows + len(frame)
        if stop > len(self._numbers) or not all(holds_numbers(frame[name]) for name in self._names):
            self._numbers = None
            return
        self._numbers[self._rows : stop] = join_columns([to_values(frame[name], "number") for name in self._names])
        self._rows = stop

    def join(self, columns: Sequence[Column]) -> pd.DataFrame | None:
        """Return the rows of these columns in one frame; None if not all are here."""
        import pandas as pd  # noqa: PLC0415

        if self._numbers is None:
            return None
        names, found = [column.name for column in columns], self._numbers[: self._rows]
        if names != self._names:  # some hold nothing
            found = found[:, [self._names.index(name) for name in names]]
        return pd.DataFrame(found, columns=names, copy=False)


class _Scan:
    """What was seen so far."""

    def __init__(self, frame: pd.DataFrame, target: str, drop: Sequence[str], groups: Sequence[str], most: int) -> None:
        self.dropped = split_names(frame, drop)
        self.names = name_columns(frame, target, self.dropped, None)
        self.target, self.rows = target, 0
        self.facts = {name: ColumnFacts() for name in self.names}
        self.labels = _Codes()
        self.groups: dict[str, _Codes] = {}
        for name in split_names(frame, groups):
            require_column(frame, name)
            check_group(name, target)
            self.groups[name] = _Codes(label_text)
        self._head: list[pd.DataFrame] = []
        self.held = _Held(self.names, most)

    def add(self, frame: pd.DataFrame) -> None:
        """Look at a batch of rows."""
        for name in self.names:
            self.facts[name] += ColumnFacts.of(frame[name])
        self.labels.add(frame[self.target], self.target)
        for name, codes in self.groups.items():
            codes.add(frame[name], name)
        if self.rows < NOTED_ROWS:
            self._head.append(frame[[*self.names, *self.dropped]].iloc[: NOTED_ROWS - self.rows])
        self.held.add(frame)
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
        self._parts: list[NDArray[np.signedinteger[Any]]] = []
        self._missing = 0
        self._type: Any = object

    def add(self, series: pd.Series, name: str) -> None:
        """Number the values of a batch; missing ones have -1."""
        import pandas as pd  # noqa: PLC0415

        if not self._parts:
            self._type = object if isinstance(series.dtype, pd.CategoricalDtype) else series.dtype
        if getattr(series.dtype, "kind", "O") == "O":
            texts = series.cat.categories if hasattr(series, "cat") else series
            refuse_nul(f"The column {name!r}", texts.tolist(), TableError)
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
        self._parts.append(np.array([*found, -1], dtype=code_type(len(self._known)))[codes])

    def _joined(self) -> NDArray[np.signedinteger[Any]]:
        """Return the numbers of all rows, in the smallest type that holds them."""
        parts, self._parts = self._parts, []
        joined = np.empty(sum(part.size for part in parts), dtype=code_type(len(self._known) + 1))
        start = 0
        for part in parts:
            joined[start : start + part.size] = part
            start += part.size
        return joined

    def texts(self) -> list[str]:
        """Return the values that occur, as text."""
        return [str(each) for each in self._known]

    def to_labels(self, target: str, positive: str | None) -> CodedLabels:
        """Return the labels of all rows, or say why they are not classes."""
        import pandas as pd  # noqa: PLC0415

        refuse_unknown(self._missing, target)
        values = pd.Series(list(self._known), dtype=self._type)
        return read_coded_labels(values, target, positive, self._joined())

    def to_groups(self, name: str, missing: str) -> Any:
        """Return the group of each row, by the number of its text; -1 stands for what is missing."""
        import pandas as pd  # noqa: PLC0415

        check_group(name, None, self._missing, missing)
        return pd.Categorical.from_codes(self._joined(), categories=list(self._known))
