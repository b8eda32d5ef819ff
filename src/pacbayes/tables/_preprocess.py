"""From columns to what a classifier takes; whatever is learned is learned by ``fit``, on the rows it gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pacbayes.tables._columns import Column

__all__ = ["make_preprocessing"]

MOST_CATEGORIES = 100
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
    numbers = [column.name for column in columns if column.kind == "number"]
    categories = [column.name for column in columns if column.kind == "category"]
    steps: list[tuple[str, _Step, list[str]]] = []
    if numbers:
        steps.append(("numbers", _make_scaling(missing), numbers))
    if categories:
        steps.append(("categories", _make_encoding(), categories))
    return ColumnTransformer(steps, sparse_threshold=0.0)


def _make_scaling(missing: str) -> Pipeline:
    if missing == "refuse":
        return Pipeline([("scale", StandardScaler())])
    # after scaling zero is the mean; the indicator lets a model tell the missing ones apart
    fill = SimpleImputer(strategy="constant", fill_value=0.0, add_indicator=True)
    return Pipeline([("scale", StandardScaler()), ("fill", fill)])


def _make_encoding() -> OneHotEncoder:
    return OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False)
