"""Collections of Dask as rows, and as values in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pacbayes._core.types import Rows
from pacbayes.engines.errors import EngineError
from pacbayes.engines.partitions import PartitionedArray, PartitionedFrame
from pacbayes.engines.runner import Runner

__all__ = ["collect", "map_indexes", "wrap_rows"]


def wrap_rows(X: Any) -> Rows:
    """Return a Dask DataFrame or Array as rows that are looked at where they are.

    They are computed on the cluster that the script is connected to, or by Dask's own scheduler if it is not.

    Parameters
    ----------
    X : dask.dataframe.DataFrame or dask.array.Array
        Of pandas, or of numbers in two dimensions. Lengths of partitions need not be known.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from pacbayes._core.rows import take
    >>> from pacbayes.engines import wrap_rows
    >>> rows = wrap_rows(da.from_array(np.arange(6.0).reshape(3, 2), chunks=(2, 1)))
    >>> rows.shape, take(rows, np.array([2, 0])).tolist()
    ((3, 2), [[4.0, 5.0], [0.0, 1.0]])
    """
    kind = type(X).__name__
    if kind == "DataFrame":
        empty = X._meta.iloc[:0].reset_index(drop=True)  # noqa: SLF001  (Dask's name for what a frame declares)
        if type(empty).__module__.partition(".")[0] != "pandas":
            raise EngineError(f"A Dask frame must be one of pandas. Got one of {type(empty).__module__} instead.")
        return PartitionedFrame(X.to_delayed(), empty, Runner.current())
    if kind == "Array" and X.ndim == 2:
        whole = X if len(X.chunks[1]) == 1 else X.rechunk({1: X.shape[1]})
        empty = np.empty((0, int(X.shape[1])), dtype=X.dtype)
        return PartitionedArray(whole.to_delayed()[:, 0].tolist(), empty, Runner.current())
    shape = f" of {X.ndim} dimensions" if kind == "Array" else ""
    raise EngineError(f"Rows of Dask must be a DataFrame, or an Array of two dimensions. Got {kind}{shape} instead.")


def map_indexes(values: Any, function: Callable[[Any], Any]) -> list[Any]:
    """Return what a function gives for the index of each partition of a frame or column, in their order.

    It is computed on the workers; None comes of an index that cannot be computed, since whoever reads the rows then
    fails by itself and says why.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from pacbayes.engines import map_indexes
    >>> map_indexes(dd.from_pandas(pd.Series([0, 1, 1]), npartitions=2), len)
    [2, 1]
    """
    import dask  # noqa: PLC0415

    call = dask.delayed(function, pure=False)
    try:
        return list(Runner.current().compute(dask.delayed(list)([call(each) for each in values.index.to_delayed()])))
    except Exception:  # whatever the user's own steps raise
        return [None]


def collect(values: Any, rows: Any = None) -> Any:
    """Return a column or table of Dask in memory: labels, predictions, groups.

    Parameters
    ----------
    values : dask.dataframe.Series, dask.dataframe.DataFrame or dask.array.Array
    rows : rows, optional
        Those that the values belong to, in their order: how either is partitioned does not matter.

    Examples
    --------
    >>> import dask.array as da
    >>> from pacbayes.engines import collect
    >>> collect(da.arange(4, chunks=3)).tolist()
    [0, 1, 2, 3]
    """
    if type(values).__name__ not in {"Series", "DataFrame", "Array"}:
        raise EngineError(
            "Labels, predictions and groups of Dask must be a Series, a DataFrame or an Array. "
            f"Got {type(values).__name__} instead."
        )
    try:
        found = values.compute()
    except Exception:  # whatever the user's own steps raise, or Dask where it joins what they return
        _refuse_nothing(values)
        raise
    if found is None:  # of one partition, which is joined with no other
        _refuse_nothing(values)
    if hasattr(rows, "lengths") and len(found) != rows.shape[0]:
        raise EngineError(
            "Rows and labels of Dask belong together by their order, and must be as many. "
            f"Got {rows.shape[0]} rows in {rows.lengths.size} partitions, and {len(found)} labels instead."
        )
    return found


def _refuse_nothing(values: Any) -> None:
    """Refuse partitions that are None, which Dask cannot join with others."""
    import dask  # noqa: PLC0415

    try:
        parts = np.ravel(np.asarray(values.to_delayed(), dtype=object)).tolist()
        empty = dask.compute(*(dask.delayed(_is_nothing, pure=False)(part) for part in parts))
    except Exception:  # what was raised before
        return
    if any(empty):
        raise EngineError(
            "Each partition of labels, predictions and groups of Dask must hold values. "
            f"Partition {empty.index(True)} is None."
        ) from None


def _is_nothing(part: Any) -> bool:
    return part is None
