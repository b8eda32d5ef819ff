"""Speed of the numerical core on one thread, each figure a ratio measured in this run.

The yardstick for arrays is one forward evaluation of the binary relative entropy by scipy, for single numbers one
call of `scipy.optimize.brentq` over a function of `math.log`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import rel_entr
from threadpoolctl import threadpool_limits

import pacbayes as pb

from _tables import print_table
from _timing import best_time

SIZE = 1_000_000
SINGLE = 10_000
SHOWN = (  # in the page
    ("`kl_inv_upper`, arrays of 1e6 / scipy's forward kl on the same array", ".1f", "at most 8"),
    ("`kl_ball_max` with 3 atoms / the same", ".1f", "at most 25"),
    ("a loop of `brentq` / `kl_inv_upper`, per point", ".0f", "at least 100"),
    ("one `kl_inv_upper(float, float)` / one `brentq`", ".1f", "at most 3"),
)


def brent_upper(q: float, budget: float) -> float:
    def excess(p: float) -> float:
        return q * math.log(q / p) + (1.0 - q) * math.log((1.0 - q) / (1.0 - p)) - budget

    last = 1.0 - 2.0**-52
    return 1.0 if excess(last) < 0.0 else float(brentq(excess, q, last))


def row(what: str, ratio: float, limit: float, *, at_least: bool = False) -> float:
    sign = ">=" if at_least else "<="
    met = ratio >= limit if at_least else ratio <= limit
    print(f"{what:66s} {ratio:8.2f}   target {sign} {limit:g}   {'met' if met else 'NOT MET'}")
    return ratio


def arrays(name: str, q: np.ndarray, budget: np.ndarray, weights: np.ndarray) -> tuple[float, list[float]]:
    """Print ratios; return the seconds of `kl_inv_upper`, and the ratios of the page."""
    p = pb.kl_inv_upper(q, budget)
    yardstick = best_time(lambda: rel_entr(q, p) + rel_entr(1.0 - q, 1.0 - p))
    upper = best_time(lambda: pb.kl_inv_upper(q, budget))
    print(f"\n{name}: arrays of {SIZE:.0e}, scipy's kl takes {yardstick * 1e9 / SIZE:.0f} ns per point")
    first = row("kl_inv_upper / scipy's kl", upper / yardstick, 8)
    row("kl_inv_lower / scipy's kl", best_time(lambda: pb.kl_inv_lower(q, budget)) / yardstick, 8)
    ball = best_time(lambda: pb.kl_ball_max(weights, [1.0, -1.0, 0.0], budget))
    second = row("kl_ball_max with 3 atoms / scipy's kl", ball / yardstick, 25)
    plus, minus = weights[:, 0].copy(), weights[:, 1].copy()
    row("phi / scipy's kl", best_time(lambda: pb.phi(plus, minus, budget)) / yardstick, 25)
    return upper, [first, second]


def singles(q: np.ndarray, budget: np.ndarray, upper: float) -> list[float]:
    """Print ratios; return those of the page."""
    pairs = list(zip(q[:SINGLE].tolist(), budget[:SINGLE].tolist(), strict=True))
    loop = best_time(lambda: [brent_upper(x, b) for x, b in pairs], 3) / SINGLE
    call = best_time(lambda: [pb.kl_inv_upper(x, b) for x, b in pairs], 3) / SINGLE
    excess = best_time(lambda: [pb.phi(x, (1.0 - x) / 2.0, b) for x, b in pairs], 3) / SINGLE
    print(f"\nsingle numbers: one brentq takes {loop * 1e6:.1f} us")
    third = row("brentq loop / vectorised kl_inv_upper, per point", loop / (upper / SIZE), 100, at_least=True)
    fourth = row("one kl_inv_upper(float, float) / one brentq", call / loop, 3)
    row("one phi(float, float, float) / one brentq", excess / loop, 3)
    return [third, fourth]


def main() -> None:
    rng = np.random.default_rng(0)
    with threadpool_limits(1):
        q, weights = rng.random(SIZE), rng.dirichlet([1.0, 1.0, 1.0], SIZE)
        budget = 10.0 ** rng.uniform(-4, 0.5, SIZE)
        upper, ratios = arrays("q uniform, budget 1e-4 to 3", q, budget, weights)
        ratios += singles(q, budget, upper)
        small = 10.0 ** rng.uniform(-6, 0, SIZE)
        arrays("q from 1e-6 to 1, budget 1e-15 to 700", small, 10.0 ** rng.uniform(-15, 2.84, SIZE), weights)
        arrays("q = 0.05 or so, budget 0.01", 0.05 + 0.01 * rng.random(SIZE), np.full(SIZE, 0.01), weights)
    rows = [(what, f"{ratio:{form}}", target) for (what, form, target), ratio in zip(SHOWN, ratios, strict=True)]
    print_table("numerics-speed", ("what", "ratio", "target"), rows)


if __name__ == "__main__":
    main()
