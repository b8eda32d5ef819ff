"""What every procedure judges: the rows that it has not learned from, all of them, and whatever is wrong on them.

A new procedure with a line in ``CASES`` of ``test_procedures.py`` inherits these tests. A procedure that judged the
rows it learned from, as many of them, or that left out some of its errors would issue limits that are too low, and its
certificates would verify all the same: they have no rows.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.dummy import DummyClassifier

from pacbayes.metrics import Questions, group_values
from pacbayes.metrics.statements import questions_of
from pacbayes.procedures import PROCEDURES, ClassifierLearner, FixedFraction

from procedures.linear_network import LinearLearner, with_ones
from procedures.test_learned_apart import APART, learning_rows, with_other_rows

# Procedures of which a statement is about fewer rows than were not learned from, and which
FEWER = {"selective": "its error is that of the rows that are answered; how many these are is stated of all rows"}
# Procedures without a learner that another can take the place of, which are tested by what they learned alone
BY_ITSELF = {
    "posterior": "a Gaussian over linear predictors",
    "kept_draw": "a Gaussian over linear predictors",
    "recursive": "a Gaussian over linear predictors",
}


@dataclass(frozen=True)
class ConstantNetwork(LinearLearner):
    """A network that predicts class 0 whatever it is given, before and after it saw the judged rows."""

    def _means(self, sample, rows):
        del rows
        weights = np.zeros((self.classes, sample.X.shape[1] + 1))
        weights[0, -1] = 1e6
        return weights


CONSTANT = {
    ClassifierLearner: lambda learner: replace(learner, classifier=DummyClassifier(strategy="constant", constant=0)),
    LinearLearner: lambda learner: ConstantNetwork(scale=learner.scale),
}


def with_constant(procedure):
    """Return the procedure with a predictor that is class 0 whatever was learned from."""
    kind = type(procedure.learner)
    assert kind in CONSTANT, "add to CONSTANT of this file how its learner learns nothing"
    fixed = {"stop": FixedFraction(0.5)} if hasattr(procedure, "stop") else {}  # an adaptive stop learns when to stop
    return replace(procedure, learner=CONSTANT[kind](procedure.learner), **fixed)


def errors_said(statement):
    """Return how many errors a statement counted, or the mean losses of its first posterior add up to."""
    observed = statement.observed
    if "errors_along" in observed:  # at the lowest threshold, where every row is answered
        return observed["errors_along"][-1]
    return observed["errors"] if "errors" in observed else observed["first_risk"] * statement.n


def predicted(issued, X, y):
    return np.count_nonzero(issued.stored["predictor"].predict(X) != y)


def signed_scores(issued, X, y, weights):
    """Rows as the linear predictor has them, each with the sign of its label, and their scores."""
    rows = with_ones(issued.fitted["preprocessing_"].transform(X)) * np.where(y == 1, 1.0, -1.0)[:, None]
    return rows, rows @ weights


def expected(issued, X, y, name):
    """The expected errors of a Gaussian over linear predictors."""
    gaussian = issued.fitted[name]
    rows, scores = signed_scores(issued, X, y, gaussian.mean)
    return norm.cdf(-scores / np.sqrt(np.sum((rows @ gaussian.covariance) * rows, axis=1))).sum()


def of_draw(issued, X, y):
    return np.count_nonzero(signed_scores(issued, X, y, issued.fitted["draw_"])[1] <= 0.0)


# How the errors of what was learned are counted on rows, where that is not what its stored predictor predicts
COUNTED = {
    "selective": lambda issued, X, y: np.count_nonzero(issued.fitted["estimator_"].predict(X) != y),
    "posterior": lambda issued, X, y: expected(issued, X, y, "posterior_"),
    "kept_draw": of_draw,
    "recursive": lambda issued, X, y: expected(issued, X, y, "prior_"),
}
DRAWN = {"network": "its errors are drawn; those of a network that learns nothing are counted below"}


@pytest.mark.parametrize("name", APART)
def test_all_rows_that_were_not_learned_from_are_judged(name, run_once):
    _, sample, issued = run_once(name)
    rest = len(sample.y) - learning_rows(issued.certificate)
    judged = {statement.n for statement in issued.certificate.statements}
    assert max(judged) == rest, "judge every row that was not learned from"
    assert judged == {rest} or name in FEWER, "judge every row, or say in FEWER of this file why not"


@pytest.mark.parametrize("name", [name for name in APART if name not in DRAWN])
def test_the_errors_are_those_of_the_rows_that_were_not_learned_from(name, run_once):
    """With labels of which a third are wrong on these rows alone: elsewhere there are far fewer errors."""
    procedure, sample, issued = run_once(name)
    judged = sample.order[learning_rows(issued.certificate) :]
    labels = sample.y.copy()
    labels[judged[::3]] = 1 - labels[judged[::3]]
    for given in (sample, replace(sample, y=labels)):
        again = procedure.run(given)
        errors = COUNTED.get(name, predicted)(again, given.X[judged], given.y[judged])
        assert errors_said(again.certificate.statements[0]) == pytest.approx(errors, rel=1e-6)


@pytest.mark.parametrize("name", [name for name in APART if name not in BY_ITSELF])
class TestOfAPredictorThatLearnsNothing:
    def test_the_errors_are_counted_by_hand(self, name, run_once):
        procedure, sample, _ = run_once(name)
        found = with_constant(procedure).run(sample).certificate
        judged = sample.order[learning_rows(found) :]
        ones = np.count_nonzero(sample.y[judged] != 0)
        observed = found.statements[0].observed
        if "errors_along" in observed:  # tested threshold by threshold: at the lowest every row is answered
            assert (observed["rows_along"][-1], observed["errors_along"][-1]) == (judged.size, ones)
        else:
            assert observed["errors"] == pytest.approx(ones, rel=1e-6)

    def test_other_learning_rows_change_no_statement(self, name, run_once):
        procedure, sample, _ = run_once(name)
        constant = with_constant(procedure)
        one = constant.run(sample).certificate
        other = constant.run(with_other_rows(sample, sample.order[: learning_rows(one)])).certificate
        assert one.statements == other.statements, "judge the rows that were not learned from, and no others"
        assert one.digests != other.digests


def with_groups(procedure, sample, beside):
    """Return both with rows in groups, of which the second has more errors, and the group of each row."""
    groups = np.random.default_rng(0).choice(3, len(sample.y), p=[0.2, 0.3, 0.5])
    labels = np.where((groups == 1) & (np.arange(groups.size) % 3 > 0), 1 - sample.y, sample.y)
    asked = Questions(("error", "recall:1"), columns=("side",) if beside else (sample.X.shape[1],))
    changes = {"grouping": group_values("me", {"side": groups})} if beside else {"X": np.c_[sample.X, groups]}
    return replace(procedure, questions=asked), replace(sample, y=labels, **changes), groups


@pytest.mark.parametrize("beside", [False, True], ids=["by a column", "beside the rows"])
@pytest.mark.parametrize("name", [name for name in APART if "questions" in PROCEDURES[name].__dataclass_fields__])
def test_the_errors_of_each_group_are_those_of_its_judged_rows(name, beside, run_once):
    procedure, sample, groups = with_groups(*run_once(name)[:2], beside)
    issued = procedure.run(sample)
    judged = sample.order[learning_rows(issued.certificate) :]
    found = [each for each in issued.certificate.statements if each.group is not None]
    assert len(found) == 6, "state each metric for each group"
    assert len(questions_of(issued.certificate).columns) == 1, "give choices_of(self.questions, grouping) to issue"
    for statement in found:
        (group,) = map(int, statement.group.values())
        rows = judged[groups[judged] == group]
        rows = rows if statement.quantity == "error" else rows[sample.y[rows] == 1]
        errors = COUNTED.get(name, predicted)(issued, sample.X[rows], sample.y[rows])
        assert statement.n == rows.size, "take the groups of the judged rows: take(sample.order[count:])"
        assert statement.observed["errors"] == pytest.approx(errors, rel=1e-6)


def test_no_reason_is_left_of_what_is_no_longer_there():
    for reasons in (FEWER, BY_ITSELF, COUNTED, DRAWN):
        assert set(reasons) <= set(APART) <= set(PROCEDURES)
