"""A stored predictor is the one that the rows teach, in every fitted number, or verification says so."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.multiclass import OneVsOneClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from pacbayes.runs import load_run, verify_run
from pacbayes.tables import make_preprocessing

from attacks.stored import OBJECT, edit, edit_terms, frame, issue, put, refit, verify

HONEST = {
    "posterior": {"method": "posterior"},
    "linear": {"method": "split"},
    "logistic": OBJECT,
    "logistic online": {"method": "online"},
    "boosting": {"model": "hist-gradient-boosting", "method": "split"},
    "boosting online": {"model": "hist-gradient-boosting", "method": "online", "learning_fraction": 0.7},
    "forest": {"model": "random-forest", "method": "split"},
    "Bayes": {"model": "sklearn.naive_bayes.GaussianNB", "method": "split"},
    "Bayes online": {"model": "sklearn.naive_bayes.GaussianNB", "method": "online"},
    "neighbours": {"model": "sklearn.neighbors.KNeighborsClassifier", "method": "split"},
    "SVC": {"model": "sklearn.svm.SVC", "method": "split"},
    "perceptron": {"model": "sklearn.neural_network.MLPClassifier", "method": "split"},
    "missing": {**OBJECT, "missing": "category"},
}


@pytest.mark.parametrize("case", HONEST)
def test_honest_runs_hold(tmp_path, case):
    run, table = issue(tmp_path / "a", **HONEST[case])
    verification = verify(tmp_path / "a", run, table)
    assert verification, str(verification)
    assert case in {"posterior", "linear"} or load_run(tmp_path / "a").models()


def failed(folder, run, table):
    return [check.code for check in verify(folder, run, table).failed]


def test_a_forest_is_no_table_of_neighbours(tmp_path):
    """A nearest neighbour over rows labelled by the forest agrees on all of them; it has no probabilities to show."""
    run, table = issue(tmp_path / "a", model="random-forest", method="split")

    def swap(models):
        predicted = models["predictor"].predict(table.X)
        steps = [
            ("columns", make_preprocessing(table.columns)),
            ("classifier", OneVsOneClassifier(KNeighborsClassifier(1))),
        ]
        copy = Pipeline(steps).fit(table.X, predicted)
        assert np.array_equal(copy.predict(table.X), predicted)
        models["predictor"] = copy

    refit(tmp_path / "a", swap)
    assert failed(tmp_path / "a", run, table) == ["predictor"]


def test_trees_are_compared_beyond_the_rows(tmp_path):
    """Leaves and thresholds where no row of the table lies change no prediction on it."""
    run, table = issue(tmp_path / "a", model="random-forest", method="split")

    def member(name, content):
        if not name.endswith(".npy"):
            return content
        values = np.load(io.BytesIO(content))
        if values.dtype.names is None or "threshold" not in values.dtype.names:
            return content
        changed = values.copy()
        changed["threshold"] *= 1.0 + 1e-4
        buffer = io.BytesIO()
        np.save(buffer, changed)
        return buffer.getvalue()

    edit(tmp_path / "a", member=member)
    assert failed(tmp_path / "a", run, table) == ["predictor"]


def test_weights_of_snapshots_count(tmp_path):
    run, table = issue(tmp_path / "a", model="sklearn.naive_bayes.GaussianNB", method="online")

    def swap(models):
        models["weights"] = models["weights"][::-1].copy()

    refit(tmp_path / "a", swap)
    assert failed(tmp_path / "a", run, table) == ["predictor"]


def test_a_snapshot_that_is_seldom_drawn_counts(tmp_path):
    run, table = issue(tmp_path / "a", model="sklearn.naive_bayes.GaussianNB", method="online")

    def swap(models):
        models["snapshots"][0] = models["snapshots"][1]

    refit(tmp_path / "a", swap)
    assert failed(tmp_path / "a", run, table) == ["predictor"]


TERMS = {
    "weight of a constant column": ("site", "number", {"weight": 1e6}),
    "small weight of a constant column": ("site", "number", {"weight": 1e-9}),
    "mean of a constant column": ("site", "number", {"mean": 0.0}),
    "scale of a constant column": ("site", "number", {"scale": 1e-9}),
    "weight": ("age", "number", {"weight": 5.0}),
    "another column": ("age", "number", {"column": "site"}),
    "category": ("job", "category", {"value": "nobody"}),
    "kind": ("job", "category", {"kind": "missing"}),
    "text for a number": ("age", "number", {"scale": "1"}),
    "more": ("age", "number", {"note": "x"}),
}


@pytest.mark.parametrize("case", TERMS)
def test_every_number_of_a_linear_predictor_counts(tmp_path, case):
    run, table = issue(tmp_path / "a")
    column, kind, values = TERMS[case]

    def change(predictor):
        next(term for term in predictor["terms"] if (term["column"], term["kind"]) == (column, kind)).update(values)

    edit_terms(tmp_path / "a", change)
    assert failed(tmp_path / "a", run, table) == ["predictor"]


def test_a_far_mean_moves_no_row(tmp_path):
    """A relative 1e-6 of a time stamp is hours: places are compared in units of their column's spread."""
    rows = frame()
    rows["age"] = 1.7e9 + 100.0 * rows["age"]
    run, table = issue(tmp_path / "a", rows)

    def change(predictor):
        predictor["terms"][0]["mean"] += 300.0

    edit_terms(tmp_path / "a", change)
    assert failed(tmp_path / "a", run, table) == ["predictor"]
    folder = tmp_path / "b"
    run, table = issue(folder, rows, **OBJECT)
    refit(folder, lambda models: scaler(models).mean_.__iadd__(300.0))
    assert failed(folder, run, table) == ["predictor"]


