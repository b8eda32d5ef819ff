"""The portfolio against 60-digit arithmetic, against what it replaces, and its special cases."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import pacbayes as pb
from pacbayes import statistics
from pacbayes.statistics import STRENGTHS

EXCESS = arb(1e-9)  # exactly a double
_CLOSE = arb(1e-20)
risks = st.one_of(st.just(0.0), st.floats(0.0, 1.0), st.floats(-6.0, 0.0).map(lambda e: 10.0**e))


def _case(rng):
    """Return the arguments of a portfolio: up to 3 references of any quality, 5 strengths and 5 rates."""
    references, strengths, rates = rng.integers(1, 4), rng.integers(1, 6), rng.integers(1, 6)
    gamma = np.sort(rng.random(strengths))
    gamma[0] = 0.0 if rng.random() < 0.8 else gamma[0]
    gamma[-1] = 1.0 if rng.random() < 0.4 else gamma[-1]
    lam = 1.0 / (1.0 + np.exp(2.0 * rng.normal(size=rates)))
    risk = float(rng.choice([0.0, 1e-6, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0, rng.random()]))
    growths, others = np.empty((references, strengths, rates)), np.empty((references, rates))
    for s in range(references):
        reference = float(rng.choice([0.0, 1e-4, 0.05, 0.2, 0.5, 1.0, rng.random()]))
        least, most = max(0.0, risk + reference - 1.0), min(risk, reference)
        both = most if rng.random() < 0.3 else rng.uniform(least, max(most, least))
        column = gamma[:, None]
        growths[s] = (risk - both) * np.log1p(-lam) + both * np.log1p(-lam * (1.0 - column))
        growths[s] += (reference - both) * np.log1p(lam * column)
        others[s] = reference * np.log1p(-lam)
    return {
        "growths": growths,
        "strengths": gamma,
        "reference_log_growth": others,
        "rates": lam,
        "kl": float(rng.choice([0.0, 10.0 ** rng.uniform(-3, 6)])),
        "n": int(10 ** rng.uniform(0, 12)),
        "delta": float(rng.choice([0.05, 0.5, 1e-6, rng.uniform(0.001, 0.999)])),
        "weights": rng.dirichlet(np.ones(rates)) * (1.0 - 1e-14) + 1e-16,
        "strength_weights": rng.dirichlet(np.ones(strengths)) * (1.0 - 1e-14) + 1e-16,
        "share": float(rng.uniform(0.05, 0.95)),
    }


def _balls(values):
    return [arb(float(x)) for x in values]


class _Exact:
    """``F`` of mathematics 9, term by term."""

    def __init__(self, case):
        self.w, self.v = (self._normalised(_balls(case[name])) for name in ("weights", "strength_weights"))
        self.a, self.kl, self.n = arb(case["share"]), arb(case["kl"]), case["n"]
        self.rates, self.gamma = (_balls(case[name]) for name in ("rates", "strengths"))
        self.growths = [[_balls(of_one) for of_one in each] for each in case["growths"]]
        self.others = [_balls(each) for each in case["reference_log_growth"]]
        self.count = len(self.others)
        self.case, self.near = case, [None] * self.count

    @staticmethod
    def _normalised(part):
        total = sum(part, arb(0))
        return [x / total for x in part] if total > 1 else part

    def parts(self, s, R, b):
        """Return both parts of one reference's share of F, and the size of their slopes in b."""
        risk = falls = own = rises = arb(0)
        for k, (rate, w) in enumerate(zip(self.rates, self.w, strict=True)):
            for j, (gamma, v) in enumerate(zip(self.gamma, self.v, strict=True)):
                left = 1 - rate * (R - gamma * b)
                term = v * w * (self.n * (self.growths[s][j][k] - left.log()) - self.kl).exp()
                risk, falls = risk + term, falls + term * rate * gamma / left
            left = 1 - rate * b
            term = w * (self.n * (self.others[s][k] - left.log())).exp()
            own, rises = own + term, rises + term * rate / left
        return self.a * risk + (1 - self.a) * own, self.n * ((1 - self.a) * rises - self.a * falls)

    def guess(self, s, R):
        """Return about where the slope changes its sign, by floats: where to look first, and no more."""
        case = self.case
        rates, gamma, n = case["rates"], case["strengths"][:, None], case["n"]
        v, w = case["strength_weights"][:, None], case["weights"]

        def slope(b):
            left = 1.0 - rates * (R - gamma * b)
            falls = n * (case["growths"][s] - np.log(left)) - case["kl"] + np.log(v * w * rates * gamma / left)
            rises = n * (case["reference_log_growth"][s] - np.log1p(-rates * b)) + np.log(w * rates / (1.0 - rates * b))
            share = case["share"]
            return np.logaddexp.reduce(rises) - np.logaddexp.reduce(falls, axis=None) + np.log((1.0 - share) / share)

        with np.errstate(all="ignore"):
            return brentq(slope, 0.0, 1.0, xtol=1e-300, rtol=1e-15) if slope(0.0) < 0.0 < slope(1.0) else 0.5

    def smallest(self, R):
        """Return the smallest F over all b, from where its slope changes its sign in each."""
        return sum((self._smallest(s, R) for s in range(self.count)), arb(0)) / self.count

    def _smallest(self, s, R):
        low, high = arb(0), arb(1)
        at_low, at_high = self.parts(s, R, low), self.parts(s, R, high)
        if at_low[1] >= 0:
            return at_low[0]
        if at_high[1] <= 0:
            return at_high[0]
        self.near[s] = self.near[s] or self.guess(s, float(R))
        # a few steps beside the guess leave little between low and high
        for step in (1e-8, -1e-8, 1e-12, -1e-12):
            b = arb(self.near[s] * (1.0 + step))
            if low < b < high:
                at = self.parts(s, R, b)
                low, at_low, high, at_high = (b, at, high, at_high) if at[1] < 0 else (low, at_low, b, at)
        # a convex function lies above both tangents; halve until they meet where it is
        for step in range(400):
            meet = (at_low[0] - at_high[0] + at_high[1] * high - at_low[1] * low) / (at_high[1] - at_low[1])
            # along the flatter one, whose value there is rounded less
            flat = -at_low[1] < at_high[1]
            floor = at_low[0] + at_low[1] * (meet - low) if flat else at_high[0] + at_high[1] * (meet - high)
            if floor >= min(at_low[0], at_high[0]) * (1 - _CLOSE):
                break
            b = meet.mid() if step % 2 and low < meet < high else ((low + high) / 2).mid()
            at = self.parts(s, R, b)
            low, at_low, high, at_high = (b, at, high, at_high) if at[1] < 0 else (low, at_low, b, at)
        return floor


