"""Draw docs/figures/bounds.png: every bound on a risk against KL/n at three levels of risk; where each is tightest."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import pacbayes as pb

mpl.use("Agg")
import matplotlib.pyplot as plt

N, DELTA = 2000, 0.05
RISKS = (0.0, 0.05, 0.25)
COMPLEXITY = np.geomspace(1e-4, 0.5, 160)
STYLES = {
    "mcallester": ("tab:gray", "-"),
    "maurer": ("tab:blue", "-"),
    "maurer_relaxed": ("tab:blue", ":"),
    "catoni": ("tab:purple", "-"),
    "tolstikhin_seldin": ("tab:brown", "-"),
    "unexpected_bernstein": ("tab:orange", "-"),
    "split_kl": ("tab:green", "--"),
    "excess_kl": ("tab:green", "-"),
    "betting": ("tab:red", "-"),
}


def curves(risk: float) -> dict[str, np.ndarray]:
    """Return every bound for a 0-1 loss with no reference, over the grid of KL/n."""
    rates, weights = pb.bounds.betting_rates(N, DELTA)
    growth = risk * np.log1p(-rates)
    common = {"kl": COMPLEXITY * N, "n": N, "delta": DELTA}
    return {
        "mcallester": pb.bounds.mcallester(risk, **common),
        "maurer": pb.bounds.maurer(risk, **common),
        "maurer_relaxed": pb.bounds.maurer_relaxed(risk, **common),
        "catoni": pb.bounds.catoni(risk, **common),
        "tolstikhin_seldin": pb.bounds.tolstikhin_seldin(risk, risk * (1 - risk) * N / (N - 1), **common),
        "unexpected_bernstein": pb.bounds.unexpected_bernstein(risk, risk, **common),
        "split_kl": pb.bounds.split_kl(risk, 0.0, **common),
        "excess_kl": pb.bounds.excess_kl(risk, 0.0, **common),
        "betting": pb.bounds.betting(growth, rates, **common, weights=weights),
    }


def portfolio(risk: float) -> np.ndarray:
    """Return the portfolio with a reference of the same risk that shares nine tenths of the errors."""
    rates, weights = pb.bounds.betting_rates(N, DELTA)
    shares = {"alone": 0.1 * risk, "both": 0.9 * risk, "reference": risk}
    given = pb.statistics.from_frequencies(N, **shares, rates=rates, weights=weights)
    names = ("growths", "strengths", "reference_log_growth", "rates", "weights")
    return pb.bounds.portfolio(**{name: given[name] for name in names}, kl=COMPLEXITY * N, n=N, delta=DELTA)


def main() -> None:
    layout = {"height_ratios": [12, 1]}
    figure, axes = plt.subplots(2, 3, figsize=(13, 5.6), sharex=True, gridspec_kw=layout, layout="constrained")
    for column, risk in enumerate(RISKS):
        panel, strip = axes[0, column], axes[1, column]
        values = curves(risk)
        for name, curve in values.items():
            colour, line = STYLES[name]
            panel.plot(COMPLEXITY, curve - risk, color=colour, linestyle=line, linewidth=1.8, label=name)
        helped = "portfolio, a reference\nsharing 90 % of the errors"
        panel.plot(COMPLEXITY, portfolio(risk) - risk, color="black", linestyle="--", linewidth=1.8, label=helped)
        tightest = np.argmin(np.stack([values[name] for name in STYLES]), axis=0)
        for name_index, name in enumerate(STYLES):
            mine = tightest == name_index
            if mine.any():
                strip.fill_between(COMPLEXITY, 0, 1, where=mine, color=STYLES[name][0], step="mid")
        panel.set(xscale="log", yscale="log", ylim=(0.002, 1.1), title=f"empirical risk {risk:g}")
        panel.grid(alpha=0.3)
        strip.set(yticks=[], xlabel="KL / n")
        print(f"risk {risk:g}: tightest is", *(name for i, name in enumerate(STYLES) if np.any(tightest == i)))
    axes[0, 0].set_ylabel("bound minus empirical risk")
    axes[1, 0].set_ylabel("tightest without\na reference", rotation=0, ha="right", va="center")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right upper", frameon=False)
    figure.suptitle(f"0-1 loss, n = {N}, delta = {DELTA}; no reference but in the portfolio")
    target = Path(__file__).resolve().parent.parent / "docs" / "figures" / "bounds.png"
    figure.savefig(target, dpi=110)
    print(f"wrote {target.relative_to(target.parents[2])}")


if __name__ == "__main__":
    main()
