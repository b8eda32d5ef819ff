"""What a portfolio costs against the best strength in hindsight: the choice of its strengths, weights and share.

For each sample size, cases with risks, divergences and references of every quality: from one that errs where the
predictor does to one that errs elsewhere. *Hindsight* is the smallest one-strength portfolio over 21 strengths and
three shares, which nobody can know; *regret* the portfolio minus that.

Then its speed on one thread: against the union over rates that the mixture replaced, on the same arrays, and one call
against one call of ``kl_inv_upper``.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

import pacbayes as pb

from _tables import decimal, print_table
from _timing import best_time, verdict

DELTA = 0.05
CASES = 400
STRENGTHS = np.linspace(0.0, 1.0, 21)
SHARES = (0.5, 0.8, 0.95)
HALF_FIRST = (0.5, 0.1, 0.1, 0.1, 0.2)
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
CANDIDATES = {
    "0, 1; .5 .5; share .8": ((0.0, 1.0), (0.5, 0.5), 0.8),
    "0, 1/2, 1; .5 .25 .25; share .8": ((0.0, 0.5, 1.0), (0.5, 0.25, 0.25), 0.8),
    "quarters; even; share .5": (QUARTERS, (0.2,) * 5, 0.5),
    "quarters; even; share .8": (QUARTERS, (0.2,) * 5, 0.8),
    "quarters; .5 .1 .1 .1 .2; share .5": (QUARTERS, HALF_FIRST, 0.5),
    "quarters; .5 .1 .1 .1 .2; share .8": (QUARTERS, HALF_FIRST, 0.8),
    "quarters; .5 .1 .1 .1 .2; share .9": (QUARTERS, HALF_FIRST, 0.9),
    "quarters; .4 .1 .1 .1 .3; share .8": (QUARTERS, (0.4, 0.1, 0.1, 0.1, 0.3), 0.8),
    "eighths; .5, rest even; share .8": (tuple(np.linspace(0.0, 1.0, 9)), (0.5,) + (0.0625,) * 8, 0.8),
}
HEADS = ("n", "strengths", "weights", "share", "worst regret", "mean regret", "ratio")
SHOWN = {  # in the page, for samples of at most so many rows
    "0, 1; .5 .5; share .8": (("0, 1", "even", ".8"), 10_000),
    "quarters; even; share .5": (("quarters", "even", ".5"), 10_000),
    "quarters; .5 .1 .1 .1 .2; share .8": (("**quarters**", "**.5, .1, .1, .1, .2**", "**.8**"), 100_000),
    "eighths; .5, rest even; share .8": (("eighths", ".5, the rest even", ".8"), 10_000),
}


def cases(n: int) -> dict[str, np.ndarray]:
    """Return shares of the examples on which predictor, reference or both err, and divergences."""
    rng = np.random.default_rng(n)
    risk = 10.0 ** rng.uniform(np.log10(1.0 / n), np.log10(0.5), CASES)
    reference = np.minimum(risk * 2.0 ** rng.uniform(-1.0, 1.0, CASES), 0.9)
    quality = rng.choice([0.0, 0.5, 0.8, 0.95], CASES)  # of the errors that could be common, how many are
    both = quality * np.minimum(risk, reference) + (1.0 - quality) * risk * reference
    kl = np.where(rng.random(CASES) < 0.2, 0.0, n * 10.0 ** rng.uniform(np.log10(0.1 / n), -0.7, CASES))
    return {"risk": risk, "reference": reference, "both": both, "kl": kl}


def values(n: int, strengths: tuple[float, ...], weights: tuple[float, ...], share: float) -> np.ndarray:
    """Return the portfolio in each case."""
    given, (rates, rate_weights) = cases(n), pb.bounds.betting_rates(n, DELTA)
    gamma = np.array(strengths)[:, None]
    risk, reference, both = (given[name][:, None, None] for name in ("risk", "reference", "both"))
    growths = (risk - both) * np.log1p(-rates) + both * np.log1p(-rates * (1.0 - gamma))
    growths = growths + (reference - both) * np.log1p(rates * gamma)
    own = reference[:, 0] * np.log1p(-rates)
    kl = given["kl"]
    found = pb.bounds.portfolio(growths, strengths, own, rates, kl, n, DELTA, rate_weights, weights, share)
    return np.asarray(found)


def union(growths: np.ndarray, rates: np.ndarray, kl: np.ndarray, n: int, weights: np.ndarray) -> np.ndarray:
    """Return the smallest of the bounds at one rate, rounded up as `betting` did."""
    cost = (kl[:, None, None] - np.log(weights) + np.log(1.0 / DELTA)) / n * (1.0 + 2.0**-50)
    exponent = np.nextafter(growths - cost - 2.0**-52 * (np.abs(growths) + cost), -np.inf)
    candidates = -np.expm1(exponent) / rates
    candidates = np.nextafter(candidates + np.abs(candidates) * 2.0**-49, np.inf)
    best = np.argmin(candidates, axis=-1)[..., None]
    return np.clip(np.take_along_axis(candidates, best, axis=-1)[..., 0], -1.0, 1.0)


def speed() -> None:
    """Print ratios of times, measured in this run."""
    rng, count, n = np.random.default_rng(0), 10_000, 10_000
    rates, weights = pb.bounds.betting_rates(n, DELTA)
    risk = rng.random((count, 1, 1)) * 0.3
    reference = np.clip(risk * rng.uniform(0.7, 1.2, risk.shape), 0.0, 0.9)
    both, gamma = np.minimum(risk, reference) * rng.random(risk.shape), np.array(QUARTERS)[:, None]
    growths = (risk - both) * np.log1p(-rates) + both * np.log1p(-rates * (1.0 - gamma))
    growths += (reference - both) * np.log1p(rates * gamma)
    own, kl = reference[:, 0] * np.log1p(-rates), rng.random(count) * 50.0
    plain = best_time(lambda: union(growths, rates, kl, n, weights))
    found = best_time(lambda: pb.bounds.portfolio(growths, QUARTERS, own, rates, kl, n, DELTA, weights), 3)
    mixture = best_time(lambda: pb.bounds.betting(growths, rates, kl[:, None], n, DELTA, weights), 3)
    name = f"{count} posteriors x 5 strengths x {rates.size} rates"
    print(f"\n{name}: portfolio / union {found / plain:.0f} (target 200, {verdict(found / plain <= 200)}; aim 50)")
    print(f"{name}: betting by the mixture / union {mixture / plain:.0f}")
    one = best_time(lambda: [pb.kl_inv_upper(0.05, 0.01) for _ in range(1000)], 3) / 1000
    single = growths[0], QUARTERS, own[0], rates, 5.0, n, DELTA, weights
    call = best_time(lambda: [pb.bounds.portfolio(*single) for _ in range(50)], 5) / 50
    print(f"one call: portfolio / kl_inv_upper {call / one:.0f} (target 100, {verdict(call / one <= 100)})")


def main() -> None:
    print(f"{'n':>7} {'portfolio':38s} {'worst':>8} {'mean':>8} {'median':>8} {'over no reference':>18} {'ratio':>7}")
    rows = []
    for n in (100, 1000, 10_000, 100_000):
        best = np.min([values(n, (g,), (1.0,), a) for g in STRENGTHS for a in SHARES], axis=0)
        alone = values(n, (0.0,), (1.0,), 1.0 - 1e-9)
        for name, settings in CANDIDATES.items():
            found = values(n, *settings)
            regret, lost = found - best, (found - alone).max()
            ratio = np.exp(np.mean(np.log(found / np.minimum(best, alone))))
            figures = f"{regret.max():8.4f} {regret.mean():8.4f} {np.median(regret):8.4f} {lost:18.4f} {ratio:7.4f}"
            print(f"{n:7d} {name:38s} {figures}")
            words, largest = SHOWN.get(name, ((), 0))
            if n <= largest:
                rows.append((f"{n:,}", *words, decimal(regret.max()), decimal(regret.mean()), f"{ratio:.3f}"))
    print_table("strengths", HEADS, rows)
    with threadpool_limits(1):
        speed()


if __name__ == "__main__":
    main()
