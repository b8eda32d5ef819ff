"""What a certificate has to beat: a hold-out set, and betting on every example before it is learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pacbayes.bounds import clopper_pearson
from pacbayes.learners import RefittedLogistic
from pacbayes.reproduction.paper import ALPHA, PERIOD, paper_reference
from pacbayes.reproduction.random_split import Scaler, Split

__all__ = ["holdout", "progressive"]

_HELD_OUT = 0.2


def holdout(split: Split, delta: float) -> dict[str, float]:
    """Train on 80 % of the training rows and count the errors on the rest; about that smaller model alone."""
    X, y = split.train
    cut = len(y) - int(np.ceil(_HELD_OUT * len(y)))
    scaler = Scaler(X[:cut])
    model = RefittedLogistic(ALPHA).fit(scaler(X[:cut]), y[:cut])
    errors = int(np.sum(model.predict(scaler(X[cut:])) != y[cut:]))
    return {
        "value": float(clopper_pearson(errors, len(y) - cut, delta)),
        "test": float(np.mean(model.predict(scaler(split.test[0])) != split.test[1])),
        "risk": errors / (len(y) - cut),
    }


def progressive(split: Split, delta: float) -> dict[str, float]:
    """Bound the average true error of the online snapshots, each over the stretch it predicted.

    The first stretch, on which nothing is predicted, scales the features and is left out of the average. "test" is the
    same average on the test rows.
    """
    X, y = split.train
    scaler = Scaler(X[:PERIOD])
    reference = paper_reference(scaler(X), y, keep=len(y))
    predicted = replace(reference, losses=reference.losses[PERIOD:])
    lengths = [stop - start for start, stop in reference.boundaries[1:]]
    rows = scaler(split.test[0])
    errors = [np.mean(model.predict(rows) != split.test[1]) for _, model in reference.snapshots]
    return {
        "value": float(predicted.bound(delta)[-1]),
        "test": float(np.average(errors, weights=lengths)),
        "risk": float(predicted.losses.mean()),
    }
