"""Sheets of Excel, read by openpyxl in a process of its own, like other files whose readers may fill the memory."""

from __future__ import annotations

import io
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pacbayes.tables._child import Child
from pacbayes.tables._error import TableError
from pacbayes.tables._read_text import read_text
from pacbayes.tables._source import Description, Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_excel"]


def read_excel(source: Source, description: Description) -> pd.DataFrame:
    """Read the one sheet with cells of an Excel file; formulas count as the values that were saved with them."""
    if find_spec("openpyxl") is None:
        raise TableError(
            "an Excel file is read by openpyxl, which is not installed. Save the sheet as CSV, or install "
            "pacbayes[excel]."
        )
    text = Child("excel", source, description).result(lambda: import_module("pandas"))
    if not text:
        raise TableError("it has no cells in it.")
    # what comes back is our own text, whatever was said of other text files
    return read_text(io.BytesIO(text), replace(description, delimiter=",", decimal=".", encoding=None), is_own=True)
