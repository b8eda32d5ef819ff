"""Summaries: statistics against their definitions, merging in any order, refusals, the bounds they feed."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pacbayes as pb

RATES = np.array([0.9, 0.4, 0.05])
unit = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.0, 1.0))


def make(losses, references, gamma=1.0, kind="predictable"):
    return pb.Summary.from_losses(losses, references, reference_kind=kind, strength=gamma, rates=RATES)


@given(st.lists(st.tuples(unit, unit), min_size=1, max_size=40), st.floats(0.0, 1.0))
def test_statistics_are_their_definitions(pairs, gamma):
    """Each loss is 1 with probability p and 0 otherwise, independently of the reference."""
    p, r = map(np.array, zip(*pairs, strict=True))
    summary = make(p, r, gamma)
    hit, miss = 1.0 - gamma * r, -gamma * r

    def mean(f):
        return float(np.mean(p * f(hit) + (1.0 - p) * f(miss)))

    expected = {
        "risk": p.mean(),
        "plus": mean(lambda x: np.maximum(x, 0.0)),
        "minus": mean(lambda x: np.maximum(-x, 0.0)),
        "second": mean(lambda x: x * x),
        "excess": mean(lambda x: x),
        "reference": r.mean(),
    }
    for name, value in expected.items():
        assert getattr(summary, name) == pytest.approx(value, abs=1e-14), name
    for k, rate in enumerate(RATES):
        assert summary.log_growth[k] == pytest.approx(mean(lambda x, lam=rate: np.log1p(-lam * x)), abs=1e-13)
        assert summary.reference_log_growth[k] == pytest.approx(np.mean(np.log1p(-rate * r)), abs=1e-13)


@given(st.integers(0, 10_000), st.integers(1, 400), st.integers(1, 30))
@settings(max_examples=60)
def test_merging_random_partitions_in_any_order_equals_the_whole(seed, n, pieces):
    rng = np.random.default_rng(seed)
    p, r = rng.random(n), np.where(rng.random(n) < 0.5, rng.random(n), rng.integers(0, 2, n))
    whole = make(p, r)
    cuts = np.unique(np.concatenate([[0, n], rng.integers(0, n + 1, pieces)]))
    parts = [make(p[a:b], r[a:b]) for a, b in pairwise(cuts)]
    rng.shuffle(parts)
    while len(parts) > 1:  # any bracketing
        i = int(rng.integers(len(parts) - 1))
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    merged = parts[0]
    assert merged.n == whole.n
    for name in ("risk", "plus", "minus", "second", "excess", "reference"):
        assert getattr(merged, name) == pytest.approx(getattr(whole, name), rel=1e-14, abs=1e-15)
    np.testing.assert_allclose(merged.log_growth, whole.log_growth, rtol=1e-13, atol=1e-15)


def test_a_long_sum_of_single_examples_stays_exact():
    one = make([0.1], [0.3])
    total = one
    for _ in range(20_000):
        total = total + one
    assert total.risk == pytest.approx(0.1, rel=1e-15)
    assert total.second == pytest.approx(one.second, rel=1e-15)


def test_chunks_equal_the_whole():
    rng = np.random.default_rng(0)
    p, r = rng.random(10_000), rng.random(10_000)
    options = {"reference_kind": "fixed", "rates": RATES}
    chunks = ((p[i : i + 777], r[i : i + 777]) for i in range(0, 10_000, 777))
    merged, whole = pb.Summary.from_chunks(chunks, **options), pb.Summary.from_losses(p, r, **options)
    assert merged.second == pytest.approx(whole.second, rel=1e-14)
    assert pb.Summary.from_chunks([p]).n == 10_000


def test_bounds_equal_the_functions():
    rng = np.random.default_rng(1)
    p = 0.2 * rng.random(500)
    r = (rng.random(500) < 0.1).astype(float)
    s = make(p, r, kind="fixed")
    common = {"kl": 3.0, "n": 500, "delta": 0.05}
    assert s.bound("maurer", kl=3.0, delta=0.05) == pb.bounds.maurer(s.risk, **common)
    assert s.bound("tolstikhin_seldin", kl=3.0, delta=0.05) == pb.bounds.tolstikhin_seldin(s.risk, s.variance, **common)
    assert s.bound("excess_kl", kl=3.0, delta=0.05) == pb.bounds.excess_kl(s.plus, s.minus, **common)
    assert s.bound("betting", kl=3.0, delta=0.05) == pb.bounds.betting(s.log_growth, RATES, **common)
    assert s.bound("unexpected_bernstein", kl=3.0, delta=0.05) == pb.bounds.unexpected_bernstein(
        s.excess, s.second, **common
    )
    grid = s.bound("maurer", kl=np.array([1.0, 2.0]), delta=0.05)
    assert grid.shape == (2,)
    for name in s.feeds:
        assert s.bound(name, kl=3.0, delta=0.05) <= 1.0
    assert pb.bounds.debiased(s, kl=3.0, delta=0.05) <= 1.0


def test_a_summary_knows_what_it_can_feed():
    none, online = pb.Summary.from_losses([0.1, 0.2]), make([0.1, 0.2], [0, 1])
    assert "excess_kl" in none.feeds
    assert "excess_kl" not in online.feeds
    assert "betting" in online.feeds
    with pytest.raises(ValueError, match=r"refuses 'excess_kl' with a predictable reference.*E7"):
        online.bound("excess_kl", kl=1.0, delta=0.05)
    assert online.bound("excess_kl", kl=1.0, delta=0.05, assume="published") <= 1.0
    with pytest.raises(ValueError, match=r"must be one of .* Got 'vector_kl'"):
        online.bound("vector_kl", kl=1.0, delta=0.05)
    with pytest.raises(ValueError, match=r"must be one of .* Got 'chernoff'"):
        online.bound("chernoff", kl=1.0, delta=0.05)


def test_a_misspelt_name_is_put_right():
    with pytest.raises(ValueError, match="Did you mean 'betting'"):
        S.bound("bettting", kl=1.0, delta=0.05)


def test_values_of_one_predictor_are_not_probabilities():
    rng = np.random.default_rng(0)
    values, reference = rng.beta(20, 60, 3000), rng.random(3000)
    summary = pb.Summary.from_values(values, reference, reference_kind="fixed", rates=RATES)
    assert summary.second == pytest.approx(np.mean((values - reference) ** 2), rel=1e-13)
    np.testing.assert_allclose(
        summary.log_growth, [np.log1p(-r * (values - reference)).mean() for r in RATES], rtol=1e-12
    )
    chunks = (values[i : i + 500] for i in range(0, 3000, 500))
    stream = pb.Summary.from_chunks(chunks, values=True)
    loose = pb.Summary.from_losses(values)
    assert stream.bound("betting", kl=0.0, delta=0.05) < loose.bound("betting", kl=0.0, delta=0.05) - 0.005


def test_an_online_reference_brings_its_kind_and_its_rows():
    sample = pb.datasets.make_known_risk(300, random_state=0)
    reference = pb.online_reference(pb.RefittedLogistic(), sample.X, sample.y, schedule=50, random_state=0)
    expected = np.random.default_rng(0).random(300)
    one, two = pb.Summary.from_losses(expected, reference), reference.summary(expected)
    assert one.reference_kind == "predictable"
    assert one.plus == pytest.approx(two.plus, rel=1e-14)
    ensemble = pb.Finite([1.0], losses=expected[None])
    assert ensemble.summary(reference=reference).reference == pytest.approx(reference.losses.mean())
    draws = pb.MonteCarlo(pb.Gaussian(np.ones(5), 0.1), draws=20).summary(sample.X, sample.y, reference=reference)
    assert draws.reference_kind == "predictable"
    assert pb.Summary.from_losses(expected, pb.zero_reference(300)).reference_kind == "none"


def test_variance_bounds_the_sample_variance():
    rng = np.random.default_rng(2)
    losses, weights = rng.random((4, 30)), rng.dirichlet(np.ones(4))
    summary = pb.Summary.from_mixture(losses, weights, rates=[0.5])
    assert summary.variance >= weights @ losses.var(axis=1, ddof=1) - 1e-15
    assert pb.Summary.from_losses([0.3]).variance == 0.5


S = pb.Summary.from_losses([0.1, 0.2])
BAD = [
    (lambda: pb.Summary.from_losses([0.1, 1.2]), r"'losses' argument of Summary must lie in \[0, 1\]. Got 1.2"),
    (lambda: pb.Summary.from_losses([0.1, math.nan]), "Got nan"),
    (lambda: pb.Summary.from_losses([]), "'losses' argument of Summary must be one number per example"),
    (lambda: pb.Summary.from_losses([[0.1]]), "one number per example"),
    (lambda: pb.Summary.from_losses([0.1], [0.1, 0.2], reference_kind="fixed"), "must have 1 entries. Got 2"),
    (lambda: pb.Summary.from_losses([0.1], [0.1]), "must say whether the reference is 'fixed'"),
    (lambda: pb.Summary.from_losses([0.1], [0.1], reference_kind="online"), "'reference_kind' .* Got 'online'"),
    (lambda: pb.Summary.from_losses([0.1], reference_kind="fixed"), "'reference' argument of Summary is needed"),
    (
        lambda: pb.Summary.from_losses([0.1], [1.5], reference_kind="fixed"),
        "'reference' argument of Summary must lie in",
    ),
    (lambda: pb.Summary.from_losses([0.1], strength=1.5), "'strength' argument of Summary must lie in"),
    (lambda: pb.Summary.from_losses([0.1], rates=[1.0]), "'rates' argument of Summary must lie strictly"),
    (lambda: pb.Summary.from_mixture([[0.1]], [0.5]), "1 numbers that sum to 1"),
    (lambda: pb.Summary.from_mixture([0.1], [1.0]), "one row per predictor"),
    (lambda: pb.Summary.from_draws([[0.1]], delta=0.0), "'delta' argument of Summary"),
    (lambda: pb.Summary.from_chunks([]), "at least one chunk"),
    (lambda: S + pb.Summary.from_losses([0.1], rates=[0.5]), "same rates"),
    (lambda: S + pb.Summary.from_losses([0.1], strength=0.5), "same strength"),
    (lambda: S + pb.Summary.from_losses([0.1], [0.1], reference_kind="fixed"), "same reference kind"),
    (lambda: S + pb.Summary.from_draws([[0.1]], delta=0.1), "same Monte-Carlo draws"),
    (lambda: S.bound("maurer", kl=1.0, delta=2.0), "'delta' argument of Summary.bound"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_adding_something_else_is_a_type_error():
    with pytest.raises(TypeError):
        S + 1


def test_summary_rates_must_be_a_list_and_weights_go_with_them():
    for options in ({"rates": []}, {"rates": [[0.5]]}, {"rates": [0.5], "weights": [0.5, 0.5]}, {"weights": [1.0]}):
        with pytest.raises(ValueError, match=r"'(rates|weights)' argument of Summary"):
            pb.Summary.from_losses([0.1], **options)
