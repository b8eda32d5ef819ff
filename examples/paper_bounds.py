"""The paper in sixty lines: a posterior, an online reference, and four bounds on the same numbers.

Biggs and Guedj (AISTATS 2023) subtract the loss of a reference that learned from earlier rows only: rows that are hard
for everybody then cost nothing. *Maurer* has no reference, *UB* is the unexpected Bernstein bound of the excess, *Ours*
the paper's theorem. *Portfolio* is this library's: it bets on all strengths of the reference at once, and is proved for
references that learn. For UB and Ours that step is published but not proved (docs/theory.md, E7).

    python examples/paper_bounds.py [paper-bounds.png]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

import pacbayes as pb

DELTA, ALPHA = 0.05, 0.01
N, SCALES = 4000, np.sqrt(0.5 ** np.arange(1, 13))


def four_bounds(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Return each bound at its best scale of the posterior."""
    reference = pb.online_reference(pb.RefittedLogistic(ALPHA), X, y, schedule=150, shuffle=False)
    weights = pb.RefittedLogistic(ALPHA).fit(X, y).weights_
    posterior, prior = (pb.Gaussian(mean, 1.0, intercept=True) for mean in (weights, 0.0 * weights))
    losses = posterior.zero_one(X, y, scales=SCALES)  # expected over the posterior, one row per scale
    kl = posterior.kl(prior, scales=SCALES)
    risk, plus = losses.mean(axis=1), losses @ (1.0 - reference.losses) / N
    minus = reference.losses.mean() - losses @ reference.losses / N
    own = pb.bounds.progressive_chernoff(reference.losses.mean(), N, DELTA / 2)  # the reference's own loss
    rates, betting_weights = pb.bounds.betting_rates(N, DELTA)
    summaries = [reference.summary(each, rates=rates, weights=betting_weights) for each in losses]
    given = {
        name: np.array([getattr(each, name) for each in summaries]) for name in ("growths", "reference_log_growth")
    }
    strengths = summaries[0].strengths
    values = {
        "Maurer": pb.bounds.maurer(risk, kl, N, DELTA),
        "UB": own + pb.bounds.unexpected_bernstein(plus - minus, plus + minus, kl, N, DELTA / 2),
        "Ours": own + pb.bounds.excess_kl(plus, minus, kl, N, DELTA / 2),
        "Portfolio": pb.bounds.portfolio(
            **given, strengths=strengths, rates=rates, kl=kl, n=N, delta=DELTA, weights=betting_weights
        ),
    }
    return {name: float(np.min(each)) for name, each in values.items()}


def main() -> None:
    """Draw the four bounds beside the error on fresh rows."""
    X, y = make_classification(N + 20_000, 20, n_informative=10, flip_y=0.3, class_sep=1.5, random_state=2)
    values = four_bounds(X[:N], y[:N])
    model = pb.RefittedLogistic(ALPHA).fit(X[:N], y[:N])
    fresh = float(np.mean(model.predict(X[N:]) != y[N:]))
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "paper-bounds.png")
    figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    bars = axes.bar(list(values), list(values.values()), color=["#9aa3ad", "#9aa3ad", "#4c78a8", "#d1495b"], width=0.6)
    shown = {name: f"{math.ceil(1e4 * value) / 1e4:.4f}" for name, value in values.items()}  # a bound is rounded up
    axes.bar_label(bars, list(shown.values()), padding=2)
    axes.axhline(fresh, color="#16202e", ls="--", lw=1.5, label=f"error on 20,000 fresh rows: {fresh:.3f}")
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0))
    axes.set_ylabel("bound on the true error, 95 % confidence")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(target, dpi=110)
    print("at most: " + ", ".join(f"{name} {value}" for name, value in shown.items()))


if __name__ == "__main__":
    main()
