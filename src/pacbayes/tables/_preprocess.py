"""From columns to what a classifier takes; whatever is learned is learned by ``fit``, on the rows it gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from pacbayes._core.rows import refuse_text, rows_of
from pacbayes._core.taken import PreparedRows, TakenRows
from pacbayes._core.types import FloatArray, Labels, Matrix, ObjectArray, RowsLike
from pacbayes.tables._align import align_rows, read_column, require_columns, take_column
from pacbayes.tables._columns import Column, are_texts, kind_of
from pacbayes.tables._encode import (
    MOST_CATEGORIES,
    apply_steps,
    apply_to_numbers,
    can_apply,
    count_outputs,
    fit_numbers,
    fit_steps,
    learned_by_column,
)
from pacbayes.tables._error import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ColumnPreprocessor", "make_preprocessing", "name_texts"]

_MANY = 500
_Step: TypeAlias = "Pipeline | OneHotEncoder"


def make_preprocessing(columns: Sequence[Column], *, missing: str = "refuse") -> ColumnTransformer:
    """Return an unfitted transformer: numbers scaled, categories one-hot, missing numbers at the mean and marked.

    Categories that ``fit`` has not seen, and those beyond the hundred most frequent, share a column or none.

    Parameters
    ----------
    columns : sequence of Column
        As :func:`prepare_table` found them.
    missing : {"refuse", "category"}, default="refuse"
        Whether numbers may be missing.

    Examples
    --------
    >>> import pandas as pd
    >>> from pacbayes.tables import Column, make_preprocessing
    >>> steps = make_preprocessing([Column("age", "number", 0, 3), Column("job", "category", 0, 2)])
    >>> steps.fit_transform(pd.DataFrame({"age": [1.0, 2.0, 3.0], "job": ["cook", "clerk", "cook"]})).shape
    (3, 3)
    """
    return _make_steps([(column.name, column.kind) for column in columns], missing)


def _make_steps(columns: Sequence[tuple[str, str]], missing: str) -> ColumnTransformer:
    numbers = [name for name, kind in columns if kind == "number"]
    categories = [name for name, kind in columns if kind == "category"]
    steps: list[tuple[str, _Step, list[str]]] = []
    if numbers:
        steps.append(("numbers", _make_scaling(missing), numbers))
    if categories:
        steps.append(("categories", _make_encoding(), categories))
    return ColumnTransformer(steps, sparse_threshold=0.0)


def _make_for_frames(columns: Sequence[tuple[str, str]]) -> ColumnTransformer:
    return _make_steps(columns, "category")


def _make_scaling(missing: str) -> Pipeline:
    if missing == "refuse":
        return Pipeline([("scale", StandardScaler())])
    # after scaling zero is the mean; the indicator lets a model tell the missing ones apart
    fill = SimpleImputer(strategy="constant", fill_value=0.0, add_indicator=True, keep_empty_features=True)
    return Pipeline([("scale", StandardScaler()), ("fill", fill)])


def _make_encoding() -> OneHotEncoder:
    return OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False)


class ColumnPreprocessor(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns of a frame as any classifier takes them: :func:`make_preprocessing` for the kinds that they have.

    Numbers and truth values are scaled, with missing ones at the mean and marked. Everything else is a category, one
    column for each of the hundred most frequent, and a missing value is a category of its own. Categories that were
    not there in learning are treated like rare ones. Columns that hold nothing in the learning rows are left out. What
    a column is goes by its type alone, so that nothing else about it is known before ``fit``.

    Arrays are columns of numbers; sparse rows pass as they are.

    Attributes
    ----------
    columns_ : tuple of (name, kind)
        Of a frame, "number" or "category", without those that hold nothing; empty for arrays.
    transformer_ : ColumnTransformer, Pipeline or None
        Fitted; None for sparse rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from pacbayes.tables import ColumnPreprocessor
    >>> frame = pd.DataFrame({"age": [31.0, None, 44.0], "job": ["cook", "clerk", None], "note": [None, None, None]})
    >>> steps = ColumnPreprocessor().fit(frame)
    >>> steps.columns_
    (('age', 'number'), ('job', 'category'))
    >>> steps.transform(frame.assign(job="king")).round(2).tolist()
    [[-1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]]
    """

    columns_: tuple[tuple[str, str], ...]
    transformer_: ColumnTransformer | Pipeline | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def fit(self, X: RowsLike, y: Labels | None = None) -> Self:
        """Learn means, scales and categories from these rows; the labels play no part."""
        del y
        rows = _named_rows(rows_of(X))
        self.columns_, self.transformer_ = (), None
        if hasattr(rows, "iloc"):
            self._fit_columns(rows[:0], lambda name, kind: read_column(rows[name], name, kind))
        elif not sp.issparse(rows):
            self.transformer_ = _make_scaling("category").fit(_as_numbers(rows))
        self.n_features_in_ = rows.shape[1]
        return self

    def fit_taken(self, rows: TakenRows) -> Self:
        """Learn from rows of a frame that are looked at column by column, or chunk by chunk where they are an array."""
        self.columns_, self.transformer_ = (), None
        _refuse_repeated([str(name) for name in rows.columns])
        names = {str(name): name for name in rows.columns}
        numbers = rows.numbers() if rows.shape[0] else None
        if numbers is not None:
            self.transformer_ = fit_numbers(_make_for_frames, list(names), *numbers)
        if self.transformer_ is not None:
            self.columns_ = tuple((name, "number") for name in names)
        else:
            empty = rows.empty().set_axis(list(names), axis=1)
            self._fit_columns(empty, lambda name, kind: take_column(*rows.locate(names[name]), name, kind))
        self.n_features_in_ = rows.shape[1]
        return self

    @property
    def is_cheap(self) -> bool:
        """Whether all columns are of numbers and not very many, which are prepared as quickly as they are read."""
        return len(self.columns_) <= _MANY and all(kind == "number" for _, kind in self.columns_)

    def prepare(self, rows: TakenRows) -> PreparedRows:
        """Return what :meth:`transform` does, block by block when it is needed."""
        whole = [str(name) for name in rows.columns] == [name for name, _ in self.columns_]
        numbers = rows.numbers() if whole else None

        def make(start: int, stop: int) -> Matrix:
            if numbers is None:
                return self.transform(rows.read(start, stop))
            array, places = numbers
            return apply_to_numbers(self.transformer_, array[places[start:stop]])

        return PreparedRows(rows.shape[0], count_outputs(self.transformer_), make)

    def transform(self, X: RowsLike) -> Matrix:
        """Return numbers; of a frame the columns are found by name."""
        check_is_fitted(self, "n_features_in_")
        rows = _named_rows(rows_of(X))
        if self.columns_:
            if not hasattr(rows, "iloc"):
                raise TableError("The rows must come in a frame, as those that were learned from.")
            if can_apply(self.transformer_):
                return self._transform_columns(rows)
            rows = align_rows(rows, self.columns_, missing="category").X
        elif not sp.issparse(rows):
            rows = _as_numbers(rows)
        return rows if self.transformer_ is None else self.transformer_.transform(rows)

    def goes_row_by_row(self, rows: Any) -> bool:
        """Return whether :meth:`transform` makes of each of these rows, by its code, the same in every batch.

        It does of a frame of numbers and texts, if nothing but what ``fit`` learns was written into it.
        """
        own = vars(self).keys() <= {"columns_", "transformer_", "n_features_in_"} and hasattr(rows, "iloc")
        if not (own and self.columns_ and can_apply(self.transformer_) and learned_by_column(self.transformer_)):
            return False
        return all(_is_numeric(kind) or _holds_texts(rows.iloc[:, at]) for at, kind in enumerate(rows.dtypes))

    def _fit_columns(self, empty: pd.DataFrame, read: Callable[[str, str], FloatArray | ObjectArray]) -> None:
        """Learn from columns of these types that are looked at one by one."""
        kinds = [(name, kind_of(empty[name], name)) for name in empty.columns]
        values = ((name, kind, read(name, kind)) for name, kind in kinds)
        self.columns_, self.transformer_ = fit_steps(_make_for_frames, values)

    def _transform_columns(self, rows: pd.DataFrame) -> Matrix:
        names = [name for name, _ in self.columns_]
        require_columns(rows, names)
        if list(rows.columns) == names and all(kind == np.float64 for kind in rows.dtypes):
            return apply_to_numbers(self.transformer_, rows.to_numpy(), copy=True)
        values = {name: read_column(rows[name], name, kind) for name, kind in self.columns_}
        return apply_steps(self.transformer_, values, len(rows))


