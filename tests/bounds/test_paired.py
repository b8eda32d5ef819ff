"""Two predictors on the same rows: coverage by enumeration, McNemar's exact test, and what must be so of any counts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, multinomial

from pacbayes.bounds import betting, betting_rates, clopper_pearson, get, paired
from pacbayes.bounds.paired import _tail

COUNTS = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 3000))


@lru_cache
def table(n, delta):
    """The limit for every outcome of n rows."""
    keys = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    return np.array(keys), np.array([paired(b, c, n, delta) for b, c in keys])


@pytest.mark.parametrize(("n", "delta"), [(1, 0.05), (6, 0.025), (13, 0.1), (20, 0.025), (20, 0.4)])
def test_fails_with_at_most_delta_whatever_the_truth_is(n, delta):
    keys, limits = table(n, delta)
    outcomes = np.c_[keys, n - keys.sum(axis=1)]
    for share in np.linspace(0.02, 1.0, 30):
        for theta in np.linspace(0.0, 1.0, 33):
            truth = [share * theta, share * (1.0 - theta), 1.0 - share]
            wrong = limits < truth[0] - truth[1] - 1e-12
            assert multinomial.pmf(outcomes[wrong], n, truth).sum() <= delta


@pytest.mark.parametrize("delta", [0.3, 0.1, 0.025, 0.005, 1e-4])
def test_is_below_zero_exactly_where_mcnemars_test_says_so(delta):
    for m in (*range(12), 20, 31):
        for b in range(m + 1):
            found = paired(b, m - b, 100, delta)
            assert (found < 0.0) == bool(binom.cdf(b, m, 0.5) <= delta), (b, m)


def test_two_sides_are_the_two_sided_test():
    for b, c in [(10, 30), (30, 10), (12, 26), (13, 26), (0, 5), (0, 6), (200, 250)]:
        upper, lower = paired(b, c, 1000, 0.025), -paired(c, b, 1000, 0.025)
        assert (upper < 0.0 or lower > 0.0) == (binomtest(b, b + c).pvalue <= 0.05)


@given(COUNTS, st.floats(1e-6, 0.5))
@settings(max_examples=100)
def test_lies_above_what_was_observed_and_grows_with_errors_of_the_first(counts, delta):
    b, c, rest = counts
    n = b + c + rest
    if n == 0:
        return
    found = paired(b, c, n, delta)
    assert (b - c) / n <= found + 1e-12 <= 1.0 + 1e-12
    if rest:
        slack = 4e-4 * abs(found) + 1e-12  # the limit is searched for to that accuracy
        assert paired(b + 1, c, n, delta) >= found - slack
    assert paired(b, c, n, delta / 2.0) >= found - 4e-4 * abs(found)


@pytest.mark.parametrize("n", [1, 7, 100, 10**6])
def test_without_a_discordant_row_it_is_close_to_the_exact_limit_on_their_share(n):
    found, exact = paired(0, 0, n, 0.025), clopper_pearson(0, n, 0.025)
    assert exact <= found <= 1.2 * exact


@pytest.mark.parametrize("counts", [(20, 20, 1000), (60, 40, 1000), (60, 10, 1000), (5, 5, 100), (600, 500, 10**4)])
def test_is_narrower_than_two_exact_limits_and_than_bets(counts):
    b, c, n = counts
    width = paired(b, c, n, 0.025) + paired(c, b, n, 0.025)
    union = sum(clopper_pearson(x, n, 0.0125) - 1.0 + clopper_pearson(n - y, n, 0.0125) for x, y in ((b, c), (c, b)))
    rates, weights = betting_rates(n=n, delta=0.025)
    bets = sum(
        2.0
        * betting((x * np.log1p(-rates) + (n - b - c) * np.log1p(-rates / 2)) / n, rates, 0, n, 0.025, weights=weights)
        - 1.0
        for x in (b, c)
    )
    assert width < 0.82 * union
    assert width < 0.95 * bets


def at_most(count, n, share):
    """The probability of at most so many of n, in ball arithmetic."""
    return (1 - arb(share)).beta_lower(n - count, count + 1, regularized=True) if count < n else arb(1)


def at_least(count, n, share):
    return arb(share).beta_lower(count, n - count + 1, regularized=True) if count else arb(1)


def chance_of_rejection(b, c, n, difference, distance):
    """How likely a pair with that difference is rejected at or beyond what was seen, with the weight of its slice."""
    share = abs(difference) / arb(distance)
    towards = (1 + arb(distance) * (1 if difference > 0 else -1)) / 2
    tail, other = at_most(b, b + c, towards), (at_most if difference > 0 else at_least)(b + c, n, share)
    ends = np.geomspace(1e-3 / n, 1.0, int(np.ceil(np.log(1e3 * n) / np.log(1.05))) + 1)
    end = ends[np.searchsorted(ends, distance)]
    slope = end / np.sqrt(max(1.0 - end**2, 1e-300))
    ratio = arb(min(slope * (2.0 + slope) / (1.0 + 2.0 * slope), 3.0))
    large, small = ratio.max(1) / (1 + ratio), ratio.min(1) / (1 + ratio)
    found = -(tail.log() + ratio * other.log()) / (1 + ratio)
    return (large * (-found / large).exp() - small * (-found / small).exp()) / (large - small)


LARGE = [(5_010_000, 4_990_000, 10**8), (4_990_000, 5_010_000, 10**8), (498_000, 502_000, 10**7)]


@pytest.mark.parametrize("delta", [0.025, 0.5])
@pytest.mark.parametrize("counts", [(3, 9, 40), (40, 60, 1000), (0, 12, 500), (300, 310, 10**5), *LARGE])
def test_every_larger_difference_is_rejected_in_exact_arithmetic(counts, delta):
    """Tails and weights in sixty digits, on pairs that the search does not visit, of both signs."""
    b, c, n = counts
    limit = paired(b, c, n, delta)
    larger, rng, tried = limit + abs(limit) * 1e-6, np.random.default_rng(0), 0
    with ctx.workprec(200):
        for distance in np.geomspace(abs(larger), 1.0, 14) * rng.uniform(0.98, 1.0, 14):
            if abs(larger) < distance < 1.0:
                tried += 1
                assert chance_of_rejection(b, c, n, larger, distance) <= delta
    assert tried > 4


@pytest.mark.parametrize("rows", [10**3, 10**6, 10**7, 10**8])
def test_tails_of_many_discordant_rows_are_as_exact_as_the_slack_says(rows):
    with ctx.workprec(200):
        for share in (0.01, 0.5, 0.9):
            b, deviation = int(share * rows), np.sqrt(share * (1.0 - share) / rows)
            for theta in share + deviation * np.array([-1.0, 0.1, 2.0, 6.0]):
                exact = at_most(b, rows, theta)
                assert abs(arb(float(_tail(b, rows - b, theta))) / exact - 1) <= 1e-10  # a tenth of the slack


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((1.5, 0, 10, 0.05), "only_first"),
        ((1, -1, 10, 0.05), "only_second"),
        ((6, 5, 10, 0.05), "add up"),
        ((1, 1, 9, 2.0), "delta"),
    ],
)
def test_refuses_what_are_no_counts(arguments, named):
    with pytest.raises(ValueError, match=named):
        paired(*arguments)


def test_is_known_by_name():
    assert get("paired").function is paired
    assert "mcnemar" in get("paired").citation
