"""From rows in a given order to a posterior and its certificate: a function of data, options, order and seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from pacbayes.certificate import data_digest, digest_of_arrays
from pacbayes.estimators._cautions import repeated_rows
from pacbayes.estimators._issue import IID, NOTHING_BEFORE
from pacbayes.estimators._moving import moving
from pacbayes.estimators._parts import BOUNDS, Certified, Options, Rows
from pacbayes.estimators._rows import take
from pacbayes.estimators._standing import standing

__all__ = ["certify"]


def certify(
    X: Any,  # noqa: N803
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
    signs = np.where(y[order] == classes[1], 1.0, -1.0)
    rows = Rows(X, order, signs, n_prior, preprocessing)
    repeated = repeated_rows(X, y)
    if repeated:
        notes = (*notes, f"{repeated} of {len(y)} rows repeat an earlier one; copies made by hand are not i.i.d.")
    words = {
        "assumptions": (IID, NOTHING_BEFORE),
        "notes": notes,
        "delta": options.delta,
        "candidates": options.candidates,
        "kind": "posterior",
        "bound": name,
    }
    digests = {"data": data_digest(X, y), "order": digest_of_arrays(order=order)}
    work = moving if BOUNDS[name].uses_kl else standing
    return work(rows, classes, seed, options, words, digests)
