"""A reference learned by a small network beside the other learned references: bounds and computing times.

The paper's prior and posterior on one random 80 % of each set, as in `schedules.py`; every reference is refitted
whenever there are a fifth more rows, from 40 rows on. Needs the extra `torch`. Times are of the processor, in one run.

    python benchmarks/network_reference.py [--datasets banknote,kr-vs-kp,spambase]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from schedules import ALPHA, EARLY, bounds, stochastic

import pacbayes as pb
from pacbayes.torch import NetworkReference

PLAIN = pb.RefittedLogistic(ALPHA)
REFERENCES: dict[str, Any] = {
    "learned": pb.LearnedReference(PLAIN),
    "stochastic .01": stochastic(0.01),
    "stochastic .001": stochastic(0.001),
    "network": NetworkReference(PLAIN),
    "network, 30 warm steps": NetworkReference(PLAIN, steps=30, warm_start=True),
    "network with features": NetworkReference(PLAIN, features=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default="banknote,kr-vs-kp,spambase")
    print("| data | reference | portfolio | betting | seconds |\n|---|---|---|---|---|")
    for name in parser.parse_args().datasets.split(","):
        X, y = pb.datasets.load(name, "published", return_X_y=True)
        rows = np.random.default_rng(0).permutation(len(y))[: int(0.8 * len(y))]
        X, y = np.ascontiguousarray(X[rows]), y[rows]
        for title, model in REFERENCES.items():
            begun = time.process_time()
            reference = pb.online_reference(model, X, y, schedule=EARLY, shuffle=False)
            seconds = time.process_time() - begun
            portfolio, betting, _ = bounds(X, y, reference)
            print(f"| {name} | {title} | {portfolio:.4f} | {betting:.4f} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
