"""A bound of your own: write it as a function of numbers, and check its promise before you believe it.

A limit at 95 % confidence may be below the truth in at most 5 % of all samples, whatever the truth is. Here that is
computed exactly, by summing over all numbers of errors, for four limits on an error from n rows: Hoeffding's
inequality (loose and safe), the exact binomial limit, the normal approximation of the textbooks, and "double the error"
of somebody's own. Only the first two keep the promise. CONTRIBUTING.md says how a bound that does gets into the
library.

    python examples/bound_of_your_own.py [bound-of-your-own.png]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binom

import pacbayes as pb

N, DELTA = 40, 0.05
Z = 1.6448536269514722  # the 95 % quantile of the normal distribution


def hoeffding(errors: np.ndarray) -> np.ndarray:
    """Return the observed error plus ``sqrt(log(1/delta)/(2 n))`` (Hoeffding, 1963)."""
    return errors / N + math.sqrt(math.log(1.0 / DELTA) / (2.0 * N))


def normal(errors: np.ndarray) -> np.ndarray:
    """Return the observed error plus 1.64 estimated standard errors."""
    risk = errors / N
    return risk + Z * np.sqrt(risk * (1.0 - risk) / N)


LIMITS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str]] = {
    "pb.bounds.clopper_pearson": (lambda errors: pb.bounds.clopper_pearson(errors, N, DELTA), "#1d5bb5"),
    "Hoeffding": (hoeffding, "#2a8c6a"),
    "normal approximation": (normal, "#d1495b"),
    "double the error": (lambda errors: 2.0 * errors / N, "#e0a458"),
}


def main() -> None:
    """Compute how often each limit is below the truth, and draw it."""
    truths, counts = np.linspace(0.002, 0.3, 300), np.arange(N + 1)
    chances = binom.pmf(counts, N, truths[:, None])
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.0), layout="constrained")
    worst = {}
    for name, (limit, colour) in LIMITS.items():
        values = np.minimum(limit(counts), 1.0)
        failures = 100.0 * np.where(values < truths[:, None], chances, 0.0).sum(axis=1)
        worst[name] = failures.max()
        left.plot(counts[: 1 + N // 3] / N, values[: 1 + N // 3], color=colour, lw=2, label=name)
        right.plot(truths, np.minimum(failures, 20.0), color=colour, lw=1.5)
    left.set(xlabel=f"observed error on {N} rows", ylabel="limit on the true error", ylim=(0, None))
    right.axhline(100 * DELTA, color="#16202e", lw=1.5, ls="--", label="allowed: 5 %")
    right.set(xlabel="true error", ylabel="wrong, percent of samples", ylim=(0, 20), xlim=(0, 0.3))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, loc="outside upper center", ncols=5, fontsize="x-small", columnspacing=1.0)
    figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else "bound-of-your-own.png"), dpi=110)
    print("wrong at worst: " + ", ".join(f"{name} {value:.1f} %" for name, value in worst.items()))


if __name__ == "__main__":
    main()
