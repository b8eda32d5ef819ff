"""Speed of the paper's three printed columns: here against a straightforward implementation of the paper's procedure.

Straightforward: a cold lbfgs fit of scikit-learn for every refit of the reference, 20 Monte-Carlo passes over the data
for every scale of the posterior, and a scalar root finder for every inverse. Both sides have the rows in memory, one
process and one thread, in the same run; then the straightforward side once more with one thread per core, which is what
its user meets by default. Needs the raw files (PACBAYES_DATA).

    python benchmarks/reproduction.py --repeats 3 --datasets kr-vs-kp adult
"""

from __future__ import annotations

import argparse
import math
import os

import numpy as np
from scipy.optimize import brentq
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import pacbayes as pb
from pacbayes.reproduction import Split
from pacbayes.reproduction.departures import AS_PUBLISHED
from pacbayes.reproduction.paper import paper_bound

from _timing import timed, verdict

ALPHA, PERIOD, DELTA, DRAWS = 0.01, 150, 0.05, 20
NAMES = ("maurer", "ub", "ours")
LARGE = 3000  # rows from which a ratio of 5 is asked for


def fitted(X: np.ndarray, y: np.ndarray) -> LogisticRegression:
    return LogisticRegression(solver="lbfgs", C=1.0 / (ALPHA * len(y)), max_iter=1000).fit(X, y)


def reference_losses(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    losses = np.zeros(len(y))
    for start in range(PERIOD, len(y), PERIOD):
        rows = slice(start, start + PERIOD)
        losses[rows] = fitted(X[:start], y[:start]).predict(X[rows]) != y[rows]
    return losses


def kl_inverse(q: float, budget: float) -> float:
    def excess(p: float) -> float:
        first = q * math.log(q / p) if q > 0.0 else 0.0
        return first + (1.0 - q) * math.log((1.0 - q) / (1.0 - p)) - budget

    return brentq(excess, max(q, 1e-12), 1.0 - 1e-12)


def phi(u1: float, u2: float, budget: float) -> float:
    """As the printed numbers have it (erratum E5)."""
    u3 = 1.0 - u1 - u2

    def excess(s: float) -> float:
        two, e = 1.0 + 2.0**s, 1.0 + math.exp(s)
        return math.log(u1 + u2 / two + u3 / e) + u2 * math.log(two) + u3 * math.log(e) - budget

    t = -math.exp(-brentq(excess, -60.0, 60.0)) - 1.0
    return (u1 / (t + 1) - u2 / (t - 1)) / (u1 / (t + 1) + u2 / (t - 1) + u3 / t)


def bernstein(risk: float, second: float, kl: float, n: int, delta: float) -> float:
    count = max(1, math.ceil(math.log2(0.5 * math.sqrt(n / math.log(1.0 / delta)))))
    values = []
    for eta in (0.5**k for k in range(1, count + 1)):
        c = -(eta + math.log(1.0 - eta)) / eta
        values.append(risk + c * second + (kl + math.log(count / delta)) / (n * eta))
    return min(values)


def straightforward(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    rng, n = np.random.default_rng(seed), len(y)
    model, reference = fitted(X, y), reference_losses(X, y)
    weights = np.append(model.coef_, model.intercept_)
    rows, scales = np.column_stack([X, np.ones(n)]), math.ceil(math.log2(n))
    delta = DELTA / scales
    debias = kl_inverse(reference.mean(), math.log(2.0 / delta) / n)
    found: dict[str, list[float]] = {name: [] for name in NAMES}
    for variance in (0.5**j for j in range(1, scales)):
        risk = plus = minus = 0.0
        for _ in range(DRAWS):
            drawn = weights + math.sqrt(variance) * rng.standard_normal(weights.size)
            losses = (rows @ drawn > 0.0) != y
            risk += losses.mean() / DRAWS
            plus += np.maximum(losses - reference, 0.0).mean() / DRAWS
            minus += np.maximum(reference - losses, 0.0).mean() / DRAWS
        ratio = variance / 0.5
        kl = 0.5 * (weights.size * (ratio - 1.0 - math.log(ratio)) + weights @ weights / 0.5)
        found["maurer"].append(kl_inverse(risk, (kl + math.log(2.0 * math.sqrt(n) / delta)) / n))
        found["ub"].append(bernstein(risk, plus + minus, kl, n, delta) + debias)
        found["ours"].append(phi(max(plus, 1e-12), minus, (kl + math.log(4.0 * n / delta)) / n) + debias)
    return {name: min(values) for name, values in found.items()}


def here(data: str, repeat: int) -> dict[str, float]:
    fit = Split(data, repeat).paper
    return {name: paper_bound(name, fit, AS_PUBLISHED, DELTA)[0] for name in NAMES}


def measure(data: str, repeats: int) -> None:
    here(data, 0)  # reads the file
    count = len(pb.datasets.load(data, "published", return_X_y=True)[1])
    tries = 3 if count < 10_000 else 1  # the least of several, on both sides, where a call takes milliseconds
    ours, plain, differences = 0.0, 0.0, []
    for repeat in range(repeats):
        rows, labels = Split(data, repeat).parts("published")[0]
        with threadpool_limits(1):
            mine = min((timed(lambda r=repeat: here(data, r)) for _ in range(tries)), key=first)
            theirs = min((timed(lambda: straightforward(rows, labels, 0)) for _ in range(tries)), key=first)  # noqa: B023
        ours, plain = ours + mine[0], plain + theirs[0]
        differences += [abs(mine[1][name] - theirs[1][name]) for name in NAMES]
    ratio = plain / ours
    target = f"target >= 5, aim 15   {verdict(ratio >= 5)}" if count >= LARGE else ""
    print(f"{data:14s} {count:6d} rows  here {ours / repeats:6.3f} s  straightforward / here: {ratio:5.1f}   {target}")
    print(f"{'':14s} bounds differ by at most {max(differences):.4f} (20 draws, erratum E13)", flush=True)
    rows, labels = Split(data, 0).parts("published")[0]
    with threadpool_limits(os.cpu_count()):
        loose = timed(lambda: straightforward(rows, labels, 0))[0]
    print(
        f"{'':14s} straightforward with default threads (one repeat) / here: {loose * repeats / ours:.1f}", flush=True
    )


def first(pair: tuple[float, object]) -> float:
    return pair[0]


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the paper's three printed columns.")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--datasets", nargs="+", default=pb.datasets.names(), choices=pb.datasets.names())
    chosen = parser.parse_args()
    print(f"The three printed columns, {chosen.repeats} repeats, one process, one thread (default: {os.cpu_count()})")
    try:
        for data in chosen.datasets:
            measure(data, chosen.repeats)
    except OSError as error:
        print(f"reproduction: skipped. {error}")


if __name__ == "__main__":
    main()
