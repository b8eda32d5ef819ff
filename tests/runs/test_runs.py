"""Runs: stored predictors that run nothing when read, and bounds from plain numbers."""

import hashlib
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import skops.io as sio
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer

from pacbayes.bounds import betting, betting_rates, examples_needed
from pacbayes.datasets import make_known_risk
from pacbayes.estimators import OnlineCertifiedClassifier
from pacbayes.procedures import LossMonitor
from pacbayes.runs import MODELS, Settings, certify_table, choose_method, load_run, verify_run
from pacbayes.runs.run import _curve
from pacbayes.tables import prepare_table

from attacks.stored import sign
from cli.conftest import small_frame


@pytest.fixture
def table():
    return prepare_table(small_frame(), "ill")


def stored(table, folder, **changes):
    run = certify_table(table, Settings(target="ill", **changes))
    run.save(folder)
    return run


def test_settings_survive_their_file(table, tmp_path):
    run = stored(table, tmp_path / "a", method="online", model="random-forest", drop=("x",), candidates=2)
    assert load_run(tmp_path / "a").settings == run.settings


@pytest.mark.parametrize("certify_last", [False, True])
def test_the_curve_of_a_stream_ends_in_its_certificate(certify_last):
    """With a second statement it has half of delta."""
    sample = make_known_risk(300, d=2, random_state=0)
    model = OnlineCertifiedClassifier(GaussianNB(), random_state=0, certify_last=certify_last, candidates=2)
    certificate = model.fit(sample.X, sample.y).certificate_
    curve = _curve(model, Settings(target="ill", method="online", candidates=2))
    assert curve["n"][-1] == certificate.n
    assert certificate.statements[0].value < 1.0
    assert curve["bound"][-1] == pytest.approx(certificate.statements[0].value, rel=1e-12)


def test_a_model_with_a_foreign_type_is_refused(table, tmp_path):
    stored(table, tmp_path / "a", method="split", model="sklearn.linear_model.LogisticRegression")
    path, record = tmp_path / "a" / "model.skops", json.loads((tmp_path / "a" / "model.json").read_text())
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(ValueError, match="SHA-256 differs"):
        load_run(tmp_path / "a")
    sio.dump({"predictor": FunctionTransformer(shutil.rmtree)}, path)
    record["predictor"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (tmp_path / "a" / "model.json").write_text(json.dumps(record))
    with pytest.raises(ValueError, match=r"not on the list.*--trust shutil\.rmtree"):
        load_run(tmp_path / "a").models()


def test_a_predictor_that_saw_the_held_out_rows_does_not_verify(table, tmp_path):
    run = stored(table, tmp_path / "a", method="split", model="sklearn.linear_model.LogisticRegression")
    record = load_run(tmp_path / "a")
    assert verify_run(run.certificate, record, table)
    models = dict(record.models())
    models["predictor"].fit(table.X, table.y)
    sio.dump(models, record.predictor.path)
    sign(tmp_path / "a")
    verification = verify_run(run.certificate, load_run(tmp_path / "a"), table)
    assert [check.code for check in verification.failed] == ["predictor"]


def test_a_held_out_row_that_was_altered_is_noticed_even_if_no_prediction_changes(table, tmp_path):
    run = stored(table, tmp_path / "a", method="split", model="sklearn.linear_model.LogisticRegression")
    rows = table.X.copy()
    name = next(column.name for column in table.columns if column.kind == "number")
    rows.loc[:, name] = rows[name] * (1.0 + 1e-12)
    verification = verify_run(run.certificate, load_run(tmp_path / "a"), replace(table, X=rows))
    assert not verification
    assert "digest of the data" in str(verification)


def test_a_stream_does_not_depend_on_how_it_is_cut():
    losses = np.random.default_rng(0).random(10_000)
    stream = LossMonitor()
    stream.extend(losses)
    rates, weights = betting_rates()
    growth = np.log1p(-rates * losses[:, None]).mean(axis=0)
    assert stream.certificate().value == pytest.approx(betting(growth, rates, 0.0, 10_000, 0.05, weights), rel=1e-12)


@pytest.mark.parametrize("model", [*MODELS, "sklearn.svm.SVC"])
@pytest.mark.parametrize("classes", [2, 6])
def test_auto_is_the_split_for_every_model(model, classes):
    chosen, why = choose_method(Settings(target="ill", model=model), classes)
    assert (chosen.method, why) == ("split", "default")
    assert choose_method(chosen, classes) == (chosen, "asked")


def test_the_split_is_adaptive_unless_a_fraction_fixes_it(table):
    free = certify_table(table, Settings(target="ill"), baseline=False)
    assert free.model.split == "adaptive"
    fixed = certify_table(table, Settings(target="ill", learning_fraction=0.8))
    assert fixed.certificate.n == len(table.y) - round(0.8 * len(table.y))
    assert fixed.baseline is None  # it is the hold-out itself


def test_one_example_fewer_is_not_enough():
    from pacbayes.bounds import maurer

    n, value = examples_needed("maurer", target=0.1, risk=0.03, kl=20.0, delta=0.01)
    assert value == maurer(0.03, 20.0, n, 0.01) <= 0.1 < maurer(0.03, 20.0, n - 1, 0.01)
