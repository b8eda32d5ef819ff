"""One list of metrics: each is found by its name, has words, and is stated beside the others."""

import inspect
import json
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes import metrics
from pacbayes._core.answers import Answers
from pacbayes.certificate import QUANTITIES, SUBJECTS, schema
from pacbayes.certificate.statement_words import quantity_noun, quantity_words
from pacbayes.certificate.words import sentences
from pacbayes.metrics import LOSSES, METRICS, CodedJudged, CostTable, Judged, Loss, Metric, Observation, Questions
from pacbayes.procedures import ClassifierLearner, FixedFraction, Sample, Split
from pacbayes.procedures.given import judge_model

SAMPLE = pb.datasets.make_known_risk(400, d=2, random_state=0)


def classes_that_observe():
    """The metrics in the modules of the room, whether they are listed or not."""
    names = [path.stem for path in Path(metrics.__file__).parent.glob("*.py")]
    modules = [import_module(f"pacbayes.metrics.{name}") for name in names if name not in {"__init__", "base"}]
    members = [each for module in modules for _, each in inspect.getmembers(module, inspect.isclass)]
    return {each for each in members if hasattr(each, "observe")}


def is_of_class(kind):
    return kind.quantity in QUANTITIES and QUANTITIES[kind.quantity].has_label  # of one without words a test tells


NAMES = {name: f"{name}:1" if is_of_class(kind) else name for name, kind in METRICS.items()}
COSTS = CostTable((("0", "1", 1.0), ("1", "0", 5.0)))


def find(name):
    return metrics.get(NAMES.get(name, name), COSTS)


def split(*names):
    asked = Questions(tuple(NAMES[name] for name in names), costs=COSTS if "cost" in names else None)
    learner = ClassifierLearner(GaussianNB(), probabilities=asked.needs_probabilities)
    procedure = Split(learner=learner, stop=FixedFraction(0.5), delta=0.05, questions=asked)
    return procedure.run(Sample(SAMPLE.X, SAMPLE.y, np.random.default_rng(0).permutation(400))).certificate


def test_every_metric_is_listed_once():
    listed = [*METRICS.values(), *LOSSES.values()]
    protocols = {Metric, Loss}
    assert classes_that_observe() - protocols == set(listed), "add it to METRICS in pacbayes/metrics/questions.py"
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("name", [*METRICS, *LOSSES])
def test_every_metric_has_words(name):
    kind = {**METRICS, **LOSSES}[name]
    assert kind.quantity in QUANTITIES, "add its words to pacbayes/certificate/quantities.py"
    assert find(name).quantity == kind.quantity


DRAWN = {name for name, each in SUBJECTS.items() if each.has_divergence}


@pytest.mark.parametrize(
    "name", [name for name, each in QUANTITIES.items() if each.about is None or each.about & DRAWN]
)
def test_what_may_be_stated_of_draws_is_about_rows_that_no_draw_decides(name):
    assert QUANTITIES[name].rows in {"all", "class", "others"}, "the bounds on draws are proved for rows fixed before"


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_counts_no_errors_where_all_is_right(name):
    labels = np.array([0, 1, 1, 0, 1])
    sure = Answers(np.eye(2)[labels], [])
    found = find(name).observe(Judged(labels, labels.copy(), probabilities=sure))
    assert 1 <= found.n <= labels.size
    assert np.sum(found.observed["errors"] if found.losses is None else found.losses) == 0


def errors_and_others(found):
    """Errors, and rows that are none, of all rows together, of each class, or of each row where losses are graded."""
    if found.losses is not None:
        return found.losses, 1.0 - found.losses
    errors = np.array(found.observed["errors"])
    return errors, np.array(found.observed.get("rows", found.n)) - errors


OF_LABELS = [name for name, kind in METRICS.items() if not kind.needs_probabilities]
LABELS, PREDICTED, CLASSES = np.array([0, 1, 1, 0, 1, 0]), np.array([0, 1, 0, 1, 1, 0]), np.array([0, 1])
NO_CLASS = 2  # a prediction that is none of the classes, where it is known which one
IN_DOUBT = {"unsteady": (True, False), "unknown": (False, True), "unsteady and unknown": (True, True)}


