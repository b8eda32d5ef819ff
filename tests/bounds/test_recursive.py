"""Recursive PAC-Bayes against 60-digit arithmetic, against what it reduces to, and against published numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from mpmath import mpf

import pacbayes as pb
from fixtures import fixture
from pacbayes.bounds import recursive, recursive_step
from pacbayes.numerics import kl_inv_upper

from bounds import exact_bounds

STEPS = {"step_frequencies": [[0.97, 0.07, 0.02], [0.98, 0.06, 0.01]], "step_kl": [9.0, 7.0], "step_n": [3000, 2000]}
FIRST = {"first_risk": 0.08, "kl": 30.0, "n": 4000, "delta": 0.05}


def _case(rng):
    """Return the arguments of a recursion of up to five steps, of any quality, with and without draws."""
    steps, delta = int(rng.integers(0, 5)), float(rng.choice([0.05, 0.5, 1e-6, rng.uniform(0.001, 0.999)]))
    case = {
        "first_risk": float(rng.choice([0.0, 1.0, rng.random(), 1e-5])),
        "step_frequencies": -np.sort(-rng.random((steps, 3)) ** rng.integers(1, 6), axis=-1),
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
        for _ in range(300):
            case = _case(rng)
            error = mpf(recursive(**case)) - exact_bounds.recursive(**case)
            assert 0 <= error <= mpf("1e-8"), (case, error)

    def test_golden_number(self):
        """From `exact_bounds.py`, at 60 digits."""
        value = recursive(**FIRST, **STEPS)
        assert value == pytest.approx(0.1206267306246, abs=1e-12)

    def test_one_step_is_maurer(self):
        none = {"step_frequencies": np.empty((0, 3)), "step_kl": [], "step_n": []}
        for constant in ("exact", "published"):
            assert recursive(**FIRST, **none, constant=constant) == pb.bounds.maurer(0.08, 30.0, 4000, 0.05, constant)

    def test_without_what_came_before_a_step_is_maurer(self):
        alone = recursive_step(1.0, [0.4, 0.06, 0.05], kl=7.0, n=500, delta=0.05, gamma=0.0)
        assert alone == pytest.approx(pb.bounds.maurer(0.06, 7.0, 500, 0.05), abs=1e-14)
        assert alone >= pb.bounds.maurer(0.06, 7.0, 500, 0.05)

    def test_the_whole_is_its_steps(self):
        value = pb.bounds.maurer(0.08, 30.0, 4000, 0.05 / 3)
        for frequencies, kl, n in zip(*STEPS.values(), strict=True):
            value = recursive_step(value, frequencies, kl, n, 0.05 / 3, gamma=0.3)
        assert recursive(**FIRST, **STEPS, gamma=0.3) == pytest.approx(value, abs=1e-14)

    def test_draws_widen_and_their_number_counts(self):
        exact, drawn = (recursive(**FIRST, **STEPS, **extra) for extra in ({}, {"delta_mc": 0.01}))
        more = recursive(**FIRST, **STEPS, delta_mc=0.01, draws=[40_000, 30_000, 20_000])
        same = recursive(**FIRST, **STEPS, delta_mc=0.01, draws=[4000, 3000, 2000])
        assert exact < more < drawn == same

    def test_monotone_in_every_number(self):
        base = recursive(**FIRST, **STEPS)
        for step in range(2):
            for j in range(3):
                higher = np.array(STEPS["step_frequencies"])
                higher[step, j] += 0.01
                assert recursive(**FIRST, **(STEPS | {"step_frequencies": higher})) > base
            for name, factor in (("step_kl", 2), ("step_n", 0.5)):
                changed = np.array(STEPS[name])
                changed = np.where(np.arange(2) == step, changed * factor, changed)
                assert recursive(**FIRST, **(STEPS | {name: changed})) > base
        for name, worse in (("first_risk", 0.1), ("kl", 60.0), ("n", 2000), ("delta", 0.01)):
            assert recursive(**(FIRST | {name: worse}), **STEPS) > base


class TestArrays:
    def test_broadcasts_with_the_steps_last(self):
        gammas, deltas = np.linspace(0.0, 1.0, 5), np.array([0.01, 0.05, 0.5])
        grid = recursive(**(FIRST | {"delta": deltas[:, None]}), **STEPS, gamma=gammas[:, None])
        assert grid.shape == (3, 5)
        for row, delta in zip(grid, deltas, strict=True):
            for value, gamma in zip(row, gammas, strict=True):
                assert value == recursive(**(FIRST | {"delta": delta}), **STEPS, gamma=gamma)
        many = recursive_step(0.1, np.full((4, 7, 3), 0.1), np.arange(7.0), 1000, 0.05)
        assert many.shape == (4, 7)

    def test_gradient(self):
        extra = {"gamma": [0.3, 0.7], "delta_mc": 0.01}
        value, gradient = recursive(**FIRST, **STEPS, **extra, return_grad=True)
        base = FIRST | STEPS | extra
        assert value == recursive(**base)
        assert set(gradient) == {"first_risk", "kl", "step_frequencies", "step_kl"}
        for name, slope in gradient.items():
            start = np.asarray(base[name], dtype=float)
            for index in np.ndindex(start.shape):
                step = np.zeros(start.shape)
                step[index] = 1e-6
                up, down = (recursive(**base | {name: start + sign * step}) for sign in (1, -1))
                assert np.asarray(slope)[index] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-9), name

    def test_gradient_of_a_step(self):
        at = {"previous": 0.12, "frequencies": [0.97, 0.06, 0.02], "kl": 10.0}
        _, gradient = recursive_step(**at, n=1000, delta=0.05, gamma=0.3, return_grad=True)
        for name, slope in gradient.items():
            start = np.asarray(at[name], dtype=float)
            for index in np.ndindex(start.shape):
                step = np.zeros(start.shape)
                step[index] = 1e-6
                up, down = (recursive_step(**at | {name: start + s * step}, n=1000, delta=0.05, gamma=0.3) for s in (1, -1))
                assert np.asarray(slope)[index] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-9), name


class TestBadInput:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"step_frequencies": [[0.1, 0.2, 0.05]] * 2}, "must not increase along its last axis.* Got .0.1, 0.2"),
            ({"step_frequencies": [[0.3, 0.2]] * 2}, "three frequencies on its last axis. Got shape .2, 2."),
            ({"step_frequencies": [0.3, 0.2, 0.1]}, "one axis for steps and one for three frequencies"),
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
            recursive_step(1.5, [0.9, 0.1, 0.1], 1.0, 100, 0.05)


class TestPublished:
    """Numbers of the authors' own notebooks (the file names its source)."""

    @pytest.fixture(scope="class")
    def published(self):
        return json.loads(fixture("recursive_pac_bayes.json").read_text(encoding="utf-8"))

    def test_informed(self, published):
        record = published["informed"]
        none = {"step_frequencies": np.empty((0, 3)), "step_kl": [], "step_n": [], "constant": "published"}
        shares = {"delta": record["delta"] + record["delta_mc"], "delta_mc": record["delta_mc"]}
        kl, loss, bound = np.array(record["rows"]).T
        assert len(bound) == 5
        np.testing.assert_allclose(recursive(loss, kl=kl, n=record["n"], **shares, **none), bound, rtol=0, atol=1e-8)

    def test_informed_and_excess(self, published):
        record = published["informed_excess"]
        kl, q1, q2, loss, limit, bound = np.array(record["rows"]).T
        n, delta = record["n"], record["delta"]
        reference = pb.bounds.chernoff(loss, n, delta / 2)
        np.testing.assert_allclose(reference, limit, rtol=0, atol=1e-8)
        moved = kl_inv_upper(np.stack([q1, q2, q2], axis=-1), np.log(2 / record["delta_mc"]) / n)
        found = recursive_step(reference, moved, kl, n, delta, gamma=1.0, constant="published")
        assert len(bound) == 5
        np.testing.assert_allclose(found, bound, rtol=0, atol=1e-7)

    def test_the_chain_of_six(self, published):
        record = published["recursion"]
        steps = np.array(record["shares"]), np.array(record["kl"][1:]), np.array(record["n"][1:])
        total, part = record["delta"], record["delta_mc"]
        for count in range(1, record["T"] + 1):
            # of the first steps alone, at the delta that the chain of six has for them
            scale = count / record["T"]
            shares = {"delta": (total + part) * scale, "delta_mc": part * scale}
            first = {"first_risk": record["first_loss"], "kl": record["kl"][0], "n": record["n"][0]}
            kept = dict(zip(STEPS, (each[: count - 1] for each in steps), strict=True))
            found = recursive(**first, **kept, **shares, gamma=record["gamma"], constant="published")
            assert found == pytest.approx(record["bounds"][count - 1], abs=1e-7)
        assert count == 6

    def test_exact_constants_are_tighter(self, published):
        record = published["recursion"]
        steps = record["shares"], record["kl"][1:], record["n"][1:]
        first = {"kl": record["kl"][0], "n": record["n"][0], "delta": 0.035, "delta_mc": 0.01}
        assert recursive(record["first_loss"], *steps, **first) < record["bounds"][-1]
