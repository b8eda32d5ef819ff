"""Objectives of posteriors: the published formulas, and how they relate."""

import math

import numpy as np
import pytest
import torch

import pacbayes as pb
from pacbayes.torch.objectives import OBJECTIVES

POINTS = [(0.0, 0.0, 50), (0.02, 3.0, 20_000), (0.3, 400.0, 2000), (0.9, 0.5, 60_000)]


def value(name, risk, kl, n, delta=0.05, rate=None):
    objective = OBJECTIVES[name](n, delta, rate)
    objective.adjust(risk, kl)
    tensors = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in (risk, kl)]
    found = objective.value(*tensors)
    return found.item(), [each.item() for each in torch.autograd.grad(found, tensors)]


@pytest.mark.parametrize(("risk", "kl", "n"), POINTS)
def test_values(risk, kl, n):
    rates, weights = pb.bounds.betting_rates(n=n, delta=0.05)
    betting = pb.bounds.betting(risk * np.log1p(-rates), rates, kl, n, 0.05, weights)
    assert value("portfolio", risk, kl, n)[0] == pytest.approx(betting, rel=1e-12)
    one = pb.bounds.betting(risk * math.log1p(-0.3), 0.3, kl, n, 0.05)
    assert value("portfolio", risk, kl, n, rate=0.3)[0] == pytest.approx(one, rel=1e-12)
    assert value("maurer", risk, kl, n)[0] == pytest.approx(float(pb.bounds.maurer(risk, kl, n, 0.05)), rel=1e-12)
    share = (kl + math.log(2.0 * math.sqrt(n) / 0.05)) / (2.0 * n)
    quadratic = (math.sqrt(risk + share) + math.sqrt(share)) ** 2
    assert value("quadratic", risk, kl, n)[0] == pytest.approx(quadratic, rel=1e-12)


@pytest.mark.parametrize(("risk", "kl", "n"), POINTS)
def test_lambda_is_the_smallest_of_its_family(risk, kl, n):
    # solving for the best lam gives the quadratic objective
    found = value("lambda", risk, kl, n)[0]
    assert found == pytest.approx(value("quadratic", risk, kl, n)[0], rel=1e-9)
    cost = kl + math.log(2.0 * math.sqrt(n) / 0.05)
    grid = np.linspace(1e-3, 1.999, 5000)
    family = risk / (1 - grid / 2) + cost / (n * grid * (1 - grid / 2))
    assert found <= family.min() * (1 + 1e-9)
    assert found >= family.min() * (1 - 1e-2)


@pytest.mark.parametrize("name", ["quadratic", "lambda"])
@pytest.mark.parametrize(("risk", "kl", "n"), POINTS)
def test_published_objectives_are_relaxations_of_maurers(name, risk, kl, n):
    assert value(name, risk, kl, n)[0] >= value("maurer", risk, kl, n)[0]


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize(("risk", "kl", "n"), POINTS[1:3])
def test_slopes(name, risk, kl, n):
    objective = OBJECTIVES[name](n, 0.05)
    objective.adjust(risk, kl)

    def at(r, k):
        return objective.value(torch.tensor(r, dtype=torch.float64), torch.tensor(k, dtype=torch.float64)).item()

    _, (by_risk, by_kl) = value(name, risk, kl, n)
    assert by_risk == pytest.approx((at(risk + 1e-6, kl) - at(risk - 1e-6, kl)) / 2e-6, rel=1e-4)
    assert by_kl == pytest.approx((at(risk, kl + 1e-3) - at(risk, kl - 1e-3)) / 2e-3, rel=1e-4)
