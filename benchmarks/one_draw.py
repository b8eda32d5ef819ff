"""What one draw that is kept costs, against a draw for each row and against the vote.

Logistic regression on the paper's eight data sets, fitted on 80 % of the rows, means over random splits. For each prior
the certificate of draws per row (twice that is the vote's), of the draw that is kept, and how much its log ratio varied
around the divergence; then the errors of draw and vote on the other 20 %.

    python benchmarks/one_draw.py [--repeats 10] [--datasets haberman,adult]
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

import pacbayes as pb
from pacbayes.certificate.arithmetic import evaluate_statement

from _tables import decimal, print_table

DATASETS = ("haberman", "breast-cancer", "tictactoe", "banknote", "kr-vs-kp", "spambase", "mushroom", "adult")
PRIORS = ("informed", "zero")
HEADS = (
    "data",
    "prior",
    "per row",
    "vote",
    "**kept**",
    "divergence",
    "log ratio",
    "test error: vote",
    "kept",
)


def measure(X: Any, y: Any, prior: str, seed: int) -> tuple[float, ...]:
    """Return the columns of one split; draws per row are those of the same posterior."""
    train, test, labels, truth = train_test_split(X, y, test_size=0.2, random_state=seed, stratify=y)
    model = pb.CertifiedLogisticRegression(prior=prior, derandomize="draw", random_state=seed).fit(train, labels)
    judged, own = model.order_[model.n_learning_ :], model.certificate_.statements[0]
    rows = model.preprocessing_.transform(train[judged])
    losses = model.posterior_.zero_one(rows, labels[judged], classes=model.classes_)
    observed = {"errors": losses.sum(), "reference_errors": own.observed["reference_errors"]}
    observed["both"] = [float(model.reference_.losses @ losses)]
    kl = float(model.posterior_.kl(model.prior_))
    per_row = evaluate_statement(replace(own, about="draw", bound="portfolio", observed=observed, kl=kl), 0.05)
    mean = model.posterior_.mean
    vote = model.classes_[(model.preprocessing_.transform(test) @ mean[:-1] + mean[-1] > 0.0).astype(int)]
    errors = (np.mean(answers != truth) for answers in (vote, model.predict(test)))
    return tuple(map(float, (per_row, 2.0 * per_row, own.value, kl, own.observed["log_ratio"], *errors)))


def main() -> None:
    """Print one line for each data set and prior."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    given = parser.parse_args()
    warnings.simplefilter("ignore", pb.CertificateWarning)
    table = []
    with threadpool_limits(1):
        for name in given.datasets.split(","):
            X, y = pb.datasets.load(name, encoding="sound", return_X_y=True)
            for prior in PRIORS:
                rows = [measure(X, y, prior, seed) for seed in range(given.repeats)]
                mean, spread = np.mean(rows, axis=0), np.std(rows, axis=0)
                cells = [*map(decimal, mean[:3]), f"{mean[3]:.2f}", f"{mean[4]:.2f} ({spread[4]:.2f})"]
                table.append((name, prior, *cells, *map(decimal, mean[5:])))
                print(*table[-1], flush=True)
    print_table("one-draw", HEADS, table)


if __name__ == "__main__":
    main()
