"""Recursive PAC-Bayes against 60-digit arithmetic, against what it reduces to, and against published numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from mpmath import mpf

import pacbayes as pb
from pacbayes.bounds import recursive, recursive_portfolio, recursive_portfolio_step, recursive_step
from pacbayes.numerics import kl_inv_upper

from bounds import exact_bounds
from fixtures import fixture

SHARES = {"step_risk": [0.07, 0.06], "step_worse": [0.02, 0.01], "step_better": [0.03, 0.02]}
STEPS = SHARES | {"step_kl": [9.0, 7.0], "step_n": [3000, 2000]}
NONE = dict.fromkeys(STEPS, ())
FIRST = {"first_risk": 0.08, "kl": 30.0, "n": 4000, "delta": 0.05}


def _shares(rng, steps):
    cells = rng.dirichlet([1.0, 0.3, 0.1, 0.1], steps)  # neither errs, both err, only one errs
    return {"step_risk": cells[:, 1] + cells[:, 2], "step_worse": cells[:, 2], "step_better": cells[:, 3]}


def _case(rng):
    """Return the arguments of a recursion of up to five steps, of any quality, with and without draws."""
    steps, delta = int(rng.integers(0, 5)), float(rng.choice([0.05, 0.5, 1e-6, rng.uniform(0.001, 0.999)]))
    case = {
        "first_risk": float(rng.choice([0.0, 1.0, rng.random(), 1e-5])),
        **_shares(rng, steps),
        "step_kl": 10.0 ** rng.uniform(-3, 4, steps),
        "step_n": (10.0 ** rng.uniform(1, 6, steps)).astype(int),
        "kl": float(rng.choice([0.0, 10.0 ** rng.uniform(-3, 4)])),
        "n": int(10.0 ** rng.uniform(1, 6)),
        "delta": delta,
        "gamma": rng.choice([0.0, 0.5, 1.0, rng.random()], steps) if rng.random() < 0.5 else float(rng.random()),
        "constant": str(rng.choice(["exact", "published"])),
    }
    if rng.random() < 0.5:
        case["delta_mc"] = delta * float(rng.uniform(0.01, 0.9))
        if rng.random() < 0.5:
            case["draws"] = (10.0 ** rng.uniform(1, 6, steps + 1)).astype(int)
    return case


class TestValues:
    def test_bracket(self):
        """exact <= value <= exact + tolerance, over all options."""
        rng = np.random.default_rng(5)
        for _ in range(60):
            case = _case(rng)
            error = mpf(recursive(**case)) - exact_bounds.recursive(**case)
            assert 0 <= error <= mpf("1e-8"), (case, error)

    def test_golden_number(self):
        """From `exact_bounds.py`, at 60 digits."""
        value = recursive(**FIRST, **STEPS)
        assert value == pytest.approx(0.1206271693816, abs=1e-12)

    def test_one_step_is_maurer(self):
        for constant in ("exact", "published"):
            alone = pb.bounds.maurer(0.08, 30.0, 4000, 0.05, constant)
            assert recursive(**FIRST, **NONE, constant=constant) == pytest.approx(alone, abs=1e-14)

    def test_without_what_came_before_a_step_is_maurer(self):
        alone = recursive_step(1.0, 0.06, 0.05, 0.6, kl=7.0, n=500, delta=0.05, gamma=0.0)
        assert alone == pytest.approx(pb.bounds.maurer(0.06, 7.0, 500, 0.05), abs=1e-14)
        assert alone >= pb.bounds.maurer(0.06, 7.0, 500, 0.05)

    def test_the_whole_is_its_steps(self):
        value = pb.bounds.maurer(0.08, 30.0, 4000, 0.05 / 3)
        for step in zip(*STEPS.values(), strict=True):
            value = recursive_step(value, *step, 0.05 / 3, gamma=0.3)
        assert recursive(**FIRST, **STEPS, gamma=0.3) == pytest.approx(value, abs=1e-14)

    def test_draws_widen_and_their_number_counts(self):
        exact, drawn = (recursive(**FIRST, **STEPS, **extra) for extra in ({}, {"delta_mc": 0.01}))
        more = recursive(**FIRST, **STEPS, delta_mc=0.01, draws=[40_000, 30_000, 20_000])
        same = recursive(**FIRST, **STEPS, delta_mc=0.01, draws=[4000, 3000, 2000])
        assert exact < more < drawn == same

    def test_monotone_in_every_number(self):
        base = recursive(**FIRST, **STEPS)
        worse = {"step_risk": 1.1, "step_worse": 1.1, "step_better": 0.9, "step_kl": 2, "step_n": 0.5}
        for step in range(2):
            for name, factor in worse.items():
                changed = np.where(np.arange(2) == step, np.multiply(STEPS[name], factor), STEPS[name])
                assert recursive(**FIRST, **(STEPS | {name: changed})) > base
        for name, worse in (("first_risk", 0.1), ("kl", 60.0), ("n", 2000), ("delta", 0.01)):
            assert recursive(**(FIRST | {name: worse}), **STEPS) > base


class TestBets:
    def test_bracket(self):
        """exact <= value <= exact + tolerance, with a few rates of any size."""
        rng = np.random.default_rng(6)
        for _ in range(40):
            case = {name: each for name, each in _case(rng).items() if name in {*FIRST, *STEPS}}
            count = int(rng.integers(1, 4))
            case["rates"] = 1.0 / (1.0 + np.exp(2.0 * rng.normal(size=count)))
            case["weights"] = rng.dirichlet(np.ones(count)) * (1.0 - 1e-14) + 1e-16
            error = mpf(recursive_portfolio(**case)) - exact_bounds.recursive_portfolio(**case)
            assert 0 <= error <= mpf("1e-9"), (case, error)

    def test_one_step_is_betting(self):
        rates, weights = pb.bounds.betting_rates(4000)
        alone = pb.bounds.betting(0.08 * np.log1p(-rates), rates, 30.0, 4000, 0.05, weights)
        assert recursive_portfolio(**FIRST, **NONE) == pytest.approx(alone, abs=1e-12)

    def test_a_step_whose_prior_is_of_no_use_is_betting_at_the_weight_of_none(self):
        """With strength 0 alone in play, at a risk of 1 before."""
        rates, weights = pb.bounds.betting_rates(2000)
        alone = pb.bounds.betting(0.05 * np.log1p(-rates), rates, 5.0, 2000, 0.025, weights)
        assert recursive_portfolio_step(1.0, 0.05, 0.05, 0.0, 5.0, 2000, 0.05) <= alone + 1e-12

    def test_the_whole_is_its_steps(self):
        value = recursive_portfolio(0.08, **NONE, kl=30.0, n=4000, delta=0.05 / 3)
        for step in zip(*STEPS.values(), strict=True):
            value = recursive_portfolio_step(value, *step, 0.05 / 3)
        assert recursive_portfolio(**FIRST, **STEPS) == pytest.approx(value, abs=1e-13)

    def test_tighter_than_frequencies_one_by_one(self):
        assert recursive_portfolio(**FIRST, **STEPS) < min(
            recursive(**FIRST, **STEPS, gamma=g) for g in (0.0, 0.5, 1.0)
        )

    def test_gradient_of_a_step(self):
        at = {"previous": 0.07, "risk": 0.06, "worse": 0.002, "better": 0.003, "kl": 1.0}
        others = {"n": 1000, "delta": 0.05}
        _, gradient = recursive_portfolio_step(**at, **others, return_grad=True)
        assert gradient["previous"] > 0.1
        for name, slope in gradient.items():
            up, down = (recursive_portfolio_step(**at | {name: at[name] + step}, **others) for step in (1e-6, -1e-6))
            assert slope == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-9), name


class TestArrays:
    def test_broadcasts_with_the_steps_last(self):
        gammas, deltas = np.linspace(0.0, 1.0, 5), np.array([0.01, 0.05, 0.5])
        grid = recursive(**(FIRST | {"delta": deltas[:, None]}), **STEPS, gamma=gammas[:, None])
        assert grid.shape == (3, 5)
        for row, delta in zip(grid, deltas, strict=True):
            for value, gamma in zip(row, gammas, strict=True):
                assert value == recursive(**(FIRST | {"delta": delta}), **STEPS, gamma=gamma)
        many = recursive_step(0.1, np.full((4, 1), 0.1), 0.1, 0.1, np.arange(7.0), 1000, 0.05)
        assert many.shape == (4, 7)

    def test_gradient(self):
        extra = {"gamma": [0.3, 0.7], "delta_mc": 0.01}
        value, gradient = recursive(**FIRST, **STEPS, **extra, return_grad=True)
        base = FIRST | STEPS | extra
        assert value == recursive(**base)
        assert set(gradient) == {"first_risk", "kl", *SHARES, "step_kl"}
        for name, slope in gradient.items():
            start = np.asarray(base[name], dtype=float)
            for index in np.ndindex(start.shape):
                step = np.zeros(start.shape)
                step[index] = 1e-6
                up, down = (recursive(**base | {name: start + sign * step}) for sign in (1, -1))
                assert np.asarray(slope)[index] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-9), name

    def test_gradient_of_a_step(self):
        at = {"previous": 0.12, "risk": 0.06, "worse": 0.02, "better": 0.03, "kl": 10.0}
        others = {"n": 1000, "delta": 0.05, "gamma": 0.3}
        _, gradient = recursive_step(**at, **others, return_grad=True)
        for name, slope in gradient.items():
            up, down = (recursive_step(**at | {name: at[name] + step}, **others) for step in (1e-6, -1e-6))
            assert slope == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-9), name


class TestBadInput:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                {"step_worse": [0.08, 0.0]},
                "'step_worse' argument of recursive must be at most 'step_risk'. Got 0.08 at",
            ),
            ({"step_better": [0.0, 0.99]}, "'step_better' argument of recursive must be at most 1 minus 'step_risk'"),
            ({"step_risk": 0.5}, "'step_risk' argument of recursive must have one entry per step"),
            ({"step_kl": [1.0]}, "'step_kl' argument of recursive must have one entry per step after the first .2."),
            ({"step_n": 7}, "'step_n' argument of recursive must have one entry per step after the first .2."),
            ({"step_kl": [1.0, -1.0]}, "'step_kl' argument of recursive must be non-negative"),
            ({"step_n": [5, 2.5]}, "'step_n' argument of recursive must be a whole number"),
            ({"gamma": 1.5}, "'gamma' argument of recursive must lie in .0, 1."),
            ({"gamma": [0.1, 0.2, 0.3]}, "shapes that broadcast"),
            ({"delta_mc": 0.05}, "'delta_mc' argument of recursive must be less than 'delta'"),
            ({"delta_mc": 0.01, "draws": [1, 2]}, "'draws' argument of recursive must have one entry per step .3."),
            ({"constant": "other"}, "'constant' argument"),
        ],
    )
    def test_one_sentence(self, change, message):
        with pytest.raises(ValueError, match=message):
            recursive(**FIRST | STEPS | change)

    def test_of_a_step(self):
        with pytest.raises(ValueError, match="'previous' argument of recursive_step must lie in"):
            recursive_step(1.5, 0.1, 0.1, 0.1, 1.0, 100, 0.05)


class TestPublished:
    """Numbers of the authors' own notebooks (the file names its source)."""

    @pytest.fixture
    def published(self):
        return json.loads(fixture("recursive_pac_bayes.json").read_text(encoding="utf-8"))

    def test_informed(self, published):
        record = published["informed"]
        shares = {"delta": record["delta"] + record["delta_mc"], "delta_mc": record["delta_mc"]}
        kl, loss, bound = np.array(record["rows"]).T
        found = recursive(loss, kl=kl, n=record["n"], **shares, **NONE, constant="published")
        assert len(bound) == 5
        np.testing.assert_allclose(found, bound, rtol=0, atol=1e-8)

    def test_informed_and_excess(self, published):
        record = published["informed_excess"]
        kl, q1, q2, loss, limit, bound = np.array(record["rows"]).T
        n, delta = record["n"], record["delta"]
        reference = pb.bounds.chernoff(loss, n, delta / 2)
        np.testing.assert_allclose(reference, limit, rtol=0, atol=1e-8)
        moved = kl_inv_upper(np.stack([q1, q2]), np.log(2 / record["delta_mc"]) / n)
        shares = {"risk": moved[1], "worse": moved[1], "better": 1.0 - moved[0]}  # at gamma = 1 the risk plays no part
        found = recursive_step(reference, **shares, kl=kl, n=n, delta=delta, gamma=1.0, constant="published")
        assert len(bound) == 5
        np.testing.assert_allclose(found, bound, rtol=0, atol=1e-7)
        # three shares that add up to delta, of which two are the excess's
        whole = recursive_step(reference, **shares, kl=kl, n=n, delta=delta / 2, gamma=1.0, constant="published")
        assert np.all((whole - bound > 2e-5) & (whole - bound < 4e-5))

    def test_the_chain_of_six(self, published):
        record = published["recursion"]
        steps = _published_steps(record)
        for count in range(1, record["T"] + 1):
            # of the first steps alone, at the delta that the chain of six has for them
            share = count / record["T"]
            shares = {"delta": (record["delta"] + record["delta_mc"]) * share, "delta_mc": record["delta_mc"] * share}
            kept = {name: each[: count - 1] for name, each in steps.items()}
            first = {"first_risk": record["first_loss"], "kl": record["kl"][0], "n": record["n"][0]}
            found = recursive(**first, **kept, **shares, gamma=record["gamma"], constant="published")
            assert found == pytest.approx(record["bounds"][count - 1], abs=1e-7)
        assert count == 6

    def test_exact_constants_are_tighter(self, published):
        record = published["recursion"]
        first = {"kl": record["kl"][0], "n": record["n"][0], "delta": 0.035, "delta_mc": 0.01}
        assert recursive(record["first_loss"], **_published_steps(record), **first) < record["bounds"][-1]


def _published_steps(record):
    first, second, third = np.array(record["shares"]).T
    shares = dict(zip(SHARES, (second, third, 1.0 - first), strict=True))
    return shares | {"step_kl": record["kl"][1:], "step_n": record["n"][1:]}
