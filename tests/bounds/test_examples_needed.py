"""The number of examples from which on a guarantee holds, against a search over all numbers."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.special import betaincc

import pacbayes as pb

NAME = "clopper_pearson"


def brute(target, risk, delta, most):
    """The last number of examples at which the exact tail says no, plus one: by a tail of its own, for all numbers."""
    n = np.arange(1, most + 1)
    share = Fraction(str(risk))
    errors = n * share.numerator // share.denominator
    tail = betaincc(errors + 1.0, np.maximum(n - errors, 1e-300).astype(float), target)
    bad = np.flatnonzero((tail > delta) | (errors >= n))
    return int(n[bad[-1]]) + 1 if bad.size else 1


@pytest.mark.parametrize(
    ("risk", "gap", "delta"),
    [*product([0.0, 0.01, 0.02, 0.07, 0.1, 0.25, 0.29, 0.5, 0.9], [0.03, 0.05, 0.09], [0.2, 0.05, 1e-3])],
)
def test_it_is_the_smallest_from_which_on_all_suffice(risk, gap, delta):
    target = round(risk + gap, 6)
    n, value = pb.bounds.examples_needed(NAME, target=target, risk=risk, delta=delta)
    chernoff = int(np.ceil(np.log(1 / delta) / pb.kl(risk, target))) + 2  # from there on all is well
    assert n == brute(target, risk, delta, chernoff)
    assert value == pb.bounds.clopper_pearson(pb.bounds.errors_within(risk, n), n, delta) <= target


def test_the_example_that_was_wrong():
    """It said 208, where every number from 153 on suffices."""
    n, value = pb.bounds.examples_needed(NAME, target=0.05, risk=0.02)
    assert n == 153
    assert value <= 0.05 < pb.bounds.clopper_pearson(3, 152, 0.05)


def test_close_targets_are_found_fast():
    started = time.perf_counter()
    n, _ = pb.bounds.examples_needed(NAME, target=0.0201, risk=0.02)
    assert n == 5333351
    assert time.perf_counter() - started < 20.0


@pytest.mark.parametrize(
    ("risk", "n", "errors"), [(0.29, 100, 29), (0.1, 30, 3), (0.07, 100, 7), (1 / 3, 9, 2), (0.0, 5, 0)]
)
def test_a_share_is_taken_as_it_is_written(risk, n, errors):
    assert pb.bounds.errors_within(risk, n) == errors