def _judged(case):
    """Return whether the bound is not surely above its exact value, and whether it is not surely near it."""
    with ctx.workdps(60):
        value, exact, target = arb(pb.bounds.portfolio(**case, several=True)), _Exact(case), 1 / arb(case["delta"])
        below = value < 1 and not exact.smallest(value) >= target
        return below, value > EXCESS and not exact.smallest(value - EXCESS) <= target


def _sweep(seed, count):
    rng = np.random.default_rng(seed)
    return tuple(map(sum, zip(*(_judged(_case(rng)) for _ in range(count)), strict=True)))


def test_bracket(record_count):
    below, loose = _sweep(1, 60)
    record_count("portfolio: points below their exact value, of 60", below)
    assert (below, loose) == (0, 0)


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_bracket_on_many_points(part, record_count):
    below, loose = _sweep((2, part), 5_000)
    record_count("portfolio: points below their exact value, of 20,000", below)
    record_count("portfolio: points more than 1e-9 above their exact value, of 20,000", loose)
    assert (below, loose) == (0, 0)


@st.composite
def summaries(draw):
    """Return expected losses and references on a few kinds of example, as a summary."""
    losses = np.array(draw(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=6)))
    reference = np.array(draw(st.lists(st.floats(0.0, 1.0), min_size=losses.size, max_size=losses.size)))
    times = draw(st.integers(1, 500))
    return pb.Summary.from_losses(
        np.repeat(losses, times), np.repeat(reference, times), reference_kind="predictable", rates=[0.9, 0.5, 0.1, 0.02]
    )


