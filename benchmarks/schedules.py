"""What each schedule does to the bound: the paper's prior and posterior on its eight data sets, several references.

One random 80 % of each set, published encoding, delta = 0.05 (half for the reference), the scale of the posterior
chosen by the bound itself. `excess_kl` with an online reference rests on the published theorem (erratum E7);
`betting` is sound.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import pacbayes as pb

DELTA, ALPHA = 0.05, 0.01
REFERENCES: dict[str, Any] = {
    "none": None,
    "Every(150)": (pb.RefittedLogistic(ALPHA), pb.Every(150)),
    "Every(30)": (pb.RefittedLogistic(ALPHA), pb.Every(30)),
    "Geometric(1.1)": (pb.RefittedLogistic(ALPHA), pb.Geometric(1.1)),
    "every example": (pb.RecursiveLogistic(), pb.Every(1)),
    "stochastic": (pb.StochasticReference(pb.RefittedLogistic(ALPHA), 0.05), pb.Every(150)),
    "learned": (pb.LearnedReference(pb.RefittedLogistic(ALPHA)), pb.Every(150)),
}


def bounds(X: np.ndarray, y: np.ndarray, reference: pb.OnlineReference) -> tuple[float, float]:
    """Return the best de-biased bound over posterior scales: betting, and excess_kl with progressive_chernoff."""
    n = len(y)
    model = pb.RefittedLogistic(ALPHA).fit(X, y)
    posterior = pb.Gaussian(model.weights_, 1.0, intercept=True)
    prior = pb.Gaussian(np.zeros(model.weights_.size), 0.5, intercept=True)
    scales = np.sqrt(0.5 ** np.arange(1, int(np.ceil(np.log2(n))) + 1))
    rates, weights = pb.bounds.betting_rates(n, DELTA / 2.0)
    betting, excess = [], []
    losses, divergences = posterior.zero_one(X, y, scales=scales), posterior.kl(prior, scales=scales)
    for expected, kl in zip(losses, divergences, strict=True):
        summary = reference.summary(expected, rates=rates, weights=weights)
        betting.append(pb.bounds.debiased(summary, kl, DELTA))
        options = {"excess": "excess_kl", "reference": "progressive_chernoff", "assume": "published"}
        excess.append(pb.bounds.debiased(summary, kl, DELTA, **options))
    return min(betting), min(excess)


def main() -> None:
    print("| data | reference | its mean loss | betting | excess_kl (published) |\n|---|---|---|---|---|")
    for name in pb.datasets.names():
        X, y = pb.datasets.load(name, "published", return_X_y=True)
        rows = np.random.default_rng(0).permutation(len(y))[: int(0.8 * len(y))]
        X, y = np.ascontiguousarray(X[rows]), y[rows]
        for label, recipe in REFERENCES.items():
            if recipe is None:
                reference = pb.zero_reference(len(y))
            else:
                reference = pb.online_reference(recipe[0], X, y, schedule=recipe[1], shuffle=False)
            betting, excess = bounds(X, y, reference)
            print(f"| {name} | {label} | {reference.losses.mean():.4f} | {betting:.4f} | {excess:.4f} |", flush=True)


if __name__ == "__main__":
    main()
