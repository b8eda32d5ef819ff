"""What a refit on all rows is certified for: a fifth of the rows is kept aside, without its labels, for the transfer.

The labels that were kept aside say afterwards how often a certificate was below the error on those rows. Boosting and
forest learn from 10,000 of Adult's rows, to save time. All numbers are means over the repeats.

    python benchmarks/transfer.py [--repeats 20] [--datasets adult,spambase] [--models logistic,boosting,forest]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from threadpoolctl import threadpool_limits

import pacbayes as pb

from _tables import decimal, print_table
from _timing import verdict

MODELS: dict[str, Any] = {
    "logistic": None,  # the default
    "boosting": HistGradientBoostingClassifier(random_state=0),
    "forest": RandomForestClassifier(100, random_state=0),
}
MOST_ROWS = 12_500  # of which 10,000 are learned from
ASIDE = 0.2
DELTA = 0.05


class Repeat(NamedTuple):
    """What one repeat gave: shares of rows, the two certificates, and errors on the rows kept aside."""

    learned: float
    certificate: float
    certified_error: float
    disagreement: float
    transfer: float
    refit_error: float


def repeat(X: np.ndarray, y: np.ndarray, model: str, seed: int) -> Repeat:
    """Fit on four fifths of the rows, transfer by the others, and look at their labels last."""
    order = np.random.default_rng(seed).permutation(len(y))[: len(y) if model == "logistic" else MOST_ROWS]
    aside, rest = np.split(order, [round(ASIDE * order.size)])
    fitted = pb.CertifiedClassifier(MODELS[model], DELTA, refit=True, random_state=seed).fit(X[rest], y[rest])
    issued = fitted.transfer(X[aside])
    first = issued.statements[0]
    return Repeat(
        fitted.n_learning_ / rest.size,
        fitted.certificate_.value,
        float(np.mean(fitted.predict(X[aside]) != y[aside])),
        first.observed["disagreements"] / first.n,
        issued.value,
        float(np.mean(fitted.refitted_.predict(X[aside]) != y[aside])),
    )


def show(name: str, model: str, repeats: int) -> tuple[float, tuple[str, ...]]:
    """Print the means of a data set and a model; return how often the transfer was too small, and a row."""
    X, y = pb.datasets.load(name, encoding="sound", return_X_y=True)
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    found = np.array([repeat(X, y, model, seed) for seed in range(repeats)])
    failed = found[:, 2] > found[:, 1], found[:, 5] > found[:, 4]
    numbers = "".join(f"{value:13.4f}" for value in found.mean(axis=0))
    counts = "".join(f"{f'{int(each.sum())} of {repeats}':>16s}" for each in failed)
    print(f"{name:10s}{model:10s}{numbers}{counts}", flush=True)
    means = found.mean(axis=0)
    cells = (decimal(means[0], 2), *map(decimal, means[1:]), *(str(int(each.sum())) for each in failed))
    return float(failed[1].mean()), (name, model, *cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--datasets", default="adult,spambase")
    parser.add_argument("--models", default=",".join(MODELS))
    options = parser.parse_args()
    columns = ("learned", "certificate", "its error", "disagree", "transfer", "refit's error")
    print(f"{'':20s}{''.join(f'{each:>13s}' for each in columns)}{'certificate low':>16s}{'transfer low':>16s}")
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = [
            show(name, model, options.repeats)
            for name in options.datasets.split(",")
            for model in options.models.split(",")
        ]
    low = [each for each, _ in shown]
    heads = ("data", "model", *columns, "below", "transfer below")
    print_table("transfer", heads, [row for _, row in shown])
    print(f"transfer below the refit's error in {max(low):.3f} of repeats, at most .06: {verdict(max(low) <= 0.06)}")


if __name__ == "__main__":
    main()