def _portfolio(summary, kl, delta, **options):
    return pb.bounds.portfolio(
        summary.growths,
        summary.strengths,
        summary.reference_log_growth,
        summary.rates,
        kl,
        summary.n,
        delta,
        summary.weights,
        **options,
    )


@given(summaries(), st.floats(0.0, 100.0), st.floats(1e-6, 0.9))
@settings(max_examples=50)
def test_costs_at_most_a_constant_against_no_reference(summary, kl, delta):
    """With strength 0 in the set it loses log(1/(a v_0)) nats at most, here log(1/0.4)."""
    alone = pb.bounds.betting(summary.growths[0], summary.rates, kl, summary.n, delta * 0.4, summary.weights)
    assert _portfolio(summary, kl, delta) <= max(alone, 0.0) + 1e-9


@given(summaries(), st.floats(0.0, 100.0), st.floats(1e-6, 0.9))
@settings(max_examples=50)
def test_one_martingale_is_below_two_events(summary, kl, delta):
    """Debiasing by betting is the portfolio with one strength: never above the sum of two bounds with a half each."""
    common = (summary.rates, kl, summary.n, delta / 2.0, summary.weights)
    excess = pb.bounds.betting(summary.log_growth, *common)
    own = pb.bounds.betting(summary.reference_log_growth, summary.rates, 0.0, summary.n, delta / 2.0, summary.weights)
    assert pb.bounds.debiased(summary, kl, delta) <= np.clip(excess + own, 0.0, 1.0) + 1e-9


@given(summaries(), st.floats(0.0, 20.0))
@settings(max_examples=30)
def test_the_same_reference_twice_is_one(summary, kl):
    growths, other = (np.stack([x, x]) for x in (summary.growths, summary.reference_log_growth))
    settings_ = {"kl": kl, "n": summary.n, "delta": 0.05, "weights": summary.weights, "several": True}
    twice = pb.bounds.portfolio(growths, summary.strengths, other, summary.rates, **settings_)
    assert twice == pytest.approx(_portfolio(summary, kl, 0.05), abs=2e-9)


def _learned_case(rng):
    """Return the arguments of a portfolio around a rate, right or wrong, with one to three references."""
    n = int(10 ** rng.uniform(1, 6))
    bets = pb.bounds.learned_bets(float(rng.uniform(0.01, 0.99)), n, 0.05)
    count, risk = rng.integers(1, 4), float(rng.choice([0.0, 0.01, 0.1, 0.3]))
    reference = np.minimum(1.0, risk * rng.uniform(0.5, 2.0, count))
    both = np.minimum(risk, reference) * rng.random(count)
    shares = {"errors": n * risk, "reference_errors": n * reference, "both": n * both}
    found = statistics.from_outcomes(n, **shares, rates=bets.rates, weights=bets.weights)
    given = {name: found[name] for name in ("growths", "strengths", "reference_log_growth")}
    return given | bets._asdict() | {"kl": float(rng.choice([0.0, 0.5, 20.0])), "n": n, "delta": 0.05}


@pytest.mark.parametrize("points", [8, pytest.param(100, marks=pytest.mark.long)])
def test_learned_bets_bracket(points, record_count):
    rng = np.random.default_rng(5)
    below, loose = map(sum, zip(*(_judged(_learned_case(rng)) for _ in range(points)), strict=True))
    record_count("portfolio around a learned rate: points below their exact value", below)
    assert (below, loose) == (0, 0)


