"""The transfer of a certificate: its number, how delta is shared, and what counts as a disagreement."""

from dataclasses import replace
from functools import cache
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binom
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes._core.predictions import class_numbers
from pacbayes.certificate import evaluate_statement
from pacbayes.procedures import Transfer, transfer_delta
from pacbayes.procedures.transfer import count_disagreements

SAMPLE = pb.datasets.make_known_risk(400, d=2, random_state=0)
UNLABELLED = "0" * 64


@cache
def source(errors=None, n=None, delta=0.05, candidates=1):
    """A split's certificate, with other counts where they are given."""
    model = pb.CertifiedClassifier(GaussianNB(), delta, split=0.5, candidates=candidates, random_state=0)
    certificate = model.fit(SAMPLE.X, SAMPLE.y).certificate_
    if errors is None:
        return certificate
    first = replace(certificate.statements[0], n=n, observed={"errors": errors})
    first = replace(first, value=evaluate_statement(first, delta / candidates))
    return replace(certificate, statements=(first,), digest="")


def exact_limit(count, n, delta):
    """Clopper-Pearson by bisection on the binomial tail, in forty digits."""
    if count == n:
        return mp.mpf(1)
    with mp.workdps(40):
        low, high = mp.mpf(count) / n, mp.mpf(1)
        for _ in range(130):
            middle = (low + high) / 2
            tail = mp.fsum(mp.binomial(n, k) * middle**k * (1 - middle) ** (n - k) for k in range(count + 1))
            low, high = (middle, high) if tail > mp.mpf(delta) else (low, middle)
        return high


@pytest.mark.parametrize(
    ("errors", "n", "apart", "m", "delta", "added", "candidates"),
    [
        (3, 40, 2, 50, 0.05, 0.01, 1),
        (0, 25, 0, 10, 0.1, 0.1, 1),
        (20, 60, 30, 70, 0.2, 0.001, 4),
        (1, 9, 4, 5, 0.3, 0.3, 2),
    ],
)
def test_the_number_is_the_sum_of_both_exact_limits(errors, n, apart, m, delta, added, candidates):
    issued = Transfer(source=source(errors, n, delta, candidates), delta=added).certify(apart, m, UNLABELLED)
    exact = exact_limit(errors, n, delta / candidates) + exact_limit(apart, m, added / candidates)
    assert issued.delta == pytest.approx(delta + added, rel=1e-12)
    assert min(exact, 1) <= issued.value <= min(exact * (1 + mp.mpf(10) ** -6), 1)
    assert issued.verify(), str(issued.verify())


@pytest.mark.parametrize(("error", "apart"), [(0.1, 0.05), (0.02, 0.3), (0.3, 0.02), (0.0, 0.1), (0.2, 0.2)])
@pytest.mark.parametrize(("delta", "added"), [(0.2, 0.05), (0.3, 0.2), (0.05, 0.01)])
def test_it_fails_no_more_often_than_it_says_where_it_is_tight(error, apart, delta, added):
    """Wherever two models disagree, the second is wrong: all pairs of counts are weighed by their probability."""
    n, m = 14, 12
    values = {
        (e, k): Transfer(source=given, delta=added).certify(k, m, UNLABELLED).value
        for e in range(n + 1)
        for given in [source(e, n, delta)]
        for k in range(m + 1)
        if binom.pmf(e, n, error) * binom.pmf(k, m, apart) > 1e-12
    }
    failed = sum(
        binom.pmf(e, n, error) * binom.pmf(k, m, apart) for (e, k), value in values.items() if value < error + apart
    )
    assert failed <= delta + added