def name_texts(rows: Any) -> list[str]:
    """Return the names of columns of a frame that are not of numbers, by their types; of an array none."""
    if hasattr(rows, "iloc") or (hasattr(rows, "read_blocks") and hasattr(rows, "columns")):
        return [str(name) for name, kind in zip(rows.columns, rows.dtypes, strict=True) if not _is_numeric(kind)]
    if hasattr(rows, "schema"):  # polars
        return [name for name, kind in rows.schema.items() if not (kind.is_numeric() or str(kind) == "Boolean")]
    return []


def _is_numeric(kind: object) -> bool:
    return getattr(kind, "kind", "O") in "fiub"


def _holds_texts(series: pd.Series) -> bool:
    return series.dtype == np.object_ and are_texts(series.to_numpy())


def _named_rows(rows: Any) -> Any:
    """Return a frame of pandas whose columns have texts for names, or an array as it is."""
    if hasattr(rows, "to_pandas"):  # polars
        rows = rows.to_pandas()
    if not hasattr(rows, "iloc"):
        return rows
    names = [str(name) for name in rows.columns]
    _refuse_repeated(names)
    return rows.set_axis(names, axis=1)


def _refuse_repeated(names: list[str]) -> None:
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise TableError(f"Each column of a frame must have a name of its own. Got {repeated!r} more than once.")


def _as_numbers(rows: Any) -> Any:
    refuse_text("An array without names of columns", rows)
    return np.asarray(rows, dtype=np.float64)
