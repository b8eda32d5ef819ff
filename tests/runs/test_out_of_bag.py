"""``--method out-of-bag``: the folder of a vote, its verification from the data, predictions, and what is refused."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.runs import Settings, certify_file, verify_folder
from pacbayes.runs import methods as runs_methods

from cli.conftest import run, small_frame
from cli.test_bad_input import one_line

__all__ = ["run"]  # a fixture
SETTINGS = Settings(target="ill", method="out-of-bag", model="random-forest")


@pytest.fixture(autouse=True)
def small_votes(monkeypatch):
    """Four trees in place of a hundred, which say as much about files."""
    monkeypatch.setattr(runs_methods, "CertifiedForest", partial(pb.CertifiedForest, n_estimators=4))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    small_frame(rows=300).to_csv(path, index=False)
    return path


def test_the_settings_make_a_forest(table):
    run = certify_file(table, SETTINGS, baseline=False)
    assert type(run.model) is pb.CertifiedForest
    assert run.model.estimator is None
    assert run.model.max_samples == 0.4
    voters = certify_file(table, Settings(target="ill", method="out-of-bag", learning_fraction=0.3), baseline=False)
    assert type(voters.model.estimator).__name__ == "CrossValidatedLogistic"
    assert voters.model.max_samples == 0.3


def test_a_folder_is_verified_from_the_data_and_predicts(table, tmp_path):
    run = certify_file(table, SETTINGS, baseline=False)
    folder = tmp_path / "out"
    run.save(folder)
    outcome = verify_folder(folder, data=table)
    assert outcome.result, str(outcome.result)
    stored = pb.load_run(folder)
    new = small_frame(rows=50, seed=1)
    np.testing.assert_array_equal(stored.predict(new), run.model.predict(new[["age", "job"]]))
    other = small_frame(rows=300, seed=2)
    other.to_csv(table, index=False)
    assert not verify_folder(folder, data=table).result


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--metric", "recall:yes"), "go with the methods split and test"),
        (("--time", "age"), "samples rows at random"),
        (("--refit",), "--refit"),
    ],
)
def test_what_does_not_go_with_it(run, table, options, words):
    given = ("certify", table, "--target", "ill", "--method", "out-of-bag", "--model", "random-forest", *options)
    assert words in one_line(run(*given))
