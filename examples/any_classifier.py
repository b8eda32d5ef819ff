"""Any model, any number of classes: four classifiers of handwritten digits, each with a limit on its true error.

`CertifiedClassifier` takes whatever has `fit` and `predict`. It trains on a first part of the rows, is evaluated on the
rest, and finds out on the way how many rows to learn from. Four settings are compared here, and whichever is best may
be kept: `candidates=4` divides delta among them, so that all four limits hold together.

    python examples/any_classifier.py [any-classifier.png]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import pacbayes as pb

MODELS = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "boosting, 10 rounds": HistGradientBoostingClassifier(max_iter=10, max_leaf_nodes=8, random_state=0),
    "random forest": RandomForestClassifier(100, random_state=0),
    "support vectors": SVC(gamma=0.001),
}


def draw(certificates: dict[str, pb.Certificate], file: Path) -> None:
    """Draw what was observed of each model, and what is guaranteed."""
    figure, axes = plt.subplots(figsize=(7.2, 2.9), layout="constrained")
    for row, certificate in enumerate(certificates.values()):
        first = certificate.statements[0]
        axes.plot([100 * first.risk, 100 * first.value], [row, row], color="#dfe3e8", lw=5, solid_capstyle="round")
        axes.plot(100 * first.risk, row, "o", mfc="white", color="#1d5bb5", label=None if row else "observed")
        axes.plot(100 * first.value, row, "D", color="#1d5bb5", label=None if row else "certified: at most")
        shown = f"{math.ceil(1000 * first.value) / 10:.1f} %"  # a limit is rounded up
        axes.annotate(shown, (100 * first.value, row), (9, -4), textcoords="offset points")
    axes.set_yticks(range(len(certificates)), list(certificates))
    axes.set_ylim(len(certificates) - 0.5, -0.5)
    axes.set_xlim(0, 1.12 * max(100 * each.value for each in certificates.values()))
    axes.set_xlabel("misclassified digits in percent; all four limits together at 95 % confidence")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, loc="outside upper center", ncols=2)
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    """Certify all models, draw them and say which is best."""
    X, y = load_digits(return_X_y=True)
    certified = pb.CertifiedClassifier(candidates=len(MODELS), random_state=0)
    certificates = {
        name: certified.set_params(estimator=model).fit(X, y).certificate_ for name, model in MODELS.items()
    }
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "any-classifier.png")
    draw(certificates, target)
    best = min(certificates, key=lambda name: certificates[name].value)
    print(f"{best}: {certificates[best].sentence()}")


if __name__ == "__main__":
    main()
