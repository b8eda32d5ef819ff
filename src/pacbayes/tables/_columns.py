"""What the columns hold: numbers or categories, and where values are missing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes._core.types import FloatArray, ObjectArray
from pacbayes.tables._error import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "NOTED_ROWS",
    "Column",
    "ColumnFacts",
    "are_texts",
    "check_missing",
    "count_distinct",
    "fold_truths",
    "holds_nothing",
    "holds_numbers",
    "holds_times",
    "kind_of",
    "make_frame",
    "name_columns",
    "refuse_infinite",
    "require_column",
    "to_values",
]

NOTED_ROWS = 100_000  # the first rows, by which notes on columns are made and values counted
_LONGEST = 10_000
_NAMED, _NAME = 8, 40  # how many columns a message names, and how many characters of each
_MISSING = "(missing)"
# in any capitals, as readers of text take them for values, and as text once they are values
_TRUTHS = {
    "".join(each): text for text in ("True", "False") for each in product(*zip(text.lower(), text.upper(), strict=True))
}
_OTHER_TRUTHS = frozenset(_TRUTHS) - {"True", "False"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, "number" or "category", how many values are missing and how many differ.

    Different values are counted in the first 100,000 rows.
    """

    name: str
    kind: str
    missing: int
    distinct: int


def require_column(frame: pd.DataFrame, name: str) -> None:
    """Raise an error that suggests another name if there is no such column."""
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
    hint = f" Did you mean {closest!r}?" if closest else ""
    raise TableError(f"There is no column {name!r}.{hint} There are {name_columns(frame.columns)}.")


def name_columns(names: Iterable[object]) -> str:
    """Return the names of columns in a phrase; of many the first ones and the last, which often is the target.

    Examples
    --------
    >>> from pacbayes.tables import name_columns
    >>> name_columns("abcdefghijk")
    'a, b, c, d, e, f, g, ... and k'
    """
    texts = [f"{each!s:.{_NAME}}" for each in names]
    return ", ".join(texts) if len(texts) <= _NAMED else f"{', '.join(texts[: _NAMED - 1])}, ... and {texts[-1]}"


def holds_numbers(series: pd.Series) -> bool:
    """Return whether the values are numbers or truth values."""
    return getattr(series.dtype, "kind", "O") in "fiub"


def holds_times(series: pd.Series) -> bool:
    """Return whether the values are dates, times or durations."""
    return getattr(series.dtype, "kind", "O") in "Mm"


def kind_of(series: pd.Series, name: str) -> str:
    """Return "number" or "category" by the type of a column alone, whatever its values are; times are neither."""
    if holds_times(series):
        raise TableError(
            f"The column {name!r} holds times, which are neither numbers nor categories. Leave it out, or turn it into "
            "numbers."
        )
    return "number" if holds_numbers(series) else "category"


def holds_nothing(values: FloatArray | ObjectArray, kind: str) -> bool:
    """Return whether all values are missing, in a column as :func:`to_values` makes it."""
    if kind == "number":
        return bool(np.isnan(values).all())
    return len(values) == 0 or (values[0] == _MISSING and bool((values == _MISSING).all()))


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What has to be known of all rows of a column to use it; facts of parts of a column add up to those of the whole.

    Attributes
    ----------
    rows, missing : int
        How many there are.
    numeric, times, infinite : bool
        Whether all parts hold numbers or truth values, any part times, and any infinite values.
    odd : str or None
        The type of values that are neither numbers nor text, such as lists.
    longest : int
        Characters of the longest text.
    """

    rows: int = 0
    missing: int = 0
    numeric: bool = True
    times: bool = False
    infinite: bool = False
    odd: str | None = None
    longest: int = 0

    @classmethod
    def of(cls, series: pd.Series) -> ColumnFacts:
        """Look at a part of a column."""
        missing, numeric = int(series.isna().sum()), holds_numbers(series)
        known = series.dropna() if missing else series
        if numeric:
            infinite = not np.isfinite(known.to_numpy(dtype=np.float64)).all()
            return cls(len(series), missing, infinite=infinite)
        if holds_times(series) or not len(known):
            return cls(len(series), missing, numeric=False, times=holds_times(series))
        first = known.iloc[0]
        if isinstance(first, list | dict | tuple | set | bytes | np.ndarray):
            return cls(len(series), missing, numeric=False, odd=type(first).__name__)
        return cls(len(series), missing, numeric=False, longest=int(known.astype(str).str.len().max()))

    def __add__(self, other: ColumnFacts) -> ColumnFacts:
        return ColumnFacts(
            self.rows + other.rows,
            self.missing + other.missing,
            self.numeric and other.numeric,
            self.times or other.times,
            self.infinite or other.infinite,
            self.odd or other.odd,
            max(self.longest, other.longest),
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it is known."""
        return self.missing == self.rows

    def describe(self, name: str, distinct: int) -> Column:
        """Say what the column holds, or why no model can use it."""
        if self.times:
            raise TableError(
                f"The column {name!r} holds times, which are neither numbers nor categories. Leave it out with --drop, "
                "or order the rows by it with --time."
            )
        if self.infinite:
            raise TableError(f"The column {name!r} holds infinite values, which no model can use.")
        if self.odd is not None:
            raise TableError(f"The column {name!r} holds {self.odd} values, not numbers or text.")
        if self.longest > _LONGEST:
            raise TableError(
                f"The column {name!r} holds a text of {self.longest} characters, not a category. Use --drop."
            )
        return Column(name, "number" if self.numeric else "category", self.missing, distinct)


