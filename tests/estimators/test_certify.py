"""Certificates for models that exist: the exact limit on errors of ``predict``, asked row by row; classes only."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import pacbayes as pb
from pacbayes.verification import recheck

X, Y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(150)
X, Y = X[ORDER], Y[ORDER]
NAMES = np.array(["one", "two", "three"])


@pytest.mark.parametrize("labels", [Y, NAMES[Y], Y.astype(float)], ids=["int", "text", "float"])
def test_is_the_exact_limit_on_the_errors(labels):
    model = GaussianNB().fit(X[:60], labels[:60])
    certificate = pb.certify(model, X[60:], labels[60:], delta=0.1)
    errors = int((model.predict(X[60:]) != labels[60:]).sum())
    assert certificate.value == pb.bounds.clopper_pearson(errors, 90, 0.1)
    assert certificate.verify()
    assert certificate.statements[0].assumptions == ("iid", "unseen", "row_by_row", "zero_one")
    assert recheck(certificate, X[60:], labels[60:], model)
    assert not recheck(certificate, X[60:] + 1e-9, labels[60:], model)
    assert not recheck(certificate, X[60:], labels[60:], GaussianNB().fit(X[:30], labels[:30]))


def test_candidates_share_delta():
    model = GaussianNB().fit(X[:60], Y[:60])
    two, one = pb.certify(model, X[60:], Y[60:], candidates=2), pb.certify(model, X[60:], Y[60:], delta=0.025)
    assert two.value == one.value


class Batched(GaussianNB):
    """Answers by the mean of what it is asked together with."""

    def predict(self, rows):
        return (rows[:, 0] > rows[:, 0].mean()).astype(int)


def test_a_model_that_looks_at_other_rows_is_refused():
    with pytest.raises(ValueError, match="must answer for each row by itself"):
        pb.certify(Batched().fit(X, Y), X, Y)


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ((Ridge().fit(X, Y), X, Y + 0.25), "'y' argument of certify must hold classes. Got numbers with fractions"),
            (("a", X, Y), "'model' argument of certify must be a fitted classifier or regressor"),
            ((GaussianNB().fit(X, Y), X, Y[:-1]), "inconsistent numbers of samples"),
            ((GaussianNB().fit(X, Y), X, NAMES[Y]), "must predict labels of the kind in 'y'"),
            ((GaussianNB().fit(X, Y), X[:0], Y[:0]), "at least one row"),
            ((GaussianNB().fit(X, Y), X, Y, 2.0), "'delta'"),
        ],
    )
    def test_of_certify(self, arguments, words):
        with pytest.raises(ValueError) as refused:  # noqa: PT011
            pb.certify(*arguments)
        assert words in str(refused.value)

    @pytest.mark.parametrize(
        ("y_true", "y_pred", "name"),
        [
            ([0.5, 1.5] * 10, [0.5, 1.4] * 10, "y_true"),
            ([0, 1] * 10, [0.1, 0.9] * 10, "y_pred"),
            ([0.0, 1.0] * 10, [0.1, 0.9] * 10, "y_pred"),
        ],
    )
    def test_numbers_with_fractions_are_no_classes(self, y_true, y_pred, name):
        with pytest.raises(
            ValueError, match=rf"{name!r} argument .* must hold classes.*for regression pass loss='absolute'"
        ):
            pb.certify_predictions(y_true, y_pred)

    def test_whole_numbers_as_floats_are_classes(self):
        assert pb.certify_predictions([0.0, 1.0] * 10, [0, 1] * 10).statements[0].observed == {"errors": 0}


@pytest.mark.parametrize("labels", [lambda y: y, lambda y: np.where(y, "ill", "well")])
def test_rows_that_an_estimator_was_fitted_on_are_refused(labels):
    """On these its errors are far fewer than on new rows; its own limit knows which of them it has judged."""
    X, y = load_breast_cancer(return_X_y=True)
    y, tree = labels(y), DecisionTreeClassifier(random_state=0)
    model = pb.CertifiedClassifier(tree, random_state=0).fit(X[:400], y[:400])
    other = DecisionTreeClassifier(max_depth=2).fit(X[:400], y[:400])
    told = r"must be given rows that the model has not seen\. Got those that the CertifiedClassifier was fitted on"
    with pytest.raises(ValueError, match=f"certify {told}"):
        pb.certify(model, X[:400], y[:400])
    for pair in ((model, other), (other, model)):
        with pytest.raises(ValueError, match=f"compare {told}"):
            pb.compare(*pair, X[:400], y[:400])
    assert pb.certify(model, X[400:], y[400:]).value < 1.0
    assert pb.compare(model, other, X[400:], y[400:]).value < 1.0


ODD = {
    "delta of one": ({"delta": np.array([0.05])}, r"'delta' argument of certify must be one number\. Got shape \(1,\)"),
    "candidates": ({"candidates": 10**400}, r"'candidates' parameter of certify must be at most 2\*\*53"),
    "groups": ({"groups": "a"}, "'groups' of certify must name one column each[.] 2 are called 'a'"),
    "weights": ({"metrics": {"error": 1e308, "fpr:1": 1e308}}, "must be positive numbers below 1e300[.] Got 1e[+]308"),
    "large weights": ({"metrics": {"error": 10**400}}, "must be positive numbers below 1e300"),
}


@pytest.mark.parametrize(("given", "words"), ODD.values(), ids=ODD)
def test_odd_arguments_are_refused_in_a_sentence(given, words):
    frame = pd.DataFrame(X[:, :2], columns=["a", "a"])
    with pytest.raises(ValueError, match=words):
        pb.certify(GaussianNB().fit(X[:60, :2], Y[:60]), frame, Y, **given)


def test_a_prediction_that_no_label_is_of_has_the_largest_cost():
    labels, constant = np.arange(150) % 3, DummyClassifier(strategy="constant", constant=9).fit([[0], [1]], [0, 9])
    cost = {(a, b): 1.0 if (b - a) % 3 == 1 else 100.0 for a in range(3) for b in range(3) if a != b}
    found = pb.certify(constant, X, labels, metrics="cost", cost=cost)
    told = pb.certify_predictions(labels, constant.predict(X), metrics="cost", cost=cost)
    assert found.value == told.value == 1.0
    assert recheck(found, X, labels, constant)


def test_a_prediction_that_is_no_label_counts_against_every_rate_and_is_noted():
    """It may be a class that is written in another way: the rate of false alarms would be too small without it."""
    y, found = np.repeat([0, 1], 100), np.repeat([0, 1], 100)
    found[:30] = 7
    with pytest.warns(pb.CertificateWarning, match="30 predictions"):
        certificate = pb.certify_predictions(y, found, metrics=("fpr:1", "precision:1", "error"))
    assert [each.observed["errors"] for each in certificate.statements] == [30, 30, 30]
    assert [note.code for note in certificate.notes] == ["unknown_predictions"]
    assert certificate.verify()
    told = pb.certify_predictions(y, found, metrics=("fpr:1", "precision:1", "error"), classes=[0, 1, 7])
    assert [each.observed["errors"] for each in told.statements] == [0, 0, 30]
    assert told.notes == ()


class Told:
    """A model that says what it was told to."""

    def __init__(self, answers, classes):
        self.answers, self.classes_ = answers, np.array(classes)

    def predict(self, X):
        return self.answers[np.asarray(X, dtype=int)[:, 0]]


@pytest.mark.parametrize("kind", [str, int, float, object])
@pytest.mark.parametrize("metrics", [("error",), ("precision:0", "fpr:1"), ("balanced-error",)])
def test_classes_that_were_given_are_recorded_and_rechecked(kind, metrics):
    y = np.array([0, 1] * 100).astype(kind)
    found = y.copy()
    found[:20] = np.array([2]).astype(kind)[0]
    certificate = pb.certify_predictions(y, found, metrics=metrics, classes=np.unique(found))
    assert certificate.notes == ()
    rows = np.arange(200)[:, None]
    assert recheck(certificate, rows, y, Told(found, [0]))
    assert not recheck(certificate, rows, y, Told(y, [0]))
    assert not recheck(pb.certify_predictions(y, y, metrics=metrics), rows, y, Told(found, np.unique(found)))


def test_costs_and_rates_may_name_a_class_that_the_model_has_and_the_rows_lack():
    y = np.array([0, 1] * 100)
    model, rows = Told(np.r_[np.full(20, 2), y[20:]], [0, 1, 2]), np.arange(200)[:, None]
    square = [[0, 1, 2], [1, 0, 3], [5, 5, 0]]
    certificate = pb.certify(model, rows, y, metrics=("cost", "fpr:2"), cost=square)
    assert certificate.statements[1].observed == {"errors": 20}
    assert recheck(certificate, rows, y, model)
    for cost in ([[0, 1], [1, 0]], {(0, 1): 1, (1, 0): 1}):
        assert pb.certify(model, rows, y, metrics="cost", cost=cost).statements[0].value > 0.1
    with pytest.raises(ValueError, match="a row per class"):
        pb.certify(model, rows, y, metrics="cost", cost=np.ones((4, 4)))


def test_labels_of_nullable_numbers_recheck_where_a_class_is_absent():
    y = pd.Series([0, 1] * 60, dtype="Int64")
    X = np.random.default_rng(0).normal(size=(120, 2)) + y.to_numpy(int)[:, None]
    model = GaussianNB().fit(np.r_[X, X + 9], np.r_[y.to_numpy(int), np.full(120, 2)])
    certificate = pb.certify(model, X, y, metrics=("balanced-error", "brier"))
    assert recheck(certificate, X, y, model)
    assert recheck(certificate, X, y.to_numpy(int), model)


@pytest.mark.parametrize("groups", ["kind", 1, ["kind"]])
def test_groups_by_name_may_be_given_to_recheck_again(groups):
    frame = pd.DataFrame({"row": np.arange(200), "kind": np.arange(200) % 2})
    y = np.array([0, 1] * 100)
    certificate = pb.certify(Told(y, [0, 1]), frame, y, groups=groups)
    assert recheck(certificate, frame, y, Told(y, [0, 1]))
    assert recheck(certificate, frame, y, Told(y, [0, 1]), groups=groups)
