"""From rows in a given order to a posterior and its certificate: a function of data, options, order and seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from pacbayes._core.rows import take
from pacbayes.certificate import data_digest, digest_of_arrays
from pacbayes.estimators._cautions import repetition_note
from pacbayes.estimators._issue import IID, NOTHING_BEFORE
from pacbayes.estimators._moving import moving
from pacbayes.estimators._parts import BOUNDS, Certified, Options, Rows
from pacbayes.estimators._standing import standing

__all__ = ["certify"]


def certify(
    X: Any,
    y: Any,
    classes: Any,
    order: Any,
    seed: int,
    options: Options,
    notes: tuple[str, ...],
) -> Certified:
    """Learn on the prior's part, choose the posterior, bound it on the rest, and issue the certificate."""
    name = options.bound_name()
    n_prior = min(max(round(options.prior_fraction * len(y)), 1), len(y) - 1)
    first = order[:n_prior]
    preprocessing = options.preprocessing.fit(take(X, first), y[first])
    _check_row_by_row(preprocessing, take(X, first[:3]))
    signs = np.where(y[order] == classes[1], 1.0, -1.0)
    rows = Rows(X, order, signs, n_prior, preprocessing)
    words = {
        "assumptions": (IID, NOTHING_BEFORE),
        "notes": (*notes, *repetition_note(X, y)),
        "delta": options.delta,
        "candidates": options.candidates,
        "kind": "posterior",
        "bound": name,
    }
    digests = {"data": data_digest(X, y), "order": digest_of_arrays(order=order)}
    work = moving if BOUNDS[name].uses_kl else standing
    return work(rows, classes, seed, options, words, digests)


def _check_row_by_row(preprocessing: Any, rows: Any) -> None:
    """Refuse preprocessing under which a row's columns depend on the rows it comes with."""
    together = _dense(preprocessing.transform(rows))
    alone = np.vstack([_dense(preprocessing.transform(take(rows, slice(k, k + 1)))) for k in range(rows.shape[0])])
    if together.shape != alone.shape or not np.allclose(together, alone, equal_nan=True):
        raise ValueError(
            "The 'preprocessing' parameter of CertifiedLogisticRegression must transform each row by itself. "
            f"Got {preprocessing!r}, whose result for a row depends on the rows it comes with."
        )


def _dense(values: Any) -> Any:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
