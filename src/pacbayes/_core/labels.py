"""Checks of data matrices and labels."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from pacbayes._core.arguments import refuse_masked
from pacbayes._core.exact import equals_exactly, exact_array
from pacbayes._core.types import BoolArray, FloatArray, Labels, Matrix, RowsLike

__all__ = [
    "MISSING_WORDS",
    "as_matrix",
    "checked_matrix",
    "equals_text",
    "label_signs",
    "label_text",
    "refuse_nul",
    "two_classes",
]

_MISSING = frozenset({"NAType", "NaTType"})  # of pandas
MISSING_WORDS = frozenset(  # texts that stand for what is not known, wherever text is read
    {
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A"),
        *("NA", "NULL", "NaN", "None", "n/a", "nan", "null"),  # these and the others above are those of pandas
        *("#VALUE!", "#REF!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"),  # errors of spreadsheets
    }
)


def label_text(value: object) -> str:
    """Return a label or the value of a group as text: whole numbers without a fraction, what is missing as "missing".

    Examples
    --------
    >>> from pacbayes._core.labels import label_text
    >>> [label_text(each) for each in ("yes", 1.0, 0.5, True, None, float("nan"))]
    ['yes', '1', '0.5', 'True', 'missing', 'missing']
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or (isinstance(plain, float) and math.isnan(plain)) or type(plain).__name__ in _MISSING:
        return "missing"
    if isinstance(plain, float) and plain.is_integer():
        return str(int(plain))
    return str(plain)


def refuse_nul(what: str, values: Iterable[object], error: type[ValueError] = ValueError) -> None:
    r"""Refuse texts with NUL in them: numpy drops it at the end of a text, and pandas 2 what follows it.

    Two classes, or two groups, would be one, and errors between them would count as correct.

    Examples
    --------
    >>> from pacbayes._core.labels import refuse_nul
    >>> refuse_nul("The 'y' argument of me", ["a", "a\0"])
    Traceback (most recent call last):
    ...
    ValueError: The 'y' argument of me must not contain text with NUL in it. Got 'a\x00' instead.
    """
    odd = next((each for each in values if isinstance(each, str) and "\0" in each), None)
    if odd is not None:
        raise error(f"{what} must not contain text with NUL in it. Got {str(odd)!r:.40} instead.")


def equals_text(values: Labels, text: str) -> BoolArray:
    """Return for each value whether it is the one that a text names.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.labels import equals_text
    >>> equals_text(np.array([0.0, 1.0, 1.0]), "1").tolist()
    [False, True, True]
    """
    distinct, places = np.unique(values, return_inverse=True)
    same = np.array([label_text(each) == text for each in distinct], dtype=bool)
    return same[places] if distinct.size else np.zeros(0, dtype=bool)


def checked_matrix(owner: str, X: RowsLike, columns: int | None = None, *, finite: bool = True) -> Matrix:
    """Return X as a float64 array or CSR matrix with the columns that are expected; NaN and infinity are refused.

    With ``finite=False`` the caller refuses them, where it can do so without another pass over X.
    """
    matrix = as_matrix(X, finite=finite, name="X")
    if columns is not None and matrix.shape[1] != columns:
        raise ValueError(
            f"The 'X' argument of {owner} must have {columns} columns, one per weight (less the intercept). "
            f"Got {matrix.shape[1]} instead."
        )
    return matrix if sp.issparse(matrix) else np.ascontiguousarray(matrix)


def as_matrix(X: RowsLike, *, finite: bool = True, name: str = "") -> Matrix:
    """Return what scikit-learn's ``check_array`` gives; what is that already is not looked at for long."""
    refuse_masked(f"The {name or 'X'!r} argument", X)
    if isinstance(X, np.ndarray) and X.dtype == np.float64 and X.ndim == 2 and X.size and X.flags.c_contiguous:
        plain: FloatArray = np.asarray(X)
        if not finite or np.isfinite(plain).all():
            return plain
    from sklearn.utils import check_array  # noqa: PLC0415  (what reads certificates alone does without)

    return check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=finite, input_name=name)


def two_classes(owner: str, y: ArrayLike, classes: ArrayLike | None) -> Labels:
    """Return the negative and the positive label, sorted, from ``classes`` or from the labels themselves."""
    if classes is not None:
        named = exact_array(classes)
        if named.shape != (2,) or named[0] == named[1]:
            raise ValueError(
                f"The 'classes' argument of {owner} must be two different labels. Got {classes!r} instead."
            )
        return named
    found = _distinct(exact_array(y))
    if found.size != 2:
        shown = found[:5].tolist()
        raise ValueError(
            f"The 'y' argument of {owner} must have exactly two distinct labels, or 'classes' must name them. "
            f"Got {found.size}: {shown}{' ...' if found.size > 5 else ''} instead."
        )
    return found


def _distinct(labels: Labels) -> Labels:
    """Return the distinct labels, sorted; without sorting all of them where there are two."""
    if labels.size and labels.ndim == 1:
        others = labels[labels != labels[0]]
        if others.size and np.all(others == others[0]):
            return np.unique(np.array([labels[0], others[0]]))
    return np.unique(labels)


def label_signs(owner: str, y: ArrayLike, classes: ArrayLike | None, n: int) -> FloatArray:
    """Return +1 for the positive label and -1 for the negative, after checking that there are no others."""
    refuse_masked(f"The 'y' argument of {owner}", y)
    labels = exact_array(y)
    if labels.shape != (n,):
        raise ValueError(
            f"The 'y' argument of {owner} must have one label per row of X ({n}). Got shape {labels.shape} instead."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"The 'y' argument of {owner} must not contain NaN or infinity.")
    negative, positive = two_classes(owner, labels, classes)
    is_positive, is_negative = equals_exactly(labels, positive), equals_exactly(labels, negative)
    if not np.all(is_positive | is_negative):
        odd = labels[~(is_positive | is_negative)][0]
        raise ValueError(
            f"The 'y' argument of {owner} must hold only {negative!r} and {positive!r}. Got {odd!r} instead."
        )
    return np.where(is_positive, 1.0, -1.0)
