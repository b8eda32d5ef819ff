"""Speed of online references on Adult: refits here against cold refits by scikit-learn, and what cheap schedules cost.

One thread and one process on both sides, ratios measured in this run. Needs the raw file (PACBAYES_DATA).
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import pacbayes as pb

from _tables import print_table
from _timing import timed, verdict

ALPHA = 0.01


def cold_refits(X: np.ndarray, y: np.ndarray, points: list[int]) -> np.ndarray:
    losses = np.zeros(len(y))
    for start, stop in zip(points, [*points[1:], len(y)], strict=True):
        model = LogisticRegression(solver="lbfgs", C=1.0 / (ALPHA * start), max_iter=1000).fit(X[:start], y[:start])
        losses[start:stop] = model.predict(X[start:stop]) != y[start:stop]
    return losses


def reference(X: np.ndarray, y: np.ndarray, schedule: Any, estimator: Any = None) -> pb.OnlineReference:
    return pb.online_reference(estimator or pb.RefittedLogistic(ALPHA), X, y, schedule=schedule, shuffle=False)


def adult(exponent: float) -> None:
    """Print ratios on Adult, and the table of the pages with the exponent that was measured before."""
    X, y = pb.datasets.load("adult", "published", return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[: int(0.8 * len(y))]
    X, y = np.ascontiguousarray(X[rows]), y[rows]
    points = pb.Every(150).points(len(y))
    with threadpool_limits(1):
        ours, mine = min((timed(lambda: reference(X, y, pb.Every(150))) for _ in range(2)), key=lambda pair: pair[0])
        theirs, plain = timed(lambda: cold_refits(X, y, points))
        same = np.mean(mine.losses == plain)
        print(f"Every(150) on {len(y)} x {X.shape[1]}, {len(points)} refits: {ours:.2f} s here")
        print(f"cold lbfgs refits / here: {theirs / ours:.1f}   target >= 5, aim 15   {verdict(theirs / ours >= 5)}")
        print(f"same predictions: {same:.4%}   target >= 99.9 %   {verdict(same >= 0.999)}")
        cold = min(timed(lambda: pb.RefittedLogistic(ALPHA).fit(X, y))[0] for _ in range(3))
        lbfgs = min(
            timed(lambda: LogisticRegression(C=1.0 / (ALPHA * len(y)), max_iter=1000).fit(X, y))[0] for _ in range(3)
        )
        costs = {}
        for name, schedule, estimator in (
            ("Geometric(1.1)", pb.Geometric(1.1), None),
            ("every example", pb.Every(1), pb.RecursiveLogistic()),
        ):
            cost = min(timed(lambda s=schedule, e=estimator: reference(X, y, s, e))[0] for _ in range(2))
            costs[name] = cost
            shown = f"{cost / cold:.1f}, / one cold lbfgs fit: {cost / lbfgs:.1f}"
            met = cost / (cold if estimator is None else lbfgs) <= 5
            print(f"{name} / one cold fit by the same solver: {shown}   target <= 5   {verdict(met)}")
    few = points[:: max(1, len(points) // 12)]
    with nullcontext():  # default threads, which is what a user of the straightforward way meets
        loose, _ = timed(lambda: cold_refits(X, y, few))
    with threadpool_limits(1):
        tight, _ = timed(lambda: cold_refits(X, y, few))
    print(f"cold lbfgs refits, default threads / one thread: {loose / tight:.2f} (on {len(few)} of the refits)")
    each = costs["every example"]
    rows = [
        (f"cold lbfgs refits / `Every(150)` here, {len(points)} refits", f"{theirs / ours:.0f}", "at least 5, aim 15"),
        ("same predictions as the cold refits", f"{100 * same:.2f} %", "at least 99.9 %"),
        ("`Geometric(1.1)` / one cold fit by the same solver", f"{costs['Geometric(1.1)'] / cold:.1f}", "at most 5"),
        (
            "the every-example learner / one cold fit (lbfgs; by Newton)",
            f"{each / lbfgs:.1f}; {each / cold:.1f}",
            "at most 5",
        ),
        ("exponent of the cost of `Geometric(1.1)` from 1e4 to 1e6 rows x 30", f"{exponent:.2f}", "at most 1.1"),
        ("cold lbfgs refits with default threads / on one thread (2 cores)", f"{loose / tight:.1f}", ""),
    ]
    print_table("refits", ("what", "measured", "target"), rows)


def growth() -> float:
    """Print and return the exponent with which Geometric(1.1) grows from 1e4 to 1e6 rows of 30 columns."""
    rng = np.random.default_rng(1)
    direction, times = rng.normal(size=30) / 30**0.5, {}
    with threadpool_limits(1):
        for n in (10_000, 1_000_000):
            X = rng.normal(size=(n, 30))
            y = (rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * X @ direction))).astype(int)
            times[n] = min(
                timed(lambda a=X, b=y: reference(a, b, pb.Geometric(1.1)))[0] for _ in range(3 if n < 10**5 else 1)
            )
    exponent = np.log(times[1_000_000] / times[10_000]) / np.log(100.0)
    shown = f"{times[10_000]:.2f} s to {times[1_000_000]:.1f} s, exponent {exponent:.2f}"
    print(f"Geometric(1.1), 1e4 to 1e6 rows x 30: {shown}   target <= 1.1   {verdict(exponent <= 1.1)}")
    return float(exponent)


def main() -> None:
    exponent = growth()
    try:
        adult(exponent)
    except OSError as error:
        print(f"online: skipped. {error}")


if __name__ == "__main__":
    main()