def answers_in_doubt(is_unsteady, is_unknown):
    """For each row in doubt, what is judged of it, and what is judged where its answer is one of those it may be."""
    for row, answer in product(range(LABELS.size), (0, 1, NO_CLASS) if is_unsteady else (NO_CLASS,)):
        unsteady, found, answered = np.zeros(LABELS.size, dtype=bool), PREDICTED.copy(), PREDICTED.copy()
        unsteady[row], found[row], answered[row] = is_unsteady, -1 if is_unknown else PREDICTED[row], answer
        yield CodedJudged(CLASSES, LABELS, found, unsteady).whole(), Judged(LABELS, answered, classes=CLASSES)


@pytest.mark.parametrize("doubt", IN_DOUBT.values(), ids=IN_DOUBT)
@pytest.mark.parametrize("name", OF_LABELS)
def test_a_row_in_doubt_is_counted_as_its_worst_answer(name, doubt):
    """A limit grows with errors and falls with other rows: it is then at least that of every answer."""
    for judged, possible in answers_in_doubt(*doubt):
        errors, others = errors_and_others(find(name).observe(judged))
        least = errors_and_others(find(name).observe(possible))
        assert np.all(errors >= least[0]), "count the rows of judged.doubted as errors"
        assert np.all(others <= least[1]), "count no row of judged.doubted as right"


@pytest.mark.parametrize("doubt", IN_DOUBT.values(), ids=IN_DOUBT)
@pytest.mark.parametrize("name", [name for name in OF_LABELS if QUANTITIES[METRICS[name].quantity].is_share])
def test_an_error_in_doubt_is_no_sure_error(name, doubt):
    """The lower limits of differences count errors that are not doubted, which are then errors by every answer."""
    for judged, possible in answers_in_doubt(*doubt):
        found, known = find(name).observe(judged), find(name).observe(possible)
        assert known.doubted == 0
        sure = found.observed["errors"] - found.doubted
        assert sure <= known.observed["errors"], "give Observation doubted=, the errors that may be none"
        assert found.n - sure >= known.n - known.observed["errors"]


@pytest.mark.parametrize("kind", [int, float], ids=["int", "float"])
@pytest.mark.parametrize("name", [name for name, kind in METRICS.items() if is_of_class(kind)])
def test_predictions_are_of_a_class_whatever_their_type(name, kind):
    metric = METRICS[name]("True")
    found = metric.observe(Judged(LABELS == 1, PREDICTED == 1))
    assert 0 < found.observed["errors"] < found.n < LABELS.size
    assert metric.observe(Judged(LABELS == 1, PREDICTED.astype(kind))) == found, "compare by judged.of_class"


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_stated_and_verified(name):
    certificate = split(name)
    first = certificate.statements[0]
    assert (first.quantity, first.name) == (find(name).quantity, NAMES[name])
    assert certificate.verify(), str(certificate.verify())
    Draft202012Validator(schema()).validate(json.loads(certificate.to_json()))
    assert pb.Certificate.from_json(certificate.to_json()).verify()
    words = QUANTITIES[first.quantity]
    assert quantity_words(first) in certificate.sentence()
    _, over, claim = certificate.sentence().partition(" over the data, ")  # before it "at least" is about delta
    assert over
    said, other = ("at least", "at most") if words.side == "lower" else ("at most", "at least")
    for text in (claim, words.unit, words.verdict):
        assert said in text, f"it is bounded from its {words.side} side"
        assert other not in text


def test_all_metrics_hold_together():
    certificate = split(*METRICS)
    assert [each.quantity for each in certificate.statements] == [find(name).quantity for name in METRICS]
    assert sum(each.share for each in certificate.statements) == pytest.approx(1.0)
    assert certificate.verify()
    assert len(set(sentences(certificate))) == len(METRICS)
    assert len({quantity_noun(each) for each in certificate.statements}) == len(METRICS)


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "auc", "balanced-accuracy", "tpr:1"])
def test_what_scikit_learn_has_is_told_what_there_is_instead(name):
    with pytest.raises(ValueError, match=r"instead\. .*'(error|balanced-error|recall:CLASS)'"):
        metrics.get(name)


