"""From a data frame to rows and labels as a classifier takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pacbayes._core.notes import Note
from pacbayes._core.rows import count_labels
from pacbayes._core.types import IntArray, Labels
from pacbayes.tables._columns import (
    NOTED_ROWS,
    Column,
    ColumnFacts,
    check_missing,
    count_distinct,
    make_frame,
    require_column,
    to_values,
)
from pacbayes.tables._error import TableError
from pacbayes.tables._groups import read_groups
from pacbayes.tables._notes import find_class_notes, find_notes, find_owners, find_spellings
from pacbayes.tables._target import read_labels
from pacbayes.tables._times import Times, read_times, show_time, sort_by_time

if TYPE_CHECKING:
    import pandas as pd

    from pacbayes.tables._stored import StoredRows

__all__ = [
    "MINIMUM_ROWS",
    "Table",
    "check_rows",
    "describe_columns",
    "find_all_notes",
    "name_columns",
    "prepare_table",
    "split_names",
]

MINIMUM_ROWS = 20


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and labels as a classifier takes them.

    Attributes
    ----------
    X : pandas.DataFrame or StoredRows
        Numbers as doubles (missing ones NaN), categories as text (missing ones a category of their own). Rows that are
        in files, and not in memory, are taken by :func:`pacbayes._core.rows.take` all the same.
    y : ndarray
        Labels: whole numbers, or text.
    target : str
        The column they came from.
    columns : tuple of Column
        Of ``X``.
    classes : tuple of str
        The labels that occur, as text.
    counts : tuple of int
        How often each occurs.
    notes : tuple of Note
        What a user should know about the columns; :func:`pacbayes.tables.words.sentence` says it.
    times : ndarray or None
        When each row was, if a column of times was named: the rows are then sorted by it, the earliest first.
    numbers : ndarray or None
        The number of each row in the file, from 0, if they were sorted.
    learning : int or None
        How many of the first rows are learned from, where the others came from a table of their own to be judged.
    groups : mapping
        The values of columns that rows are grouped by, as text, by their names; whether they are predicted from or not.
    """

    X: pd.DataFrame | StoredRows
    y: Labels
    target: str
    columns: tuple[Column, ...]
    classes: tuple[str, ...]
    counts: tuple[int, ...] = ()
    notes: tuple[Note, ...] = ()
    times: Times | None = None
    numbers: IntArray | None = None
    learning: int | None = None
    groups: Mapping[str, Labels] = field(default_factory=dict)

    def row_number(self, row: int) -> int:
        """Return the number that a row has in the file, from 1."""
        return 1 + (row if self.numbers is None else int(self.numbers[row]))


def prepare_table(
    frame: pd.DataFrame,
    target: str,
    *,
    drop: Sequence[str] = (),
    positive: str | None = None,
    missing: str = "refuse",
    time: str | None = None,
    groups: Sequence[str] = (),
) -> Table:
    """Take the target from a table and give every other column a kind.

    Nothing is learned here: each row is treated by itself, so that certificates stay sound.

    Parameters
    ----------
    frame : pandas.DataFrame
        As read.
    target : str
        Column of labels.
    drop : sequence of str
        Columns to leave out; a text that is no column is taken as several, separated by commas.
    positive : str, optional
        A label; if there are more than two, the others are taken together as "not" it.
    missing : {"refuse", "category"}, default="refuse"
        Whether missing values among the rows are refused, or kept as a category (for numbers: an indicator).
    time : str, optional
        Column that says when the rows were. They are sorted by it, the earliest first and those of the same time as
        they came, and it is not predicted from: times to come lie outside those that were learned from.
    groups : sequence of str
        Columns that rows are grouped by; those that are left out too are kept beside the rows for that alone.

    Returns
    -------
    Table

    Examples
    --------
    >>> import pandas as pd
    >>> from pacbayes.tables import prepare_table
    >>> frame = pd.DataFrame({"age": range(40), "job": ["cook", "clerk"] * 20, "ill": ["no", "yes"] * 20})
    >>> table = prepare_table(frame, "ill")
    >>> [(column.name, column.kind) for column in table.columns], table.classes
    ([('age', 'number'), ('job', 'category')], ('no', 'yes'))
    >>> table.notes
    (Note('counts_rows', {'column': 'age'}),)
    """
    left_out = split_names(frame, drop)
    times = None if time is None else _read_times(frame, target, time, left_out)
    order = None if times is None else sort_by_time(times)
    if times is not None and order is not None:
        frame, times = frame.iloc[order].reset_index(drop=True), times[order]
    names = name_columns(frame, target, left_out, time)
    check_rows(len(frame))
    grouped = read_groups(frame, split_names(frame, groups), target, missing)
    y = read_labels(frame[target], target, positive)
    head = frame if len(frame) <= NOTED_ROWS else frame.iloc[:NOTED_ROWS]
    columns, empty = describe_columns({name: ColumnFacts.of(frame[name]) for name in names}, head, target, missing)
    values = {column.name: to_values(frame[column.name], column.kind) for column in columns}
    labels, counts = count_labels(y)
    classes = tuple(str(label) for label in labels)
    options: dict[str, Any] = {"by_time": time is not None, "dropped": left_out}
    found_notes = find_all_notes(head, len(frame), columns, empty, classes, counts.tolist(), **options)
    merged = () if positive is None else find_spellings(frame[target].drop_duplicates().astype(str).tolist(), positive)
    notes = (*_describe_time(time, times), *found_notes, *merged)
    found = Table(make_frame(values), y, target, columns, classes, tuple(counts.tolist()), notes, times, order)
    return replace(found, groups=grouped)


