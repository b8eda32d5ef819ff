"""Coverage by simulation: where its assumptions hold, a bound fails in at most delta of the runs.

Each figure is judged by an exact binomial test at level 1e-4. The median slack is printed beside it.
"""

from __future__ import annotations

import numpy as np
import pytest

import pacbayes as pb

from coverage import laws
from coverage.judging import DELTA, too_often

RUNS = 10_000
HYPOTHESES = 1000


def growth(x, rates):
    """Mean of log(1 - rate x) over the last axis, one rate at a time."""
    return np.stack([np.log1p(-rate * x).mean(axis=-1) for rate in rates], axis=-1)


def risk_bounds(losses, kl, n, delta=DELTA):
    """Every bound on a risk, for losses along the last axis."""
    rates, weights = pb.bounds.betting_rates(n, delta)
    risk = losses.mean(axis=-1)
    variance = np.clip(losses.var(axis=-1, ddof=1), 0.0, 0.5)
    common = {"kl": kl, "n": n, "delta": delta}
    yield "mcallester", pb.bounds.mcallester(risk, **common)
    yield "maurer", pb.bounds.maurer(risk, **common)
    yield "maurer published", pb.bounds.maurer(risk, **common, constant="published")
    yield "maurer_relaxed", pb.bounds.maurer_relaxed(risk, **common)
    yield "catoni grid", pb.bounds.catoni(risk, **common)
    yield "catoni fixed", pb.bounds.catoni(risk, **common, rates=0.5)
    yield "tolstikhin_seldin", pb.bounds.tolstikhin_seldin(risk, variance, **common)
    yield "unexpected_bernstein", pb.bounds.unexpected_bernstein(risk, (losses**2).mean(axis=-1), **common)
    yield "betting", pb.bounds.betting(growth(losses, rates), rates, **common, weights=weights)
    if np.ndim(kl) == 0 and kl == 0.0:
        yield "chernoff", pb.bounds.chernoff(risk, n, delta)
        if np.all((losses == 0.0) | (losses == 1.0)):
            yield "clopper_pearson", pb.bounds.clopper_pearson(losses.sum(axis=-1), n, delta)


def excess_bounds(x, kl, n, delta=DELTA):
    """Every bound on an excess, for de-biased losses along the last axis."""
    plus, minus = np.maximum(x, 0.0).mean(axis=-1), np.maximum(-x, 0.0).mean(axis=-1)
    common = {"kl": kl, "n": n, "delta": delta}
    yield "excess_kl", pb.bounds.excess_kl(plus, minus, **common)
    yield "excess_relaxed", pb.bounds.excess_relaxed(plus, minus, **common)
    yield "split_kl", pb.bounds.split_kl(plus, minus, **common)
    frequencies = np.stack([plus, minus, 1.0 - plus - minus], axis=-1)
    yield "vector_kl", pb.bounds.vector_kl(np.clip(frequencies, 0.0, 1.0), [1.0, -1.0, 0.0], **common)
    yield from sound_excess_bounds(x, kl, n, delta)


def sound_excess_bounds(x, kl, n, delta=DELTA):
    rates, weights = pb.bounds.betting_rates(n, delta)
    common = {"kl": kl, "n": n, "delta": delta}
    yield "unexpected_bernstein", pb.bounds.unexpected_bernstein(x.mean(axis=-1), (x**2).mean(axis=-1), **common)
    yield "betting", pb.bounds.betting(growth(x, rates), rates, **common, weights=weights)


def one_of_each(x):
    """The different multisets among losses along the last axis, and which of them each row has; None if most differ.

    No bound looks at the order of the losses, so that those of few different values are a short table of bounds.
    """
    levels = np.unique(x[0])
    if levels.size > 10:
        return None
    counts = np.stack([np.count_nonzero(x == level, axis=-1) for level in levels], axis=-1)
    assert np.all(counts.sum(axis=-1) == x.shape[-1])
    numbers = counts @ (x.shape[-1] + 1) ** np.arange(levels.size)
    _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    return x.reshape(-1, x.shape[-1])[first], which.reshape(x.shape[:-1])


def least_of_all(bounds, x, kl, n):
    """Each bound's least value over the hypotheses, which are the second axis of the losses."""
    found = one_of_each(x)
    for name, values in bounds(x if found is None else found[0], kl, n):
        yield name, (values if found is None else values[found[1]]).min(axis=1)


def least_of_low(bounds, x, kl, n, kept=100):
    """The same, sought among the hypotheses of the lowest mean losses alone."""
    low = np.argpartition(x.mean(axis=-1), kept, axis=1)[:, :kept]
    for name, values in bounds(np.take_along_axis(x, low[:, :, None], axis=1), kl, n):
        yield name, values.min(axis=1)


def worst_values(bounds, draws, kl, n):
    """Each bound's least value over the hypotheses, draw by draw.

    What is not a short table is sought among the hypotheses of low mean loss, once it was found there in a first draw.
    """
    worst = {}
    for number, x in enumerate(draws):
        short = one_of_each(x[:1]) is not None
        for name, values in (least_of_all if short or not number else least_of_low)(bounds, x, kl, n):
            worst.setdefault(name, []).append(values)
        if not short and not number:
            assert all(np.array_equal(values, worst[name][0]) for name, values in least_of_low(bounds, x, kl, n))
    return {name: np.concatenate(parts) for name, parts in worst.items()}


@pytest.mark.parametrize("law", laws.LOSSES)
def test_one_predictor(law, judge):
    draw, mean = laws.LOSSES[law]
    losses = draw(np.random.default_rng(1), (RUNS, 100))
    for name, values in risk_bounds(losses, 0.0, 100):
        judge(f"one predictor, {law}: {name}", values, mean)


