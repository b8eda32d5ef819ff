"""Predictions of models that are no label: doubted, unless the model says that it writes all labels as they are."""

import warnings

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.verification import recheck

DRAWS = np.random.default_rng(0)
X = DRAWS.normal(size=(300, 2))
Y = np.where(X[:, 0] > 0, "positive", "negative")


class Rule:
    """A perfect rule, which may write its classes in another way."""

    def __init__(self, low, high, classes=None):
        self.words = high, low
        if classes is not None:
            self.classes_ = classes

    def predict(self, rows):
        return np.where(rows[:, 0] > 0, *self.words)


class Coin:
    classes_ = ("negative", "positive")

    def predict(self, rows):
        return np.where(rows[:, 1] > 0, "positive", "negative")


OTHERWISE = {
    "without classes": Rule("neg", "pos"),
    "with others": Rule("neg", "pos", ["neg", "pos"]),
    "capitals": Rule("Negative", "Positive", np.array(["Negative", "Positive"])),
    "of several outputs": Rule("neg", "pos", [["neg", "pos"], ["neg"]]),
    "of another kind": Rule("neg", "pos", [0, 1]),
    "mixed": Rule("neg", "positive"),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_classes_written_otherwise_decide_no_comparison(name):
    rule = OTHERWISE[name]
    with pytest.warns(pb.CertificateWarning, match=r"that are no label of these rows: \d+, such as '(neg|pos|Neg|Pos)"):
        found = pb.compare({"rule": rule}, {"coin": Coin()}, X, Y)
    with pytest.warns(pb.CertificateWarning):
        given = pb.compare_predictions(Y, {"rule": rule.predict(X)}, {"coin": Coin().predict(X)})
    assert found.statements[0].observed == given.statements[0].observed
    assert found.statements[0].lower < 0.0 < found.value
    counted = [note.numbers["count"] for note in found.notes if note.code == "unknown_predictions"]
    assert counted == [int((~np.isin(rule.predict(X), Y)).sum())]
    again = recheck(found, X, Y, {"rule": rule, "coin": Coin()})
    assert all(each.held for each in again.checks)


def test_who_writes_all_labels_alike_is_right_or_wrong():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pb.compare(
            {"rule": Rule("negative", "other", ["negative", "other", "positive"])}, {"coin": Coin()}, X, Y
        )
        plain = pb.compare({"rule": Rule("negative", "positive")}, {"coin": Coin()}, X, Y)
    assert found.statements[0].observed["unsteady"] == plain.statements[0].observed["unsteady"] == 0
    assert plain.value < 0.0


def test_differences_and_rates_of_models_are_those_of_their_predictions():
    """One group is written otherwise; of three classes, one that there is not takes no other one's place."""

    class Part(Rule):
        def predict(self, rows):
            return np.where(rows[:, 1] > 0, super().predict(rows), np.where(rows[:, 0] > 0, "positive", "negative"))

    part, three = Part("neg", "pos"), Rule("none", "a")
    groups, labels = np.where(X[:, 1] > 0, "a", "b"), DRAWS.choice(list("abc"), 300)
    with pytest.warns(pb.CertificateWarning):
        pairs = [
            (
                pb.certify(part, X, Y, groups=groups, differences=True),
                pb.certify_predictions(Y, part.predict(X), groups=groups, differences=True),
            ),
            (
                pb.certify(three, X, labels, metrics=["fpr:c", "specificity:b", "precision:a", "error"]),
                pb.certify_predictions(
                    labels, three.predict(X), metrics=["fpr:c", "specificity:b", "precision:a", "error"]
                ),
            ),
        ]
    for asked, given in pairs:
        assert [each.observed for each in asked.statements] == [each.observed for each in given.statements]
        assert [note.code for note in asked.notes] == [note.code for note in given.notes] == ["unknown_predictions"]
    assert pairs[0][0].statements[-1].lower == 0.0
