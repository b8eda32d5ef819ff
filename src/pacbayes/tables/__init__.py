"""Tables from files: CSV, Parquet and Arrow in, rows and labels ready for a classifier out."""

from pacbayes.tables._columns import Column, Table, prepared
from pacbayes.tables._linear import LinearTerms
from pacbayes.tables._preprocess import preprocessing
from pacbayes.tables._read import TableError, read_table

__all__ = ["Column", "LinearTerms", "Table", "TableError", "prepared", "preprocessing", "read_table"]
