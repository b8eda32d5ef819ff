"""Losses: values in the unit interval, and losses of users."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb

Y = np.array([0, 1, 1])
WRONG = 1.0 - Y
COLUMNS = np.column_stack([Y, WRONG])


class TestLosses:
    def test_values_lie_in_the_unit_interval(self):
        rng = np.random.default_rng(0)
        p, y = rng.random(1000), rng.integers(0, 2, 1000)
        columns = np.column_stack([1 - p, p])
        for name in ("brier", "log_loss"):
            loss = pb.losses.get(name)
            np.testing.assert_allclose(loss(p, y), loss(columns, y), rtol=1e-12)
            assert loss(np.array([0.0, 1.0]), np.array([1, 0])).tolist() == [1.0, 1.0]
            assert loss(np.array([0.0, 1.0]), np.array([0, 1])).tolist() == [0.0, 0.0]

    @pytest.mark.parametrize("given", [[50.0, 50.0], [-0.1, 0.5], [[0.999, 0.999]] * 2, [[3.0, -2.0]] * 2])
    def test_what_is_no_probability_is_refused(self, given):
        for name in ("brier", "log_loss"):
            with pytest.raises(ValueError, match=r"must (be probabilities, which )?lie in \[0, 1\]"):
                pb.losses.get(name)(given, [1, 0])

    def test_range_of_a_users_loss_is_checked(self):
        loss = pb.losses.Loss("double", lambda p, y: 2.0 * np.abs(p - y), "value")
        with pytest.raises(ValueError, match=r"loss 'double' must return values in \[0, 1\]. Got 2.0"):
            loss(np.array([1.0]), np.array([0.0]))
        with pytest.raises(ValueError, match="Got nan"):
            pb.losses.get("absolute")([math.nan], [0.0])

    def test_registration(self):
        with pytest.raises(ValueError, match="'name' argument of register must be new"):
            pb.losses.register("brier", pb.losses.brier)
        with pytest.raises(ValueError, match="'prediction' argument of register"):
            pb.losses.register("another", pb.losses.brier, "score")

    def test_there_is_one_loss_for_each_label(self):
        loss = pb.losses.Loss("table", lambda p, y: np.abs(p - y), "value")
        with pytest.raises(
            ValueError, match=r"'table' must return one value per label, in shape \(3,\). Got shape \(3, 3"
        ):
            loss(WRONG[:, None], Y)


@pytest.mark.parametrize("name", ["brier", "log_loss"])
@pytest.mark.parametrize(
    ("probabilities", "labels", "message"),
    [
        (WRONG[:, None], Y, r"must have the shape of the labels, \(3,\), or a column .* Got shape \(3, 1\) instead"),
        (WRONG, Y[:2], r"Got shape \(3,\) instead"),
        (COLUMNS.T, Y, r"Got shape \(2, 3\) instead"),
        (0.5, Y, r"Got shape \(\) instead"),
        (WRONG, Y + 1, "must be whole numbers from 0 to 1, the positions of the classes. Got 2 instead"),
        (WRONG, 2 * Y - 1, "Got -1 instead"),
        (COLUMNS, 2 * Y - 1, "Got -1 instead"),
        (COLUMNS, Y + 1, "Got 2 instead"),
        (COLUMNS, Y / 2, "Got 0.5 instead"),
        (COLUMNS, [math.nan, 0.0, 1.0], "Got nan instead"),
        (
            WRONG,
            np.where(Y, "yes", "no"),
            "'labels' argument .* must be a real number or an array of them. Got 3 values",
        ),
        (np.full((3, 2), 50.0), Y, r"'probabilities' argument .* lie in \[0, 1\] .* Got 50, 50"),
        (np.full(3, 50.0), Y, "Got 50.0 instead"),
        ([math.nan, 0.0, 0.0], Y, "Got nan instead"),
        ([[0.5, 0.2], [0.0, 1.0], [0.0, 1.0]], Y, "add up to 1 .* Got 0.5, 0.2, which add up to 0.7"),
        (np.ma.array(WRONG, mask=[True, False, False]), Y, "must not contain masked values"),
    ],
)
def test_what_are_no_probabilities_of_the_labels_is_refused(name, probabilities, labels, message):
    for function in (getattr(pb.losses, name), pb.losses.get(name)):
        with pytest.raises(ValueError, match=message):
            function(probabilities, labels)


@pytest.mark.parametrize("name", ["zero_one", "absolute"])
def test_predictions_have_the_shape_of_the_labels(name):
    message = r"must have the shape of the labels, \(3,\). Got shape \(3, 1\) instead"
    with pytest.raises(ValueError, match=message):
        pb.losses.get(name)(Y[:, None], Y)


@pytest.mark.parametrize(("predictions", "labels"), [([7.0], [0.5]), ([7.0], [6.5]), ([0.5], [-0.25])])
def test_the_absolute_loss_is_of_numbers_between_0_and_1(predictions, labels):
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        pb.losses.absolute(predictions, labels)


class Told:
    """A predictor with the classes and the probabilities that it is told."""

    def __init__(self, classes, probabilities):
        self.classes_, self.probabilities = np.asarray(classes), probabilities

    def predict_proba(self, _):
        return self.probabilities


def losses_of(classes, probabilities, labels=Y):
    loss = pb.losses.get("brier")
    return pb.losses.predictor_losses("me", Told(classes, probabilities), np.zeros((3, 1)), labels, loss).tolist()


def test_probabilities_of_a_predictor_are_by_its_classes():
    assert losses_of([0, 1], COLUMNS) == [1.0, 1.0, 1.0]
    assert losses_of([0], np.ones((3, 1))) == [0.0, 1.0, 1.0]
    assert losses_of([0], np.ones((3, 1)), np.zeros(3)) == [0.0, 0.0, 0.0]
    assert losses_of([0, 1], COLUMNS, Y.astype(str)) == [1.0, 1.0, 1.0]
    assert losses_of([0, 1], pd.DataFrame(COLUMNS, columns=[0, 1])) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("classes", "probabilities", "labels", "message"),
    [
        ([0, 1], WRONG[:, None], Y, r"must give a probability per row \(3\) and class \(2\). Got shape \(3, 1\)"),
        ([0, 1], pd.DataFrame(COLUMNS, columns=[1, 0]), Y, "in the order of the classes 0, 1. They are named 1, 0"),
        ([0, 1], COLUMNS, [0.0, math.nan, 1.0], "must hold labels, of which none is missing. Got .*nan"),
    ],
)
def test_probabilities_of_other_classes_are_refused(classes, probabilities, labels, message):
    with pytest.raises(ValueError, match=message):
        losses_of(classes, probabilities, labels)


def test_probabilities_may_be_rounded():
    """In single precision, beyond 1 by a little, or to two decimals."""
    assert pb.losses.get("brier")(np.array([1 + 2e-7]), [0]).tolist() == [1.0]
    assert pb.losses.get("brier")(np.array([[1 + 2e-7, -1e-7]]), [1]).tolist() == [1.0]
    thirds = np.full((1, 3), 0.33)
    assert 0.0 < pb.losses.get("log_loss")(thirds, [1])[0] < 1.0
    with pytest.raises(ValueError, match=r"add up to 0\.9"):
        pb.losses.get("log_loss")(np.full((1, 3), 0.3), [1])
