"""Comparing models: which is better on new cases, by how much at least, and when that was known.

Three classifiers of handwritten digits are compared with a fourth on rows that none of them has seen. All limits hold
together. One of them is then looked at after every batch of rows, with limits that hold for all numbers of rows.

    python examples/compare_models.py [compare-models.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import shuffle

import pacbayes as pb

LEARN, STEP = 600, 50
MODELS = {
    "forest": RandomForestClassifier(100, random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
    "naive Bayes": GaussianNB(),
    "logistic": LogisticRegression(max_iter=5000),
}
BASE, WATCHED = "logistic", "naive Bayes"


def main() -> None:
    """Compare, draw, and say who is better."""
    X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
    fitted = {name: model.fit(X[:LEARN], y[:LEARN]) for name, model in MODELS.items()}
    others = {name: model for name, model in fitted.items() if name != BASE}
    certificate = pb.compare(others, {BASE: fitted[BASE]}, X[LEARN:], y[LEARN:])
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.4), layout="constrained")
    certificate.plot(ax=left)

    labels, rows = y[LEARN:], X[LEARN:]
    watched, base = fitted[WATCHED].predict(rows), fitted[BASE].predict(rows)
    sizes = np.arange(STEP, labels.size + 1, STEP)
    looks = [pb.compare_predictions(labels[:n], watched[:n], base[:n], anytime=True).statements[0] for n in sizes]
    low, high = ([100 * value for value in values] for values in zip(*[(s.lower, s.value) for s in looks], strict=True))
    right.fill_between(sizes, low, high, color="#1d5bb5", alpha=0.25, label="certified, at all numbers of rows")
    right.plot(sizes, [100 * each.risk for each in looks], color="#1d5bb5", label="observed so far")
    right.axhline(0.0, color="#16202e", lw=1)
    known = next((int(n) for n, each in zip(sizes, looks, strict=True) if each.lower > 0), None)
    if known is not None:
        right.axvline(known, color="#d1495b", ls="--", lw=1, label=f"known to be worse after {known} rows")
    right.set(
        xlabel="rows so far", ylabel="difference of the errors, points", title=f"{WATCHED} minus {BASE}", ylim=(-15, 40)
    )
    right.legend(frameon=False, fontsize="small")
    right.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else "compare-models.png"), dpi=100)
    words = [
        f"{each.compared[0]} is {'better' if each.value < 0 else 'worse' if each.lower > 0 else 'not told apart'}"
        for each in certificate.statements
    ]
    print(f"against {BASE}: {', '.join(words)}; {WATCHED} was known to be worse after {known} rows")


if __name__ == "__main__":
    main()
