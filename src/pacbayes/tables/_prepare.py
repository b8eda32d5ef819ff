"""From a data frame to rows and labels as a classifier takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacbayes._core.notes import Note
from pacbayes._core.types import Labels
from pacbayes.tables._columns import Column, check_missing, describe_column, require_column, to_values
from pacbayes.tables._error import TableError
from pacbayes.tables._notes import find_notes
from pacbayes.tables._target import read_labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MINIMUM_ROWS", "Table", "prepare_table"]

MINIMUM_ROWS = 20


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and labels as a classifier takes them.

    Attributes
    ----------
    X : pandas.DataFrame
        Numbers as doubles (missing ones NaN), categories as text (missing ones a category of their own).
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
    learning : int or None
        How many of the first rows are learned from, where the others came from a table of their own to be judged.
    """

    X: pd.DataFrame
    y: Labels
    target: str
    columns: tuple[Column, ...]
    classes: tuple[str, ...]
    counts: tuple[int, ...] = ()
    notes: tuple[Note, ...] = ()
    learning: int | None = None


def prepare_table(
    frame: pd.DataFrame,
    target: str,
    *,
    drop: Sequence[str] = (),
    positive: str | None = None,
    missing: str = "refuse",
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
        Columns to leave out.
    positive : str, optional
        A label; if there are more than two, the others are taken together as "not" it.
    missing : {"refuse", "category"}, default="refuse"
        Whether missing values among the rows are refused, or kept as a category (for numbers: an indicator).

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
    >>> table.notes[-1]
    Note('gives_target_away', {'column': 'job'})
    """
    import pandas as pd  # noqa: PLC0415

    names = _name_columns(frame, target, drop)
    y = read_labels(frame[target], target, positive)
    columns = tuple(describe_column(frame[name], name) for name in names)
    check_missing(columns, len(frame), missing)
    values = {column.name: to_values(frame[column.name], column.kind) for column in columns}
    labels, counts = np.unique(y, return_counts=True)
    classes = tuple(str(label) for label in labels)
    notes = find_notes(frame, columns, y, classes)
    return Table(pd.DataFrame(values), y, target, columns, classes, tuple(counts.tolist()), notes)


def _name_columns(frame: pd.DataFrame, target: str, drop: Sequence[str]) -> list[str]:
    """Return the columns to predict from, or say why there is nothing to certify."""
    for name in (target, *drop):
        require_column(frame, name)
    if target in drop:
        raise TableError(f"The target {target!r} cannot be dropped.")
    if len(frame) < MINIMUM_ROWS:
        raise TableError(f"A certificate needs at least {MINIMUM_ROWS} rows. Got {len(frame)}.")
    names = [name for name in frame.columns if name != target and name not in drop]
    if not names:
        raise TableError(f"There is no column besides the target {target!r} to predict it from.")
    return names
