"""What every procedure owes its judged rows: nothing that was fixed before them depends on them.

A new procedure with a line in ``CASES`` of ``test_procedures.py`` inherits these tests. Its judged rows are replaced by
others with other labels, and it is run again: its predictor, and all that it says was chosen before, must be the same.
"""

from dataclasses import replace

import numpy as np
import pytest

from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.leeway import EXACT
from pacbayes._core.state import State
from pacbayes.procedures import PROCEDURES
from pacbayes.procedures.voters import draw_samples

# Procedures that judge rows in another way, and how; for all others rows are learned from or judged, never both.
NOT_APART = {
    "pick_to_learn": "it picks the rows that it learns from; tests/procedures/test_picking.py",
    "online": "each row is judged before it is learned from; tests/online",
    "out_of_bag": "each voter has judged rows of its own: test_a_voter_does_not_depend_on_the_rows_that_it_judges",
    "given": "it learns nothing",
    "comparison": "it learns nothing",
    "transfer": "the predictor may learn from any labelled row; it is judged on others",
    "monitor": "it learns nothing",
}
# What is fixed before the judged rows where that is not all that is stored: a part of what an estimator keeps
FIXED = {
    "selective": lambda issued: issued.fitted["estimator_"],  # the threshold is chosen on the judged rows
    "posterior": lambda issued: issued.fitted["prior_"],
    "kept_draw": lambda issued: issued.fitted["prior_"],
    "recursive": lambda issued: issued.fitted["prior_"],
    "network": lambda issued: issued.stored["prior"],
}
APART = [name for name in PROCEDURES if name not in NOT_APART]
LEARNED_BEFORE = ("given", "learning_rows")  # where choices are made that judged rows have no part in


def learning_rows(certificate):
    """Return how many rows a certificate says that were learned from."""
    said = [choice.value for choice in certificate.choices if choice.what == "learning_rows"]
    assert len(said) == 1, 'record Choice("learning_rows", count, ...)'
    return said[0]


def with_other_rows(sample, places):
    """Return a sample in which some rows, and their labels, are others."""
    X, y = sample.X.copy(), sample.y.copy()
    X[places], y[places] = 7.0 - 3.0 * X[places][:, ::-1], 1 - y[places]
    return replace(sample, X=X, y=y)


def difference(name, issued, again):
    """Return where two runs differ in what is fixed before the judged rows, to the last bit; None if nowhere."""
    fixed = FIXED.get(name, lambda each: dict(each.stored))
    return State.of(fixed(issued)).differs_from(State.of(fixed(again)), EXACT)


def chosen_before(certificate):
    return [choice for choice in certificate.choices if choice.where in LEARNED_BEFORE]


@pytest.mark.parametrize("name", APART)
def test_nothing_fixed_before_the_judged_rows_depends_on_them(name, run_once):
    procedure, sample, issued = run_once(name)
    count = learning_rows(issued.certificate)
    again = procedure.run(with_other_rows(sample, sample.order[count:]))
    assert again.certificate.statements != issued.certificate.statements, "the judged rows must play a part"
    assert difference(name, issued, again) is None, "it has learned from the rows that it is judged on"
    assert chosen_before(issued.certificate) == chosen_before(again.certificate)


@pytest.mark.parametrize("name", APART)
def test_a_change_of_the_learning_rows_is_noticed(name, run_once):
    """The comparison above would see a predictor that has learned from rows that changed."""
    procedure, sample, issued = run_once(name)
    count = learning_rows(issued.certificate)
    again = procedure.run(with_other_rows(sample, sample.order[: count // 2]))
    assert difference(name, issued, again) is not None


class Digested:
    """What a learner learned, with a digest more."""

    def __init__(self, learned):
        self.learned = learned
        self.digests = {**learned.digests, "fitted": digest_of_arrays(fitted=np.arange(3))}

    def __getattr__(self, name):
        return getattr(self.learned, name)


class DigestedLearner:
    """A learner whose predictors have a digest more."""

    def __init__(self, learner):
        self.learner = learner

    def learn(self, sample, count):
        return Digested(self.learner.learn(sample, count))


@pytest.mark.parametrize("name", APART)
def test_the_digests_of_what_was_learned_are_recorded(name, run_once):
    procedure, sample, issued = run_once(name)
    if not hasattr(getattr(procedure, "learner", None), "learn"):  # it learns by itself
        assert "model" in issued.certificate.digests, "record a digest of what was fitted"
        return
    found = replace(procedure, learner=DigestedLearner(procedure.learner)).run(sample).certificate
    assert "fitted" in found.digests, "give digests=sample.digests() | dict(learned.digests) to issue"


def test_a_voter_does_not_depend_on_the_rows_that_it_judges(run_once):
    procedure, sample, issued = run_once("out_of_bag")
    size = round(procedure.fraction * len(sample.y))
    first = next(iter(draw_samples(sample, procedure.voters, size, replacement=False)))
    again = procedure.run(with_other_rows(sample, np.setdiff1d(np.arange(len(sample.y)), first)))
    voters, others = (each.stored["predictor"].voters_ for each in (issued, again))
    same = [State.of(a).differs_from(State.of(b), EXACT) is None for a, b in zip(voters, others, strict=True)]
    assert same == [True, *[False] * (procedure.voters - 1)]
