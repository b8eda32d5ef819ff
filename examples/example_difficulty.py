"""Which examples are hard? An online reference says: the loss of a model that learned from other, earlier examples.

`online_reference` shows an estimator nothing but the past, so that no example is judged by a model that has seen it.
Averaged over a few random orders that is a measure of difficulty, the "example difficulty" by which the paper tightens
its bounds. The hardest digits are those that people would argue about, too.

    python examples/example_difficulty.py [example-difficulty.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import pacbayes as pb

ORDERS = 6


def difficulty(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the mean loss of each example over random orders; those before the first refit do not count."""
    total, count = np.zeros(len(y)), np.zeros(len(y))
    model = make_pipeline(StandardScaler(), SVC())
    for seed in range(ORDERS):
        reference = pb.online_reference(model, X, y, schedule=pb.Geometric(1.5, first=200), random_state=seed)
        judged = reference.order[reference.points[0] :]
        total[judged] += reference.losses[reference.points[0] :]
        count[judged] += 1
    return total / np.maximum(count, 1)


def distance(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how far each digit lies from the mean of its class, to order those of equal difficulty."""
    means = np.stack([X[y == each].mean(axis=0) for each in range(10)])
    return np.linalg.norm(X - means[y], axis=1)


def main() -> None:
    """Draw the hardest and the easiest example of each digit."""
    digits = load_digits()
    hard = difficulty(digits.data, digits.target)
    order = np.lexsort((distance(digits.data, digits.target), hard))
    each = [order[digits.target[order] == digit] for digit in range(10)]
    rows = {"hardest": [some[-1] for some in each], "easiest": [some[0] for some in each]}
    figure, axes = plt.subplots(2, 10, figsize=(9.6, 2.8), layout="constrained")
    for (name, chosen), line in zip(rows.items(), axes, strict=True):
        for row, cell in zip(chosen, line, strict=True):
            cell.imshow(digits.images[row], cmap="gray_r", interpolation="nearest")
            cell.set_title(f"labelled {digits.target[row]}", fontsize=9)
            cell.set_xlabel(f"{100 * hard[row]:.0f} % wrong", fontsize=8)
            cell.set(xticks=[], yticks=[])
        line[0].set_ylabel(name, fontsize=11)
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "example-difficulty.png")
    figure.savefig(target, dpi=110)
    print(f"{np.mean(hard == 0):.1%} of the digits were never misclassified, {np.sum(hard > 0.5)} in most orders")


if __name__ == "__main__":
    main()
