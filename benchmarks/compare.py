"""Comparing two models: level and power of the decision, and how wide the limits are, beside what else there is.

    python benchmarks/compare.py

Rows are drawn as counts: rows on which only the first model errs, only the second, and all others. The decision that
one of two models is better is compared with McNemar's exact two-sided test on the same counts; the widths with two
Clopper-Pearson limits at a quarter of delta each, with bets for one number of rows, and with the normal approximation,
which guarantees nothing. Limits for all numbers of rows are looked at after every batch. Nothing here is a time.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.stats import binom, binomtest, norm

from pacbayes import bounds

from _tables import print_table

DELTA, REPEATS = 0.05, 10_000
EQUAL = ((100, 0.2), (300, 0.1), (1000, 0.05), (1000, 0.3), (10_000, 0.02))  # rows, share of discordant rows
DIFFERENT = ((200, 0.15, 0.06), (500, 0.10, 0.05), (1000, 0.10, 0.07), (2000, 0.05, 0.035), (10_000, 0.05, 0.044))
OBSERVED = ((5, 5, 100), (10, 2, 100), (20, 20, 1000), (60, 40, 1000), (60, 10, 1000), (60, 0, 1000))
LARGER = ((400, 300, 1000), (500, 500, 10_000), (600, 500, 10_000), (3000, 2700, 1_000_000))
LOOKS = tuple(range(100, 5001, 100))


@cache
def limits(only_first: int, only_second: int, n: int) -> tuple[float, float]:
    """Return the lower and the upper limit on the difference at one number of rows."""
    return (
        -bounds.paired(only_second, only_first, n, DELTA / 2.0),
        bounds.paired(only_first, only_second, n, DELTA / 2.0),
    )


def bets(only_first: int, only_second: int, n: int, *, all_n: bool) -> tuple[float, float]:
    """Return limits by bets, for one number of rows or for all at once."""
    rates, weights = bounds.betting_rates() if all_n else bounds.betting_rates(n=n, delta=DELTA / 2.0)
    rest = (n - only_first - only_second) * np.log1p(-rates / 2.0)
    found = [
        2.0 * bounds.betting((count * np.log1p(-rates) + rest) / n, rates, 0.0, n, DELTA / 2.0, weights=weights) - 1.0
        for count in (only_second, only_first)
    ]
    return -float(found[0]), float(found[1])


def union(only_first: int, only_second: int, n: int) -> tuple[float, float]:
    """Return limits from four exact ones, two for each share."""
    high = [bounds.clopper_pearson(count, n, DELTA / 4.0) for count in (only_first, only_second)]
    low = [1.0 - bounds.clopper_pearson(n - count, n, DELTA / 4.0) for count in (only_first, only_second)]
    return low[0] - high[1], high[0] - low[1]


def draw(rng: np.random.Generator, n: int, first: float, second: float) -> np.ndarray:
    """Return the counts of many tables."""
    return rng.multinomial(n, [first, second, 1.0 - first - second], size=REPEATS)[:, :2]


def rejects(only_first: int, only_second: int, delta: float = DELTA) -> bool:
    """Return whether McNemar's exact two-sided test rejects that two models are equally good."""
    m = only_first + only_second
    return m > 0 and 2.0 * binom.cdf(min(only_first, only_second), m, 0.5) <= delta


def size(n: int) -> str:
    """Return a number of rows as the pages have it."""
    return f"{n:,}" if n >= 10_000 else str(n)


def show_level(rng: np.random.Generator) -> None:
    """Print how often one of two equally good models is called better, and how often a limit is wrong."""
    print(f"level: {REPEATS} pairs of equal models, delta {DELTA:g}")
    for n, share in EQUAL:
        tables = draw(rng, n, share / 2.0, share / 2.0)
        found = np.array([limits(int(b), int(c), n) for b, c in tables])
        wrong = int(((found[:, 0] > 0.0) | (found[:, 1] < 0.0)).sum())
        test = sum(rejects(int(b), int(c)) for b, c in tables)
        chance = binomtest(wrong, REPEATS, DELTA, alternative="greater").pvalue
        print(f"  n {n:6}  discordant {share:.2f}   called better {wrong:5} (McNemar {test:5})   p {chance:.2g}")
        assert chance > 1e-4


