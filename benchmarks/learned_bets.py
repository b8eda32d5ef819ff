"""How much weight a portfolio gives to the predicted bet: certificates relative to betting at the predicted rate.

Fits with an informed prior on 80 % of the rows of six data sets, by the portfolio with other weights than it has and
with its own, and by ``betting``; ratios of means over random splits, with seeds that no other benchmark uses.

    python benchmarks/learned_bets.py [--repeats 8] [--datasets haberman,mushroom]
"""

from __future__ import annotations

import argparse
import warnings
from unittest import mock

import numpy as np
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits
from tightness import fitted, rows

import pacbayes as pb
from pacbayes.bounds import portfolio_bets

from _tables import decimal, print_table

DATASETS = ("haberman", "breast-cancer", "tictactoe", "banknote", "kr-vs-kp", "mushroom")
NAMES = ("_OF_RATES", "_OF_STRENGTHS", "_SHARE")
OWN = tuple(getattr(portfolio_bets, name) for name in NAMES)
WEIGHTS = ((0.80, 0.98, 0.99), (0.90, 0.98, 0.99), (0.95, 0.98, 0.99), (0.98, 0.98, 0.99))
FIRST_SEED = 500


def measure(name: str, seed: int) -> list[float]:
    """Return the certificates of one split: betting, then the portfolio with each of the weights."""
    X, y = rows(name)
    X, _, y, _ = train_test_split(X, y, test_size=0.2, random_state=seed)
    found = [fitted(X, y, seed, bound="betting").certificate_.value]
    for weights in WEIGHTS:
        with mock.patch.multiple(portfolio_bets, **dict(zip(NAMES, weights, strict=True))):
            found.append(fitted(X, y, seed).certificate_.value)
    return found


def title(weights: tuple[float, ...]) -> str:
    """Return the weights as the page has them, those of the library in bold."""
    words = ", ".join(decimal(each, 2) for each in weights)
    return f"**{words}**" if weights == OWN else words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    given = parser.parse_args()
    names, seeds = given.datasets.split(","), range(FIRST_SEED, FIRST_SEED + given.repeats)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.CertificateWarning)
        means = np.array([np.mean([measure(name, seed) for seed in seeds], axis=0) for name in names])
    ratios = means[:, 1:] / means[:, :1]
    last = np.exp(np.log(ratios).mean(axis=0))
    table = [
        (title(weights), *(decimal(each, 3) for each in (*column, mean)))
        for weights, column, mean in zip(WEIGHTS, ratios.T, last, strict=True)
    ]
    print_table("learned-bets", ("rates, strengths, share", *names, "geometric mean"), table)


if __name__ == "__main__":
    main()
