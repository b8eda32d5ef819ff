"""Certified forests of 100 trees by three bounds on their votes: certificates and test errors on eight data sets.

One random split of each data set in 80 % to learn from and 20 % to test.

    python benchmarks/votes.py [--datasets haberman,adult]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits
from tightness import rows

import pacbayes as pb
from pacbayes.reproduction.table_words import TITLES

from _tables import decimal, print_table

BOUNDS = {"tandem": "tandem", "first order": "first_order", "Chebyshev-Cantelli": "chebyshev_cantelli"}


def measure(name: str) -> list[str]:
    """Return the certificate and the test error of each bound."""
    X, y = rows(name)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    found = []
    for bound in BOUNDS.values():
        model = pb.CertifiedForest(bound=bound, random_state=0).fit(X, y)
        found += [model.certificate_.value, float(np.mean(model.predict(X_test) != y_test))]
    return [decimal(each, 3) for each in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(TITLES))
    given = parser.parse_args()
    table = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.CertificateWarning)
        for name in given.datasets.split(","):
            table.append((TITLES[name], *measure(name)))
            print(*table[-1], flush=True)
    heads = [head for title in BOUNDS for head in (title, "its test error")]
    print_table("forest", ("data", *heads), table)


if __name__ == "__main__":
    main()
