"""Differentiable bounds: the certified values bit for bit, gradients against differences and 60-digit arithmetic."""

import inspect

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar
from scipy.stats import norm

import pacbayes as pb
import pacbayes.torch as pt
from pacbayes.torch.slopes import RULES

import reference_mp
from bounds import cases, exact_bounds

ENTRIES = {entry.name: entry for entry in pb.bounds.catalogue() if entry.name in RULES}
DIVERGENCES = {
    "kl": {"q": [[0.1], [0.6]], "p": [0.2, 0.5, 0.9]},
    "categorical_kl": {"u": [[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]], "v": [0.3, 0.3, 0.4]},
    "kl_inv_upper": {"q": [[0.1], [0.6]], "budget": [1e-3, 0.05, 0.8]},
    "kl_inv_lower": {"q": [[0.1], [0.6]], "budget": [1e-3, 0.05, 0.8]},
    "kl_ball_max": {"weights": [[0.2, 0.1, 0.7], [0.5, 0.3, 0.2]], "values": [1.0, -1.0, 0.5], "budget": [0.05, 0.3]},
    "kl_ball_min": {"weights": [[0.2, 0.1, 0.7], [0.5, 0.3, 0.2]], "values": [1.0, -1.0, 0.5], "budget": [0.05, 0.3]},
    "phi": {"plus": [[0.2], [0.02]], "minus": 0.1, "budget": [0.01, 0.05, 0.5]},
}
# what has no gradients, and why
WITHOUT = {
    "log_xi": "its arguments are whole numbers",
    "sequential": "its bets follow from the losses before, and posteriors are not what it is for",
    "sequential_from_blocks": "the same",
    "paired": "its arguments are whole numbers",
    "maurer_draw": "the draw is made once its posterior is settled, which is trained by the bound for posteriors",
    "betting_draw": "the same",
    "portfolio_draw": "the same",
    "pick_to_learn": "its arguments are whole numbers",
    "compression": "what it bounds is a set of rows, to which nobody descends",
    "compression_binomial": "its arguments are whole numbers",
}
NAMES = [*ENTRIES, *DIVERGENCES]
ON_SIMPLEX = {"frequencies", "weights", "u", "v"}  # sums of more than 1 + 1e-6 are refused


def numpy_function(name):
    return getattr(pb.bounds, name, None) or getattr(pb, name)


def arguments(name, risk, kl=5.0, n=1000, delta=0.05):
    """Return statistics with gradients, and the other arguments."""
    every = DIVERGENCES.get(name) or cases.arguments(ENTRIES[name], risk=risk, kl=kl, n=n, delta=delta)
    numbers = {key: np.asarray(value, dtype=float) if key != "n" else value for key, value in every.items()}
    known = RULES[name].slopes(**numbers)
    return {key: numbers[key] for key in numbers if key in known}, {
        key: numbers[key] for key in numbers if key not in known
    }


def batched(name):
    return arguments(name, risk=np.array([[0.05], [0.2], [0.4]]), kl=np.array([1.0, 20.0]))


def alone(name):
    if name in ENTRIES:
        return arguments(name, risk=0.1)
    own = {"u", "v", "weights", "values"}
    return {
        key: np.asarray(value, dtype=float).reshape(-1, np.shape(value)[-1])[0]
        if key in own
        else np.asarray(value, dtype=float).flat[0]
        for key, value in DIVERGENCES[name].items()
    }, {}


def to_tensors(statistics, dtype=torch.float64):
    return {key: torch.tensor(value, dtype=dtype, requires_grad=True) for key, value in statistics.items()}


class TestCompleteness:
    def test_every_bound_has_gradients_or_a_reason(self):
        public = {name for name in pb.bounds.__all__ if inspect.isfunction(getattr(pb.bounds, name))}
        lookups = {"arguments_of", "catalogue", "errors_within", "evaluate", "examples_needed", "from_numbers", "get"}
        helpers = {"betting_rates", "learned_bets", "require_sound", "sequential_rates", "sequential_statistics"}
        # of other bounds, in closed form
        combined = {"debiased", "forward_backward", "gibbs_to_vote", "recursive_portfolio_step", "recursive_step"}
        asked = (public | set(pb.numerics.__all__)) - lookups - helpers - combined
        assert asked == set(RULES) | set(WITHOUT), "add it to RULES in torch/slopes.py, or to WITHOUT here"
        assert {entry.name for entry in pb.bounds.catalogue()} <= asked
        assert not set(WITHOUT) & set(pt.__all__)

    @pytest.mark.parametrize("name", NAMES)
    def test_arguments_are_those_of_the_library(self, name):
        ours = inspect.signature(getattr(pt, name)).parameters
        theirs = dict(inspect.signature(numpy_function(name)).parameters)
        theirs.pop("return_grad", None)
        assert [(p.name, p.default, p.kind) for p in ours.values()] == [
            (p.name, p.default, p.kind) for p in theirs.values()
        ]


