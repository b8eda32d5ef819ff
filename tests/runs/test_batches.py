"""The same table gives the same certificate: in memory, in batches of any size, as one file or as many."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes._core import digests, rows
from pacbayes.procedures import Adaptive, FixedFraction
from pacbayes.runs import Settings, certify_file, load_table, verify_folder
from pacbayes.tables import StoredRows, _open

from tables.test_batches import FRAME, write_parts

SETTINGS = Settings(
    target="label",
    model="sklearn.naive_bayes.GaussianNB",
    missing="category",
    drop=("id",),
    learning_fraction=0.4,
)
ASKED = {"metrics": ("error", "recall:yes", "balanced-error", "brier", "cost"), "cost": "yes:no=5,no:yes=1"}
CASES = {
    "all metrics and groups, adaptive": replace(
        SETTINGS, groups=("sex",), learning_fraction=None, max_learning_rows=170, **ASKED
    ),
    "three classes": replace(SETTINGS, target="job", drop=("id", "gaps", "known", "empty"), missing="refuse"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    frame = FRAME.assign(job=FRAME["job"].fillna("clown"))
    frame.to_parquet(folder / "table.parquet", index=False, row_group_size=70)
    frame.to_csv(folder / "table.csv", index=False)
    write_parts(folder / "parts", frame, count=64)
    return folder


def content(run):
    """All of a certificate but when it was issued."""
    record = run.certificate.to_dict()
    return {name: value for name, value in record.items() if name not in {"digest", "issued", "created"}}


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(digests, "DIGEST_ROWS", 96)
    monkeypatch.setattr(rows, "BLOCK_ROWS", 130)


def certify(path, settings, monkeypatch, *, batches):
    monkeypatch.setattr(_open, "IN_MEMORY", 0 if batches else 1 << 28)
    run = certify_file(path, settings, baseline=False)
    assert isinstance(run.table.X, StoredRows) == batches
    return run


@pytest.mark.parametrize("case", CASES)
def test_the_same_table_gives_the_same_certificate(files, small_blocks, monkeypatch, case):
    whole = content(certify(files / "table.parquet", CASES[case], monkeypatch, batches=False))
    assert content(certify(files / "parts", CASES[case], monkeypatch, batches=True)) == whole


@pytest.mark.long
@pytest.mark.parametrize("model", ["logistic", "hist-gradient-boosting", "random-forest"])
@pytest.mark.parametrize("name", ["table.parquet", "parts", "parts/*.parquet", "table.csv"])
def test_every_format_and_model_gives_the_same_certificate(files, small_blocks, monkeypatch, name, model):
    settings = replace(CASES["all metrics and groups, adaptive"], model=model)
    whole = content(certify(files / "table.parquet", settings, monkeypatch, batches=False))
    assert content(certify(files / name, settings, monkeypatch, batches=False)) == whole
    assert content(certify(files / name, settings, monkeypatch, batches=True)) == whole


def test_the_predictor_is_the_same_and_is_verified_from_either(files, small_blocks, tmp_path, monkeypatch):
    settings, found = replace(SETTINGS, model="logistic"), []
    for name, batches in (("table.csv", True), ("table.parquet", False)):
        certify(files / name, settings, monkeypatch, batches=batches).save(tmp_path / name)
        found.append(json.loads((tmp_path / name / "model.json").read_text()) | {"certificate": None})
    assert found[0] == found[1]
    assert verify_folder(tmp_path / "table.csv", data=files / "table.parquet").result


def test_one_block_or_many_give_the_same_counts(files, monkeypatch):
    """Who answers row by row is judged the same in blocks of 50 rows, and in one."""
    whole = certify(files / "table.parquet", SETTINGS, monkeypatch, batches=False)
    monkeypatch.setattr(rows, "BLOCK_ROWS", 50)
    assert content(certify(files / "parts", SETTINGS, monkeypatch, batches=True)) == content(whole)


def test_the_hardest_rows_are_the_same(files, monkeypatch):
    found = []
    for batches in (False, True):
        run = certify(files / "table.parquet", SETTINGS, monkeypatch, batches=batches)
        found.append(run.hardest(3))
    assert found[0] == found[1]
    assert len(found[0]) == 3


def test_a_changed_row_is_noticed_in_files(files, tmp_path, monkeypatch):
    certify(files / "table.parquet", SETTINGS, monkeypatch, batches=False).save(tmp_path / "out")
    frame = pd.read_parquet(files / "table.parquet")
    frame.loc[7, "age"] += 1.0
    frame.to_parquet(tmp_path / "other.parquet", index=False)
    monkeypatch.setattr(_open, "IN_MEMORY", 0)
    verified = verify_folder(tmp_path / "out", data=tmp_path / "other.parquet")
    assert not verified.result
    assert "data" in {check.code for check in verified.result.failed}


def test_what_needs_all_rows_has_them_in_memory(files, monkeypatch):
    monkeypatch.setattr(_open, "IN_MEMORY", 0)
    free = replace(SETTINGS, learning_fraction=None)
    for changed in ({"method": "online"}, {"time": "id", "drop": ()}, {"refit": True}, {"max_error": 0.4}):
        assert isinstance(load_table(files / "parts", replace(free, **changed)).X, pd.DataFrame)
    assert isinstance(load_table(files / "parts", free).X, StoredRows)


def test_no_more_rows_are_learned_from_than_is_allowed():
    assert FixedFraction(0.5, 300).times(1000) == (300,)
    assert FixedFraction(0.2, 300).times(1000) == (200,)
    assert Adaptive(most=500).times(1000) == (400, 450, 500)
    assert Adaptive(most=100).times(1000) == (100,)
    sample = pb.datasets.make_known_risk(1000, d=2, random_state=0)
    model = pb.CertifiedClassifier(max_learning_rows=100, random_state=0).fit(sample.X, sample.y)
    assert (model.n_learning_, model.certificate_.n) == (100, 900)
    assert model.certificate_.verify()


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "many"])
def test_the_most_learning_rows_are_a_number(wrong):
    sample = pb.datasets.make_known_risk(60, d=2, random_state=0)
    with pytest.raises(ValueError, match="'max_learning_rows' parameter of CertifiedClassifier must be"):
        pb.CertifiedClassifier(max_learning_rows=wrong).fit(sample.X, sample.y)


def test_learning_rows_are_a_random_sample_and_all_others_are_judged(files, tmp_path, monkeypatch):
    """What is learned from does not depend on what is judged: other labels in judged rows change no fitted number."""
    settings = replace(SETTINGS, model="logistic", max_learning_rows=120)
    run = certify(files / "parts", settings, monkeypatch, batches=True)
    order = np.random.RandomState(0).permutation(len(FRAME))
    np.testing.assert_array_equal(run.model.order_, order)
    frame = pd.read_parquet(files / "table.parquet")
    judged = order[120:]
    frame.loc[judged, "label"] = np.where(frame.loc[judged, "label"] == "yes", "no", "yes")
    frame.to_parquet(tmp_path / "turned.parquet", index=False)
    turned = certify(tmp_path / "turned.parquet", settings, monkeypatch, batches=False)
    old, new = (each.model.estimator_.named_steps["classifier"] for each in (run, turned))
    np.testing.assert_array_equal(old.coef_, new.coef_)
    counts = [each.certificate.statements[0].observed["errors"] for each in (run, turned)]
    assert sum(counts) == judged.size
