"""One list of metrics: each is found by its name, has words, and is stated beside the others."""

import inspect
import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes import metrics
from pacbayes.certificate import QUANTITIES, schema
from pacbayes.certificate.words import sentences
from pacbayes.metrics import LOSSES, METRICS, Judged, Loss, Metric, Observation
from pacbayes.procedures import ClassifierLearner, FixedFraction, Sample, Split
from pacbayes.report import render

SAMPLE = pb.datasets.make_known_risk(400, d=2, random_state=0)


def classes_that_observe():
    """The metrics in the modules of the room, whether they are listed or not."""
    names = [path.stem for path in Path(metrics.__file__).parent.glob("*.py")]
    modules = [import_module(f"pacbayes.metrics.{name}") for name in names if name not in {"__init__", "base"}]
    members = [each for module in modules for _, each in inspect.getmembers(module, inspect.isclass)]
    return {each for each in members if hasattr(each, "observe")}


def split(*names):
    procedure = Split(learner=ClassifierLearner(GaussianNB()), stop=FixedFraction(0.5), delta=0.05, metrics=names)
    return procedure.run(Sample(SAMPLE.X, SAMPLE.y, np.random.default_rng(0).permutation(400))).certificate


def test_every_metric_is_listed_once():
    listed = [*METRICS.values(), *LOSSES.values()]
    protocols = {Metric, Loss}
    assert classes_that_observe() - protocols == set(listed), "add it to METRICS in pacbayes/metrics/__init__.py"
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("name", [*METRICS, *LOSSES])
def test_every_metric_has_words(name):
    assert metrics.get(name).quantity in QUANTITIES, "add its words to pacbayes/certificate/quantities.py"


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_that_counts_errors_counts_none_where_all_is_right(name):
    labels = np.array([0, 1, 1, 0, 1])
    found = metrics.get(name).observe(Judged(labels, labels.copy()))
    assert 1 <= found.n <= labels.size
    assert found.observed["errors"] == 0


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_stated_verified_and_reported(name):
    certificate = split(name)
    assert certificate.statements[0].quantity == metrics.get(name).quantity
    assert certificate.verify(), str(certificate.verify())
    Draft202012Validator(schema()).validate(json.loads(certificate.to_json()))
    assert pb.Certificate.from_json(certificate.to_json()).verify()
    words = QUANTITIES[metrics.get(name).quantity]
    assert f"the true {words.words} of `predict` is at most" in certificate.sentence()
    assert words.unit in render(certificate)


def test_all_metrics_hold_together():
    certificate = split(*METRICS)
    assert [each.quantity for each in certificate.statements] == [metrics.get(name).quantity for name in METRICS]
    assert sum(each.share for each in certificate.statements) == pytest.approx(1.0)
    assert certificate.verify()
    assert len(set(sentences(certificate))) == len(METRICS)
    rendered = render(certificate)
    assert all(QUANTITIES[each.quantity].noun in rendered for each in certificate.statements)


def test_an_unknown_metric_is_refused():
    with pytest.raises(ValueError, match=r"The metric must be one of error.*\. Got 'size' instead"):
        metrics.get("size")


def test_a_metric_about_no_judged_row_is_refused(monkeypatch):
    class Nothing:
        quantity = "error"

        def observe(self, judged):
            del judged
            return Observation(0, {"errors": 0})

    monkeypatch.setitem(METRICS, "nothing", Nothing)
    with pytest.raises(ValueError, match="The metric 'nothing' is about none of the 200 judged rows"):
        split("error", "nothing")