class TestValues:
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("case", [alone, batched])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_bit_for_bit(self, name, case, dtype):
        statistics, others = case(name)
        tensors = to_tensors(statistics, dtype)
        found = getattr(pt, name)(**tensors, **others)
        given = {key: each.detach().double().numpy() for key, each in tensors.items()}
        given = {key: each if each.ndim else float(each) for key, each in given.items()}
        expected = np.asarray(numpy_function(name)(**given, **others))
        assert found.dtype == torch.float64
        assert found.requires_grad
        assert found.detach().numpy().tobytes() == expected.tobytes()
        assert found.shape == expected.shape

    def test_numbers_alone(self):
        found = pt.maurer(0.05, 10, n=1000, delta=0.05)
        assert found.item() == pb.bounds.maurer(0.05, 10, n=1000, delta=0.05)
        assert not found.requires_grad

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
    def test_gradients_have_the_type_of_their_argument(self, dtype):
        risk = torch.tensor([0.125, 0.25], dtype=dtype, requires_grad=True)
        pt.maurer(risk, torch.tensor(3), n=torch.tensor(500), delta=0.05).sum().backward()
        assert risk.grad.dtype == dtype
        expected = pb.bounds.maurer([0.125, 0.25], 3, 500, 0.05, return_grad=True)[1]["risk"]
        assert risk.grad.double().numpy() == pytest.approx(expected, rel=1e-2)