def test_terms_may_not_change_places_or_number(tmp_path):
    run, table = issue(tmp_path / "a")
    edit_terms(tmp_path / "a", lambda predictor: predictor["terms"].reverse())
    assert failed(tmp_path / "a", run, table) == ["predictor"]
    edit_terms(tmp_path / "a", lambda predictor: predictor["terms"].pop())
    assert failed(tmp_path / "a", run, table) == ["predictor"]


def scaler(models):
    return columns(models).transformers_[0][1].steps[0][1]


def columns(models):
    return models["predictor"].steps[0][1].transformer_


def classifier(models):
    return models["predictor"].steps[-1][1]


@pytest.mark.parametrize(("factor", "held"), [(1.0 + 1e-9, True), (1.0 - 1e-8, True), (1.0 + 1e-4, False)])
def test_last_digits_are_told_from_changes(tmp_path, factor, held):
    run, table = issue(tmp_path / "a", **OBJECT)

    def nudge(models):
        classifier(models).coef_ = classifier(models).coef_ * factor

    refit(tmp_path / "a", nudge)
    assert bool(verify(tmp_path / "a", run, table)) is held
    folder = tmp_path / "b"
    run, table = issue(folder)

    def change(predictor):
        for term in predictor["terms"]:
            term["weight"] *= factor

    edit_terms(folder, change)
    assert bool(verify(folder, run, table)) is held


def set_attribute(name, value):
    return lambda models: setattr(classifier(models), name, value)


STATE = {
    "a constant column": lambda models: classifier(models).coef_.__setitem__((0, 1), 1e6),
    "a number more": set_attribute("threshold_", 3.0),
    "a number less": lambda models: delattr(classifier(models), "n_iter_"),
    "a method hidden": set_attribute("predict", "yes"),
    "another type": lambda models: classifier(models).__dict__.update(coef_=classifier(models).coef_.astype("f4")),
    "another shape": lambda models: classifier(models).__dict__.update(coef_=classifier(models).coef_.ravel()),
    "labels": lambda models: classifier(models).__dict__.update(classes_=np.array(["yes", "no"])),
    "a parameter": lambda models: classifier(models).set_params(C=2.0),
    "infinite": lambda models: classifier(models).coef_.fill(np.inf),
    "not numbers": lambda models: classifier(models).coef_.fill(np.nan),
    "columns in another order": lambda models: columns(models).__dict__.update(
        transformers_=columns(models).transformers_[::-1]
    ),
    "a step more": lambda models: models["predictor"].steps.insert(0, ("none", "passthrough")),
    "a part more": lambda models: models.update(more=1),
    "the true for one": lambda models: classifier(models).set_params(fit_intercept=1),
}


