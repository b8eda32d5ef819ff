"""Tables from files: CSV, Parquet and Arrow in, rows and labels ready for a classifier out."""

from pacbayes.tables import words
from pacbayes.tables._align import (
    AlignedRows,
    align_labels,
    align_rows,
    append_rows,
    has_texts,
    list_texts,
    name_unnamed,
)
from pacbayes.tables._columns import Column, name_columns, require_column
from pacbayes.tables._error import TableError
from pacbayes.tables._groups import read_groups
from pacbayes.tables._leaks import find_leaks
from pacbayes.tables._limits import default_limit, to_bytes
from pacbayes.tables._linear import LinearTerms, Term
from pacbayes.tables._open import list_columns, open_table
from pacbayes.tables._prepare import Table, prepare_table, split_names
from pacbayes.tables._preprocess import ColumnPreprocessor, make_preprocessing, name_texts
from pacbayes.tables._ranges import FileRange, FileRanges
from pacbayes.tables._read import read_table
from pacbayes.tables._stored import StoredRows
from pacbayes.tables._times import show_time
from pacbayes.tables.formats import COMPRESSIONS, FORMATS

__all__ = [
    "COMPRESSIONS",
    "FORMATS",
    "AlignedRows",
    "Column",
    "ColumnPreprocessor",
    "FileRange",
    "FileRanges",
    "LinearTerms",
    "StoredRows",
    "Table",
    "TableError",
    "Term",
    "align_labels",
    "align_rows",
    "append_rows",
    "default_limit",
    "find_leaks",
    "has_texts",
    "list_columns",
    "list_texts",
    "make_preprocessing",
    "name_columns",
    "name_texts",
    "name_unnamed",
    "open_table",
    "prepare_table",
    "read_groups",
    "read_table",
    "require_column",
    "show_time",
    "split_names",
    "to_bytes",
    "words",
]
