"""New rows as a predictor takes them: its columns by name, of their kinds, whatever else the table holds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pacbayes._core.notes import Note, NoteValue
from pacbayes._core.types import FloatArray, IntArray, Labels, ObjectArray
from pacbayes.tables._columns import (
    are_texts,
    fold_truths,
    holds_numbers,
    make_frame,
    refuse_infinite,
    require_column,
    to_values,
)
from pacbayes.tables._error import TableError
from pacbayes.tables._groups import read_groups
from pacbayes.tables._large_numbers import as_large_numbers
from pacbayes.tables._prepare import Table
from pacbayes.tables._target import to_labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "AlignedRows",
    "align_labels",
    "align_rows",
    "append_rows",
    "has_texts",
    "list_texts",
    "name_unnamed",
    "read_column",
    "require_columns",
    "take_column",
]

_MOST = 8
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class AlignedRows:
    """Rows with the columns of a predictor, and what a user should know of how they came about.

    Attributes
    ----------
    X : pandas.DataFrame
        As :attr:`pacbayes.tables.Table.X` has them.
    notes : tuple of Note
        :func:`pacbayes.tables.words.sentence` says them.
    """

    X: pd.DataFrame
    notes: tuple[Note, ...] = ()


def align_rows(
    frame: pd.DataFrame,
    columns: Sequence[tuple[str, str]],
    *,
    missing: str = "refuse",
    ignore: Collection[str] = (),
    known: Mapping[str, Collection[str]] | None = None,
) -> AlignedRows:
    """Take the columns of a predictor from a table, in the predictor's order, or say in a sentence why it cannot be.

    Parameters
    ----------
    frame : pandas.DataFrame
        New rows; columns in any order, and others beside them.
    columns : sequence of (name, kind)
        Of the predictor, as :func:`prepare_table` found them.
    missing : {"refuse", "category"}, default="refuse"
        As for :func:`prepare_table`.
    ignore : collection of str
        Further columns that are not worth a note: the target.
    known : mapping, optional
        The categories that the predictor knows of each column; rows with others are counted in a note.

    Returns
    -------
    AlignedRows

    Examples
    --------
    >>> import pandas as pd
    >>> from pacbayes.tables import align_rows
    >>> frame = pd.DataFrame({"job": ["cook", "king"], "id": [7, 8], "age": [31, 44]})
    >>> aligned = align_rows(frame, [("age", "number"), ("job", "category")], known={"job": ["cook"]})
    >>> list(aligned.X.columns)
    ['age', 'job']
    >>> aligned.notes
    (Note('extra_columns', {'count': 1, 'columns': ('id',)}), Note('unseen_categories', {'column': 'job', 'count': 1, \
'example': 'king'}))
    """
    names = [name for name, _ in columns]
    require_columns(frame, names)
    values = {name: read_column(frame[name], name, kind) for name, kind in columns}
    if missing == "refuse":
        _refuse_missing(frame[names])
    extra = [str(name) for name in frame.columns if name not in {*names, *ignore}]
    notes = [Note("extra_columns", {"count": len(extra), "columns": tuple(extra[:_SHOWN])})] if extra else []
    aligned = make_frame(values, index=range(len(frame)))
    return AlignedRows(aligned, (*notes, *_count_unseen(aligned, known or {})))


def align_labels(series: pd.Series, target: str, like: Labels, positive: str | None) -> Labels:
    """Return labels of the kind of others: of further rows of the same target.

    Parameters
    ----------
    series : pandas.Series
        The target of the further rows.
    target : str
        Its name.
    like : ndarray
        Labels as :func:`prepare_table` made them: whole numbers, or text.
    positive : str, optional
        As for :func:`prepare_table`.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from pacbayes.tables import align_labels
    >>> align_labels(pd.Series([3.0, 1.0]), "kind", np.array([1, 2]), None).tolist()
    [3, 1]
    """
    unknown = int(series.isna().sum())
    if unknown:
        raise TableError(f"The target {target!r} must be known in every row. It is missing in {unknown}.")
    labels = to_labels(series, target)
    if like.dtype.kind in "iu" and labels.dtype.kind not in "iu":
        raise TableError(f"The target {target!r} must hold whole numbers, as in the first table. Got text instead.")
    texts = labels if like.dtype.kind in "iu" else np.array([str(each) for each in labels])
    if positive is not None and np.array_equal(np.unique(like), np.unique([positive, f"not {positive}"])):
        return np.where(texts == positive, positive, f"not {positive}")
    return texts


def append_rows(
    table: Table, frame: pd.DataFrame, *, positive: str | None = None, missing: str = "refuse", drop: Sequence[str] = ()
) -> Table:
    """Return a table with further rows to be judged: of its columns and their kinds, with labels of the same kind.

    Parameters
    ----------
    table : Table
        To learn from.
    frame : pandas.DataFrame
        The further rows, with the target.
    positive, missing, drop
        As for :func:`prepare_table`.

    Examples
    --------
    >>> import pandas as pd
    >>> from pacbayes.tables import append_rows, prepare_table
    >>> frame = pd.DataFrame({"age": range(40), "ill": ["no", "yes"] * 20})
    >>> both = append_rows(prepare_table(frame, "ill"), frame[:5])
    >>> len(both.y), both.learning, both.counts
    (45, 40, (23, 22))
    """
    import pandas as pd  # noqa: PLC0415

    require_column(frame, table.target)
    kinds = [(column.name, column.kind) for column in table.columns]
    rows = align_rows(frame, kinds, missing=missing, ignore=(table.target, *drop))
    labels = align_labels(frame[table.target], table.target, table.y, positive)
    y = np.concatenate([table.y, labels])
    classes, counts = np.unique(y, return_counts=True)
    unseen = int((~np.isin(labels, np.unique(table.y))).sum())
    notes = (*rows.notes, *((Note("unseen_classes", {"count": unseen}),) if unseen else ()))
    further = read_groups(frame, tuple(table.groups), table.target, missing)
    return replace(
        table,
        X=pd.concat([table.X, rows.X], ignore_index=True),
        y=y,
        classes=tuple(str(each) for each in classes),
        counts=tuple(counts.tolist()),
        notes=(*table.notes, *notes),
        learning=len(table.y),
        groups={name: np.concatenate([values, further[name]]) for name, values in table.groups.items()},
    )


def has_texts(labels: Labels) -> bool:
    """Return whether labels are texts some of which do not read as numbers: further ones are then read as text."""
    return labels.dtype.kind not in "iufb" and not all(map(_reads_as_number, np.unique(labels).tolist()))


def _reads_as_number(text: object) -> bool:
    try:
        float(str(text))
    except ValueError:
        return str(text) in {"True", "False"}
    return True


def list_texts(frame: pd.DataFrame, columns: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the categories that a reader took for numbers, since these rows have no other texts in them.

    Such a file has to be read again with these columns as text: "01" is not "1", and "1" beside a missing value would
    become "1.0".
    """
    categories = [name for name, kind in columns if kind == "category" and name in frame.columns]
    return tuple(name for name in categories if getattr(frame[name].dtype, "kind", "O") in "fiu")


