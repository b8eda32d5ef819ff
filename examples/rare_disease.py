"""A rare disease: the error is certified, and the model recognises nobody.

One patient in twenty is ill. A classifier that calls everybody well is wrong on 5 % of them, and its certificate says
so; that it recognises no case of the disease is what the recall says, about which nothing is certified. With weights of
the classes the same classifier raises the alarm often enough for a limit on its recall, and the certificate says what
that costs. Both are judged on the same rows, so that delta is divided between the two. The same from a shell:

    pacbayes certify patients.csv --target ill --metric error --metric recall:1 --metric fpr:1

    python examples/rare_disease.py [rare-disease.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes.certificate.statement_table import opening_lines
from pacbayes.certificate.words import limit_words

METRICS = {"error": "misclassified", "recall:1": "ill, and recognised", "fpr:1": "well, and alarmed"}
TITLES = {None: "Plain: error certified, recall not", "balanced": "Weighted classes: recall certified"}


def make_patients(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return age, glucose and body mass in standard units, and who had a stroke: about one in twenty."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    X[:, 1] += 0.3 * X[:, 0]
    leaning = 0.9 * X[:, 0] + 0.2 * X[:, 1] + 0.2 * X[:, 2] - 3.4
    return X, (rng.random(rows) < 1.0 / (1.0 + np.exp(-leaning))).astype(int)


def draw(axes: Axes, certificate: pb.Certificate, title: str) -> None:
    """Draw what was observed of each metric, and what is certified of it, from its side."""
    for place, name in enumerate(METRICS):
        each = certificate.statement(name)
        start, end = (each.value, 1.0) if each.side == "lower" else (0.0, each.value)
        axes.barh(place, end - start, left=start, height=0.5, color="#cfe0f3" if not each.is_vacuous else "#f3d3cf")
        axes.plot([each.risk], [place], "o", color="#1f4e79")
        sign = "at least" if each.side == "lower" else "at most"
        words = "nothing certified" if each.is_vacuous else f"{sign} {limit_words(each, each.value)}"
        axes.annotate(words, (min(max(each.risk, 0.02), 0.7), place + 0.44), fontsize=9)
    axes.set(title=title, xlim=(-0.02, 1.0), ylim=(len(METRICS) - 0.4, -0.7), xlabel="share of new patients")
    axes.set_yticks(range(len(METRICS)), METRICS.values())


def main() -> None:
    """Certify both models, say what each is worth, and draw it."""
    X, y = make_patients(6000, seed=1)
    figure, panels = plt.subplots(1, 2, figsize=(10, 3.2), sharey=True, layout="constrained")
    for weight, axes in zip(TITLES, panels, strict=True):
        model = pb.CertifiedClassifier(
            LogisticRegression(), metrics=tuple(METRICS), class_weight=weight, candidates=2, random_state=0
        )
        certificate = model.fit(X, y).certificate_
        draw(axes, certificate, TITLES[weight])
        recall = certificate.statement("recall:1")
        missed = opening_lines(certificate)[1:] or [f"Recall at least {limit_words(recall, recall.value)}."]
        error = limit_words(certificate.statements[0], certificate.value)
        print(f"Error at most {error}. {missed[0]}")
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else Path("rare-disease.png"), dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