class TestDelta:
    def test_is_the_certificates_and_a_fifth_of_it_by_default(self):
        given = source()
        assert transfer_delta(given) == 0.01
        issued = Transfer(source=given, delta=transfer_delta(given)).certify(3, 100, UNLABELLED)
        assert issued.delta == 0.06
        assert "With probability at least 94 %" in issued.sentence()
        assert transfer_delta(issued) == 0.01

    @pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 0.95, 1e-30])
    def test_must_leave_something(self, delta):
        with pytest.raises(ValueError, match=r"'delta' argument of transfer must be a float in \(0, 1\) that leaves"):
            Transfer(source=source(), delta=delta)

    def test_the_two_parts_are_the_certificates_own_number_and_the_rest(self):
        given = source()
        for added in (1e-9, 0.01, 0.5):
            issued = Transfer(source=given, delta=added).certify(0, 1000, UNLABELLED)
            limit = pb.bounds.clopper_pearson(0, 1000, added)
            assert issued.value == pytest.approx(given.value + limit, rel=1e-6)


def test_a_certificate_about_a_posterior_is_no_source():
    drawn = pb.CertifiedLogisticRegression(bound="betting", random_state=0).fit(SAMPLE.X, SAMPLE.y).certificate_
    with pytest.raises(ValueError, match="transferred from one on the true error of `predict`"):
        Transfer(source=drawn, delta=0.01)


def test_a_certificate_about_a_regressor_is_no_source():
    model = pb.CertifiedRegressor(loss="within", tolerance=0.5, random_state=0).fit(SAMPLE.X, SAMPLE.X[:, 0])
    with pytest.raises(ValueError, match="transferred from one on the true error of `predict`"):
        Transfer(source=model.certificate_, delta=0.01)


class Fixed:
    """Predicts what it was given, by the number in the row."""

    def __init__(self, answers):
        self.answers = np.asarray(answers)

    def predict(self, rows):
        return self.answers[rows[:, 0].astype(int)]


class TestDisagreements:
    rows = np.arange(60.0)[:, None]
    classes = np.array([0, 1, 2])

    def count(self, one, two):
        return count_disagreements(one, two, self.rows, self.classes, [0])

    def test_are_counted_row_by_row(self):
        generator = np.random.default_rng(0)
        one, two = generator.integers(3, size=(2, 60))
        assert self.count(Fixed(one), Fixed(two)) == int(np.sum(one != two))
        assert self.count(Fixed(one), Fixed(one)) == 0

    def test_what_is_none_of_the_classes_counts_even_where_both_say_it(self):
        one = np.array([7, *[0] * 59])
        assert class_numbers("One", one, self.classes, 60)[0] == -1
        assert self.count(Fixed(one), Fixed(one)) == 1

    def test_a_row_that_depends_on_its_batch_counts(self):
        class Shifty(Fixed):
            def predict(self, rows):
                found = super().predict(rows).copy()
                found[rows[:, 0] == 5] = len(rows) % 2
                return found

        same = np.zeros(60, dtype=int)
        assert self.count(Fixed(same), Shifty(same)) == self.count(Shifty(same), Fixed(same)) == 1

    def test_many_such_rows_are_refused(self):
        class Batch(Fixed):
            def predict(self, rows):
                return np.full(len(rows), len(rows) % 2)

        with pytest.raises(ValueError, match="must answer for each row by itself"):
            self.count(Fixed(np.zeros(60, dtype=int)), Batch([]))

    def test_labels_of_text(self):
        words = np.array(["no", "yes"])
        one, two = words[np.arange(60) % 2], words[(np.arange(60) < 30).astype(int)]
        assert count_disagreements(Fixed(one), Fixed(two), self.rows, words, [0]) == int(np.sum(one != two))


def test_every_pair_of_counts_gives_a_number_that_grows_with_both():
    values = np.array(
        [
            [Transfer(source=source(e, 8), delta=0.05).certify(k, 6, UNLABELLED).value for k in range(7)]
            for e in range(9)
        ]
    )
    for axis, place in product((0, 1), range(5)):
        assert np.all(np.diff(values, axis=axis).take(place, axis=axis) >= 0.0)
    assert values[-1, -1] == 1.0