def show_power(rng: np.random.Generator) -> None:
    """Print how often the better one is found, beside McNemar's test, and how often a limit is wrong."""
    print("power: one model is better")
    rows = []
    for n, first, second in DIFFERENT:
        tables = draw(rng, n, first, second)
        found = np.array([limits(int(b), int(c), n) for b, c in tables])
        own = float((found[:, 0] > 0.0).mean())
        test = np.mean([rejects(int(b), int(c)) and b > c for b, c in tables])
        outside = int(((found[:, 0] > first - second) | (found[:, 1] < first - second)).sum())
        chance = binomtest(outside, REPEATS, DELTA, alternative="greater").pvalue
        print(
            f"  n {n:6}  {first:.3f} against {second:.3f}   found {100 * own:5.1f} % (McNemar {100 * test:5.1f} %)"
            f"   limits wrong {100 * outside / REPEATS:.2f} %"
        )
        assert own >= test - 0.02
        assert chance > 1e-4
        shown = (f"{100 * each:.1f} %" for each in (own, test, outside / REPEATS))
        rows.append((size(n), f"{100 * first:.3g} %, {100 * second:.3g} %", *shown))
    print_table("power", ("n", "only the first, only the second errs", "found", "McNemar", "limits wrong"), rows)


def show_widths() -> None:
    """Print the widths of limits, relative to the normal approximation, which guarantees nothing."""
    print("width, relative to the normal approximation: here, two exact limits, bets at one n, bets at all n")
    rows = []
    for b, c, n in (*OBSERVED, *LARGER):
        spread = np.sqrt(((b + c) / n - ((b - c) / n) ** 2) / n)
        normal = 2.0 * norm.isf(DELTA / 2.0) * spread
        ways = (
            limits(b, c, n),
            union(b, c, n),
            bets(b, c, n, all_n=False),
            bets(b, c, n, all_n=True),
        )
        shown = "  ".join(f"{(high - low) / normal:5.2f}" for low, high in ways)
        low, high = ways[0]
        print(f"  {b:5} {c:5} of {n:8}   {100 * low:+7.2f} to {100 * high:+7.2f} points   {shown}")
        rows.append((f"{b}, {c} of {size(n)}", f"{100 * low:+.2f} to {100 * high:+.2f}", *shown.split()))
    heads = ("only the first, only the second errs", "certified, in points", "`paired`", "two limits", "one n", "all n")
    print_table("widths", heads, rows)


def show_anytime(rng: np.random.Generator) -> None:
    """Print how often limits that are looked at after every batch are wrong at some look, and when they tell."""
    print(f"all numbers of rows: {len(LOOKS)} looks, after every {LOOKS[0]} rows up to {LOOKS[-1]}, 2000 streams")
    for first, second in ((0.05, 0.05), (0.08, 0.05), (0.10, 0.05)):
        step = rng.multinomial(LOOKS[0], [first, second, 1.0 - first - second], size=(2000, len(LOOKS)))[:, :, :2]
        counts = step.cumsum(axis=1)
        rates, weights = bounds.betting_rates()
        sizes = np.array(LOOKS)
        rest = (sizes - counts.sum(axis=2))[:, :, None] * np.log1p(-rates / 2.0)
        growth = [(counts[:, :, [k]] * np.log1p(-rates) + rest) / sizes[:, None] for k in (0, 1)]
        high, low = (
            2.0 * np.asarray(bounds.betting(each, rates, 0.0, sizes, DELTA / 2.0, weights=weights)) - 1.0
            for each in growth
        )
        truth = first - second
        wrong = ((high < truth) | (-low > truth)).any(axis=1)
        fixed = np.array([[rejects(int(b), int(c)) for b, c in row] for row in counts[:400]]).any(axis=1)
        told = -low > 0.0
        when = np.where(told.any(axis=1), sizes[told.argmax(axis=1)], np.inf)
        print(
            f"  {first:.2f} against {second:.2f}   wrong at some look {100 * wrong.mean():.2f} %   median rows until "
            f"the better one is certified {np.median(when):.0f}   McNemar at every look says 'different' in "
            f"{100 * fixed.mean():.1f} % of streams"
        )


def main() -> None:
    """Print everything."""
    rng = np.random.default_rng(17)
    show_level(rng)
    show_power(rng)
    show_widths()
    show_anytime(rng)


if __name__ == "__main__":
    main()
