"""The e-process against a direct sum over all starts, exact enumeration, and itself in other parts."""

import itertools
import json
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from pacbayes.monitoring.evidence import Evidence, left_weight, rate_fractions, rate_weights, start_weights

LEVEL = np.log(100.0)
VALUES = (1e-6, 0.003, 0.05, 0.3, 0.9)


def direct(losses, value):
    """The evidence after each loss, start by start and rate by rate, with 60 digits."""
    with mpmath.workdps(60):
        rates = [mpmath.mpf(float(each)) for each in rate_fractions() / value]
        weights = [mpmath.mpf(float(each)) for each in start_weights(np.arange(1.0, len(losses) + 1.0))]
        found = []
        for t in range(1, len(losses) + 1):
            total = mpmath.mpf(float(left_weight(np.array(float(t)))))
            for rate, share in zip(rates, map(mpmath.mpf, rate_weights().tolist()), strict=True):
                factors = [1 + rate * (mpmath.mpf(loss) - mpmath.mpf(value)) for loss in losses[:t]]
                for start in range(t):
                    total += share * weights[start] * mpmath.fprod(factors[start:])
            found.append(mpmath.log(total))
    return found


def streams():
    rng = np.random.default_rng(3)
    for value in VALUES:
        yield value, (rng.random(40) < min(0.9, 3 * value)).astype(float)
        yield value, rng.random(40)
    yield 0.05, np.zeros(40)
    yield 0.05, np.ones(40)


@pytest.mark.parametrize(("value", "losses"), streams())
def test_the_recursion_is_the_sum_over_all_starts_and_never_above(value, losses):
    found = Evidence.begin(value).add(losses, LEVEL).log_evidence
    for mine, exact in zip(found, direct(losses.tolist(), value), strict=True):
        assert exact - 1e-7 * (1 + abs(exact)) <= mine <= exact


def test_long_streams_never_rise_above_the_exact_recursion():
    """Over several blocks, and far above the level, where rounding has time to add up."""
    rng = np.random.default_rng(0)
    for value, risk in ((0.05, 0.05), (0.05, 0.2), (0.001, 0.5), (0.3, 0.1)):
        losses = (rng.random(3000) < risk).astype(float)
        found = Evidence.begin(value).add(losses, LEVEL).log_evidence
        weights = start_weights(np.arange(1.0, 3001.0))
        with mpmath.workdps(40):
            rates = [mpmath.mpf(float(each)) for each in rate_fractions() / value]
            capital = [mpmath.mpf(0)] * len(rates)
            for row, loss in enumerate(losses):
                weight, excess = mpmath.mpf(float(weights[row])), mpmath.mpf(loss) - mpmath.mpf(value)
                capital = [(old + weight) * (1 + rate * excess) for old, rate in zip(capital, rates, strict=True)]
                if row % 250 == 249:
                    left = mpmath.mpf(float(left_weight(np.array(row + 1.0))))
                    exact = mpmath.log(mpmath.fdot(rate_weights().tolist(), capital) + left)
                    assert exact - 1e-6 * (1 + abs(exact)) <= found[row] <= exact


def test_weights_add_up_to_at_most_one():
    assert sum(map(Fraction, rate_weights().tolist())) <= 1
    rows = np.arange(1.0, 2e6)
    total = np.cumsum(start_weights(rows))
    left = left_weight(rows)
    assert np.all(total + left <= 1.0 + 1e-12)
    assert total[-1] + left[-1] > 0.99
    assert left_weight(np.array(0.0)) == 1.0
    exact = sum(Fraction(float(each)) for each in start_weights(np.arange(1.0, 2001.0)))
    assert exact + Fraction(float(left_weight(np.array(2000.0)))) < 1


@pytest.mark.parametrize("value", [0.05, 0.3, 0.7])
def test_it_is_a_supermartingale_and_ville_holds_by_enumeration(value):
    """All sequences of 12 losses at the certified risk: the mean never rises, and few ever reach a level."""
    sequences = np.array(list(itertools.product([0.0, 1.0], repeat=12)))
    chances = np.prod(np.where(sequences == 1.0, value, 1.0 - value), axis=1)
    logs = np.array([Evidence.begin(value).add(each, np.inf).log_evidence for each in sequences])
    means = chances @ np.exp(logs)
    assert np.all(np.diff(np.concatenate([[1.0], means])) <= 1e-12)
    for level in (1.5, 3.0, 10.0):
        assert chances @ (logs.max(axis=1) >= np.log(level)) <= 1.0 / level