@pytest.mark.parametrize("law", laws.LOSSES)
def test_worst_of_a_thousand_predictors(law, judge):
    """The posterior is the hypothesis whose bound is furthest below its true risk, of 1000 with an even prior."""
    draw, mean = laws.LOSSES[law]
    rng, n, runs, kl = np.random.default_rng(2), 60, 2000, np.log(HYPOTHESES)
    draws = (draw(rng, (20, HYPOTHESES, n)) for _ in range(runs // 20))
    for name, values in worst_values(risk_bounds, draws, kl, n).items():
        judge(f"worst of {HYPOTHESES}, {law}: {name}", values, mean)


@pytest.mark.parametrize("law", laws.LOSSES)
@pytest.mark.parametrize("gamma", [1.0, 0.5])
def test_fixed_reference(law, gamma, judge):
    draw, mean = laws.LOSSES[law]
    rng, n = np.random.default_rng(3), 100
    losses = draw(rng, (RUNS, n))
    references = laws.fixed_reference(rng, losses.shape, losses)
    truth = mean - gamma * laws.fixed_reference_mean(mean)
    for name, values in excess_bounds(losses - gamma * references, 0.0, n):
        judge(f"fixed reference, gamma {gamma}, {law}: {name}", values, truth)


def test_worst_of_a_thousand_with_a_fixed_reference(judge):
    draw, mean = laws.LOSSES["bernoulli"]
    rng, n, runs, kl = np.random.default_rng(4), 60, 2000, np.log(HYPOTHESES)
    draws = (draw(rng, (20, HYPOTHESES, n)) - (rng.random((20, 1, n)) < 0.2).astype(float) for _ in range(runs // 20))
    for name, values in worst_values(excess_bounds, draws, kl, n).items():
        judge(f"worst of {HYPOTHESES}, fixed reference: {name}", values, mean - 0.2)


def test_online_reference(judge):
    """The online majority vote as reference: its own loss, the excess of a fixed rule, and both together."""
    rng, n = np.random.default_rng(5), 200
    labels, references, conditional = laws.majority_reference(rng, RUNS, n)
    average = conditional.mean(axis=1)
    rates, weights = pb.bounds.betting_rates(n, DELTA)
    own = growth(references, rates)
    judge("online reference: betting on it", pb.bounds.betting(own, rates, 0.0, n, DELTA, weights), average)
    x = labels - references  # the rule that always says 0 errs where the label is 1, with probability 0.3
    for name, values in sound_excess_bounds(x, 0.0, n):
        judge(f"online reference, excess: {name}", values, 0.3 - average)
    half = DELTA / 2.0
    total = pb.bounds.betting(growth(x, rates), rates, 0.0, n, half, weights)
    total = total + pb.bounds.betting(own, rates, 0.0, n, half, weights)
    judge("online reference, risk by debiasing: betting", total, 0.3)


def test_stopping_reference_breaks_the_published_bound_and_not_betting(judge, record_property):
    """Erratum E7, 1e4 runs: the martingale Chernoff bound fails about three times as often as it may."""
    n, p = 20_000, 0.05
    totals, means = laws.stopping_reference(np.random.default_rng(6), RUNS, n, p, DELTA)
    published = pb.bounds.progressive_chernoff(totals / n, n, DELTA)
    violations = int(np.sum(published < means / n))
    record_property(
        "line:stopping reference: progressive_chernoff (published, unsound) violated", f"{violations / RUNS:.2%}"
    )
    assert too_often(violations, RUNS)
    assert 0.13 < violations / RUNS < 0.165  # 14.6 % in 200,000 runs
    for label, size in (("for this n", n), ("for all n", None)):
        rates, weights = pb.bounds.betting_rates(size, DELTA)
        values = pb.bounds.betting((totals / n)[:, None] * np.log1p(-rates), rates, 0.0, n, DELTA, weights)
        judge(f"stopping reference: betting, rates {label}", values, means / n)


def test_betting_holds_at_all_n_at_once(judge):
    """The smallest of bound minus truth over every prefix of a stream counts."""
    rng, n = np.random.default_rng(7), 1000
    rates, weights = pb.bounds.betting_rates()
    index = np.arange(1, n + 1)
    counts, truths = [], []
    for _ in range(RUNS // 50):
        _, references, conditional = laws.majority_reference(rng, 50, n)
        counts.append(np.cumsum(references, axis=1).astype(np.int32))
        truths.append(np.cumsum(conditional, axis=1) / index)
    # losses are 0 or 1, so that the bound is a function of their number and of n: a table instead of 1e7 bounds
    table = np.full((n + 1, n + 1), np.nan)
    for each in counts:
        table[each, index] = 0.0
    errors, rows = np.nonzero(table == 0.0)
    growths = (errors / rows)[:, None] * np.log1p(-rates)
    table[errors, rows] = pb.bounds.betting(growths, rates, 0.0, rows, DELTA, weights)
    pairs = zip(counts, truths, strict=True)
    shortfall = np.concatenate([(table[seen, index] - truth).min(axis=1) for seen, truth in pairs])
    judge("all n at once, online reference: betting", shortfall, 0.0)


def test_a_wrong_bound_is_caught():
    """The planted mistake: log(1/delta) dropped."""
    draw, mean = laws.LOSSES["bernoulli"]
    risk = draw(np.random.default_rng(8), (RUNS, 100)).mean(axis=-1)
    wrong = pb.kl_inv_upper(risk, 0.0)
    assert too_often(np.sum(wrong < mean), RUNS)
    with_constant_only = pb.kl_inv_upper(risk, 0.5 * np.log(1.0 / DELTA) / 100)
    assert too_often(np.sum(with_constant_only < mean), RUNS)
