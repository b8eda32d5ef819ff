"""Recursive PAC-Bayes by split-kl and by bets, in two, four and eight steps, beside one step from an informed prior.

Fits on 80 % of the rows of the paper's eight data sets, mean certificates over random splits (two of Adult).

    python benchmarks/recursive.py [--repeats 5] [--datasets haberman,adult]
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product

import numpy as np
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits
from tightness import TARGETS, rows

import pacbayes as pb

from _tables import decimal, print_table

STEPS = (2, 4, 8)
BOUNDS = {"split-kl": "split_kl", "bets": "portfolio"}


def measure(name: str, repeat: int) -> list[float]:
    """Return the certificates of one split."""
    X, y = rows(name)
    X, _, y, _ = train_test_split(X, y, test_size=0.2, random_state=repeat)
    found = [pb.CertifiedLogisticRegression(random_state=repeat).fit(X, y)]
    for steps, bound in product(STEPS, BOUNDS.values()):
        found += [pb.RecursiveLogisticRegression(steps=steps, bound=bound, random_state=repeat).fit(X, y)]
    return [each.certificate_.value for each in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--datasets", default=",".join(TARGETS))
    given = parser.parse_args()
    table = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.CertificateWarning)
        for name in given.datasets.split(","):
            repeats = min(given.repeats, 2) if name == "adult" else given.repeats
            means = np.mean([measure(name, repeat) for repeat in range(repeats)], axis=0)
            table.append((name, *map(decimal, means)))
            print(*table[-1], flush=True)
    first, *others = (f"{bound}, {steps}" for steps, bound in product(STEPS, BOUNDS))
    print_table("recursive", ("data", "informed", first.replace(", ", ", T = "), *others), table)


if __name__ == "__main__":
    main()