@pytest.mark.parametrize("case", STATE)
def test_all_of_the_state_counts(tmp_path, case):
    run, table = issue(tmp_path / "a", **OBJECT)
    refit(tmp_path / "a", STATE[case])
    assert failed(tmp_path / "a", run, table) == ["predictor"]


def test_an_object_is_what_stands_where_it_is_named(tmp_path):
    """skops takes the first object of an identity for all: the second place must not show another."""
    folder = tmp_path / "a"
    run, table = issue(folder, **OBJECT)

    def schema(text):
        record = json.loads(text)
        fitted = record["content"]["predictor"]["content"]["content"]["steps"]["content"][1]["content"][1]
        attributes = fitted["content"]["content"]
        attributes["intercept_"]["__id__"] = attributes["coef_"]["__id__"]
        return json.dumps(record)

    edit(folder, schema=schema)
    with pytest.raises(ValueError, match=r"model\.skops"):
        verify(folder, run, table)


def test_a_stored_predictor_is_never_called(tmp_path, monkeypatch):
    run, table = issue(tmp_path / "a", **OBJECT)
    put(tmp_path / "a", dict(run.model.issued_.stored))

    def refuse(*_, **__):
        raise AssertionError("a stranger's file was loaded")

    monkeypatch.setattr("skops.io.load", refuse)
    monkeypatch.setattr("skops.io.loads", refuse)
    assert verify(tmp_path / "a", run, table)


def test_a_model_from_elsewhere_is_learned_again_where_it_is_trusted_by_name(tmp_path, monkeypatch):
    lines = (
        "import numpy as np",
        "from sklearn.naive_bayes import GaussianNB",
        "class Helper:",
        "    def __init__(self):",
        "        self.texts, self.function = {'a', 'b', 'c'}, np.exp",
        "class Learner(GaussianNB):",
        "    def fit(self, X, y):",
        "        self.helper_ = Helper()",
        "        return super().fit(X, y)",
    )
    (tmp_path / "elsewhere.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    run, table = issue(tmp_path / "a", model="elsewhere.Learner", method="split")
    assert run.trust == ("elsewhere.Learner",)
    assert "--trust elsewhere.Learner" in (tmp_path / "a" / "report.html").read_text()
    with pytest.raises(ValueError, match=r"--trust elsewhere\.Learner"):
        verify(tmp_path / "a", run, table)
    assert verify(tmp_path / "a", run, table, trust=run.trust)
    with pytest.raises(ValueError, match=r"--trust elsewhere\.Helper --trust elsewhere\.Learner"):
        load_run(tmp_path / "a").models()


@pytest.mark.parametrize("stated", [None, "", "junk", "0" * 63, "G" * 64])
def test_a_certificate_without_the_digest_of_its_model(tmp_path, stated):
    """Its last digits are those of one machine, but that there is one, and what it looks like, is known."""
    run, table = issue(tmp_path / "out", method="posterior")
    digests = {name: value for name, value in run.certificate.digests.items() if name != "model"}
    assert len(digests) < len(run.certificate.digests)
    edited = replace(run.certificate, digests=digests if stated is None else {**digests, "model": stated}, digest="")
    stored = replace(load_run(tmp_path / "out"), certificate=edited.digest)
    result = verify_run(edited, stored, table)
    assert [check.code for check in result.failed] == ["model"]
    assert "digest of the model" in str(result)
