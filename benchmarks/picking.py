"""Pick-to-learn and compression beside half of all rows as judged rows: certificates, and test errors of each of them.

Logistic regression with a fixed penalty, one split of each data set in 80 % to certify and 20 % to test, of which Adult
has 24,000 rows to certify.

    python benchmarks/picking.py [--datasets tictactoe,adult]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from tightness import rows

import pacbayes as pb

from _tables import decimal, print_table

ALPHA, MOST = 0.001, 24_000
TITLES = {"tictactoe": "Tictactoe", "spambase": "Spambase", "mushroom": "Mushroom", "adult": "Adult"}


def learner() -> Any:
    return make_pipeline(StandardScaler(), pb.RefittedLogistic(ALPHA))


def models() -> list[Any]:
    """Return half of all rows as judged rows, and both ways to pick."""
    picked = [pb.PickToLearn(learner(), bound=bound, random_state=0) for bound in ("pick_to_learn", "compression")]
    return [pb.CertifiedClassifier(learner(), split=0.5, random_state=0), *picked]


def measure(name: str) -> list[str]:
    """Return certificates, and test errors in brackets."""
    X, y = rows(name)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    found = []
    for model in models():
        model.fit(X[:MOST], y[:MOST])
        error = float(np.mean(model.predict(X_test) != y_test))
        found.append(f"{decimal(model.certificate_.value)} ({decimal(error)})")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(TITLES))
    given = parser.parse_args()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = [(TITLES[name], *measure(name)) for name in given.datasets.split(",")]
    print_table("picking", ("data", "half of all rows as judged rows", "`pick_to_learn`", "`compression`"), table)


if __name__ == "__main__":
    main()
