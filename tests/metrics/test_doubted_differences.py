"""Differences between groups where answers depend on the batch: such a row counts against each of the two limits."""

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes.certificate.parts import part_limits
from pacbayes.metrics import CodedJudged, Grouping, Questions
from pacbayes.metrics.statements import Judgement
from pacbayes.verification import recheck

RATES = ("error", "fnr:1", "recall:1", "fpr:1", "specificity:1", "precision:1")
NAMES = tuple({"g": each} for each in "abc")
ROWS, DELTA = 400, 0.05


def state(name, truth, found, group, doubted):
    """What is stated of the difference between three groups."""
    judged = CodedJudged(np.arange(2), truth, found, doubted)
    asked = Questions((name,), ("g",), differences=True)
    return next(
        each
        for each in Judgement(questions=asked, about="predict", delta=DELTA, assumptions=()).state(
            judged, Grouping(NAMES, group)
        )
        if each.groups
    )


@pytest.mark.parametrize("name", RATES)
def test_limits_enclose_those_of_every_answer_that_doubted_rows_may_have(name):
    rng = np.random.default_rng(0)
    truth, found, group = rng.integers(2, size=ROWS), rng.integers(2, size=ROWS), rng.integers(3, size=ROWS)
    doubted, steady = rng.random(ROWS) < 0.2, np.zeros(ROWS, dtype=bool)
    statement = state(name, truth, found, group, doubted)
    high, low = part_limits(statement, DELTA)
    answers = [truth, 1 - truth, np.zeros_like(truth), np.ones_like(truth), *rng.integers(2, size=(20, ROWS))]
    reached = []
    for answer in answers:
        known = state(name, truth, np.where(doubted, answer, found), group, steady)
        assert "unsteady" not in known.observed
        above, below = part_limits(known, DELTA)
        assert (above <= high + 1e-15).all()
        assert (below >= low - 1e-15).all()
        reached.append((above, below))
    if name != "precision:1":  # to which a doubted row may belong or not, and its label decides whether it is an error
        assert np.max([above for above, _ in reached], axis=0) == pytest.approx(high)
        assert np.min([below for _, below in reached], axis=0) == pytest.approx(low)


class TooClose:
    """Answers by the first column, but depends on how many rows come with one wherever the second column is 1."""

    def predict(self, X):
        X = np.asarray(X)
        found = (X[:, 0] > 0).astype(int)
        return np.where((X[:, 1] == 1) & (len(X) > 300), 1 - found, found)


@pytest.mark.parametrize("wrong", [0.0, 0.9])
def test_of_a_model_whose_answers_in_one_group_depend_on_the_batch_little_is_certified(wrong):
    rng = np.random.default_rng(1)
    X = np.c_[rng.normal(size=2000), rng.random(2000) < 0.01]
    group = np.where(X[:, 1] == 1, 0, rng.integers(2, size=2000))
    y = (X[:, 0] > 0).astype(int) ^ ((rng.random(2000) < wrong) & (group == 1))
    frame = pd.DataFrame({"x": X[:, 0], "odd": X[:, 1], "g": group})
    certificate = pb.certify(TooClose(), frame, y, groups="g", differences=True)
    difference = certificate.differences[0]
    unsteady = int(X[:, 1].sum())
    assert difference.observed["unsteady"] == [unsteady, 0]
    surely, perhaps = np.mean(group[group == 0] < 0), unsteady / np.count_nonzero(group == 0)
    true = abs(np.mean(y[group == 1] != (X[group == 1, 0] > 0)) - surely)
    assert difference.lower <= max(true - perhaps, 0.0) <= true <= difference.value
    assert certificate.verify()
    assert recheck(certificate, frame, y, TooClose())


@pytest.mark.parametrize("name", ["fpr:1", "specificity:1", "precision:1"])
def test_a_prediction_that_is_no_class_is_no_sure_false_alarm(name):
    """Another class stands in its place, which counts for an upper limit alone."""
    truth, found, group = np.zeros(90, dtype=int), np.full(90, -1), np.arange(90) % 3
    steady = np.zeros(90, dtype=bool)
    _, low = part_limits(state(name, truth, found, group, steady), DELTA)
    assert low.tolist() == [0.0, 0.0, 0.0]
    _, low = part_limits(state(name, truth, np.ones(90, dtype=int), group, steady), DELTA)
    assert (low > 0.5).all()


class OfNoClass:
    """Answers for rows of class 0 in one group what is no class of the judged rows."""

    def __init__(self, names):
        self.names = names

    def predict(self, X):
        classes = np.asarray(self.names)
        return np.where(X["x"] > 0, classes[1], np.where(X["g"] == 1, classes[2], classes[0]))


@pytest.mark.parametrize("metric", ["error", "fpr:{}", "recall:{}", "specificity:{}", "precision:{}"])
@pytest.mark.parametrize("names", [(0, 1, 9), ("a", "b", "z")], ids=["numbers", "texts"])
def test_a_prediction_of_no_class_is_no_sure_error_in_a_difference(metric, names):
    """Whole numbers are counted by another way than texts; nothing may be lost in either."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=2000), "g": rng.integers(2, size=2000)})
    y = np.where(frame["x"] > 0, np.asarray(names)[1], np.asarray(names)[0])
    name = metric.format(names[1])
    certificate = pb.certify(OfNoClass(names), frame, y, groups="g", differences=True, metrics=name)
    assert certificate.verify()
    numbers = pb.certify(OfNoClass((0, 1, 9)), frame, (frame["x"] > 0).astype(int), groups="g", differences=True,
                         metrics=metric.format(1))  # fmt: skip
    (difference,), (other,) = certificate.differences, numbers.differences
    assert (difference.value, difference.lower, difference.observed) == (other.value, other.lower, other.observed)
    if name != "error":  # which all of these predictions are, whichever class they stand for
        assert difference.lower < 0.1
