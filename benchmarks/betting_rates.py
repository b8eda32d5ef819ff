"""How much the grid of `betting_rates` costs: bound minus the bound at the best rate alone, known in hindsight only.

Over three thousand cases per sample size: plus, minus and KL/n from zero and a tenth of an example upwards.
"""

from __future__ import annotations

import numpy as np

import pacbayes as pb

from _tables import decimal, print_table

DELTA = 0.05
CASES = 3000
HINDSIGHT = 1.0 / (1.0 + np.geomspace(1e-6, 1e6, 3000))
HALVING = 0.5 ** np.arange(1, 21)
HEADS = ("n", "grid", "rates", "worst", "mean", "median")
SHOWN = {  # in the page
    "betting_rates(n)": "`betting_rates(n)`",
    "betting_rates()": "`betting_rates()`",
    ".95 * 2**(-k/2)": r"$`.95 \cdot 2^{-k/2}`$",
    "1/2, 1/4, ...": r"$`1/2, 1/4, \dots`$",
}


def cases(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    lowest = np.log10(0.1 / n)
    plus = np.where(rng.random(CASES) < 0.1, 0.0, 10.0 ** rng.uniform(lowest, -0.1, CASES))
    minus = np.where(rng.random(CASES) < 0.4, 0.0, 10.0 ** rng.uniform(lowest, -0.1, CASES))
    complexity = np.where(rng.random(CASES) < 0.2, 0.0, 10.0 ** rng.uniform(lowest, 0.0, CASES))
    total = np.maximum(plus + minus, 1.0)
    return plus / total, minus / total, complexity


def hindsight(n: int) -> np.ndarray:
    """Return the bound at the best single rate in each case."""
    plus, minus, complexity = (part[:, None] for part in cases(n))
    growth = plus * np.log1p(-HINDSIGHT) + minus * np.log1p(HINDSIGHT)
    return np.minimum((-np.expm1(growth - complexity - np.log(1.0 / DELTA) / n) / HINDSIGHT).min(axis=1), 1.0)


def values(rates: np.ndarray, weights: np.ndarray, n: int) -> np.ndarray:
    """Return the bound by the mixture over a grid in each case."""
    plus, minus, complexity = cases(n)
    growth = plus[:, None] * np.log1p(-rates) + minus[:, None] * np.log1p(rates)
    return np.asarray(pb.bounds.betting(growth, rates, complexity * n, n, DELTA, weights))


def main() -> None:
    inverse, rows = np.log(1.0 / DELTA), []
    print(f"{'n':>8} {'grid':24s} {'rates':>5} {'worst':>9} {'mean':>9} {'median':>9}")
    for n in (30, 100, 1000, 10_000, 100_000, 1_000_000):
        best = hindsight(n)
        every_n = pb.bounds.betting_rates()
        count = max(1, int(np.ceil(np.log2(np.sqrt(n / inverse) / 2.0))))
        half_steps = 0.95 * 2.0 ** (-0.5 * np.arange(2 * count + 2))
        grids = {
            "betting_rates(n)": pb.bounds.betting_rates(n, DELTA),
            "betting_rates()": every_n,
            ".95 * 2**(-k/2)": (half_steps, np.full(half_steps.size, 1.0 / half_steps.size)),
            "1/2, 1/4, ...": (HALVING[:count], np.full(count, 1.0 / count)),
        }
        for name, (rates, weights) in grids.items():
            regret = values(rates, weights, n) - best
            figures = f"{regret.max():9.5f} {regret.mean():9.5f} {np.median(regret):9.5f}"
            print(f"{n:8d} {name:24s} {len(rates):5d} {figures}")
            if n in (100, 10_000, 1_000_000):
                shown = (decimal(each) for each in (regret.max(), regret.mean(), np.median(regret)))
                rows.append((f"{n:,}", SHOWN[name], len(rates), *shown))
    print_table("rates", HEADS, rows)


if __name__ == "__main__":
    main()
