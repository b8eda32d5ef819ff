"""Learners from outside scikit-learn: labels numbered and turned back, words kept off stdout, trust named in full."""

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.learners import EncodedClassifier
from pacbayes.runs import Settings, certify_table, make_classifier, verify_folder
from pacbayes.tables import prepare_table

from forks import run_forked
from runs.test_use import frame

STUB = '''
import os
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB


class Strict(ClassifierMixin, BaseEstimator):
    """Wants its classes as 0, 1, ..., K - 1, and talks."""

    def fit(self, X, y):
        print("python: learning")
        os.write(1, b"compiled: learning\\n")
        if not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError("Invalid classes inferred from unique values of `y`.")
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)

    def predict_proba(self, X):
        return self.inner_.predict_proba(X)
'''


def named(rows=200, seed=0):
    made = frame(rows, seed).dropna()
    return made.assign(kind="k" + made["kind"].astype(str))


@pytest.fixture
def stub(tmp_path):
    """A folder with a learner of somebody's and a table; commands run there in a process of their own."""
    (tmp_path / "stub_learner.py").write_text(STUB)
    named().to_csv(tmp_path / "table.csv", index=False)
    path = os.pathsep.join([str(tmp_path), str(Path(pb.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])

    def run(*arguments):
        return run_forked(["-m", "pacbayes", *arguments], tmp_path, {**os.environ, "PYTHONPATH": path})

    return run


def test_a_learner_that_talks_and_wants_numbers(stub, tmp_path):
    arguments = ("certify", "table.csv", "--target", "kind", "--model", "stub_learner.Strict", "--no-baseline")
    result = stub(*arguments, "--out", "out", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["classes"] == [f"k{number}" for number in range(3, 9)]
    assert "python: learning" in result.stderr
    assert "compiled: learning" in result.stderr
    quiet = stub(*arguments, "--out", "other", "--quiet")
    assert (quiet.stdout.count("\n"), quiet.stderr) == (1, "")
    assert "Verify: pacbayes verify out/certificate.json --data table.csv --trust stub_learner.Strict" in (
        stub(*arguments, "--out", "out", "--force").stdout
    )
    verified = stub("verify", "out", "--data", "table.csv", "--trust", "stub_learner.Strict")
    assert verified.returncode == 0, verified.stderr
    refused = stub("predict", "out", "table.csv")
    assert refused.stderr.count("\n") == 1
    trust = re.findall(r"--trust (\S+?)(?=\.?\s)", refused.stderr)
    assert trust == ["stub_learner.Strict"]
    predicted = stub("predict", "out", "table.csv", "--trust", *trust)
    assert predicted.returncode == 0, predicted.stderr
    assert predicted.stdout.splitlines()[1].startswith("k")
    assert "--trust stub_learner.Strict" in (tmp_path / "out" / "README.txt").read_text()


def test_labels_are_turned_back_in_their_order():
    rows = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat(np.arange(3), 30)[:, None]
    labels = np.repeat(["b", "c", "a"], 30)
    plain, encoded = GaussianNB().fit(rows, labels), EncodedClassifier(GaussianNB()).fit(rows, labels)
    np.testing.assert_array_equal(encoded.predict(rows), plain.predict(rows))
    np.testing.assert_array_equal(encoded.predict_proba(rows), plain.predict_proba(rows))
    np.testing.assert_array_equal(encoded.classes_, plain.classes_)


class Numbered(GaussianNB):
    """Takes its classes as 0, 1, ..., K - 1 alone."""

    def fit(self, X, y, sample_weight=None):
        if not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError("Invalid classes inferred from unique values of `y`.")
        return super().fit(X, y, sample_weight)


def test_classifiers_of_xgboost_take_any_labels(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(300, 2))
    labels = np.where(rows[:, 0] > 0.0, "yes", "no")
    with pytest.raises(ValueError, match="Invalid classes"):
        pb.CertifiedClassifier(Numbered(), split=0.5, random_state=0).fit(rows, labels)
    monkeypatch.setattr(Numbered, "__module__", "xgboost.sklearn")
    model = pb.CertifiedClassifier(Numbered(), class_weight="balanced", random_state=0).fit(rows, labels)
    assert model.certificate_.value < 0.1
    assert set(model.predict(rows)) == {"no", "yes"}
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1.0)


@pytest.mark.parametrize("model", ["xgboost", "lightgbm"])
class TestWhereInstalled:
    @pytest.fixture
    def settings(self, model):
        if not os.environ.get("PACBAYES_REQUIRE_BOOSTERS"):  # make test-boosters: missing is then a failure
            pytest.importorskip(model)
        return Settings(target="kind", model=model, method="split")

    def test_certify_verify_and_predict(self, settings, tmp_path):
        table = prepare_table(named(), "kind")
        run = certify_table(table, settings, baseline=False)
        run.save(tmp_path / "out")
        named().to_csv(tmp_path / "table.csv", index=False)
        checked = verify_folder(tmp_path / "out", data=tmp_path / "table.csv")
        assert checked.result, str(checked.result)
        with pytest.raises(ValueError, match="not on the list") as refused:
            pb.load_run(tmp_path / "out").predict(named(50, seed=1))
        trust = tuple(re.findall(r"--trust (\S+?)(?=\.?$|\s)", str(refused.value)))
        assert all(f"--trust {name}" in (tmp_path / "out" / "README.txt").read_text() for name in trust)
        new = named(50, seed=1)
        expected = run.model.predict(prepare_table(new, "kind").X)
        np.testing.assert_array_equal(pb.load_run(tmp_path / "out").predict(new, trust), expected)

    def test_in_python_on_named_classes(self, settings):
        table = prepare_table(named(), "kind")
        learner = make_classifier(settings.model, 0).estimator
        model = pb.CertifiedClassifier(learner, preprocessing="auto", random_state=0).fit(table.X, table.y)
        assert set(model.predict(table.X)) <= set(table.classes)

    def test_another_fit_is_noticed(self, settings, tmp_path):
        run = certify_table(prepare_table(named(), "kind"), settings, baseline=False)
        run.save(tmp_path / "out")
        other = certify_table(prepare_table(named(seed=1), "kind"), settings, baseline=False)
        other.save(tmp_path / "other")
        record = json.loads((tmp_path / "out" / "model.json").read_text())
        record["predictor"] = json.loads((tmp_path / "other" / "model.json").read_text())["predictor"]
        (tmp_path / "out" / "model.json").write_text(json.dumps(record))
        (tmp_path / "out" / "model.skops").write_bytes((tmp_path / "other" / "model.skops").read_bytes())
        named().to_csv(tmp_path / "table.csv", index=False)
        checked = verify_folder(tmp_path / "out", data=tmp_path / "table.csv")
        assert [check.code for check in checked.result.failed] == ["predictor"]


@pytest.mark.parametrize("model", ["xgboost", "lightgbm"])
def test_a_known_model_that_is_not_installed(model, monkeypatch):
    monkeypatch.setitem(sys.modules, model, None)
    with pytest.raises(ValueError, match=f"needs the package {model}, which is not installed"):
        make_classifier(model, 0)