def count_distinct(series: pd.Series) -> int:
    """Return how many different values there are, as numbers or as text."""
    return int((series if holds_numbers(series) else series.dropna().astype(str)).nunique())


def check_missing(columns: Sequence[Column], rows: int, missing: str) -> None:
    """Raise an error that names the columns with missing values, where those are refused."""
    lacking = [column for column in columns if column.missing]
    if lacking and missing == "refuse":
        some = ", ".join(f"{column.name!r} ({column.missing})" for column in lacking[:5])
        more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
        raise TableError(
            f"Values are missing in {some}{more} of {rows} rows. Pass --missing category to keep them as a "
            "category of their own, or leave columns out with --drop."
        )


def refuse_infinite(values: FloatArray, name: str) -> FloatArray:
    """Return numbers, some of which may be missing, or refuse infinite ones."""
    if np.isinf(values).any():
        raise TableError(f"The column {name!r} holds infinite values, which no model can use.")
    return values


def make_frame(values: Mapping[str, FloatArray | ObjectArray], **options: Any) -> pd.DataFrame:
    """Return columns as a frame, texts as the objects that they are, which are quicker to take than newer types."""
    import pandas as pd  # noqa: PLC0415

    kept = {
        name: pd.Series(each, dtype=object, copy=False, **options) if each.dtype == np.object_ else each
        for name, each in values.items()
    }
    return pd.DataFrame(kept, **options)


def are_texts(values: ObjectArray) -> bool:
    """Return whether all values are texts, none of them missing."""
    from pandas.api.types import infer_dtype  # noqa: PLC0415

    return bool(infer_dtype(values, skipna=False) == "string")


def fold_truths(texts: ObjectArray) -> ObjectArray:
    """Return texts with each word for a truth value in one spelling, whatever its capitals.

    A reader takes a column of nothing else for truth values, and leaves such words as they are beside other texts: what
    a cell says must not depend on the other rows of its file.
    """
    import pandas as pd  # noqa: PLC0415

    odd = pd.Series(texts, dtype=object, copy=False).isin(_OTHER_TRUTHS).to_numpy()
    if not odd.any():
        return texts
    folded = texts.copy()
    folded[odd] = [_TRUTHS[each] for each in texts[odd]]
    return folded


def to_values(series: pd.Series, kind: str) -> FloatArray | ObjectArray:
    """Return doubles, or text in which a missing value is a category of its own."""
    if kind == "number":
        doubles: FloatArray = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return doubles
    if series.dtype != np.object_:  # each text is made once, and rows of the same text share it
        import pandas as pd  # noqa: PLC0415

        codes, found = pd.factorize(series)
        texts: ObjectArray = fold_truths(np.array([*map(str, found.tolist()), _MISSING], dtype=object))
        return np.asarray(texts[codes])
    objects: ObjectArray = series.to_numpy()
    if are_texts(objects):  # as tables have them: no copy is made
        return fold_truths(objects)
    present = series.notna().to_numpy()
    texts = np.full(len(series), _MISSING, dtype=object)
    texts[present] = [str(value) for value in objects[present]]
    return fold_truths(texts)