def describe_columns(
    facts: Mapping[str, ColumnFacts], head: pd.DataFrame, target: str, missing: str
) -> tuple[tuple[Column, ...], list[str]]:
    """Return the columns to predict from and the names of empty ones, by facts of all rows and counts on the first."""
    empty = [name for name, each in facts.items() if each.is_empty]
    kept = {name: each for name, each in facts.items() if not each.is_empty}
    columns = tuple(each.describe(name, count_distinct(head[name])) for name, each in kept.items())
    if not columns:
        raise TableError(f"No column besides the target {target!r} holds a value to predict it from.")
    check_missing(columns, next(iter(kept.values())).rows, missing)
    return columns, empty


def find_all_notes(
    head: pd.DataFrame,
    rows: int,
    columns: tuple[Column, ...],
    empty: Sequence[str],
    classes: Sequence[str],
    counts: Sequence[int],
    *,
    by_time: bool = False,
    dropped: Sequence[str] = (),
) -> tuple[Note, ...]:
    """Return all notes on a table of so many rows; those on columns are made by the first of them.

    A column that nothing is predicted from, since it was dropped, may still name whom rows belong to.
    """
    return (
        *([Note("noted_first_rows", {"first": len(head), "rows": rows})] if len(head) < rows else []),
        *find_notes(head, columns, empty, by_time=by_time),
        *find_owners(head, dropped),
        *find_class_notes(classes, counts),
    )


def check_rows(rows: int) -> None:
    """Refuse too few rows."""
    if rows < MINIMUM_ROWS:
        raise TableError(f"A certificate needs at least {MINIMUM_ROWS} rows. Got {rows}.")


def _describe_time(time: str | None, times: Times | None) -> tuple[Note, ...]:
    if time is None or times is None:
        return ()
    first, last = show_time(times, 0), show_time(times, -1)
    return (Note("time_orders_rows", {"column": time, "first": first, "last": last}),)


def split_names(frame: pd.DataFrame, given: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns; what is no name as a whole is a list of them, separated by commas."""
    parts = [[text] if text in frame.columns else text.split(",") for text in given]
    return tuple(dict.fromkeys(name if name in frame.columns else name.strip() for part in parts for name in part))


def _read_times(frame: pd.DataFrame, target: str, time: str, drop: Sequence[str]) -> Times:
    require_column(frame, time)
    if time == target or time in drop:
        raise TableError(f"The time {time!r} cannot be the target or dropped: it says when the rows were.")
    return read_times(frame[time], time)


def name_columns(frame: pd.DataFrame, target: str, drop: Sequence[str], time: str | None) -> list[str]:
    """Return the columns to predict from, or say why there is nothing to certify."""
    for name in (target, *drop):
        require_column(frame, name)
    if target in drop:
        raise TableError(f"The target {target!r} cannot be dropped.")
    names = [name for name in frame.columns if name not in {target, time, *drop}]
    if not names:
        raise TableError(f"There is no column besides the target {target!r} to predict it from.")
    return names