def name_unnamed(frame: pd.DataFrame, names: Collection[str], target: str) -> pd.DataFrame:
    """Return a table without a header, from which the target may be left out, with the names c1, c2, ... it had before.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the names that :func:`read_table` gives.
    names : collection of str
        All names that are known of the first table, the target's included.
    target : str
        Its name.
    """
    width = max((int(name[1:]) for name in names if name[1:].isdecimal()), default=0)
    if frame.shape[1] != width - 1:
        return frame
    left = [f"c{number + 1}" for number in range(width) if f"c{number + 1}" != target]
    return frame.set_axis(left, axis=1)


def _count_unseen(rows: pd.DataFrame, known: Mapping[str, Collection[str]]) -> tuple[Note, ...]:
    """Return a note on each column with categories that a predictor does not know, at most a few of them."""
    notes = []
    for name, categories in known.items():
        texts = np.asarray(rows[name], dtype=object)
        unseen = texts[~np.isin(texts.astype(str), list(categories))] if len(texts) else texts
        if unseen.size:
            unknown: dict[str, NoteValue] = {"column": name, "count": int(unseen.size), "example": str(unseen[0])}
            notes.append(Note("unseen_categories", unknown))
    more = len(notes) - _MOST
    return tuple(notes[:_MOST]) + ((Note("more_notes", {"count": more}),) if more > 0 else ())


