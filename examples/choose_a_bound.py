"""Choosing a bound: all of them on the same numbers, over the number of rows and over the divergence.

One predictor that has not seen the rows needs no PAC-Bayes bound: the exact binomial limit is the tightest there is. A
posterior that was chosen on the rows costs its divergence from the prior, and bounds differ in what else they cost.
docs/choosing.md has the table that goes with the picture.

    python examples/choose_a_bound.py [choose-a-bound.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import pacbayes as pb

DELTA, RISK = 0.05, 0.05
COLOURS = {
    "mcallester": "#9aa3ad",
    "tolstikhin_seldin": "#e0a458",
    "catoni": "#8a5fbf",
    "maurer": "#4c78a8",
    "betting": "#d1495b",
}


def bounds_at(n: int, kl: float) -> dict[str, float]:
    """Return every bound for this number of rows and this divergence."""
    rates, weights = pb.bounds.betting_rates(n, DELTA)
    common = {"kl": kl, "n": n, "delta": DELTA}
    return {
        "mcallester": pb.bounds.mcallester(RISK, **common),
        "tolstikhin_seldin": pb.bounds.tolstikhin_seldin(RISK, RISK * (1 - RISK) * n / (n - 1), **common),
        "catoni": pb.bounds.catoni(RISK, **common),
        "maurer": pb.bounds.maurer(RISK, **common),
        "betting": pb.bounds.betting(RISK * np.log1p(-rates), rates, **common, weights=weights),
    }


def main() -> None:
    """Draw both families of curves."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.8, 3.4), layout="constrained")
    sizes = np.unique(np.geomspace(100, 100_000, 40).astype(int))
    divergences = np.geomspace(0.1, 1000.0, 40)
    by_size = [bounds_at(int(n), 10.0) for n in sizes]
    by_divergence = [bounds_at(2000, float(kl)) for kl in divergences]
    for name, colour in COLOURS.items():
        left.plot(sizes, [each[name] for each in by_size], color=colour, lw=2, label=name)
        more = [100.0 * (each[name] / min(each.values()) - 1.0) for each in by_divergence]
        right.plot(divergences, more, color=colour, lw=2)
    exact = pb.bounds.clopper_pearson(np.round(RISK * sizes), sizes, DELTA)
    left.plot(sizes, exact, color="#16202e", lw=1.5, ls=":", label="clopper_pearson (one predictor)")
    left.axhline(RISK, color="#16202e", lw=1, ls="--")
    left.set_ylim(0.0, 0.45)
    right.set_ylim(-1.0, 46.0)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.spines[["top", "right"]].set_visible(False)
    left.set(xlabel="rows n, at a divergence of 10 nats", ylabel="bound on the error, 95 %")
    left.annotate("observed: 0.05", (110, 0.025), fontsize=9)
    right.set(xlabel="divergence from prior to posterior in nats, at n = 2000", ylabel="above the tightest, percent")
    figure.legend(frameon=False, loc="outside upper center", ncols=6, fontsize="x-small", columnspacing=1.0)
    figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else "choose-a-bound.png"), dpi=110)
    tightest = min(by_divergence[20], key=by_divergence[20].__getitem__)
    print(f"tightest at n = 2000 and a divergence of {divergences[20]:.0f} nats: {tightest}")


if __name__ == "__main__":
    main()
