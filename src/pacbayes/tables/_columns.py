"""What the columns hold: numbers or categories, where values are missing, and what the target looks like."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes.tables._notes import noticed
from pacbayes.tables._read import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MINIMUM_ROWS", "Column", "Table", "prepared"]

MINIMUM_ROWS = 20
_MOST_CLASSES = 100
_LONGEST = 10_000
_MISSING = "(missing)"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, "number" or "category", how many values are missing and how many differ."""

    name: str
    kind: str
    missing: int
    distinct: int


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
    notes : tuple of str
        What a user should know about the columns.
    """

    X: pd.DataFrame
    y: Any
    target: str
    columns: tuple[Column, ...]
    classes: tuple[str, ...]
    counts: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


def prepared(
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
    >>> from pacbayes.tables import prepared
    >>> frame = pd.DataFrame({"age": range(40), "job": ["cook", "clerk"] * 20, "ill": ["no", "yes"] * 20})
    >>> table = prepared(frame, "ill")
    >>> [(column.name, column.kind) for column in table.columns], table.classes
    ([('age', 'number'), ('job', 'category')], ('no', 'yes'))
    """
    for name in (target, *drop):
        _require(frame, name)
    if target in drop:
        raise TableError(f"The target {target!r} cannot be dropped.")
    if len(frame) < MINIMUM_ROWS:
        raise TableError(f"A certificate needs at least {MINIMUM_ROWS} rows. Got {len(frame)}.")
    names = [name for name in frame.columns if name != target and name not in drop]
    if not names:
        raise TableError(f"There is no column besides the target {target!r} to predict it from.")
    y = _labels(frame[target], target, positive)
    columns = tuple(_column(frame[name], name) for name in names)
    _check_missing(columns, len(frame), missing)
    import pandas as pd  # noqa: PLC0415

    values = {column.name: _values(frame[column.name], column.kind) for column in columns}
    labels, counts = np.unique(y, return_counts=True)
    classes = tuple(str(label) for label in labels)
    notes = noticed(frame, columns, y, classes)
    return Table(pd.DataFrame(values), y, target, columns, classes, tuple(counts.tolist()), notes)


def _require(frame: pd.DataFrame, name: str) -> None:
    if name in frame.columns:
        return
    if len(frame.columns) == 1:
        only = str(frame.columns[0])
        raise TableError(
            f"There is no column {name!r}: the table has a single one, {only[:60]!r}. "
            "Is the --delimiter right, and does the first line name the columns?"
        )
    near = difflib.get_close_matches(name, list(map(str, frame.columns)), n=1, cutoff=0.5)
    folded = {str(each).lower(): str(each) for each in frame.columns}
    closest = folded.get(name.lower()) or (near[0] if near else None)
    some = ", ".join(map(str, frame.columns[:8])) + (", ..." if len(frame.columns) > 8 else "")
    hint = f"Did you mean {closest!r}?" if closest else f"There are {some}."
    raise TableError(f"There is no column {name!r}. {hint}")


def _is_number(series: Any) -> bool:
    return bool(series.dtype.kind in "fiub") if hasattr(series.dtype, "kind") else False


def _column(series: Any, name: str) -> Column:
    dtype = series.dtype
    if getattr(dtype, "kind", "") in "Mm":
        raise TableError(
            f"The column {name!r} holds times, which are neither numbers nor categories. Leave it out with --drop."
        )
    missing = int(series.isna().sum())
    if missing == len(series):
        raise TableError(f"The column {name!r} holds nothing but missing values. Leave it out with --drop.")
    if _is_number(series):
        if not np.isfinite(series.dropna().to_numpy(dtype=np.float64)).all():
            raise TableError(f"The column {name!r} holds infinite values, which no model can use.")
        return Column(name, "number", missing, int(series.nunique()))
    first = series.dropna().iloc[0]
    if isinstance(first, list | dict | tuple | set | bytes | np.ndarray):
        raise TableError(f"The column {name!r} holds {type(first).__name__} values, not numbers or text.")
    texts = series.dropna().astype(str)
    longest = int(texts.str.len().max())
    if longest > _LONGEST:
        raise TableError(f"The column {name!r} holds a text of {longest} characters, not a category. Use --drop.")
    return Column(name, "category", missing, int(texts.nunique()))


def _check_missing(columns: Sequence[Column], rows: int, missing: str) -> None:
    lacking = [column for column in columns if column.missing]
    if lacking and missing == "refuse":
        named = ", ".join(f"{column.name!r} ({column.missing})" for column in lacking[:5])
        more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
        raise TableError(
            f"Values are missing in {named}{more} of {rows} rows. Give --missing category to keep them as a "
            "category of their own, or leave columns out with --drop."
        )


def _values(series: Any, kind: str) -> Any:
    """Return doubles, or text in which a missing value is a category of its own."""
    if kind == "number":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    known = series.notna().to_numpy()
    texts = np.full(len(series), _MISSING, dtype=object)
    texts[known] = [str(value) for value in series[known]]
    return texts


def _labels(series: Any, target: str, positive: str | None) -> Any:
    unknown = int(series.isna().sum())
    if unknown:
        raise TableError(f"The target {target!r} must be known in every row. It is missing in {unknown}.")
    if getattr(series.dtype, "kind", "") in "Mm":
        raise TableError(f"The target {target!r} holds times, not classes.")
    labels = _whole_or_text(series)
    classes, counts = np.unique(labels, return_counts=True)
    texts = [str(label) for label in classes]
    if positive is not None and positive not in texts:
        near = difflib.get_close_matches(positive, texts, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(texts[:8])}."
        raise TableError(f"No row has the label {positive!r} in {target!r}. {hint}")
    if classes.size < 2:
        raise TableError(f"The target {target!r} must have at least two classes. All rows have {texts[0]!r:.60}.")
    if positive is not None and classes.size > 2:
        labels = np.where(np.array([str(each) for each in labels]) == positive, positive, f"not {positive}")
        classes, counts = np.unique(labels, return_counts=True)
    _check_classes(series, target, classes, counts)
    return labels


def _whole_or_text(series: Any) -> Any:
    if _is_number(series) and series.dtype.kind != "b":
        values = series.to_numpy(dtype=np.float64)
        if np.isfinite(values).all() and np.array_equal(values, np.round(values)) and np.abs(values).max() < 2**53:
            return values.astype(np.int64)
    return np.array([str(value) for value in series])


def _check_classes(series: Any, target: str, classes: Any, counts: Any) -> None:
    many, rows = classes.size, len(series)
    if many > _MOST_CLASSES or many > rows // 2:
        looks = "a measured number, which asks for regression" if _is_number(series) else "an identifier or free text"
        raise TableError(
            f"The target {target!r} has {many} different values in {rows} rows: it looks like {looks}. "
            f"Certificates here are about classes, at most {_MOST_CLASSES}; --positive LABEL sets one against the rest."
        )
    if counts.min() < 2:
        rare = str(classes[int(counts.argmin())])
        raise TableError(f"Each class of {target!r} must occur at least twice. {rare!r:.60} occurs once.")
