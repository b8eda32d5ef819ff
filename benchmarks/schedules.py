"""What each schedule does to the bound: the paper's prior and posterior on its eight data sets, several references.

One random 80 % of each set, published encoding, delta = 0.05, the scale of the posterior chosen by the bound itself.
`portfolio` and `betting` are sound; `betting` subtracts the whole reference. `excess_kl` with an online reference rests
on the published theorem (erratum E7), and half of delta is for the reference. One table per bound, as in
`docs/online.md`.

    python benchmarks/schedules.py [--datasets haberman,adult]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import pacbayes as pb

from _tables import decimal, print_table

DELTA, ALPHA = 0.05, 0.01
EARLY = pb.Geometric(1.2, first=40)


def stochastic(variance: float) -> pb.StochasticReference:
    return pb.StochasticReference(pb.RefittedLogistic(ALPHA), variance)


REFERENCES: dict[str, Any] = {
    "none": None,
    "Every(150)": (pb.RefittedLogistic(ALPHA), pb.Every(150)),
    "Every(30)": (pb.RefittedLogistic(ALPHA), pb.Every(30)),
    "Geometric(1.1)": (pb.RefittedLogistic(ALPHA), pb.Geometric(1.1)),
    "each row": (pb.RecursiveLogistic(), pb.Every(1)),
    "stochastic": (stochastic(0.05), pb.Every(150)),
    "learned": (pb.LearnedReference(pb.RefittedLogistic(ALPHA)), pb.Every(150)),
    ".01, early": (stochastic(0.01), EARLY),
    ".001, early": (stochastic(0.001), EARLY),
}
COLUMNS = ("reference-loss", "reference-portfolio", "reference-betting", "reference-excess")  # names of the tables


def bounds(X: np.ndarray, y: np.ndarray, reference: pb.OnlineReference) -> tuple[float, float, float]:
    """Return the best bounds over posterior scales: the portfolio, betting, and excess_kl with progressive_chernoff."""
    n = len(y)
    model = pb.RefittedLogistic(ALPHA).fit(X, y)
    posterior = pb.Gaussian(model.weights_, 1.0, intercept=True)
    prior = pb.Gaussian(np.zeros(model.weights_.size), 0.5, intercept=True)
    scales = np.sqrt(0.5 ** np.arange(1, int(np.ceil(np.log2(n))) + 1))
    whole, half = (
        dict(zip(("rates", "weights"), pb.bounds.betting_rates(n, d), strict=True)) for d in (DELTA, DELTA / 2)
    )
    losses, divergences = posterior.zero_one(X, y, scales=scales), posterior.kl(prior, scales=scales)
    options = {"excess": "excess_kl", "reference": "progressive_chernoff", "assume": "published"}
    found = []
    for expected, kl in zip(losses, divergences, strict=True):
        portfolio = reference.summary(expected, **whole).bound("portfolio", kl=kl, delta=DELTA)
        summary = reference.summary(expected, **half)
        betting = pb.bounds.debiased(summary, kl, DELTA)
        found.append((portfolio, betting, pb.bounds.debiased(summary, kl, DELTA, **options)))
    return tuple(np.min(found, axis=0).tolist())


def measure(name: str) -> np.ndarray:
    """Return a row of numbers per reference: its mean loss, and each bound."""
    X, y = pb.datasets.load(name, "published", return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[: int(0.8 * len(y))]
    X, y = np.ascontiguousarray(X[rows]), y[rows]
    found = []
    for recipe in REFERENCES.values():
        if recipe is None:
            reference = pb.zero_reference(len(y))
        else:
            reference = pb.online_reference(recipe[0], X, y, schedule=recipe[1], shuffle=False)
        found.append((reference.losses.mean(), *bounds(X, y, reference)))
    return np.array(found)


def show(table: str, values: dict[str, np.ndarray], *, marked: bool) -> None:
    """Print a table; the smallest number of a row is bold."""
    rows = []
    for name, row in values.items():
        cells = [decimal(value) for value in row]
        rows.append((name, *(f"**{each}**" if marked and each == min(cells) else each for each in cells)))
    print_table(table, ("data", *REFERENCES), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(pb.datasets.names()))
    found = {name: measure(name) for name in parser.parse_args().datasets.split(",")}
    for column, table in enumerate(COLUMNS):
        show(table, {name: numbers[:, column] for name, numbers in found.items()}, marked=column > 0)


if __name__ == "__main__":
    main()
