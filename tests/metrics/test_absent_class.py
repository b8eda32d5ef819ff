"""A class that none of the judged rows has may still be predicted, and counts where it is."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes._core.predictions import classes_with, known_classes
from pacbayes.metrics import BalancedError, Brier, FalsePositiveRate, Judged, LogLoss, Precision
from pacbayes.procedures import CertificateWarning
from pacbayes.procedures.given import judge_model
from pacbayes.verification import recheck

RNG = np.random.default_rng(0)
THREE = RNG.integers(0, 3, 90)
ROWS = RNG.normal(size=(90, 2)) + 0.3 * THREE[:, None]
LACKING = THREE != 1  # rows of two of the classes
TYPES = {
    "int": lambda each: each,
    "uint8": lambda each: each.astype(np.uint8),
    "float": lambda each: each.astype(float),
}
TEXTS = {
    "text": lambda each: np.array(["a", "bee", "c"])[each],
    "text objects": lambda each: np.array(["a", "bee", "c"], dtype=object)[each],
}
PAIRS = [(kinds, one, two) for kinds in (TYPES, TEXTS) for one in kinds for two in kinds]


def test_predictions_of_a_class_without_rows_are_false_positives():
    judged = Judged(np.array(["no", "no", "no"]), np.array(["yes", "no", "yes"]))
    assert FalsePositiveRate("yes").observe(judged).observed == {"errors": 2}
    assert Precision("yes").observe(judged).observed == {"errors": 2}


class Unnamed:
    def predict(self, rows):
        return np.zeros(len(rows), dtype=int)

    def predict_proba(self, rows):
        return np.full((len(rows), 3), 1 / 3)


def spread(kind):
    """A model that knows three classes, and labels of its rows that are of two of them."""
    return GaussianNB().fit(ROWS, kind(THREE)), ROWS[LACKING], THREE[LACKING]


@pytest.mark.parametrize(("kinds", "one", "two"), PAIRS, ids=[f"{one}-{two}" for _, one, two in PAIRS])
def test_a_class_that_a_model_has_counts_though_no_row_is_of_it(kinds, one, two):
    model, rows, true = spread(kinds[one])
    judged = judge_model(model, rows, kinds[two](true), probabilities=True)
    chances, missed = model.predict_proba(rows), model.predict(rows) != kinds[one](true)
    assert BalancedError().observe(judged).observed == {
        "rows": [np.count_nonzero(true == 0), 0, np.count_nonzero(true == 2)],
        "errors": [missed[true == 0].sum(), 0, missed[true == 2].sum()],
    }
    brier = ((chances - np.eye(3)[true]) ** 2).sum(axis=1) / 2
    np.testing.assert_allclose(Brier().observe(judged).losses, brier, atol=1e-12)
    np.testing.assert_allclose(LogLoss().observe(judged).losses, -np.log(chances[np.arange(true.size), true]) / 7)


def test_a_limit_over_more_classes_than_those_of_the_rows_is_found_again():
    model, rows, true = spread(TYPES["int"])
    asked = ("balanced-error", "brier", "log-loss", "cost")
    found = pb.certify(model, rows, true, metrics=asked, cost=[[0, 1], [5, 0]])
    assert found.value > 1 / 3
    assert found.verify()
    assert recheck(found, rows, true, model)


def test_truth_values_keep_their_names_beside_numbers():
    model = DummyClassifier().fit(ROWS, THREE)
    found = pb.certify(model, ROWS[THREE < 2], THREE[THREE < 2] == 1, metrics=("recall:True", "balanced-error"))
    assert found.statements[0].n == np.count_nonzero(THREE == 1)
    assert len(found.statements[1].observed["rows"]) == 3


def test_classes_that_no_double_holds_are_not_rounded():
    large = np.array([2**53 + 1, 2**53 + 2])
    assert classes_with("A model", np.array([7.0]), large).tolist() == [7.0, 2**53 + 1, 2**53 + 2]


@pytest.mark.parametrize("own", [list("abc"), [np.arange(2), np.arange(3)], None, [[0, 1], [2, 3]], [0, "a", 9]])
def test_classes_of_another_kind_are_no_classes_of_these_rows(own):
    model = Unnamed()
    model.classes_ = own
    assert known_classes(model, np.arange(2)).tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"of the kind in 'y'|per row|classes_"):
        pb.certify(model, ROWS, THREE, metrics="brier")


def test_probabilities_of_classes_without_names_are_refused():
    with pytest.raises(ValueError, match=r"A metric of probabilities needs classes_\. Unnamed has none"):
        pb.certify(Unnamed(), ROWS, THREE, metrics="brier")
    assert pb.certify(Unnamed(), ROWS, THREE, metrics="balanced-error").value > 2 / 3


class TestClassesOfGivenPredictions:
    def test_are_those_of_the_model(self):
        model, rows, true = spread(TYPES["int"])
        asked = {"metrics": ("brier", "balanced-error")}
        found = pb.certify_predictions(
            true, model.predict(rows), probabilities=model.predict_proba(rows), classes=model.classes_, **asked
        )
        own = pb.certify(model, rows, true, **asked)
        assert [each.observed for each in found.statements] == [each.observed for each in own.statements]
        assert found.verify()

    def test_may_be_in_any_order(self):
        model, rows, true = spread(TEXTS["text"])
        order, labels = np.array([2, 0, 1]), TEXTS["text"](true)
        given = {"metrics": "brier", "probabilities": model.predict_proba(rows)[:, order]}
        found = pb.certify_predictions(labels, labels, classes=model.classes_[order].tolist(), **given)
        assert found.value == pb.certify(model, rows, labels, metrics="brier").value

    @pytest.mark.parametrize("named", [False, True])
    def test_are_found_again(self, named):
        model, rows, true = spread(TYPES["int"])
        classes = {"classes": model.classes_} if named else {}
        found = pb.certify_predictions(true, model.predict(rows), metrics="balanced-error", **classes)
        assert len(found.statements[0].observed["rows"]) == 2 + named
        assert recheck(found, rows, true, model)

    def test_are_predicted_without_a_warning(self, recwarn):
        pb.certify_predictions([0, 1] * 50, [0, 2] * 50, metrics="fpr:0", classes=[0, 1, 2])
        assert not recwarn.list
        with pytest.warns(CertificateWarning, match="50 predictions, such as '2', are no label"):
            pb.certify_predictions([0, 1] * 50, [0, 2] * 50, metrics="fpr:0")

    @pytest.mark.parametrize("classes", [[0], [0, 1, 1], ["0", "1"], "01", 5, [[0, 1]], [0, 1, None]])
    def test_that_are_not_all_are_refused(self, classes):
        with pytest.raises(ValueError, match="'classes' argument of certify_predictions must hold each class once"):
            pb.certify_predictions([0, 1] * 50, [0, 1] * 50, classes=classes)

    @pytest.mark.parametrize("given", [{"losses": [0.0, 1.0]}, {"y_true": [0, 1], "y_pred": [0, 1], "loss": "squared"}])
    def test_are_those_of_labels(self, given):
        scale = {"scale": 1.0} if "loss" in given else {}
        with pytest.raises(ValueError, match=r"'y_true' and 'y_pred'\. Got 'losses'|takes 'classes' for predictions"):
            pb.certify_predictions(classes=[0, 1], **given, **scale)
