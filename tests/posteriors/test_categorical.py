"""The expected 0-1 loss of Gaussian scores: never below 30-digit integrals or draws, hardly above, bad input."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf
from scipy.integrate import quad
from scipy.special import ndtr

from pacbayes.posteriors import expected_zero_one

from reference_mp import as_number, in_balls

_NOTHING = arb(10) ** -50
_NATS = 80  # the rule below is exact up to exp(-80), 2e-35


def integral(means, variances, label):
    """The probability of an error to 30 digits, by the trapezoidal rule, which the library has no part in.

    The integrand is entire and at a distance of ``u`` from the real line at most ``exp(u^2 (1 + sum r^2)/2)`` times a
    constant, with ``r`` the deviation of the label over those of the classes: a step of ``h`` leaves an error of about
    ``exp(-2 pi^2/(h^2 (1 + sum r^2)))``.
    """
    with in_balls():
        centres, deviations = [arb(float(m)) for m in means], [arb(float(v)).sqrt() for v in variances]
        pairs = [
            ((centres[label] - m) / s, deviations[label] / s)
            for place, (m, s) in enumerate(zip(centres, deviations, strict=True))
            if place != label
        ]
        widest = arb.pi() * (2 / (_NATS * (1 + sum((r * r for _, r in pairs), arb(0))))).sqrt()
        step, root = min(widest.mid(), arb(0.25)), arb(0.5).sqrt()
        total, last = arb(0), int(13 / float(step))
        for place in range(-last, last + 1):
            z, wrong = place * step, arb(0)
            for offset, ratio in pairs:
                chance = ((offset + ratio * z) * root).erfc() / 2
                wrong += chance - wrong * chance
            total += (-z * z / 2).exp() * wrong
            if z > 0 and wrong < _NOTHING:
                break
        return as_number(total * step / (2 * arb.pi()).sqrt())


def points(count, seed):
    """Means, variances and labels of all sizes, from certain to hopeless."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        classes, scale = int(rng.integers(2, 11)), 10.0 ** rng.uniform(-3, 3)
        means, label = rng.normal(size=classes) * rng.uniform(0, 5), int(rng.integers(classes))
        means[label] += rng.normal(2, 5)
        variances = np.exp(rng.normal(0, rng.uniform(0, 2), classes))
        yield means * scale, variances * scale**2, label


def single(means, variances, label, **options):
    return float(expected_zero_one([means], [variances], [label], **options)[0])


@pytest.mark.parametrize(("count", "seed"), [(40, 0), pytest.param(1000, 1, marks=pytest.mark.long)])
def test_never_below_an_integral_of_thirty_digits(count, seed):
    for means, variances, label in points(count, seed):
        exact, found = integral(means, variances, label), single(means, variances, label)
        assert found >= exact - mpf(10) ** -33, (means, variances, label)
        assert found <= exact * mpf(1.0002) + mpf("1e-6"), (means, variances, label)


def test_the_reference_is_the_closed_form_of_two_classes():
    exact = mpmath.ncdf(-mpf(3) / mpmath.sqrt(mpf(5)))
    assert abs(integral([3.0, 0.0], [4.0, 1.0], 0) - exact) < mpf(10) ** -32


@pytest.mark.parametrize("count", [8, pytest.param(60, marks=pytest.mark.long)])
def test_never_below_a_million_draws(count):
    rng, draws = np.random.default_rng(3), 10**6
    for means, variances, label in points(count, 4):
        scores = means + np.sqrt(variances) * rng.normal(size=(draws, means.size))
        share = np.count_nonzero(scores.argmax(axis=1) != label) / draws
        found = single(means, variances, label)
        assert found >= share - 4.0 * np.sqrt(max(share * (1.0 - share), 1.0 / draws) / draws)


@given(
    gap=st.floats(-40.0, 40.0),
    variances=st.tuples(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6)),
    shift=st.floats(-1e6, 1e6),
)
@settings(max_examples=60, deadline=None)
def test_two_classes_are_in_closed_form(gap, variances, shift):
    means = np.array([shift + gap, shift])
    exact = mpmath.ncdf(-(mpf(means[0]) - mpf(means[1])) / mpmath.sqrt(mpf(variances[0]) + mpf(variances[1])))
    found = single(means, variances, 0)
    assert exact <= found <= exact * (1 + mpf("1e-9")) + mpf("1e-290")


def test_the_normal_distribution_is_as_exact_as_is_assumed():
    for z in np.linspace(-37.0, 8.0, 500):
        exact = mpmath.ncdf(mpf(float(z)))
        assert abs(mpf(float(ndtr(z))) - exact) <= exact * mpf(2) ** -40


