"""What every procedure records of itself: its delta, shared among candidates, its choices, and rows that are copies.

A new procedure with a line in ``CASES`` of ``test_procedures.py`` inherits these tests. The certificate of one that
gave ``issue`` another delta than its own, or forgot its candidates, would verify all the same.
"""

from dataclasses import replace

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.certificate import Choice
from pacbayes.procedures import PROCEDURES, Sample, Transfer

from procedures.test_learned_apart import APART, learning_rows

# Procedures of which the case issues a certificate without `run`: what is run here, on labels, predictions or losses
ALONE = {
    "given": lambda: PROCEDURES["given"](delta=0.05),
    "comparison": lambda: PROCEDURES["comparison"](delta=0.05),
    "transfer": lambda: Transfer(source=certified(delta=0.25, candidates=3), delta=0.01),
    "monitor": lambda: PROCEDURES["monitor"](delta=0.05),
}
LABELS = np.arange(120) % 2
PREDICTED = np.stack([np.arange(120) % 3 == 0, np.arange(120) % 5 == 0], axis=1).astype(int)
COPIED = 40


def certified(**options):
    sample = pb.datasets.make_known_risk(200, d=2, random_state=0)
    return pb.CertifiedClassifier(random_state=0, **options).fit(sample.X, sample.y).certificate_


def procedure_and_sample(name, run_once):
    if name in ALONE:
        return ALONE[name](), Sample(PREDICTED, LABELS, np.arange(LABELS.size))
    return run_once(name)[:2]


@pytest.mark.parametrize("name", PROCEDURES)
def test_delta_is_that_of_the_procedure(name, run_once):
    procedure, sample = procedure_and_sample(name, run_once)
    found = replace(procedure, delta=0.125).run(sample).certificate
    assert found.verify()
    if isinstance(procedure, Transfer):  # it adds its own to the delta of the certificate that it starts from
        assert (found.delta, found.candidates) == (0.125 + procedure.source.delta, procedure.source.candidates)
    else:
        assert (found.delta, found.candidates) == (0.125, 1)


@pytest.mark.parametrize(
    "name", [name for name, kind in PROCEDURES.items() if "candidates" in kind.__dataclass_fields__]
)
def test_delta_is_shared_among_candidates(name, run_once):
    procedure, sample = procedure_and_sample(name, run_once)
    alone, shared = (
        replace(procedure, delta=0.125 * count, candidates=count).run(sample).certificate for count in (1, 4)
    )
    assert (shared.delta, shared.candidates) == (0.5, 4), "give delta=self.delta, candidates=self.candidates to issue"
    assert shared.verify()
    assert [each.value for each in shared.statements] == [each.value for each in alone.statements]


@pytest.mark.parametrize("name", [name for name in PROCEDURES if name not in ALONE])
def test_rows_that_are_copies_are_noted(name, run_once):
    """Of rows that are learned from or judged, never both, those judged rows are counted that are copies of others."""
    procedure, sample, issued = run_once(name)
    learned, judged = sample.order[:COPIED], sample.order[-COPIED:]
    X, y = sample.X.copy(), sample.y.copy()
    X[judged], y[judged] = X[learned], y[learned]
    notes = procedure.run(replace(sample, X=X, y=y)).certificate.notes
    found = [dict(each.numbers) for each in notes if each.code in ("judged_rows_learned", "repeated_rows")]
    assert len(found) == 1, "give issue the notes of find_repetitions(sample.X, sample.y, ...)"
    if name in APART:
        rest = len(y) - learning_rows(issued.certificate)
        assert found == [{"repeated": COPIED, "rows": rest}], "give find_repetitions sample.order[:count]"


class Chooser:
    """A learner that chooses something more on the learning rows."""

    made = Choice("grid", "planted", "learning_rows")

    def __init__(self, learner):
        self.learner = learner

    def learn(self, sample, count):
        return Chosen(self.learner.learn(sample, count))


class Chosen:
    def __init__(self, learned):
        self.learned = learned
        self.choices = (*learned.choices, Chooser.made)

    def __getattr__(self, name):
        return getattr(self.learned, name)


@pytest.mark.parametrize("name", APART)
def test_what_a_learner_chose_is_recorded(name, run_once):
    procedure, sample, _ = run_once(name)
    if hasattr(getattr(procedure, "learner", None), "learn"):  # others learn by themselves
        found = replace(procedure, learner=Chooser(procedure.learner)).run(sample).certificate
        assert Chooser.made in found.choices, "give choices=[*learned.choices, ...] to issue"
