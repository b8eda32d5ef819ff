"""The rivals that are estimators of this library: each fits the training rows, and its own predictor is tested.

The learner is the same wherever a method allows it: logistic regression on standardised columns with scikit-learn's
default penalty, C = 1, or a random forest of 100 trees. Nothing is tuned, and what is standardised is standardised
with rows that the bound does not use.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from pacbayes._core.types import Labels
from pacbayes.estimators import (
    CertifiedClassifier,
    CertifiedForest,
    CertifiedLogisticRegression,
    OnlineCertifiedClassifier,
    PickToLearn,
    RecursiveLogisticRegression,
)
from pacbayes.learners import RefittedLogistic
from pacbayes.posteriors import Gaussian
from pacbayes.reproduction.random_split import Split

__all__ = [
    "PENALTY",
    "TREES",
    "held_out",
    "held_out_forest",
    "informed_prior",
    "kept_draw",
    "out_of_bag",
    "picked_rows",
    "recursive_posterior",
    "snapshots",
]

PENALTY, TREES = 1.0, 100  # the penalty is on the sum of log-losses, 1/C of scikit-learn


def make_logistic() -> Pipeline:
    """Return the learner, unfitted."""
    return make_pipeline(StandardScaler(), RefittedLogistic(C=1.0 / PENALTY))


def make_forest(seed: int) -> RandomForestClassifier:
    """Return the forest, unfitted."""
    return RandomForestClassifier(TREES, random_state=seed)


def error_rate(predicted: Labels, split: Split) -> float:
    """Return the share of test rows that are misclassified."""
    return float(np.mean(predicted != split.test[1]))


def expected_error(model: CertifiedLogisticRegression, split: Split) -> float:
    """Return the expected test error of a draw from the posterior for each row, in closed form."""
    rows = model.preprocessing_.transform(split.test[0])
    return float(model.posterior_.zero_one(rows, split.test[1], classes=[0, 1]).mean())


def learned_from(count: float, split: Split) -> dict[str, float]:
    """Return how many rows taught the predictor, and which share of the training rows they are."""
    return {"rows": float(count), "share": count / len(split.train[1])}


def informed_prior(split: Split, delta: float, **options: Any) -> dict[str, float]:
    """Learn the prior from 40 % of the rows, the posterior from all, and bound it on the other 60 %."""
    seed = split.seed_for("informed")
    model = CertifiedLogisticRegression(delta, alpha=PENALTY, random_state=seed, **options).fit(*split.train)
    kl = model.certificate_.statements[0].kl
    return {**_draws(model, split), **learned_from(_count_rows(model), split), "kl": kl}


def kept_draw(split: Split, delta: float) -> dict[str, float]:
    """Draw once from the same posterior, and keep the draw."""
    seed = split.seed_for("informed")
    model = CertifiedLogisticRegression(delta, alpha=PENALTY, random_state=seed, derandomize="draw").fit(*split.train)
    return {
        "value": model.certificate_.value,
        "test": error_rate(model.predict(split.test[0]), split),
        **learned_from(_count_rows(model), split),
        "risk": model.certificate_.statements[0].risk,
    }


def _count_rows(model: CertifiedLogisticRegression) -> int:
    """Return how many rows the posterior has learned from: where it is the prior, the learning rows alone."""
    return model.n_learning_ if _same(model.prior_, model.posterior_) else model.order_.size


def recursive_posterior(split: Split, delta: float, steps: int, bound: str) -> dict[str, float]:
    """Learn a posterior from each part of the rows and those before it, with the one before as its prior."""
    seed = split.seed_for("recursive")
    model = RecursiveLogisticRegression(delta, steps=steps, bound=bound, alpha=PENALTY, random_state=seed)
    model.fit(*split.train)
    moved = [k for k, (old, new) in enumerate(pairwise(model.posteriors_), start=2) if not _same(old, new)]
    share = max(moved, default=1) / steps
    return {**_draws(model, split), **learned_from(share * len(split.train[1]), split)}


def _same(one: Gaussian, other: Gaussian) -> bool:
    return np.array_equal(one.mean, other.mean) and np.array_equal(one.covariance, other.covariance)


def _draws(model: CertifiedLogisticRegression, split: Split) -> dict[str, float]:
    """Return the numbers of a posterior: of one draw for each row, and of the vote."""
    certificate = model.certificate_
    return {
        "value": certificate.value,
        "test": expected_error(model, split),
        "risk": certificate.statements[0].risk,
        "vote_value": float(certificate.vote_value or 1.0),
        "vote_test": error_rate(model.predict(split.test[0]), split),
    }


def picked_rows(split: Split, delta: float, bound: str) -> dict[str, float]:
    """Learn from a first part and from the rows that are picked, and count these and the errors left."""
    model = PickToLearn(make_logistic(), delta, bound=bound, random_state=split.seed_for("picked")).fit(*split.train)
    return {
        "value": model.certificate_.value,
        "test": error_rate(model.predict(split.test[0]), split),
        **learned_from(model.n_learning_ + len(model.picked_), split),
        "picked": float(len(model.picked_)),
    }


def out_of_bag(split: Split, delta: float, bound: str) -> dict[str, float]:
    """Learn a forest from all rows, and judge each tree on the rows that its sample leaves out."""
    model = CertifiedForest(n_estimators=TREES, delta=delta, bound=bound, random_state=split.seed_for("forest"))
    model.fit(*split.train)
    return {
        "value": model.certificate_.value,
        "test": error_rate(model.predict(split.test[0]), split),
        **learned_from(len(split.train[1]), split),
        "risk": model.oob_error_,
    }


def snapshots(split: Split, delta: float) -> dict[str, float]:
    """Predict each row, then learn it: the average error of the snapshots, one of which is picked for each row."""
    model = OnlineCertifiedClassifier(make_logistic(), delta, random_state=split.seed_for("progressive"))
    model.fit(*split.train)
    counts, models = zip(*model.snapshots_, strict=True)
    errors = [error_rate(each.predict(split.test[0]), split) for each in models]
    return {
        "value": model.certificate_.value,
        "test": float(np.average(errors, weights=model.weights_)),
        **learned_from(float(np.average(counts, weights=model.weights_)), split),
        "risk": model.certificate_.statements[0].risk,
        "vote_value": float(model.certificate_.vote_value or 1.0),
        "vote_test": error_rate(model.predict(split.test[0]), split),
    }


def held_out(split: Split, delta: float, share: float | str) -> dict[str, float]:
    """Train on a share of the rows, or up to a point found on the way, and count the errors on the rest."""
    return _judge_rest(make_logistic(), split, delta, share)


def held_out_forest(split: Split, delta: float, share: float | str) -> dict[str, float]:
    """Do the same with a forest."""
    return _judge_rest(make_forest(split.seed_for("forest")), split, delta, share)


def _judge_rest(
    learner: Pipeline | RandomForestClassifier, split: Split, delta: float, share: float | str
) -> dict[str, float]:
    seed = split.seed_for("held out")
    model = CertifiedClassifier(learner, delta, split=share, random_state=seed).fit(*split.train)
    return {
        "value": model.certificate_.value,
        "test": error_rate(model.predict(split.test[0]), split),
        **learned_from(model.n_learning_, split),
        "risk": model.certificate_.statements[0].risk,
    }
