"""A guarantee for a linear model, from embedded data: half the rows make the prior, the other half the bound.

Everything that is learned before the bound (scaling, prior mean, prior shape) is learned on the first half. The
posterior may then be chosen freely on all rows, as the bound holds for all posteriors at once; here its mean moves
from the prior's towards the fit on everything, as far as the bound likes best.
"""

from __future__ import annotations

import math

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import pacbayes as pb

DELTA, ALPHA, SCALE = 0.05, 1.0, 0.5  # all fixed before the data


def fitted(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weights of a regularised logistic regression, its intercept last."""
    model = LogisticRegression(C=1.0 / ALPHA, max_iter=2000).fit(X, y)
    return np.append(model.coef_[0], model.intercept_)


def shown(value: float) -> str:
    """Return a bound to four digits, rounded up as a bound must be."""
    return f"{math.ceil(1e4 * value) / 1e4:.4f}"


def main() -> None:
    """Print the guarantee beside what a hold-out test set would have given."""
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    first, second = order[: len(y) // 2], order[len(y) // 2 :]
    X = StandardScaler().fit(X[first]).transform(X)

    centre = fitted(X[first], y[first])
    shape = pb.laplace_covariance(X[first], y[first], centre, ALPHA, intercept=True)
    prior = pb.Gaussian(centre, shape, intercept=True).scaled(SCALE)

    path = {"towards": fitted(X, y), "steps": np.linspace(0.0, 1.0, 11)}
    risks = prior.zero_one(X[second], y[second], **path).mean(axis=-1)
    values = pb.bounds.maurer(risk=risks, kl=prior.kl(prior, **path), n=len(second), delta=DELTA)
    best = int(values.argmin())

    wrong = int(np.sum((X[second] @ centre[:-1] + centre[-1] > 0) != y[second]))
    holdout = pb.bounds.clopper_pearson(errors=wrong, n=len(second), delta=DELTA)
    print(f"Wisconsin breast cancer, {len(y)} rows: the prior from {len(first)}, the bound on {len(second)}")
    print(f"  step {path['steps'][best]:.1f} towards the fit on all rows, expected training error {risks[best]:.4f}")
    print(f"  with probability at least 95 %, the randomised model's true error is at most {shown(values[best])}")
    print(f"  (a model of the first half alone, tested on the second: at most {shown(holdout)})\n")


if __name__ == "__main__":
    main()
