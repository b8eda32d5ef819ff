"""compare and compare_predictions: what is stated, who may be asked, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import pacbayes as pb
from pacbayes.verification import recheck

X, Y = load_digits(return_X_y=True)
NEW, LABELS = X[600:1200], Y[600:1200]
MODELS = {
    "bayes": GaussianNB().fit(X[:600], Y[:600]),
    "tree": DecisionTreeClassifier(random_state=0).fit(X[:600], Y[:600]),
    "logistic": LogisticRegression(max_iter=5000).fit(X[:600], Y[:600]),
}


class Unsteady:
    """Predicts by another model, but for a few rows wherever they come with many others."""

    def __init__(self, model, rows):
        self.model, self.rows = model, rows

    def predict(self, X):
        found = np.array(self.model.predict(X))
        if len(X) > 300:
            odd = (X[:, None, :] == self.rows[None]).all(axis=2).any(axis=1)
            found[odd] = (found[odd] + 1) % 10
        return found


def test_counts_the_rows_on_which_one_errs():
    certificate = pb.compare(MODELS["bayes"], MODELS["logistic"], NEW, LABELS)
    one, two = (MODELS[name].predict(NEW) != LABELS for name in ("bayes", "logistic"))
    first = certificate.statements[0]
    assert first.observed == {"only_first": (one & ~two).sum(), "only_second": (two & ~one).sum(), "unsteady": 0}
    assert first.compared == ("A", "B")
    assert first.lower < first.risk < first.value
    assert (first.lower > 0.0) == (binomtest(int((one & ~two).sum()), int((one != two).sum())).pvalue <= 0.05)
    assert certificate.verify()


def test_exchanged_models_have_the_opposite_limits():
    one = pb.compare(MODELS["bayes"], MODELS["tree"], NEW, LABELS).statements[0]
    two = pb.compare(MODELS["tree"], MODELS["bayes"], NEW, LABELS).statements[0]
    assert (one.lower, one.value) == (-two.value, -two.lower)


def test_several_models_share_delta_and_are_named():
    several = {name: MODELS[name] for name in ("bayes", "tree")}
    certificate = pb.compare(several, {"logistic": MODELS["logistic"]}, NEW, LABELS)
    assert [each.compared for each in certificate.statements] == [("bayes", "logistic"), ("tree", "logistic")]
    assert [each.share for each in certificate.statements] == [0.5, 0.5]
    alone = pb.compare(several["bayes"], MODELS["logistic"], NEW, LABELS, delta=0.025)
    assert certificate.value == pytest.approx(alone.value, rel=1e-12)
    assert certificate.verify()
    assert recheck(certificate, NEW, LABELS, MODELS)
    listed = pb.compare([*several.values()], MODELS["logistic"], NEW, LABELS)
    assert [each.compared[0] for each in listed.statements] == ["A1", "A2"]


def test_anytime_limits_contain_those_at_one_n():
    at_once = pb.compare(MODELS["bayes"], MODELS["logistic"], NEW, LABELS, anytime=True).statements[0]
    alone = pb.compare(MODELS["bayes"], MODELS["logistic"], NEW, LABELS).statements[0]
    assert at_once.lower < alone.lower < alone.value < at_once.value
    assert at_once.anytime
    assert "arrival_order" in at_once.assumptions


def test_an_unsteady_row_counts_against_each_limit():
    steady = pb.compare(MODELS["bayes"], MODELS["logistic"], NEW, LABELS).statements[0]
    odd = Unsteady(MODELS["bayes"], NEW[:3])
    first = pb.compare(odd, MODELS["logistic"], NEW, LABELS).statements[0]
    assert first.observed["unsteady"] == 3
    assert first.lower < steady.lower
    assert first.value > steady.value
    both = first.observed["only_first"], first.observed["only_second"]
    assert first.value == pytest.approx(pb.bounds.paired(both[0] + 3, both[1], first.n, 0.025))
    assert first.lower == pytest.approx(-pb.bounds.paired(both[1] + 3, both[0], first.n, 0.025))


def test_losses_between_0_and_1_are_bet_on():
    rng = np.random.default_rng(0)
    one, two = rng.beta(2, 8, 2000), rng.beta(2, 10, 2000)
    for anytime in (False, True):
        certificate = pb.compare_predictions(None, one, two, anytime=anytime)
        first = certificate.statements[0]
        assert first.lower < one.mean() - two.mean() < first.value
        assert first.value - first.lower < 0.05
        assert certificate.verify()
        assert recheck(certificate, np.c_[one, two], None, None)
        assert not recheck(certificate, np.c_[two, one], None, None)


def test_losses_of_0_and_1_are_counted():
    first = pb.compare_predictions(None, [0, 1, 1, 0] * 20, [0, 0, 1, 0] * 20).statements[0]
    assert (first.about, first.bound, first.observed["only_first"]) == ("compared_losses", "paired", 20)


def test_a_recheck_finds_other_models_and_other_rows():
    certificate = pb.compare({"bayes": MODELS["bayes"]}, {"logistic": MODELS["logistic"]}, NEW, LABELS)
    pair = {name: MODELS[name] for name in ("bayes", "logistic")}
    assert recheck(certificate, NEW, LABELS, pair)
    assert not recheck(certificate, NEW, LABELS, {"bayes": MODELS["tree"], "logistic": MODELS["logistic"]})
    assert not recheck(certificate, NEW[:500], LABELS[:500], pair)
    with pytest.raises(ValueError, match="mapping"):
        recheck(certificate, NEW, LABELS, MODELS["bayes"])


def test_predictions_are_rechecked_with_the_predictors():
    predicted = {name: MODELS[name].predict(NEW) for name in ("bayes", "logistic")}
    certificate = pb.compare_predictions(LABELS, {"bayes": predicted["bayes"]}, {"logistic": predicted["logistic"]})
    assert recheck(certificate, NEW, LABELS, {name: MODELS[name] for name in predicted})


def test_sentences_say_who_is_better():
    worse = pb.compare_predictions([0, 1] * 50, [0, 0] * 50, [0, 1] * 50)
    assert worse.sentence().endswith("more than model B: B is better.")
    assert pb.compare_predictions([0, 1] * 50, [0, 1] * 50, [0, 0] * 50).sentence().endswith("A is better.")
    same = pb.compare_predictions([0, 1] * 50, [0, 1] * 50, [0, 1] * 50)
    assert same.sentence().endswith("no difference is certified.")
    assert "<script" not in pb.compare_predictions([0, 1], {"<script>": [0, 1]}, [0, 1])._repr_html_()


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: pb.compare(MODELS["bayes"], {}, NEW, LABELS), "each under a name"),
        (lambda: pb.compare({}, MODELS["bayes"], NEW, LABELS), "each under a name"),
        (lambda: pb.compare({"x": MODELS["bayes"]}, {"x": MODELS["tree"]}, NEW, LABELS), "each under a name"),
        (lambda: pb.compare({1: MODELS["bayes"]}, MODELS["tree"], NEW, LABELS), "text"),
        (lambda: pb.compare(3, MODELS["tree"], NEW, LABELS), "fitted classifiers"),
        (lambda: pb.compare(LinearRegression().fit(X, Y), MODELS["tree"], NEW, LABELS), "classifier"),
        (lambda: pb.compare(MODELS["bayes"], MODELS["tree"], NEW, LABELS, delta=1.5), "delta"),
        (lambda: pb.compare_predictions([0, 1], [0, 1], [0, 1, 1]), "one prediction per label"),
        (lambda: pb.compare_predictions(None, [0.1, 0.2], [0.1]), "same examples"),
        (lambda: pb.compare_predictions(None, [0.1, 2.0], [0.1, 0.2]), "losses"),
    ],
)
def test_refuses_what_cannot_be_compared(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def test_each_of_several_comparisons_is_said_under_its_names():
    y, gaps = [0, 1] * 200, {"new": 10, "third": 20, "old": 5}
    given = {name: [1 - each if row % gap == 0 else each for row, each in enumerate(y)] for name, gap in gaps.items()}
    certificate = pb.compare_predictions(y, {name: given[name] for name in ("new", "third")}, {"old": given["old"]})
    lines = str(certificate).splitlines()
    assert [line.split("of 100 new cases ")[1].split(" misclassifies")[0] for line in lines[:2]] == [
        "model new",
        "model third",
    ]
    compared = [line.split(maxsplit=1)[1] for line in lines if line.strip().startswith("compared")]
    assert compared == ["new with old", "third with old"]
