"""A forest that learns from every row and is still certified: trees are judged on the rows that they have not seen.

Each of 40 trees learns from a sample of two fifths of the rows. Three bounds start from how often trees err, alone or
two together, and bound the error of their vote. The picture shows the errors of single trees, of the vote, and the
certified limits; the limits are far above the vote, which is what learning from all rows costs here.

    python examples/forest_of_all_rows.py [forest-of-all-rows.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import pacbayes as pb

BOUNDS = {"first_order": "#7b8794", "tandem": "#1d5bb5", "chebyshev_cantelli": "#b5541d"}


def error_rates(model: pb.CertifiedForest, X: np.ndarray, y: np.ndarray) -> list[float]:
    """Return the error of each tree on rows that no tree has learned from, in percent."""
    return [100 * float(np.mean(tree.predict(X) != y)) for tree in model.estimators_]


def draw(models: dict[str, pb.CertifiedForest], X: np.ndarray, y: np.ndarray, file: Path) -> None:
    """Draw a line for each bound: its trees as dots, the vote as a diamond, the limit as a bar."""
    figure, axes = plt.subplots(figsize=(7.2, 2.8), layout="constrained")
    for line, (name, model) in enumerate(models.items()):
        rates, share = error_rates(model, X, y), model.weights_ / model.weights_.sum()
        axes.scatter(rates, [line] * len(rates), s=900 * share + 2, color=BOUNDS[name], alpha=0.35, lw=0)
        vote = 100 * float(np.mean(model.predict(X) != y))
        axes.plot(vote, line, "D", color="black", ms=5, label="the vote" if line == 0 else None)
        limit = 100 * model.certificate_.value
        axes.plot([limit, limit], [line - 0.3, line + 0.3], color=BOUNDS[name], lw=3)
        axes.text(limit, line + 0.34, f"at most {limit:.1f} %", ha="center", fontsize=8)
    axes.set_yticks(range(len(models)), [name.replace("_", " ") for name in models])
    axes.set_xlabel("error in percent; dots are trees, as large as their weights")
    axes.set_xlim(0)
    axes.set_ylim(-0.5, len(models) - 0.2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    """Certify by each bound, draw them and say what the second one gives."""
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    learning, fresh = order[:430], order[430:]
    models = {
        name: pb.CertifiedForest(n_estimators=40, bound=name, random_state=0).fit(X[learning], y[learning])
        for name in BOUNDS
    }
    draw(models, X[fresh], y[fresh], Path(sys.argv[1] if len(sys.argv) > 1 else "forest-of-all-rows.png"))
    print(models["tandem"].certificate_.sentence())


if __name__ == "__main__":
    main()
