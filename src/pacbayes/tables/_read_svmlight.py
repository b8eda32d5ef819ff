"""Files of svmlight and libsvm: a label and the entries that are not zero, one row per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pacbayes.tables._blank_lines import opened
from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._limits import check_cells, check_limit
from pacbayes.tables._source import Description, Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_svmlight"]

_MOST_COLUMNS = 10_000
_CHUNK = 1 << 22
_ROW, _ENTRY = 24, 16  # bytes that the sparse form takes for each


def read_svmlight(source: Source, description: Description) -> pd.DataFrame:
    """Read a file of svmlight into a dense table: the column "label", then f1, f2, ... as they are numbered."""
    import pandas as pd  # noqa: PLC0415
    from sklearn.datasets import load_svmlight_file  # noqa: PLC0415

    _check_entries(source, description.limit)
    try:
        with opened(source) as file:
            rows, labels = load_svmlight_file(file, dtype=np.float64)
    except (ValueError, OverflowError, IndexError, TypeError) as error:
        raise TableError(f"it is not a file of svmlight, lines of label index:value ... ({one_line(error)}).") from None
    columns = int(rows.shape[1])
    if columns > _MOST_COLUMNS:
        raise TableError(
            f"it has {columns} columns, and a table of the command line has at most {_MOST_COLUMNS}. "
            "Estimators take sparse rows in Python."
        )
    check_cells(int(rows.shape[0]), columns + 1, description.limit)  # before zeros are written out
    frame = pd.DataFrame(rows.toarray(), columns=[f"f{number + 1}" for number in range(columns)])
    frame.insert(0, "label", labels)
    return frame


def _check_entries(source: Source, limit: int) -> None:
    """Refuse what needs too much before it is read: short lines and entries are few bytes and more memory."""
    needed = 0
    with opened(source) as file:
        while chunk := file.read(_CHUNK):
            needed += _ROW * chunk.count(b"\n") + _ENTRY * chunk.count(b":")
            check_limit(needed, limit)