def require_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Refuse rows that lack a column of these names."""
    lacking = [name for name in names if name not in frame.columns]
    if not lacking:
        return
    some = ", ".join(map(repr, lacking[:_SHOWN])) + (f" and {len(lacking) - _SHOWN} more" * (len(lacking) > _SHOWN))
    others = [str(name) for name in frame.columns if name not in names]
    near = difflib.get_close_matches(lacking[0].lower(), [each.lower() for each in others], n=1)
    found = next((each for each in others if near and each.lower() == near[0]), None)
    hint = f" Should {found!r} be {lacking[0]!r}?" if found else ""
    what = "the column" if len(lacking) == 1 else f"{len(lacking)} columns"
    raise TableError(f"The rows lack {what} {some} that the model was learned with.{hint}")


def read_column(series: pd.Series, name: str, kind: str) -> FloatArray | ObjectArray:
    """Return what a column holds as its kind, or say that it holds something else."""
    if kind == "number" and series.dtype == np.float64:  # as tables have them: no copy is made
        doubles: FloatArray = series.to_numpy()
        return refuse_infinite(doubles, name)
    if kind == "category" and series.dtype == np.object_:
        objects: ObjectArray = series.to_numpy()
        if are_texts(objects):
            return fold_truths(objects)
    present = series[series.notna()]
    if len(present) == 0:
        return to_values(series.astype(object), kind) if kind == "category" else np.full(len(series), np.nan)
    if kind == "number":
        return _numbers(series, present, name)
    dtype = getattr(series.dtype, "kind", "O")
    if dtype in "fMm" or isinstance(present.iloc[0], list | dict | tuple | set | bytes | np.ndarray):
        raise TableError(
            f"The column {name!r} must hold text, as when the model was learned. "
            f"Got {'times' if dtype in 'Mm' else type(present.iloc[0]).__name__} instead."
        )
    return to_values(series, kind)


def take_column(series: pd.Series, places: IntArray, name: str, kind: str) -> FloatArray | ObjectArray:
    """Return what :func:`read_column` does of the rows at some places, of plain columns without a series of them."""
    if kind == "number" and series.dtype == np.float64:
        return refuse_infinite(series.to_numpy()[places], name)
    if kind == "category" and series.dtype == np.object_:
        objects: ObjectArray = series.to_numpy()[places]
        if are_texts(objects):
            return fold_truths(objects)
    return read_column(series.iloc[places], name, kind)


def _numbers(series: pd.Series, present: pd.Series, name: str) -> FloatArray:
    if not holds_numbers(series):
        if (large := as_large_numbers(present)) is not None:  # text, where a fraction in another row makes doubles
            doubles = np.full(len(series), np.nan)
            doubles[series.notna().to_numpy()] = large
            return refuse_infinite(doubles, name)
        odd = next((row for row, each in enumerate(present) if not isinstance(each, bool | np.bool_)), None)
        if odd is not None:
            text = str(_first_text(present))
            hint = "; --decimal says what its decimal point is" if re.fullmatch(r"[-+]?\d+[.,]\d+", text) else ""
            raise TableError(
                f"The column {name!r} must hold numbers, as when the model was learned. Got {text!r:.40} instead{hint}."
            )
        series = series.astype(object).where(series.notna(), np.nan).astype(np.float64)  # truth values, some missing
    return refuse_infinite(np.asarray(to_values(series, "number"), dtype=np.float64), name)


def _first_text(present: pd.Series) -> object:
    """Return the first value that does not read as a number, or the first of all."""
    import pandas as pd  # noqa: PLC0415

    odd = present[pd.to_numeric(present.astype(str), errors="coerce").isna()]
    return odd.iloc[0] if len(odd) else present.iloc[0]


def _refuse_missing(frame: pd.DataFrame) -> None:
    counts = frame.isna().sum()
    lacking = [(str(name), int(count)) for name, count in counts.items() if count]
    if not lacking:
        return
    some = ", ".join(f"{name!r} ({count})" for name, count in lacking[:_SHOWN])
    more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
    raise TableError(
        f"Values are missing in {some}{more} of {len(frame)} rows, and the model was learned without missing values. "
        "Fill them in, leave those rows out, or learn with --missing category."
    )
