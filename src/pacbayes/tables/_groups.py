"""Columns that rows are grouped by, kept beside those that are predicted from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pacbayes._core.labels import label_text, refuse_nul
from pacbayes._core.types import Labels
from pacbayes.tables._columns import require_column
from pacbayes.tables._error import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["check_group", "read_groups"]


def read_groups(frame: pd.DataFrame, names: Sequence[str], target: str, missing: str) -> dict[str, Labels]:
    """Return the values of columns as text, whatever else the columns are for, or say why rows have no groups by them.

    What is missing is None: whoever groups rows by them tells it from a group of its name.

    Parameters
    ----------
    frame : pandas.DataFrame
        As read.
    names : sequence of str
        The columns.
    target : str
        The column of labels: classes have metrics of their own.
    missing : {"refuse", "category"}
        Whether rows without a value are refused, or a group of their own.
    """
    for name in names:
        require_column(frame, name)
        check_group(name, target, int(frame[name].isna().sum()), missing)
    return {name: _read_group(frame[name], name) for name in names}


def _read_group(series: pd.Series, name: str) -> Labels:
    texts = [label_text(value) for value in series.tolist()]
    refuse_nul(f"The group {name!r}", texts, TableError)
    unknown = series.isna().to_numpy()
    found = np.array(texts, dtype=object if unknown.any() else np.str_)
    found[unknown] = None
    return found


def check_group(name: str, target: str | None, unknown: int = 0, missing: str = "refuse") -> None:
    """Refuse to group rows by the target, or by a column in which values are missing where those are refused."""
    if name == target:
        raise TableError(f"The target {name!r} cannot group the rows; a metric such as recall is about one class.")
    if unknown and missing == "refuse":
        raise TableError(
            f"The group {name!r} must be known in every row. It is missing in {unknown}: fill it in. "
            "certify also takes --missing category, which makes these rows a group of their own."
        )
