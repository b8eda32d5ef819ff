"""How wide `bounds.sequential` is: bound minus mean, against fixed rates, the normal approximation and exact limits.

Each ratio is one of mean widths over the same runs, delta = .05:
- grid: a union over the fixed rates of `betting_rates(n)`;
- normal: the normal approximation's width at the true variance, which no method guarantees;
- exact: Clopper-Pearson, for losses of 0 and 1;
- all n: the bound for all n at once, against a union over the fixed rates of `betting_rates()`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import norm

import pacbayes as pb

from _tables import decimal, print_table

DELTA = 0.05
RUNS = {200: 1000, 1000: 500, 10_000: 200}
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
LAWS: dict[str, tuple[Draw, float]] = {  # with their variance
    "0-1, mean .01": (lambda rng, shape: (rng.random(shape) < 0.01).astype(float), 0.0099),
    "0-1, mean .1": (lambda rng, shape: (rng.random(shape) < 0.1).astype(float), 0.09),
    "0-1, mean .5": (lambda rng, shape: (rng.random(shape) < 0.5).astype(float), 0.25),
    "uniform": (lambda rng, shape: rng.random(shape), 1.0 / 12.0),
    "beta(.2, 3.8)": (lambda rng, shape: rng.beta(0.2, 3.8, shape), 0.05 * 0.95 / 5.0),
    "beta(10, 30)": (lambda rng, shape: rng.beta(10.0, 30.0, shape), 0.25 * 0.75 / 41.0),
    "80 % zero": (lambda rng, shape: (rng.random(shape) < 0.2) * rng.random(shape), 0.2 / 3.0 - 0.01),
    "near-constant": (lambda rng, shape: 0.2 + 0.02 * rng.random(shape), 0.02**2 / 12.0),
}


def union(losses: np.ndarray, rates: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the smallest of the bounds at fixed rates, each with its share of delta."""
    n, best = losses.shape[-1], np.ones(len(losses))
    for rate, weight in zip(rates, weights, strict=True):
        growth = np.log1p(-rate * losses).mean(axis=-1)
        best = np.minimum(best, -np.expm1(growth - np.log(1.0 / (DELTA * weight)) / n) / rate)
    return best


def main() -> None:
    print(f"{'n':>6} {'losses':14s} {'width':>8} {'grid':>6} {'normal':>7} {'exact':>6} {'all n':>6}")
    cells: dict[str, list[str]] = {name: [] for name in LAWS}
    ends: dict[str, list[str]] = {name: [] for name in LAWS}
    for n, runs in RUNS.items():
        for name, (draw, variance) in LAWS.items():
            losses = draw(np.random.default_rng(n), (runs, n))
            mean = losses.mean(axis=-1)

            def width(bound: np.ndarray, mean: np.ndarray = mean) -> float:
                return float(np.mean(bound - mean))

            found = width(pb.bounds.sequential(losses, DELTA, n=n))
            grid = found / width(union(losses, *pb.bounds.betting_rates(n=n, delta=DELTA)))
            normal = found / float(norm.ppf(1.0 - DELTA) * np.sqrt(variance / n))
            exact = ""
            if np.all((losses == 0.0) | (losses == 1.0)):
                exact = f"{found / width(pb.bounds.clopper_pearson(losses.sum(axis=-1), n, DELTA)):.3f}"
            anytime = width(pb.bounds.sequential(losses, DELTA)) / width(union(losses, *pb.bounds.betting_rates()))
            print(f"{n:6d} {name:14s} {found:8.5f} {grid:6.3f} {normal:7.3f} {exact:>6} {anytime:6.3f}", flush=True)
            cells[name].append(f"{decimal(grid, 3)} {decimal(normal, 3)}{f' ({exact})' if exact else ''}")
            ends[name].append(decimal(anytime, 3))
    heads = ("losses", "n = 200", "n = 1000", "n = 10,000", "all n: 200", "1000", "10,000")
    print_table("sequential", heads, [(name, *cells[name], *ends[name]) for name in LAWS])


if __name__ == "__main__":
    main()
