"""Which references the portfolio of the paper's table should have: its ratio to the smaller of Maurer and Ours.

The paper's posterior, prior and split, with exact constants in both, on splits that are none of the 20 repeats of the
table; ratios of means over the splits (two of Adult), and their geometric mean over the data sets.

    python benchmarks/paper_references.py [--repeats 3] [--datasets haberman,adult]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from schedules import EARLY, stochastic
from threadpoolctl import threadpool_limits

import pacbayes as pb
from pacbayes.reproduction.paper import ALPHA, REFERENCE_TOL
from pacbayes.reproduction.paper_portfolio import exact_bounds, portfolio_bound
from pacbayes.reproduction.random_split import Split

from _tables import decimal, print_table

DELTA, FIRST = 0.05, 1000  # the first repeat
PAPER, LEARNED = pb.RefittedLogistic(ALPHA, tol=REFERENCE_TOL), pb.LearnedReference(pb.RefittedLogistic(ALPHA))
REFERENCES: dict[str, Any] = {  # learner and schedule
    "paper": (PAPER, pb.Every(150)),
    "paper, early": (PAPER, EARLY),
    "each row": (pb.RecursiveLogistic(), pb.Every(1)),
    "learned": (LEARNED, pb.Every(150)),
    "learned, early": (LEARNED, EARLY),
    ".05": (stochastic(0.05), pb.Every(150)),
    ".01": (stochastic(0.01), EARLY),
    ".003": (stochastic(0.003), EARLY),
    ".001": (stochastic(0.001), EARLY),
}
ROWS = {  # of the page, and the references of each
    "none": (),
    "the paper's": ("paper",),
    "the paper's, from 40 rows on": ("paper, early",),
    "every example": ("each row",),
    "learned, every 150 rows": ("learned",),
    "learned, from 40 rows on": ("learned, early",),
    "the paper's and learned, both every 150 rows": ("paper", "learned"),
    "noise of variance .05, every 150 rows": (".05",),
    "noise of variance .01": (".01",),
    "noise of variance .003": (".003",),
    "noise of variance .001": (".001",),
    "**noise of variances .01 and .001**": (".01", ".001"),
    "those two and learned": (".01", ".001", "learned, early"),
}
TITLES = {"haberman": "Haberman", "breast-cancer": "Breast-C", "tictactoe": "Tictactoe", "banknote": "Banknote"}
TITLES |= {"kr-vs-kp": "kr-vs-kp", "spambase": "Spambase", "mushroom": "Mushroom", "adult": "Adult"}


def measure(name: str, repeat: int) -> list[float]:
    """Return Maurer, Ours, and the portfolio with each choice of references, on one split."""
    split = Split(name, repeat)
    (X, y), _ = split.parts("published")
    fit = split.paper
    found = {
        label: pb.online_reference(learner, X, y, schedule=schedule, shuffle=False)
        for label, (learner, schedule) in REFERENCES.items()
    }
    chosen = ([found[label] for label in labels] or [pb.zero_reference(len(y))] for labels in ROWS.values())
    return [*exact_bounds(fit, DELTA).values(), *(portfolio_bound(fit, each, DELTA)[0] for each in chosen)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--datasets", default=",".join(TITLES))
    given = parser.parse_args()
    ratios, names = [], given.datasets.split(",")
    with threadpool_limits(1):
        for name in names:
            repeats = min(given.repeats, 2) if name == "adult" else given.repeats
            means = np.mean([measure(name, FIRST + repeat) for repeat in range(repeats)], axis=0)
            ratios.append(means[2:] / means[:2].min())
            print(name, *(decimal(each, 3) for each in ratios[-1]), flush=True)
    last = np.exp(np.log(ratios).mean(axis=0))
    table = [
        (label, *(decimal(each, 3) for each in (*column, mean)))
        for label, column, mean in zip(ROWS, np.transpose(ratios), last, strict=True)
    ]
    print_table("choice", ("references", *(TITLES[name] for name in names), "geometric mean"), table)


if __name__ == "__main__":
    main()
