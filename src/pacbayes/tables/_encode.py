"""The steps of a preprocessor, fitted column by column and applied block by block: the same numbers with few copies.

The fitted object is scikit-learn's, as whoever reads a stored model expects it. It is learned without the products that
its own ``fit`` makes and throws away, and applied into one array without those that it makes on the way; every number
is that of scikit-learn, bit for bit; of more than 65,536 rows, means and scales are added up over so many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pacbayes._core.taken import CHUNK_ROWS
from pacbayes._core.types import BoolArray, FloatArray, IntArray, ObjectArray
from pacbayes.tables._columns import holds_nothing, make_frame, refuse_infinite
from pacbayes.tables._error import TableError

__all__ = [
    "MOST_CATEGORIES",
    "apply_steps",
    "apply_to_numbers",
    "can_apply",
    "count_outputs",
    "fit_numbers",
    "fit_steps",
    "learned_by_column",
]

MOST_CATEGORIES = 100  # of a column that have one of their own in the result
_ROWS = 8192  # at a time, so that a block stays in the cache
_CELLS = 1 << 18  # that scalers learn from at once
_TOGETHER = 16  # columns of an array, of a chunk of its rows
_Make: TypeAlias = Callable[[Sequence[tuple[str, str]]], ColumnTransformer]


def fit_steps(
    make: _Make, columns: Iterable[tuple[str, str, NDArray[Any]]]
) -> tuple[tuple[tuple[str, str], ...], ColumnTransformer]:
    """Fit a transformer of :func:`make_preprocessing` on columns that come one by one, without those of nothing.

    Parameters
    ----------
    make : callable
        Makes the transformer for columns by name and kind, the same whenever it is called; its encoder keeps at most
        :data:`MOST_CATEGORIES` of a column.
    columns : iterable of (name, kind, values)
        Numbers as doubles, categories as text.

    Returns
    -------
    columns : tuple of (name, kind)
        Those that hold something.
    steps : ColumnTransformer
        Fitted.
    """
    scalers, kinds, lacking, texts = _Scalers(), list[tuple[str, str]](), list[str](), list[list[str]]()
    for name, kind, values in columns:
        if holds_nothing(values, kind):
            continue
        kinds.append((name, kind))
        if kind == "category":
            texts.append(_few_like(values))
        else:
            scalers.add(values)
            lacking += [name] if np.isnan(values).any() else []
    if not kinds:
        raise TableError("No column of these rows holds a value to predict from.")
    steps = deepcopy(_fit_few(make, tuple(kinds), frozenset(lacking)))
    if joined := scalers.finish():
        _join(steps.named_transformers_["numbers"].named_steps["scale"], joined)
    if texts:
        _learn_texts(steps, texts)
    return tuple(kinds), steps


def fit_numbers(make: _Make, names: Sequence[str], rows: FloatArray, places: IntArray) -> ColumnTransformer | None:
    """Fit a transformer on some rows of an array, as :func:`fit_steps` does on its columns; None if some hold nothing.

    Rows are taken chunk by chunk, which is quicker than column by column where they lie one after another.
    """
    scalers = []
    for first in range(0, len(names), _TOGETHER):
        scaler, some = StandardScaler(), slice(first, first + _TOGETHER)
        for start in range(0, places.size, CHUNK_ROWS):
            block = np.asfortranarray(rows[places[start : start + CHUNK_ROWS], some])
            if np.isinf(block).any():
                return None  # whoever goes by columns says in which
            with np.errstate(divide="ignore", invalid="ignore"):  # of a column without a number so far
                scaler.partial_fit(block)
        scalers.append(scaler)
    seen = np.concatenate([np.broadcast_to(each.n_samples_seen_, each.mean_.shape) for each in scalers])
    if not seen.all():
        return None
    lacking = frozenset(name for name, count in zip(names, seen, strict=True) if count < places.size)
    steps = deepcopy(_fit_few(make, tuple((name, "number") for name in names), lacking))
    _join(steps.named_transformers_["numbers"].named_steps["scale"], scalers)
    return steps


@lru_cache(maxsize=8)
def _fit_few(make: _Make, kinds: tuple[tuple[str, str], ...], lacking: frozenset[str]) -> ColumnTransformer:
    """Fit on two rows, which settles names, and which numbers are missing in some row."""
    few: dict[str, FloatArray | ObjectArray] = {}
    for name, kind in kinds:
        text = kind == "category"
        few[name] = np.array(["", ""], dtype=object) if text else np.array([0.0, np.nan if name in lacking else 0.0])
    return make(kinds).fit(make_frame(few))


def _few_like(values: NDArray[Any]) -> list[str]:
    """Return few texts that an encoder learns the same from: each once, unless there are so many that some are rare.

    Which are rare goes by the order of counts alone, so that each is there as often as the rank of its count among all
    counts. The last is the most frequent, and of those the greatest: it is kept before all others, so that there may be
    more of it.
    """
    counts = Counter(values.tolist())
    if len(counts) < MOST_CATEGORIES:
        return list(counts)
    ranks = {count: rank for rank, count in enumerate(sorted(set(counts.values())), 1)}
    order = sorted(counts, key=lambda text: (counts[text], text))
    return [text for text in order for _ in range(ranks[counts[text]])]


def _learn_texts(steps: ColumnTransformer, texts: Sequence[list[str]]) -> None:
    """Have an encoder learn from columns of texts, of which shorter ones go on with their last text."""
    fitted = steps.named_transformers_["categories"]
    table: ObjectArray = np.empty((max(map(len, texts)), len(texts)), dtype=object)
    for place, each in enumerate(texts):
        table[: len(each), place], table[len(each) :, place] = each, each[-1]
    vars(fitted).update(vars(clone(fitted).fit(table)))  # an array; the names stay those of the columns
    _widen(steps, "categories", sum(map(_width, *_categories(fitted))))


class _Scalers:
    """Scalers of columns that come one by one; those of few rows learn several at once, which takes less time."""

    def __init__(self) -> None:
        self._fitted: list[StandardScaler] = []
        self._waiting: list[FloatArray] = []

    def add(self, values: FloatArray) -> None:
        """Learn from a further column, now or with the next ones."""
        self._waiting.append(values)
        if sum(map(len, self._waiting)) >= _CELLS:
            self._learn()

    def finish(self) -> list[StandardScaler]:
        """Return what was learned."""
        self._learn()
        return self._fitted

    def _learn(self) -> None:
        """Learn, of many rows in parts, since a scaler makes several copies of what it gets."""
        if not self._waiting:
            return
        scaler = StandardScaler()
        for start in range(0, len(self._waiting[0]), CHUNK_ROWS):
            # column by column, as they lie in a frame: they are added up in the same order
            scaler.partial_fit(np.array([each[start : start + CHUNK_ROWS] for each in self._waiting]).T)
        self._fitted.append(scaler)
        self._waiting = []


def _join(scaler: StandardScaler, parts: Sequence[StandardScaler]) -> None:
    """Give a scaler what those of some columns each have learned."""
    for name in ("mean_", "var_", "scale_"):
        setattr(scaler, name, np.concatenate([getattr(each, name) for each in parts]))
    seen = np.concatenate([np.broadcast_to(each.n_samples_seen_, each.mean_.shape) for each in parts])
    scaler.n_samples_seen_ = seen[0] if np.ptp(seen) == 0 else seen


def _widen(steps: ColumnTransformer, name: str, width: int) -> None:
    """Say how many columns a part results in; it is the last."""
    places = steps.output_indices_
    start = places[name].start
    steps.output_indices_ = {**places, name: slice(start, start + width)}


def _categories(encoder: OneHotEncoder) -> tuple[list[Any], list[Any]]:
    """Return all categories of each column, and those that share a column of the result."""
    return encoder.categories_, list(getattr(encoder, "infrequent_categories_", [None] * len(encoder.categories_)))


def _width(categories: Any, rare: Any) -> int:
    return len(categories) if rare is None else len(categories) - len(rare) + 1


def can_apply(steps: object) -> bool:
    """Return whether this is a transformer that :func:`fit_steps` made."""
    if not isinstance(steps, ColumnTransformer):
        return False
    return all(_is_known(name, fitted) for name, fitted, _ in steps.transformers_)


def _is_known(name: str, fitted: object) -> bool:
    if name == "numbers":
        parts = list(fitted.named_steps.items()) if isinstance(fitted, Pipeline) else []
        return [(each, type(part)) for each, part in parts] == [("scale", StandardScaler), ("fill", SimpleImputer)]
    return name == "categories" and type(fitted) is OneHotEncoder


def learned_by_column(steps: ColumnTransformer) -> bool:
    """Return whether numbers are scaled by one mean and one scale each, and not by some that go by the row."""
    parts = {name: fitted for name, fitted, _ in steps.transformers_}
    if "numbers" not in parts:
        return True
    scaler = parts["numbers"].named_steps["scale"]
    return bool(np.shape(scaler.mean_) == np.shape(scaler.scale_) == (scaler.n_features_in_,))


def apply_steps(steps: ColumnTransformer, values: Mapping[str, NDArray[Any]], rows: int) -> FloatArray:
    """Return what the transformer makes of columns, by name: numbers as doubles, categories as text."""
    parts = {name: (fitted, columns) for name, fitted, columns in steps.transformers_}
    marks = _marked(parts["numbers"][0]) if "numbers" in parts else None
    plain = "categories" in parts or marks is None or not marks.size
    layout: Literal["C", "F"] = "C" if plain else "F"  # as scikit-learn joins them
    found: FloatArray = np.empty((rows, count_outputs(steps)), order=layout)
    if "numbers" in parts:
        fitted, columns = parts["numbers"]
        _scale(found, fitted.named_steps["scale"], [values[name] for name in columns], marks)
    if "categories" in parts:
        fitted, columns = parts["categories"]
        _encode(found[:, steps.output_indices_["categories"]], fitted, [values[name] for name in columns])
    return found


def apply_to_numbers(steps: ColumnTransformer, rows: FloatArray, *, copy: bool = False) -> FloatArray:
    """Return what the transformer makes of rows that are all numbers, in their place unless a copy is asked for."""
    ((_, fitted, columns),) = steps.transformers_
    marks = _marked(fitted)
    if marks is not None and marks.size:
        values = {name: refuse_infinite(rows[:, place], name) for place, name in enumerate(columns)}
        return apply_steps(steps, values, len(rows))
    scaler, found = fitted.named_steps["scale"], np.empty(rows.shape) if copy else rows
    for start in range(0, len(rows), _ROWS):
        given, block = rows[start : start + _ROWS], found[start : start + _ROWS]
        if not np.isfinite(given).all():
            given = np.column_stack([refuse_infinite(given[:, place], name) for place, name in enumerate(columns)])
        np.subtract(given, scaler.mean_, out=block)
        block /= scaler.scale_
        missing: BoolArray = np.isnan(block)
        if missing.any():
            block[missing] = 0.0
    return found


def count_outputs(steps: ColumnTransformer) -> int:
    """Return how many columns the transformer results in."""
    return max(int(place.stop) for place in steps.output_indices_.values())


def _marked(numbers: Pipeline) -> IntArray | None:
    """Return which numbers have a column that marks missing ones."""
    indicator = numbers.named_steps["fill"].indicator_
    return None if indicator is None else np.asarray(indicator.features_)


def _scale(found: FloatArray, scaler: StandardScaler, columns: Sequence[FloatArray], marks: IntArray | None) -> None:
    """Write scaled numbers, with missing ones at the mean, and the columns that mark these."""
    count = len(columns)
    for start in range(0, found.shape[0], _ROWS):
        block = found[start : start + _ROWS]
        numbers = block[:, :count]
        for position, values in enumerate(columns):
            numbers[:, position] = values[start : start + _ROWS]
        numbers -= scaler.mean_
        numbers /= scaler.scale_
        missing: BoolArray = np.isnan(numbers)
        if marks is not None:
            block[:, count : count + marks.size] = missing[:, marks]
        if missing.any():
            numbers[missing] = 0.0


class _Lookup:
    """The column of the result that each category has, and unknown ones, which share that of rare ones or have none."""

    def __init__(self, categories: Any, rare: Any) -> None:
        self.width = _width(categories, rare)
        kept = np.ones(len(categories), dtype=bool) if rare is None else ~np.isin(categories, rare)
        self._places = np.full(len(categories) + 1, -1 if rare is None else self.width - 1)  # the last: unknown
        self._places[:-1][kept] = np.arange(np.count_nonzero(kept))
        self._categories, self._unknown = categories, int(self._places[-1])
        self._known = dict(zip(categories.tolist(), self._places.tolist(), strict=False))

    def find(self, values: NDArray[Any]) -> IntArray:
        """Return the column of each text, -1 for none."""
        import pandas as pd  # noqa: PLC0415

        if len(values) <= _ROWS:
            return self._find_few(values.tolist())
        codes = pd.Index(self._categories, dtype=object).get_indexer(pd.Index(values, dtype=object))
        return np.asarray(self._places[codes])

    def _find_few(self, texts: list[str]) -> IntArray:
        try:
            return np.fromiter(map(self._known.__getitem__, texts), np.int64, len(texts))
        except KeyError:  # some are unknown
            return np.array([self._known.get(each, self._unknown) for each in texts], dtype=np.int64)


_LOOKUPS: WeakKeyDictionary[OneHotEncoder, tuple[Any, list[_Lookup]]] = WeakKeyDictionary()


def _look_up(encoder: OneHotEncoder) -> list[_Lookup]:
    """Return where the categories of each column go; the same for the next few rows, of which there are many."""
    known = _LOOKUPS.get(encoder)
    if known is None or known[0] is not encoder.categories_:
        known = (encoder.categories_, list(map(_Lookup, *_categories(encoder))))
        _LOOKUPS[encoder] = known
    return known[1]


def _encode(found: FloatArray, encoder: OneHotEncoder, columns: Sequence[NDArray[Any]]) -> None:
    """Write a one where a text is the category of a column, or in that of rare ones, which unknown ones share."""
    found[:] = 0.0
    start, rows = 0, np.arange(found.shape[0])
    for values, lookup in zip(columns, _look_up(encoder), strict=True):
        places = lookup.find(values)
        known = places >= 0
        if known.all():
            found[rows, start + places] = 1.0
        else:
            found[rows[known], start + places[known]] = 1.0
        start += lookup.width