def test_given_any_past_the_next_row_adds_nothing_on_average():
    rng = np.random.default_rng(5)
    for value in (0.02, 0.4):
        past = (rng.random(300) < 2 * value).astype(float)
        after = {}
        for loss in (0.0, 1.0):
            evidence = Evidence.begin(value)
            evidence.add(past, np.inf)
            before = np.exp(evidence.log_value)
            evidence.add(np.array([loss]), np.inf)
            after[loss] = np.exp(evidence.log_value)
        assert (1 - value) * after[0.0] + value * after[1.0] <= before * (1 + 1e-12)


@pytest.mark.parametrize("graded", [False, True])
def test_parts_of_any_size_give_the_same_bits(graded):
    rng = np.random.default_rng(1)
    losses = rng.random(2000) ** 8 if graded else (rng.random(2000) < 0.08).astype(float)
    whole = Evidence.begin(0.05)
    expected = whole.add(losses, LEVEL)
    for sizes in ([1] * 2000, [255, 1, 256, 257, 3, 1228], [2000]):
        parts, first, change, done = Evidence.begin(0.05), None, None, 0
        logs = []
        for size in sizes:
            found = parts.add(losses[done : done + size], LEVEL)
            logs.append(found.log_evidence)
            if first is None and found.first is not None:
                first, change = done + found.first, found.change
            parts = Evidence.from_dict(json.loads(json.dumps(parts.to_dict())))
            done += size
        assert np.array_equal(np.concatenate(logs), expected.log_evidence)
        assert parts.to_dict() == whole.to_dict()
        assert (first, change) == (expected.first, expected.change if first is not None else change)


def test_the_first_row_that_reaches_the_level_is_found():
    rng = np.random.default_rng(2)
    for _ in range(20):
        losses = np.concatenate([rng.random(int(rng.integers(0, 900))) < 0.05, rng.random(600) < 0.3]).astype(float)
        found = Evidence.begin(0.05).add(losses, LEVEL)
        assert found.first == int(np.flatnonzero(found.log_evidence >= LEVEL)[0])


def test_the_change_is_the_start_with_the_most_growth():
    rng = np.random.default_rng(4)
    losses = np.concatenate([rng.random(700) < 0.05, rng.random(300) < 0.25]).astype(float)
    rates = rate_fractions() / 0.05
    for end in (50, 300, 800, 1000):
        evidence = Evidence.begin(0.05)
        evidence.add(losses[:end], np.inf)
        growth = np.vstack([np.zeros(12), np.cumsum(np.log1p((losses[:end, None] - 0.05) * rates), axis=0)])
        best = growth[-1] - growth.min(axis=0)
        rate = int(np.argmax(best))
        start = end + 1 - int(np.argmin(growth[::-1, rate]))
        assert evidence.change == start
    assert abs(evidence.change - 701) < 60


def test_nothing_overflows():
    evidence = Evidence.begin(1e-12)
    found = evidence.add(np.ones(20_000), LEVEL)
    assert found.first is not None
    assert np.all(np.isfinite(found.log_evidence))
    assert np.all(np.isfinite(Evidence.begin(0.999).add(np.zeros(20_000), LEVEL).log_evidence))


STATES = {
    "no value": {"value": None},
    "a value above 1": {"value": (1.5).hex()},
    "rows": {"rows": -1},
    "too few": {"growth": ["0x0p+0"]},
    "not a number": {"capital": ["nan"] * 12},
    "infinite": {"capital": ["inf"] * 12},
    "no capital after rows": {"capital": ["-inf"] * 12},
    "a list of texts": {"lowest": ["x"] * 12},
    "a slack below 0": {"slack": ["-0x1p+0"] * 12},
    "a start to come": {"starts": [99] * 12},
    "more": {"more": 1},
}


@pytest.mark.parametrize("change", STATES.values(), ids=STATES)
def test_a_state_that_was_not_stored_is_refused(change):
    evidence = Evidence.begin(0.05)
    evidence.add(np.zeros(20), LEVEL)
    with pytest.raises(ValueError, match="must be one that a monitor stored"):
        Evidence.from_dict({**evidence.to_dict(), **change})