class TestGradients:
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("case", [alone, batched])
    def test_gradcheck(self, name, case):
        statistics, others = case(name)
        tensors = to_tensors(statistics)

        def function(*given):
            return getattr(pt, name)(**dict(zip(tensors, given, strict=True)), **others)

        eps = 4e-7 if ON_SIMPLEX & set(statistics) else 1e-6
        assert torch.autograd.gradcheck(function, tuple(tensors.values()), eps=eps, atol=1e-6, rtol=2e-4)

    @pytest.mark.parametrize("several", [False, True])
    def test_several_references(self, several):
        rng = np.random.default_rng(3)
        rates, strengths = np.array([0.6, 0.2]), np.array([0.0, 1.0])
        losses, references = rng.random(200) < 0.2, rng.random((3, 200)) < 0.25
        difference = losses - strengths[:, None, None] * references[:, None, None]
        growths = np.log1p(-rates[:, None] * difference).mean(axis=-1)
        own = np.log1p(-rates[:, None] * references[:, None]).mean(axis=-1)
        if not several:
            growths, own = growths[0], own[0]
        growths, own = (torch.tensor(each, requires_grad=True) for each in (growths, own))
        kl, delta = (torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in ([0.5, 3.0], 0.05))

        def function(growths, own, kl, delta):
            return pt.portfolio(growths, strengths, own, rates, kl, 200, delta, several=several)

        assert torch.autograd.gradcheck(function, (growths, own, kl, delta), atol=1e-6, rtol=2e-4)

    def test_one_rate_as_a_number(self):
        growth = torch.tensor([[-0.05], [-0.1]], dtype=torch.float64, requires_grad=True)
        kl = torch.tensor([1.0, 4.0], dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(lambda g, k: pt.betting(g, 0.5, k, 100, 0.05), (growth, kl))

    @pytest.mark.parametrize("name", NAMES)
    def test_against_sixty_digits(self, name):
        """One direction through all arguments, in arithmetic that shares nothing with the library."""
        statistics, others = alone(name)
        if name == "portfolio":  # fewer terms: a second each in 60 digits
            statistics["growths"] = statistics["growths"][::2, 1:4:2]
            statistics["reference_log_growth"] = statistics["reference_log_growth"][1:4:2]
            others |= {"strengths": [0.0, 1.0], "rates": others["rates"][1:4:2], "weights": [0.5, 0.5]}
            others["strength_weights"] = [0.5, 0.5]
        rng = np.random.default_rng(7)
        direction = {key: rng.normal(size=np.shape(value)) for key, value in statistics.items()}
        for key in ON_SIMPLEX & set(statistics):
            direction[key] -= direction[key].mean()
        if "delta" in direction:
            direction["delta"] *= 0.05
        exact = exact_function(name)
        step = 2.0**-24
        moved = [{key: np.asarray(statistics[key] + s * direction[key]) for key in statistics} for s in (step, -step)]
        up, down = (exact(**{**plain(each), **plain(others)}) for each in moved)
        tensors = to_tensors(statistics)
        getattr(pt, name)(**tensors, **others).backward()
        # what the arguments moved by, after rounding
        found = sum(np.sum(tensors[key].grad.numpy() * (moved[0][key] - moved[1][key])) for key in statistics)
        assert found == pytest.approx(float(up - down), rel=1e-6)


def plain(given):
    return {key: value if key == "n" else np.asarray(value).tolist() for key, value in given.items()}


def exact_function(name):
    if name == "clopper_pearson":
        return lambda errors, n, delta: exact_bounds.clopper_pearson(int(errors), n, delta)
    if name == "kl_ball_min":
        return lambda weights, values, budget: -reference_mp.kl_ball_max(weights, [-v for v in values], budget)
    return getattr(exact_bounds if name in ENTRIES else reference_mp, name)


class TestEdges:
    @pytest.mark.parametrize("name", ENTRIES)
    def test_every_gradient_is_finite(self, name):
        risk, kl = np.array([0.0, 1e-300, 1e-12, 0.5, 0.9])[:, None], np.array([0.0, 1e-12, 1.0, 1e4, np.inf])
        for n in (1, 2, 50, 2**40):
            for delta in (1e-12, 0.05, 1.0 - 1e-12):
                statistics, others = arguments(name, risk=risk, kl=kl, n=n, delta=delta)
                tensors = to_tensors(statistics)
                value = getattr(pt, name)(**tensors, **others)
                value.sum().backward()
                for key, each in tensors.items():
                    assert torch.isfinite(each.grad).all(), (n, delta, key)

    @pytest.mark.parametrize("name", sorted(set(ENTRIES) - {"vector_kl", "clopper_pearson"}))
    def test_zero_where_clipped(self, name):
        statistics, others = arguments(name, risk=0.5, kl=1e3, n=20, delta=1e-280)
        tensors = to_tensors(statistics)
        value = getattr(pt, name)(**tensors, **others)
        value.backward()
        assert value.item() == 1.0
        for each in tensors.values():
            assert torch.count_nonzero(each.grad) == 0

    @pytest.mark.parametrize("name", ["maurer", "chernoff", "maurer_relaxed"])
    def test_infinite_slope_at_no_risk(self, name):
        """The derivative at 2**-52 stands for an infinite one, and no factor of 0 makes it NaN."""
        weight = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
        others = {"n": 1000, "delta": 0.05} | ({} if name == "chernoff" else {"kl": 2.0})
        getattr(pt, name)(weight**2, **others).backward()
        assert weight.grad.item() == 0.0
        at_edge, inside = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (0.0, 2.0**-52))
        for each in (at_edge, inside):
            getattr(pt, name)(each, **others).backward()
        assert at_edge.grad == inside.grad
        assert 10.0 < at_edge.grad.item() < 1e8

    @pytest.mark.parametrize("name", ["maurer", "mcallester", "maurer_relaxed", "catoni"])
    def test_one_sided_derivatives_at_no_divergence(self, name):
        kl = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
        value = getattr(pt, name)(0.1, kl, n=1000, delta=0.05)
        value.backward()
        further = getattr(pb.bounds, name)(0.1, 1e-6, n=1000, delta=0.05)
        assert kl.grad.item() == pytest.approx((further - value.item()) / 1e-6, rel=1e-4)

    @pytest.mark.parametrize(
        ("name", "given", "expected"),
        [
            ("kl_inv_upper", {"q": 1.0, "budget": 0.1}, {"q": 0.0, "budget": 0.0}),
            ("kl_inv_upper", {"q": 0.3, "budget": 0.0}, {"q": 1.0, "budget": np.sqrt(0.3 * 0.7 / 2 * 2**52)}),
            ("kl_inv_lower", {"q": 0.0, "budget": 0.1}, {"q": 0.0, "budget": 0.0}),
            ("kl_inv_lower", {"q": 0.3, "budget": 0.0}, {"q": 1.0, "budget": -np.sqrt(0.3 * 0.7 / 2 * 2**52)}),
            ("kl_inv_upper", {"q": 0.5, "budget": np.inf}, {"q": 0.0, "budget": 0.0}),
            ("kl", {"q": 0.0, "p": 0.5}, {"q": np.log(2.0**-52), "p": 2.0}),
            ("kl", {"q": 0.25, "p": 0.0}, {"q": np.log(2.0**52 / 3.0), "p": -(2.0**50)}),
            ("kl", {"q": 0.25, "p": 1.0}, {"q": np.log(2.0**-52 / 3.0), "p": 0.75 * 2.0**52}),
            ("kl", {"q": 0.25, "p": 0.25}, {"q": 0.0, "p": 0.0}),
        ],
    )
    def test_edges_of_divergences(self, name, given, expected):
        tensors = to_tensors(given)
        getattr(pt, name)(**tensors).backward()
        for key, slope in expected.items():
            assert tensors[key].grad.item() == pytest.approx(slope, rel=1e-6, abs=1e-12), key

    def test_grids_of_rates(self):
        """Between the rates' plateaus the gradient is that at the best of them."""
        risk = torch.tensor([0.01, 0.3], dtype=torch.float64, requires_grad=True)
        pt.catoni(risk, 5.0, 1000, 0.05, rates=[0.2, 3.0]).sum().backward()
        each = [pb.bounds.catoni(risk.detach(), 5.0, 1000, 0.025, rates=r, return_grad=True) for r in (0.2, 3.0)]
        best = np.argmin([value for value, _ in each], axis=0)
        assert best.tolist() == [1, 0]
        assert risk.grad.numpy() == pytest.approx([each[b][1]["risk"][i] for i, b in enumerate(best)], rel=1e-12)


