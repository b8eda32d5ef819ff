"""Bounds for one kept draw: where the log ratio is negative, against 60 digits, and what they share with posteriors."""

from __future__ import annotations

import inspect

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import pacbayes as pb

from bounds import cases, exact_bounds
from reference_mp import as_ball

DRAWS = {name: pb.bounds.get(f"{name}_draw") for name in ("maurer", "betting", "portfolio")}


@pytest.fixture(params=DRAWS)
def pair(request):
    return pb.bounds.get(request.param), DRAWS[request.param]


def test_a_log_ratio_stands_for_the_divergence(pair):
    """Where it is not negative, the formula is the same; what is claimed is not."""
    posterior, draw = pair
    for kl in (0.0, 1e-3, 3.0, 200.0, np.inf):
        for n in (3, 1000, 10**9):
            assert cases.call(draw, kl=kl, n=n) == pytest.approx(cases.call(posterior, kl=kl, n=n), abs=1e-12)


def _negative_case(rng, entry):
    n, delta = int(10 ** rng.uniform(0.4, rng.choice([3.3, 12.0]))), float(10 ** rng.uniform(-6, -0.01))
    risk = rng.choice([0.0, 0.98, float(rng.random() * 0.98), float(10 ** rng.uniform(-6, -0.1))])
    ratio = -float(rng.choice([0.0, 10.0 ** rng.uniform(-3, 3), -np.log(delta) * rng.uniform(0.9, 1.1)]))
    given = cases.arguments(entry, risk, ratio, n, delta)
    return {key: x if np.ndim(x) else int(x) if key == "n" else float(x) for key, x in given.items()}


@pytest.mark.parametrize("name", ["maurer", "betting"])
def test_bracket_of_negative_ratios(name, record_worst):
    """exact <= value <= exact + tolerance, down to ratios at which nothing is left of the budget."""
    rng, entry, worst = np.random.default_rng(17), DRAWS[name], mpf(0)
    for _ in range(50):
        given = _negative_case(rng, entry)
        error = mpf(entry.function(**given)) - min(getattr(exact_bounds, entry.name)(**given), mpf(1))
        assert error >= 0, (given, error)
        worst = max(worst, error)
    record_worst("one kept draw: worst distance above the exact value at negative ratios (allowed 1e-8)", worst)
    assert worst <= 1e-8


def test_a_portfolio_at_negative_ratios_is_proved_and_no_larger_than_it_must_be():
    """Its capital reaches 1/delta at the value whatever the reference's loss is, and not a little below it."""
    rng, entry = np.random.default_rng(18), DRAWS["portfolio"]
    for _ in range(12):
        given = _negative_case(rng, entry)
        value, log_ratio, delta = mpf(entry.function(**given)), given.pop("log_ratio"), given.pop("delta")
        charged = max(mpf(log_ratio), mpf(0) + mpmath.log(mpf(delta)))
        names = ("growths", "strengths", "reference_log_growth", "rates")
        rest = (*(given[each] for each in names), charged, given["n"], given["weights"], (0.5, 0.25, 0.25), 0.8)
        target, below = as_ball(1 / mpf(delta)), value - mpf("1e-8")
        assert value >= 1 or exact_bounds.smallest_capital(value, *rest) >= target
        assert below <= 0 or exact_bounds.smallest_capital(below, *rest) < target


@pytest.mark.parametrize("name", DRAWS)
def test_never_below_what_was_observed_however_small_the_ratio(name):
    entry, risks = DRAWS[name], np.linspace(0.0, 0.9, 19)
    observed = cases.empirical(entry, risks)
    for delta in (0.05, 0.5, 1.0 - 1e-9):
        values = [cases.call(entry, risk=risks, kl=ratio, delta=delta) for ratio in (0.0, -1.0, -5.0, -50.0, -np.inf)]
        assert all(np.all(value >= observed) for value in values)
        assert np.all(np.diff(values, axis=0) <= 1e-12)
    if name == "maurer":
        np.testing.assert_allclose(values[-1], risks, atol=1e-15)


@pytest.mark.parametrize("name", DRAWS)
def test_gradient_where_nothing_is_left_of_the_budget(name):
    """The value no longer depends on the ratio there."""
    given = cases.arguments(DRAWS[name], 0.1, -40.0, 1000, 0.05)
    value, gradient = DRAWS[name].function(**given, return_grad=True)
    assert value == DRAWS[name].function(**given | {"log_ratio": -80.0})
    assert gradient["log_ratio"] == 0.0
    assert all(np.isfinite(np.asarray(each)).all() for each in gradient.values())


@pytest.mark.parametrize("name", DRAWS)
def test_what_is_said_of_a_wrong_ratio(name):
    given = cases.arguments(DRAWS[name], 0.1, np.nan, 1000, 0.05)
    with pytest.raises(ValueError, match=rf"'log_ratio' argument of {name}_draw must be a number .* Got nan"):
        DRAWS[name].function(**given)
    with pytest.raises(ValueError, match=rf"'log_ratio' argument of {name}_draw .* Got '5'"):
        DRAWS[name].function(**given | {"log_ratio": "5"})


def test_they_are_not_offered_to_posteriors():
    """A divergence is not the log ratio of a draw; a summary of expected losses is no summary of a draw's losses."""
    summary = pb.Summary.from_losses([0.0, 1.0, 0.0])
    for entry in DRAWS.values():
        assert not entry.reads_summary
        assert not entry.uses_kl
        assert entry.name not in summary.feeds
        assert "kl" not in inspect.signature(entry.function).parameters
        with pytest.raises(ValueError, match="must be one of"):
            summary.bound(entry.name, kl=1.0, delta=0.05)


def test_from_plain_numbers():
    numbers = {"risk": 0.05, "log_ratio": -1.0, "n": 1000, "delta": 0.05}
    assert pb.bounds.from_numbers("maurer_draw", numbers) == pb.bounds.maurer_draw(0.05, -1.0, 1000, 0.05)
    assert pb.bounds.from_numbers("betting_draw", numbers) < pb.bounds.from_numbers("maurer_draw", numbers)
    with pytest.raises(ValueError, match="'log_ratio' is missing"):
        pb.bounds.from_numbers("maurer_draw", {"risk": 0.05, "n": 1000, "delta": 0.05})


@pytest.mark.parametrize("name", DRAWS)
def test_is_concave_so_that_a_kept_draw_costs_no_more_than_draws_for_each_row_on_average(name):
    """In risk and log ratio together, where nothing is clipped."""
    rng, entry = np.random.default_rng(19), DRAWS[name]
    risks, ratios = rng.uniform(0.0, 0.4, (2, 300)), rng.uniform(-1.0, 60.0, (2, 300))
    ends = cases.call(entry, risk=risks, kl=ratios, n=500)
    middle = cases.call(entry, risk=risks.mean(axis=0), kl=ratios.mean(axis=0), n=500)
    assert np.all(middle >= ends.mean(axis=0) - 1e-9)
    assert np.all(ends < 1.0)
