"""Sweeps against 60-digit arithmetic: nothing on the wrong side, all within the promised distance."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import pacbayes as pb

import reference_mp as exact
from numerics import points as draw

CHUNKS = 8
WIDE, CLOSE = 1e-12, 1e-9  # of the range of values; of the distance to the mean (plus 4 ulp)
TINY = 1e-280  # an error of doubles below it would itself be rounded


class Tally:
    """Counts values on the wrong side and keeps the worst errors, as fractions of what is allowed."""

    def __init__(self):
        self.points = self.wrong = 0
        self.of_range = self.of_allowed = 0.0

    def add(self, side, value, answer, width, mean):
        """`side` is 1 where a value above the answer is safe, and -1 below; the mean need not be exact."""
        error = side * (mpf(value) - answer)
        self.points += 1
        self.wrong += error < 0
        ulp = math.ulp(value)
        number = mpf if ulp < TINY else float  # ratios of doubles are exact enough, and ten times as fast
        error, ulp, distance = number(error), number(ulp), abs(number(answer) - number(mean))
        self.of_allowed = max(self.of_allowed, error / (CLOSE * distance + 4 * ulp))
        if width and error > 2 * ulp:  # no double may be closer where values are large beside their range
            self.of_range = max(self.of_range, error / number(width))

    def report(self, name, record_worst, record_count):
        record_count(f"{name}: points", self.points)
        record_count(f"{name}: values on the wrong side", self.wrong)
        record_worst(f"{name}: worst error / range of values (allowed 1e-12)", self.of_range)
        record_worst(f"{name}: worst error / (1e-9 distance + 4 ulp) (allowed 1)", self.of_allowed)
        assert self.wrong == 0
        assert self.of_range <= WIDE
        assert self.of_allowed <= 1


@pytest.fixture(params=range(CHUNKS))
def chunk(request, points):
    return np.random.default_rng([20230, request.param]), -(-points // CHUNKS)


@pytest.mark.parametrize(("name", "side"), [("kl_inv_upper", 1), ("kl_inv_lower", -1)])
def test_binary_inverses(name, side, chunk, record_worst, record_count):
    rng, size = chunk
    q, budget = draw.probabilities(rng, size), draw.budgets(rng, size)
    results = getattr(pb, name)(q, budget).tolist()
    tally = Tally()
    for q_i, b_i, value in zip(q.tolist(), budget.tolist(), results, strict=True):
        answer = getattr(exact, name)(q_i, b_i)
        tally.add(side, value, answer, 1.0, q_i)
    tally.report(name, record_worst, record_count)


@pytest.mark.parametrize(("name", "side"), [("kl_ball_max", 1), ("kl_ball_min", -1)])
def test_ball(name, side, chunk, record_worst, record_count):
    rng, size = chunk
    points = []
    for index, budget in enumerate(draw.budgets(rng, size).tolist()):
        atoms = int(rng.integers(2, 21)) if index % 3 == 0 else int(rng.integers(2, 5))
        points.append((draw.weights(rng, atoms), draw.values(rng, atoms), budget))
    tally = Tally()
    for atoms in {len(u) for u, _, _ in points}:
        part = [point for point in points if len(point[0]) == atoms]
        us, vs, budgets = (np.array(each) for each in zip(*part, strict=True))
        results = getattr(pb, name)(us, vs, budgets)
        slopes = side * getattr(pb, name)(us, vs, budgets, return_grad=True)[1][2]
        guesses = side * results + slopes - (side * vs).max(axis=1)
        means, widths = (us * vs).sum(axis=1) / us.sum(axis=1), np.ptp(vs, axis=1)
        rows = zip(us, side * vs, budgets, results, guesses, means, widths, strict=True)
        for u, v, budget, value, guess, mean, width in (map(np.ndarray.tolist, map(np.asarray, row)) for row in rows):
            answer = side * exact.kl_ball_max(u, v, budget, guess if guess < np.inf else 0.0)
            tally.add(side, value, answer, width, mean)
    u, v, budget = points[0]  # as one by one, but for last digits: numpy's logarithms depend on the size of an array
    one, (many,) = getattr(pb, name)(u, v, budget), getattr(pb, name)(u[None], v[None], np.array([budget]))
    assert abs(one - many) <= CLOSE * abs(many - (u * v).sum() / u.sum()) + 4 * math.ulp(many)
    tally.report(name, record_worst, record_count)


def test_phi(chunk, record_worst, record_count):
    rng, size = chunk
    plus, minus = draw.excess_weights(rng, size)
    budget = draw.budgets(rng, size)
    results = pb.phi(plus, minus, budget).tolist()
    guesses = results + pb.phi(plus, minus, budget, return_grad=True)[1][2] - 1.0
    tally = Tally()
    rows = (plus.tolist(), minus.tolist(), budget.tolist(), results, guesses.tolist())
    for p, m, b, value, guess in zip(*rows, strict=True):
        answer = exact.phi(p, m, b, guess if guess < np.inf else 0.0)
        tally.add(1, value, answer, 2.0, p - m)
    tally.report("phi", record_worst, record_count)


def test_kl(chunk, record_worst, record_count):
    rng, size = chunk
    q, p = draw.probabilities(rng, size), draw.probabilities(rng, size)
    near = rng.random(size) < 0.3
    p = np.where(near, np.clip(q * (1.0 + 10.0 ** rng.uniform(-16, -1, size)), 0.0, 1.0), p)
    worst = mpf(0)
    for q_i, p_i, value in zip(q.tolist(), p.tolist(), pb.kl(q, p).tolist(), strict=True):
        if (p_i == 0 < q_i) or (p_i == 1 > q_i):
            assert value == np.inf
            continue
        answer = exact.kl(q_i, p_i)
        assert value > 0 or q_i == p_i or answer < mpf("1e-307")
        worst = max(worst, abs(mpf(value) - answer) / answer if answer > mpf("1e-290") else 0)
    record_count("kl: points", size)
    record_worst("kl: worst relative error (allowed 1e-13)", worst)
    assert worst <= mpf("1e-13")


def test_categorical_kl(chunk, record_worst, record_count):
    rng, size = chunk
    worst, points = 0.0, {}
    for index in range(size):
        atoms = int(rng.integers(2, 21)) if index % 3 == 0 else int(rng.integers(2, 5))
        points.setdefault(atoms, []).append((draw.weights(rng, atoms), draw.weights(rng, atoms)))
    for part in points.values():
        us, vs = (np.array(each) for each in zip(*part, strict=True))
        results, infinite = pb.categorical_kl(us, vs), ((us > 0) & (vs == 0)).any(axis=1)
        assert np.all(np.isposinf(results) == infinite)
        for u, v, value in zip(*(each[~infinite].tolist() for each in (us, vs, results)), strict=True):
            answer = exact.categorical_kl(u, v)
            worst = max(worst, float(abs(mpf(value) - answer)) / (float(answer) + 1e-3))
    u, v = part[0]  # as one by one
    assert pb.categorical_kl(u, v) == results[0]
    record_count("categorical_kl: points", size)
    record_worst("categorical_kl: worst error / (value + 1e-3) (allowed 1e-13)", worst)
    assert worst <= 1e-13


def _counts(rng, size):
    return [*range(1, 130), *(10.0 ** rng.uniform(2, 12, size)).astype(int).tolist(), 10**12]


def test_log_xi(chunk, record_worst, record_count):
    rng, size = chunk
    counts = _counts(rng, max(0, size // 99 - 130))
    computed = pb.log_xi(np.arange(2, 101), np.array(counts)[:, None])
    wrong, worst = 0, mpf(0)
    for n, row in zip(counts, computed.tolist(), strict=True):
        before, current = mpf(1), exact.xi_two(n)
        for atoms, value in zip(range(2, 101), row, strict=True):
            answer = mpmath.log(current)
            wrong += mpf(value) < answer
            worst = max(worst, (mpf(value) - answer) / answer)
            before, current = current, current + mpf(n) / (atoms - 1) * before
    record_count("log_xi: points", computed.size)
    record_count("log_xi: values on the wrong side", wrong)
    record_worst("log_xi: worst relative error (allowed 1e-13)", worst)
    assert wrong == 0
    assert worst <= mpf("1e-13")
