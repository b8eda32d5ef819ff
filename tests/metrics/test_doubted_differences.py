"""Differences between groups where answers depend on the batch: such a row counts against each of the two limits."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes.certificate import QUANTITIES
from pacbayes.certificate.parts import part_limits
from pacbayes.metrics import METRICS, CodedJudged, Grouping, Questions
from pacbayes.metrics.statements import Judgement
from pacbayes.verification import recheck

from metrics.test_metrics import NAMES as METRIC_NAMES
from metrics.test_metrics import OF_LABELS

# of every metric by which groups can be compared
RATES = tuple(METRIC_NAMES[name] for name in OF_LABELS if QUANTITIES[METRICS[name].quantity].is_share)
NAMES = tuple({"g": each} for each in "abc")
ROWS, DELTA = 400, 0.05


def state(name, truth, found, group, doubted, classes=2):
    """What is stated of the difference between three groups."""
    judged = CodedJudged(np.arange(classes), truth, found, doubted)
    asked = Questions((name,), ("g",), differences=True)
    return next(
        each
        for each in Judgement(questions=asked, about="predict", delta=DELTA, assumptions=()).state(
            judged, Grouping(NAMES, group)
        )
        if each.groups
    )


def draw_rows():
    rng = np.random.default_rng(0)
    truth, found, group = rng.integers(2, size=ROWS), rng.integers(2, size=ROWS), rng.integers(3, size=ROWS)
    return truth, found, group, rng.random(ROWS) < 0.2


@pytest.mark.parametrize("no_class", [0.0, 0.3], ids=["classes", "no class"])
@pytest.mark.parametrize("name", RATES)
def test_limits_enclose_those_of_every_answer_that_doubted_rows_may_have(name, no_class):
    """A prediction that is no class is one that no label is of, and not the class that stands in its place."""
    (truth, found, group, doubted), steady = draw_rows(), np.zeros(ROWS, dtype=bool)
    rng = np.random.default_rng(1)
    unknown = rng.random(ROWS) < no_class
    statement = state(name, truth, np.where(unknown, -1, found), group, doubted)
    high, low = part_limits(statement, DELTA)
    answers = [truth, 1 - truth, np.zeros_like(truth), np.ones_like(truth), *rng.integers(3, size=(20, ROWS))]
    reached, rows = [], {tuple(statement.observed["rows"])}
    for answer in answers:
        answered = np.where(doubted, answer, np.where(unknown, 2, found))
        known = state(name, truth, answered, group, steady, classes=3)
        assert "unsteady" not in known.observed
        above, below = part_limits(known, DELTA)
        assert (above <= high + 1e-15).all(), "of an upper limit a row in doubt is an error"
        assert (below >= low - 1e-15).all(), "of a lower limit a row in doubt is none: give Observation doubted="
        reached.append((above, below))
        rows.add(tuple(known.observed["rows"]))
    if len(rows) == 1 and not unknown.any():  # which rows it is about does not depend on the answers
        assert np.max([above for above, _ in reached], axis=0) == pytest.approx(high)
        assert np.min([below for _, below in reached], axis=0) == pytest.approx(low)


@pytest.mark.parametrize("bound", ["nonsense", "sequential"])
def test_parts_have_no_limit_by_a_bound_that_is_none_on_a_number_of_errors(bound):
    statement = state("error", *draw_rows())
    assert part_limits(replace(statement, bound="chernoff"), DELTA)[0].min() > part_limits(statement, DELTA)[0].min()
    with pytest.raises(ValueError, match="must be one of chernoff, clopper_pearson"):
        part_limits(replace(statement, bound=bound), DELTA)


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


@pytest.mark.parametrize("name", [each for each in RATES if each.endswith(":1")])
@pytest.mark.parametrize("own", [0, 1])
def test_a_prediction_that_is_no_class_is_no_more_surely_wrong_than_one_of_another_class(name, own):
    """Another class stands in its place; an error that comes from it counts for an upper limit alone."""
    truth, group, steady = np.full(90, own), np.arange(90) % 3, np.zeros(90, dtype=bool)
    lows = [
        part_limits(state(name, truth, np.full(90, each), group, steady, classes=3), DELTA)[1].tolist()
        for each in (-1, 2)
    ]
    assert np.less_equal(*lows).all(), "errors that come from the class in its place are none surely"


class OfNoClass:
    """Answers for rows of class 0 in one group what is no class of the judged rows."""

    def __init__(self, names, *, knows):
        self.names = names
        if knows:
            self.classes_ = np.asarray(names[:2])

    def predict(self, X):
        classes = np.asarray(self.names)
        return np.where(X["x"] > 0, classes[1], np.where(X["g"] == 1, classes[2], classes[0]))


@pytest.mark.parametrize("metric", ["error", "fpr:{}", "recall:{}", "specificity:{}", "precision:{}"])
@pytest.mark.parametrize("names", [(0, 1, 9), ("a", "b", "z")], ids=["numbers", "texts"])
@pytest.mark.parametrize("knows", [True, False], ids=["knows all labels", "says nothing"])
@pytest.mark.filterwarnings("ignore:certify. Predictions that are no label:pacbayes.CertificateWarning")
def test_a_prediction_of_no_class_is_no_sure_error_in_a_difference(metric, names, knows):
    """Whole numbers are counted by another way than texts; nothing may be lost in either."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=2000), "g": rng.integers(2, size=2000)})
    y = np.where(frame["x"] > 0, np.asarray(names)[1], np.asarray(names)[0])
    name, model = metric.format(names[1]), OfNoClass(names, knows=knows)
    certificate = pb.certify(model, frame, y, groups="g", differences=True, metrics=name)
    assert certificate.verify()
    numbers = pb.certify(OfNoClass((0, 1, 9), knows=knows), frame, (frame["x"] > 0).astype(int), groups="g",
                         differences=True, metrics=metric.format(1))  # fmt: skip
    (difference,), (other,) = certificate.differences, numbers.differences
    assert (difference.value, difference.lower, difference.observed) == (other.value, other.lower, other.observed)
    if name == "error" and knows:  # which all of these predictions are, whichever class they stand for
        assert difference.lower > 0.1
    else:
        assert difference.lower < 0.1