def test_an_unknown_metric_is_refused():
    with pytest.raises(ValueError, match=r"The metric must be one of error.*\. Got 'size' instead"):
        metrics.get("size")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("recall", r"The metric 'recall' must name a class, as in 'recall:yes'\. Got 'recall' instead"),
        ("error:1", r"The metric 'error' must be 'error', without a class\. Got 'error:1' instead"),
        ("cost", "The metric 'cost' needs the costs"),
    ],
)
def test_a_metric_without_what_it_needs_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        metrics.get(name)


def test_a_metric_about_no_judged_row_says_nothing(monkeypatch):
    class Nothing:
        quantity = "error"
        label = None
        needs_probabilities = False

        def observe(self, judged):
            del judged
            return Observation(0, {"errors": 0})

    monkeypatch.setitem(METRICS, "nothing", Nothing)
    monkeypatch.setitem(NAMES, "nothing", "nothing")
    certificate = split("nothing")
    assert (certificate.n, certificate.value) == (0, 1.0)
    assert certificate.verify()


class Telling(ClassifierMixin, BaseEstimator):
    """Tells the same numbers of every row, which nothing can be known of."""

    def __init__(self, told=(0.5, 0.5)):
        self.told = told

    def fit(self, X, y):
        del X
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int)]

    def predict_proba(self, X):
        return np.tile(self.told, (len(X), 1))


ASKED = {
    "certify": lambda model, name: pb.certify(model.fit(SAMPLE.X, SAMPLE.y), SAMPLE.X, SAMPLE.y, metrics=name),
    "CertifiedClassifier": lambda model, name: (
        pb.CertifiedClassifier(model, metrics=name, random_state=0).fit(SAMPLE.X, SAMPLE.y).certificate_
    ),
    "certify_predictions": lambda model, name: pb.certify_predictions(
        SAMPLE.y, SAMPLE.y, metrics=name, probabilities=model.predict_proba(SAMPLE.X)
    ),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
class TestWhatIsToldOfEachClass:
    @pytest.mark.parametrize("name", ["brier", "log-loss"])
    @pytest.mark.parametrize("told", [(50.0, 50.0), (0.999, 0.999), (3.0, -2.0), (0.0, 0.0), (np.inf, 0.0)])
    def test_is_refused_if_it_is_no_probability(self, asked, name, told):
        with pytest.raises(ValueError, match=r"must (be probabilities, which |)lie in \[0, 1\].* Got"):
            asked(Telling(told), name)

    def test_may_be_rounded(self, asked):
        told = np.array([0.7, 0.3], dtype=np.float32)
        plain, rounded = asked(Telling((0.7, 0.3)), "brier"), asked(Telling(told), "brier")
        assert rounded.value == pytest.approx(plain.value, abs=1e-6)
        assert asked(Telling((0.3331, 0.6666)), "brier").verify()


@pytest.mark.parametrize("name", ["brier", "log-loss"])
def test_a_row_with_a_probability_that_is_no_number_has_the_largest_loss(name):
    class Once(Telling):
        def predict_proba(self, X):
            found = super().predict_proba(X)
            found[np.asarray(X)[:, 0] == SAMPLE.X[0, 0], 1 - SAMPLE.y[0]] = np.nan
            return found

    model = Once((0.25, 0.75)).fit(SAMPLE.X, SAMPLE.y)
    losses = find(name).observe(judge_model(model, SAMPLE.X, SAMPLE.y, probabilities=True)).losses
    assert losses[0] == 1.0
    assert losses[1:].max() < 0.6


def test_what_does_not_add_up_is_shown():
    with pytest.raises(ValueError, match=r"predict_proba of Telling returns .* Got 0\.9, 0\.3, which add up to 1\.2\."):
        ASKED["certify"](Telling((0.9, 0.3)), "brier")


def test_the_column_of_a_class_is_missed():
    chances = np.array([[0.2, 0.3, 0.5]] * 100)
    with pytest.raises(ValueError, match=r"add up to 1 over the classes\. Got 0\.2, 0\.3, which add up to 0\.5"):
        pb.certify_predictions([0, 1] * 50, [0, 1] * 50, metrics="brier", probabilities=chances[:, :2])
    with pytest.raises(ValueError, match=r"a column per class \(2; for one that no label is of, pass classes=\)"):
        pb.certify_predictions([0, 1] * 50, [0, 1] * 50, metrics="brier", probabilities=chances)