def test_learned_bets_cost_what_they_say():
    """At most log(1/(.95 .98 .99)) nats against that rate alone, and log(1/(.05 .98 .99)) against the grid."""
    rng = np.random.default_rng(6)
    for _ in range(30):
        case = _learned_case(rng)
        value, growth = pb.bounds.portfolio(**case, several=True), case["growths"][0, 0]
        kl, n, rates = case["kl"], case["n"], case["rates"]
        alone = pb.bounds.betting(growth[0], rates[0], kl, n, 0.05 * 0.95 * 0.98 * 0.99)
        weights = case["weights"][1:] / 0.05
        grid = pb.bounds.betting(growth[1:], rates[1:], kl, n, 0.05 * 0.05 * 0.98 * 0.99, weights)
        assert value <= min(alone, grid) + 1e-9


def test_learned_bets_weigh_at_most_one():
    for n in (1, 30, 10**6):
        bets = pb.bounds.learned_bets(0.3, n)
        assert bets.weights.sum() <= 1.0 + 1e-12
        assert bets.strength_weights.sum() <= 1.0 + 1e-12
        assert min(bets.weights.min(), bets.strength_weights.min()) > 0.0
        assert bets.strength_weights.argmax() == STRENGTHS.index(0.0)


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.2, np.nan, "half", [0.5, 0.4]])
def test_a_rate_that_is_none(rate):
    with pytest.raises((ValueError, TypeError), match="'rate' argument of learned_bets must"):
        pb.bounds.learned_bets(rate, 100)


def test_gradient_of_several_references():
    case = {**_case(np.random.default_rng(20)), "n": 800, "kl": 3.0, "delta": 0.05}
    value, gradient = pb.bounds.portfolio(**case, several=True, return_grad=True)
    assert 0.0 < value < 1.0
    for name, slope in gradient.items():
        start = np.asarray(case[name], dtype=float)
        assert np.shape(slope) == start.shape
        for index in np.ndindex(start.shape):
            step = np.zeros(start.shape)
            step[index] = 1e-6
            up, down = (pb.bounds.portfolio(**case | {name: start + sign * step}, several=True) for sign in (1, -1))
            assert np.asarray(slope)[index] * 1e-6 == pytest.approx((up - down) / 2, rel=1e-3, abs=1e-12), name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strengths": [0.0, 2.0, 1.0]}, r"'strengths' argument of portfolio must lie in \[0, 1\]. Got 2.0"),
        ({"strengths": [[0.0, 0.5, 1.0]]}, "'strengths' argument of portfolio must be a list of numbers"),
        ({"share": 1.0}, "'share' argument of portfolio must lie strictly between 0 and 1. Got 1.0"),
        ({"strength_weights": [0.5, 0.5, 0.5]}, "'strength_weights' argument of portfolio .* sum to at most 1"),
        ({"strength_weights": [1.0]}, "'strength_weights' argument of portfolio .* one per strength"),
        ({"growths": np.zeros((2, 2))}, "'growths' argument of portfolio must end in one axis for 3 strengths"),
        ({"reference_log_growth": np.zeros(3)}, "'reference_log_growth' argument of portfolio .* one entry per rate"),
        ({"reference_log_growth": np.full(2, 0.1)}, "'reference_log_growth' argument of portfolio must lie between"),
    ],
)
def test_bad_input(change, message):
    good = {
        "growths": np.zeros((3, 2)),
        "strengths": [0.0, 0.5, 1.0],
        "reference_log_growth": np.zeros(2),
        "rates": [0.5, 0.2],
        "kl": 1.0,
        "n": 100,
        "delta": 0.05,
    }
    with pytest.raises(ValueError, match=message):
        pb.bounds.portfolio(**good | change)


@pytest.mark.parametrize("n", [1000, 2**40])
@pytest.mark.parametrize("several", [False, True])
def test_infinite_divergence_of_huge_samples_is_vacuous_without_a_warning(n, several):
    rates, strengths = np.array([0.9, 0.05]), (0.0, 1.0)
    growths, own = np.zeros((2, 2, 2)), np.zeros((2, 2))
    if not several:
        growths, own = growths[0], own[0]
    assert pb.bounds.portfolio(growths, strengths, own, rates, np.inf, n, 1e-12, several=several) == 1.0
