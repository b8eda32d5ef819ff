"""Exact expectations against Monte-Carlo on Adult: fifteen scales in one pass, or twenty weight draws for each.

One thread, ratios measured in this run, at the paper's posterior (regularised logistic regression, isotropic
covariance). Needs the raw file (PACBAYES_DATA); says so and stops where it is not there.
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import pacbayes as pb

from _tables import decimal, print_table
from _timing import best_time

DRAWS, DELTA = 20, 0.05
SCALES = np.sqrt(0.5 ** np.arange(1, 16))


def main() -> None:
    try:
        X, y = pb.datasets.load("adult", "published", return_X_y=True)
    except OSError as error:
        print(f"posteriors: skipped. {error}")
        return
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(y))[: int(0.8 * len(y))]
    X, y = np.ascontiguousarray(X[rows]), y[rows]
    with threadpool_limits(1):
        fit = LogisticRegression(C=1.0 / (0.01 * len(y)), max_iter=1000).fit(X, y)
        mean = np.append(fit.coef_[0], fit.intercept_)
        measure(X, y, mean, rng)


def measure(X: np.ndarray, y: np.ndarray, mean: np.ndarray, rng: np.random.Generator) -> None:
    posterior = pb.Gaussian(mean, 1.0, intercept=True)
    padded = np.column_stack([X, np.ones(len(X))])

    def exact() -> np.ndarray:
        return posterior.zero_one(X, y, scales=SCALES).mean(axis=-1)

    def one_draw_at_a_time() -> np.ndarray:
        means = []
        for scale in SCALES:
            draws = mean + scale * rng.normal(size=(DRAWS, mean.size))
            means.append(np.mean([np.mean((padded @ w > 0) != y) for w in draws]))
        return np.array(means)

    def one_product_per_scale() -> np.ndarray:
        means = []
        for scale in SCALES:
            draws = mean + scale * rng.normal(size=(DRAWS, mean.size))
            means.append(((padded @ draws.T > 0) != (y[:, None] == 1)).mean())
        return np.array(means)

    ours = best_time(exact)
    print(f"exact expected 0-1 loss of {len(y)} examples at {SCALES.size} scales: {ours * 1e3:.1f} ms")
    ratios = []
    for name, call in (
        ("one draw at a time", one_draw_at_a_time),
        ("one matrix product per scale", one_product_per_scale),
    ):
        ratio = best_time(call, 3) / ours
        ratios.append(ratio)
        verdict = "met" if ratio >= 30 else "NOT MET"
        print(f"{DRAWS} draws per scale, {name:28s} / exact: {ratio:6.1f}   target >= 30   {verdict}")
    prior = pb.Gaussian(np.zeros(mean.size), 0.5, intercept=True)
    divergence = posterior.kl(prior, scales=SCALES)
    risks, drawn = exact(), one_product_per_scale()
    values, plain = (pb.bounds.maurer(r, divergence, len(y), DELTA).min() for r in (risks, drawn))
    print(
        f"best Maurer bound: exact {values:.5f}, from uncorrected draws {plain:.5f}, difference {plain - values:+.5f}"
    )
    singly, at_once = (f"{ratio:.0f} times faster" for ratio in ratios)
    rows = [
        (f"exact grid of {SCALES.size} scales on Adult / {DRAWS} draws per scale, singly", singly, "at least 30"),
        (f"the same / {DRAWS} draws per scale in one matrix product", at_once, "at least 30"),
        (
            f"best Maurer bound, exact and from {DRAWS} uncorrected draws",
            f"{decimal(values, 5)} and {decimal(plain, 5)}",
            "",
        ),
    ]
    print_table("posteriors-speed", ("what", "measured", "target"), rows)


if __name__ == "__main__":
    main()
