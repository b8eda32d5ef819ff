"""A model that says when it does not know: handwritten digits, answered such that at most 1 % of answers are wrong.

`SelectiveClassifier` fixes a sequence of thresholds on its confidence with the learning rows, and tests them one after
another on the judged rows: each by the exact binomial tail, and only if the one before it passed. The last that passed
is used. No union over the thresholds is needed, whatever the true curve looks like.

    python examples/abstention.py [abstention.png]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.svm import SVC

import pacbayes as pb

COLOURS = {0.01: "#1d5bb5", 0.02: "#7b8794"}


def draw(certificates: dict[float, pb.Certificate], file: Path) -> None:
    """Draw errors over answered rows at all thresholds that were tested, and those that are certified."""
    figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    for target, certificate in certificates.items():
        first, coverage = certificate.statements
        rows, errors, passed = (first.observed[name] for name in ("rows_along", "errors_along", "passed"))
        shares = [100 * each / rows[-1] for each in rows]
        observed = [100 * wrong / each for wrong, each in zip(errors, rows, strict=True)]
        axes.plot(shares, observed, color=COLOURS[target], lw=1.5)
        axes.axhline(100 * target, color=COLOURS[target], ls=":", lw=1)
        words = f"at most {100 * target:g} % wrong, at least {math.floor(100 * coverage.value)} % answered"
        axes.plot(shares[passed - 1], observed[passed - 1], "o", color=COLOURS[target], label=words)
    axes.set_xlabel("answered judged rows in percent")
    axes.set_ylabel("wrong among them in percent")
    axes.set_ylim(0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", title="certified, each at 95 % confidence")
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    """Certify two levels, draw them and say what the stricter one is."""
    X, y = load_digits(return_X_y=True)
    models = {
        target: pb.SelectiveClassifier(SVC(gamma=0.001), target, split=0.4, random_state=0).fit(X, y)
        for target in COLOURS
    }
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "abstention.png")
    draw({level: model.certificate_ for level, model in models.items()}, target)
    print(models[0.01].certificate_.sentence())


if __name__ == "__main__":
    main()