class TestUse:
    def test_training_reaches_the_optimum(self):
        """The best mean of a unit Gaussian over one weight, prior N(0, 1), risk Phi(-mean/2)."""

        def divergence(mean):
            return mean**2 / 2

        expected = minimize_scalar(
            lambda mean: pb.bounds.maurer(norm.cdf(-mean / 2), divergence(mean), 500, 0.05),
            bounds=(0.0, 10.0),
            method="bounded",
            options={"xatol": 1e-9},
        )
        mean = torch.zeros((), requires_grad=True, dtype=torch.float64)
        optimiser = torch.optim.LBFGS([mean], max_iter=100, line_search_fn="strong_wolfe", tolerance_change=1e-14)

        def closure():
            optimiser.zero_grad()
            bound = pt.maurer(torch.special.ndtr(-mean / 2), divergence(mean), 500, 0.05)
            bound.backward()
            return bound

        optimiser.step(closure)
        assert closure().item() == pytest.approx(expected.fun, rel=1e-10)
        assert mean.item() == pytest.approx(expected.x, rel=1e-4)

    def test_adam_in_single_precision(self):
        mean = torch.zeros((), requires_grad=True)
        optimiser = torch.optim.Adam([mean], lr=0.1)
        for _ in range(200):
            optimiser.zero_grad()
            bound = pt.maurer(torch.special.ndtr(-mean / 2), mean**2 / 2, 500, 0.05)
            bound.backward()
            optimiser.step()
        assert bound.item() < pb.bounds.maurer(0.5, 0.0, 500, 0.05) - 0.3

    @pytest.mark.parametrize("argument", ["n", "rates", "weights"])
    def test_no_gradient_in_what_is_fixed(self, argument):
        given = {"n": 100.0, "rates": [0.5, 0.2], "weights": [0.5, 0.5]}
        given[argument] = torch.tensor(given[argument], requires_grad=True)
        with pytest.raises(ValueError, match=f"The '{argument}' argument of betting must not require a gradient"):
            pt.betting(torch.tensor([-0.01, -0.01]), kl=1.0, delta=0.05, **given)

    def test_bad_arguments_are_told_as_by_the_library(self):
        with pytest.raises(ValueError, match=r"The 'risk' argument of maurer must lie in \[0, 1\]. Got 1.5 instead."):
            pt.maurer(torch.tensor(1.5), 1.0, 100, 0.05)

    def test_gradients_have_no_gradients(self):
        risk = torch.tensor(0.1, requires_grad=True)
        with pytest.raises(RuntimeError, match="The gradient of maurer cannot be differentiated again"):
            torch.autograd.grad(pt.maurer(risk, 1.0, 100, 0.05), risk, create_graph=True)

    def test_a_change_in_place_is_noticed(self):
        start = torch.tensor([0.1, 0.2], dtype=torch.float64, requires_grad=True)
        risk = start * 1.0
        bound = pt.maurer(risk, 1.0, 100, 0.05).sum()
        risk.mul_(2.0)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            bound.backward()