class TestEnds:
    def test_huge_margins(self):
        assert single([1e6, 0.0, 1.0], [1.0, 1.0, 1.0], 0) <= 1e-290
        assert single([-1e6, 0.0, 1.0], [1.0, 1.0, 1.0], 0) == 1.0

    def test_means_that_are_large_and_close(self):
        """The difference of two means has to survive their size."""
        found = single([1e9, 1e9 - 1e-3, 1e9 - 2e-3], [1e-6, 1e-6, 1e-6], 0)
        assert found >= float(integral([1e9, 1e9 - 1e-3, 1e9 - 2e-3], [1e-6, 1e-6, 1e-6], 0))
        assert found < 0.5

    def test_no_variance_at_all(self):
        means = [[2.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 2.0]]
        assert expected_zero_one(means, np.zeros((3, 3)), [0, 0, 0]).tolist() == [0.0, 1.0, 1.0]  # a tie is an error

    def test_no_variance_of_the_others(self):
        exact = float(ndtr(-1.0))
        assert exact <= single([1.0, 0.0, -2.0], [1.0, 0.0, 0.0], 0) <= exact * 1.001

    def test_no_variance_of_the_label(self):
        exact = 1.0 - float(ndtr(1.0) * ndtr(2.0))
        assert exact <= single([1.0, 0.0, -1.0], [0.0, 1.0, 1.0], 0) <= exact + 1e-7

    def test_no_variance_of_one_of_the_others(self):
        """The label has to exceed a fixed number, and one that is drawn."""
        means, variances = [1.0, 0.5, 0.0], [1.0, 0.0, 4.0]
        density = lambda z: np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) * ndtr((1.0 + z) / 2.0)  # noqa: E731
        exact = 1.0 - quad(density, -0.5, 12.0, epsabs=1e-13)[0]
        assert exact - 1e-12 <= single(means, variances, 0) <= exact * 1.0002 + 1e-6

    def test_a_fixed_number_that_is_never_reached(self):
        assert single([0.0, 50.0, 0.0], [1.0, 0.0, 1.0], 0) == pytest.approx(1.0)
        assert single([0.0, 6.5, 0.0], [1.0, 0.0, 1.0], 0) >= 1.0 - 1e-9

    def test_a_label_that_varies_far_more_than_the_others(self):
        """Each factor is a step inside one cell."""
        exact = float(ndtr(-1e-3))
        assert exact <= single([1.0, 0.0, -1.0], [1e6, 1e-6, 1e-6], 0) <= exact + 1e-3

    def test_variances_too_small_for_cells(self):
        assert single([1.0, 0.0, 0.0], [1.0, 1e-300, 1e-300], 0) >= float(ndtr(-1.0))

    def test_fewer_cells_are_looser_and_sound(self):
        for means, variances, label in points(20, 8):
            few, many = (single(means, variances, label, cells=cells) for cells in (48, 6144))
            assert many <= few <= 1.0


def test_rows_do_not_depend_on_each_other():
    rng = np.random.default_rng(0)
    means, variances, labels = rng.normal(size=(300, 5)), rng.gamma(1.0, size=(300, 5)), rng.integers(0, 5, 300)
    together = expected_zero_one(means, variances, labels)
    assert np.all((together >= 0.0) & (together <= 1.0))
    apart = [single(*each) for each in zip(means, variances, labels, strict=True)]
    np.testing.assert_allclose(together, apart, rtol=1e-11)


def test_relabelled_classes_give_the_same():
    rng = np.random.default_rng(1)
    means, variances = rng.normal(size=(50, 6)), rng.gamma(1.0, size=(50, 6))
    places, labels = rng.permutation(6), rng.integers(0, 6, 50)
    moved = expected_zero_one(means[:, places], variances[:, places], np.argsort(places)[labels])
    np.testing.assert_allclose(moved, expected_zero_one(means, variances, labels), rtol=1e-9)


def test_no_rows_give_nothing():
    assert expected_zero_one(np.empty((0, 3)), np.empty((0, 3)), np.empty(0, dtype=int)).shape == (0,)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"means": [[np.nan, 0.0]]}, r"'means' argument .* must be finite .*Got nan instead"),
        ({"means": [[np.inf, 0.0]]}, r"'means' argument .* must be finite .*Got inf instead"),
        ({"means": [[0.0]], "variances": [[1.0]]}, r"'means' argument .* at least two classes. Got shape \(1, 1\)"),
        ({"means": [0.0, 1.0]}, r"'means' argument .* Got shape \(2,\)"),
        ({"means": [["a", "b"]]}, "must be a real number"),
        ({"variances": [[1.0, -1.0]]}, r"'variances' argument .* not negative .*Got -1.0 instead"),
        ({"variances": [[1.0, np.nan]]}, r"'variances' argument .*Got nan instead"),
        ({"variances": [[1.0, np.inf]]}, r"'variances' argument .*Got inf instead"),
        ({"variances": [[1.0]]}, r"the shape of the means \(1, 2\). Got \(1, 1\)"),
        ({"labels": [2]}, r"'labels' argument .* between 0 and 1. Got 2 instead"),
        ({"labels": [-1]}, r"'labels' argument .* between 0 and 1. Got -1 instead"),
        ({"labels": [0.0]}, r"'labels' argument .* must be 1 whole numbers"),
        ({"labels": [0, 1]}, r"'labels' argument .* must be 1 whole numbers"),
        ({"cells": 3}, r"'cells' argument .* at least 48. Got 3 instead"),
    ],
)
def test_bad_input_gets_one_sentence(changes, words):
    given = {"means": [[1.0, 0.0]], "variances": [[1.0, 1.0]], "labels": [0]} | changes
    with pytest.raises(ValueError, match=words):
        expected_zero_one(**given)
