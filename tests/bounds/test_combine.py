"""Combining bounds: de-biasing with its refusals, two halves, the vote."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import pacbayes as pb

RATES, WEIGHTS = pb.bounds.betting_rates(n=1000)


def statistics(**changes):
    plus, minus, reference, gamma = 0.03, 0.05, 0.2, 1.0
    fields = {
        "n": 1000,
        "strength": gamma,
        "reference_kind": "fixed",
        "reference": reference,
        "reference_second": reference,  # of 0 and 1
        "plus": plus,
        "minus": minus,
        "excess": plus - minus,
        "second": plus + minus,
        "log_growth": plus * np.log1p(-RATES) + minus * np.log1p(RATES),
        "reference_log_growth": reference * np.log1p(-RATES),
        "rates": RATES,
        "weights": WEIGHTS,
    }
    return SimpleNamespace(**fields | changes)


EXCESS = ["betting", "excess_kl", "excess_relaxed", "split_kl", "unexpected_bernstein"]
REFERENCE = ["betting", "chernoff", "clopper_pearson", "progressive_chernoff"]


@pytest.mark.parametrize("excess", EXCESS)
@pytest.mark.parametrize("reference", REFERENCE)
def test_any_excess_bound_with_any_reference_bound(excess, reference):
    s = statistics()
    value = pb.bounds.debiased(s, kl=10.0, delta=0.05, excess=excess, reference=reference, split=0.3)
    named = {
        "betting": {"log_growth": s.log_growth, "rates": RATES, "weights": WEIGHTS},
        "unexpected_bernstein": {"excess": s.excess, "second": s.second},
    }
    first = getattr(pb.bounds, excess)(
        **named.get(excess, {"plus": s.plus, "minus": s.minus}), kl=10.0, n=1000, delta=0.015
    )
    named = {
        "betting": {"log_growth": s.reference_log_growth, "rates": RATES, "weights": WEIGHTS, "kl": 0.0},
        "chernoff": {"risk": 0.2},
        "clopper_pearson": {"errors": 200},
        "progressive_chernoff": {"reference": 0.2},
    }
    second = getattr(pb.bounds, reference)(**named[reference], n=1000, delta=0.035)
    if excess == reference == "betting":  # one martingale in place of two events
        assert s.excess + 0.2 <= value < first + second - 0.002
        return
    assert value == pytest.approx(first + second, abs=1e-12)
    assert value >= first + second


def test_the_papers_full_bounds_with_published_constants():
    """Its section on the bounds used in experiments: log(4n/delta) for the excess, log(2/delta) for the reference."""
    s = statistics(reference_kind="predictable")
    value = pb.bounds.debiased(
        s, kl=10.0, delta=0.05, excess="excess_kl", reference="progressive_chernoff", assume="published"
    )
    excess = pb.phi(0.03, 0.05, (10.0 + np.log(4 * 1000 / 0.05)) / 1000)
    reference = pb.kl_inv_upper(0.2, np.log(2 / 0.05) / 1000)
    assert value <= excess + reference  # the exact constant is below 2 n
    assert value == pytest.approx(excess + reference, abs=2e-3)


def test_strength_scales_the_reference_and_zero_strength_needs_none():
    half = pb.bounds.debiased(statistics(strength=0.5), kl=10.0, delta=0.05, excess="excess_kl", reference="chernoff")
    whole = pb.bounds.debiased(statistics(), kl=10.0, delta=0.05, excess="excess_kl", reference="chernoff")
    assert whole - half == pytest.approx(0.5 * pb.bounds.chernoff(0.2, 1000, 0.025), abs=1e-9)
    none = statistics(reference_kind="none", strength=0.0, plus=0.2, minus=0.0, log_growth=0.2 * np.log1p(-RATES))
    assert pb.bounds.debiased(none, kl=10.0, delta=0.05, excess="excess_kl") == pb.bounds.excess_kl(
        0.2, 0.0, 10.0, 1000, 0.05
    )


def test_arrays_broadcast_over_posteriors():
    values = pb.bounds.debiased(statistics(), kl=np.array([0.0, 10.0, np.inf]), delta=0.05)
    assert values.shape == (3,)
    assert values[0] < values[1] < values[2] == 1.0


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (
            "predictable",
            {"excess": "excess_kl"},
            "refuses 'excess_kl' with a predictable reference.*published but not proved.*E7",
        ),
        ("predictable", {"excess": "excess_relaxed"}, "refuses 'excess_relaxed' with a predictable reference.*E7"),
        ("predictable", {"reference": "progressive_chernoff"}, "refuses 'progressive_chernoff' with a predictable.*E7"),
        (
            "predictable",
            {"reference": "chernoff"},
            "refuses 'chernoff' with a predictable reference: no theorem covers it",
        ),
        ("predictable", {"reference": "clopper_pearson"}, "refuses 'clopper_pearson'.*no theorem covers it"),
        ("predictable", {"excess": "split_kl", "assume": "published"}, "refuses 'split_kl'.*no theorem covers it"),
        (
            "fixed",
            {"excess": "maurer"},
            "'excess' argument of debiased must name a bound on the excess: .* Got 'maurer', which bounds risk",
        ),
        (
            "fixed",
            {"reference": "nothing"},
            "'reference' argument of debiased must name a bound on the reference: .* Got 'nothing'",
        ),
        ("fixed", {"split": 1.0}, "'split' argument of debiased must lie strictly between 0 and 1. Got 1.0"),
        ("fixed", {"assume": "hope"}, "'assume' argument of debiased must be None or 'published'. Got 'hope'"),
        ("online", {}, "kind of reference in debiased must be one of .* Got 'online'"),
    ],
)
def test_refusals_say_why(kind, arguments, message):
    with pytest.raises(ValueError, match=message):
        pb.bounds.debiased(statistics(reference_kind=kind), kl=10.0, delta=0.05, **arguments)


def test_published_theorems_can_be_assumed():
    s = statistics(reference_kind="predictable")
    for excess in ("excess_kl", "excess_relaxed"):
        assert (
            pb.bounds.debiased(s, 10.0, 0.05, excess=excess, reference="progressive_chernoff", assume="published") < 1
        )


def test_forward_backward():
    one, two = {"risk": 0.05, "kl": 2.0, "n": 500}, {"risk": 0.06, "kl": 1.0, "n": 400}
    values = [pb.bounds.maurer(**half, delta=0.025) for half in (one, two)]
    assert pb.bounds.forward_backward("maurer", one, two, 0.05) == min(values)
    mixture = pb.bounds.forward_backward("maurer", one, two, 0.05, mixture=True)
    assert np.mean(values) <= mixture <= np.mean(values) + 1e-15
    with pytest.raises(ValueError, match="must name a bound on the risk"):
        pb.bounds.forward_backward("excess_kl", one, two, 0.05)


def test_vote():
    assert pb.bounds.gibbs_to_vote(0.3) == 0.6
    assert pb.bounds.gibbs_to_vote([0.1, 0.7]).tolist() == [0.2, 1.0]
    with pytest.raises(ValueError, match=r"Got 1\.5"):
        pb.bounds.gibbs_to_vote(1.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: pb.bounds.betting([0.0], [1.5], 1, 10, 0.1),
            r"'rates' argument of betting must lie strictly between 0 and 1. Got 1.5",
        ),
        (lambda: pb.bounds.betting([0.0], [], 1, 10, 0.1), r"'rates' argument of betting must be a number or a list"),
        (lambda: pb.bounds.betting([0.0, 0.0], [0.5], 1, 10, 0.1), r"'log_growth' .* one entry per rate \(1\)"),
        (
            lambda: pb.bounds.betting([2.0], [0.5], 1, 10, 0.1),
            r"'log_growth' .* between log\(1 - rate\) and log\(1 \+ rate\). Got 2.0",
        ),
        (lambda: pb.bounds.betting([0.0], [0.5], 1, 10, 0.1, [0.5, 0.5]), r"'weights' .* one entry per rate"),
        (
            lambda: pb.bounds.betting([0.0] * 2, [0.5, 0.1], 1, 10, 0.1, [0.7, 0.7]),
            r"'weights' .* sum to at most 1. Got 1.4",
        ),
        (lambda: pb.bounds.betting([0.0] * 2, [0.5, 0.1], 1, 10, 0.1, [0.7, 0.0]), r"'weights' .* be positive"),
        (
            lambda: pb.bounds.excess_kl(0.7, 0.7, 1, 10, 0.1),
            r"'plus' and 'minus' arguments of excess_kl .* at most 1. Got 1.4",
        ),
        (lambda: pb.bounds.excess_kl(0.1, 0.1, 1, 2, 0.1, constant="published"), r"from n = 3 only"),
        (lambda: pb.bounds.clopper_pearson(11, 10, 0.1), r"'errors' argument .* at most 'n'. Got 11 errors among 10"),
        (lambda: pb.bounds.betting_rates(n=0), r"'n' argument of betting_rates must be a whole number"),
        (lambda: pb.bounds.betting_rates(n=10, delta=2.0), r"'delta' argument of betting_rates"),
        (lambda: pb.bounds.maurer(np.ones(2) / 2, np.ones(3), 10, 0.1), r"maurer must have shapes that broadcast"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 10**6, 10**12, None])
def test_betting_rates_are_a_fair_grid(n):
    rates, weights = pb.bounds.betting_rates(n)
    assert np.all((rates > 0) & (rates < 1))
    assert np.all(weights > 0)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.diff(rates) < 0)


def few_statistics(**fields):
    return SimpleNamespace(
        **{"n": 1000, "strength": 1.0, "reference_kind": "fixed", "plus": 0.01, "minus": 0.3} | fields
    )


def test_debiased_refuses_statistics_that_contradict_themselves():
    for change in (
        {"reference_kind": "none"},
        {"strength": 0.0},
        {"reference_kind": "none", "log_growth": [0.1], "minus": 0.0},
    ):
        with pytest.raises(ValueError, match="they have a negative part"):
            pb.bounds.debiased(few_statistics(**change), kl=1.0, delta=0.05, excess="excess_kl")


def test_clopper_pearson_is_for_zero_one_references_alone():
    for change in (
        {"reference": 0.5005, "reference_second": 0.5005},
        {"reference": 0.5, "reference_second": 0.25},
        {"reference": 0.5},  # of which nobody knows
    ):
        with pytest.raises(ValueError, match="for losses of 0 and 1 alone"):
            pb.bounds.debiased(few_statistics(**change), 1.0, 0.05, excess="excess_kl", reference="clopper_pearson")


def test_only_needed_statistics_are_read():
    rates = np.array([0.5])
    fields = {"log_growth": [-0.01], "reference_log_growth": [-0.05], "rates": rates, "weights": [1.0]}
    statistics = SimpleNamespace(n=1000, strength=1.0, reference_kind="predictable", **fields)
    assert pb.bounds.debiased(statistics, kl=1.0, delta=0.05) < 1.0


def test_at_strength_zero_there_is_no_reference():
    statistics = few_statistics(strength=0.0, reference_kind="predictable", minus=0.0)
    assert pb.bounds.debiased(statistics, 1.0, 0.05, excess="excess_kl") == pb.bounds.excess_kl(
        0.01, 0.0, 1.0, 1000, 0.05
    )


def test_the_vote_refuses_what_is_no_risk():
    with pytest.raises(ValueError, match="'value' argument of gibbs_to_vote"):
        pb.bounds.gibbs_to_vote(1.5)
