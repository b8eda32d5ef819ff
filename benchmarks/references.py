"""Portfolios beside betting and Maurer's bound, with a prior at zero and with an informed one, for each reference.

All rows of the paper's eight data sets, means over seeds (one of Adult), the smallest number of a row in bold; below
them the ratios to betting and to Maurer's bound, as geometric means over the data sets.

    python benchmarks/references.py [--seeds 3] [--datasets haberman,adult]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from tightness import TARGETS, fitted, rows

import pacbayes as pb

from _tables import decimal, print_table

BETTING, PORTFOLIO = {"bound": "betting"}, {"bound": "portfolio"}
PORTFOLIOS = {
    "portfolio: none": PORTFOLIO | {"reference": "none"},
    "fixed": PORTFOLIO | {"reference": "fixed"},
    "online": PORTFOLIO | {"reference": "online"},
    "learned": PORTFOLIO | {"reference": "learned"},
}
BOTH = PORTFOLIO | {"reference": ("fixed", "learned")}
TABLES: dict[str, tuple[dict[str, Any], dict[str, dict[str, Any]]]] = {  # what all columns share, and the columns
    "portfolio-zero": (
        {"prior": "zero"},
        {
            "betting": BETTING,
            "betting, online": BETTING | {"reference": "online"},
            "Maurer": {"bound": "maurer"},
            **PORTFOLIOS,
            "both": BOTH,
        },
    ),
    "portfolio-informed": (
        {},
        {"betting at one rate": BETTING, "Maurer": {"bound": "maurer"}, **PORTFOLIOS, "fixed and learned": BOTH},
    ),
}


def measure(name: str, seeds: int, shared: dict[str, Any], columns: dict[str, dict[str, Any]]) -> np.ndarray:
    """Return the mean certificate of each column."""
    X, y = rows(name)
    found = [[fitted(X, y, seed, **shared, **each).certificate_.value for each in columns.values()] for seed in seeds]
    return np.mean(found, axis=0)


def show(table: str, names: list[str], seeds: int) -> None:
    """Print a table, with the ratios of each column to betting and to Maurer's bound below it."""
    shared, columns = TABLES[table]
    found = {name: measure(name, range(1 if name == "adult" else seeds), shared, columns) for name in names}
    lines = []
    for name, values in found.items():
        cells = [decimal(each) for each in values]
        lines.append((name, *(f"**{each}**" if each == min(cells) else each for each in cells)))
    logs = np.log(list(found.values()))
    for label, place in (("betting", 0), ("Maurer", list(columns).index("Maurer"))):
        ratios = np.exp((logs - logs[:, [place]]).mean(axis=0))
        lines.append((f"ratio to {label}", *(decimal(each, 3) for each in ratios)))
    print_table(table, ("data", *columns), lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--datasets", default=",".join(TARGETS))
    given = parser.parse_args()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.CertificateWarning)
        for table in TABLES:
            show(table, given.datasets.split(","), given.seeds)


if __name__ == "__main__":
    main()
