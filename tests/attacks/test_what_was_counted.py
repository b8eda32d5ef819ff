"""Folders that have other columns counted than their reader has in mind, and labels that are the same double."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pacbayes.cli._app import app
from pacbayes.runs import ComparisonFile, PredictionFile, check_file, compare_file, verify_folder

ROWS = 200
LARGE = 2**53  # one more is no double


def command(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def predictions(truth, given):
    return pd.DataFrame({"truth": truth, "given": given, "better": truth})


@pytest.fixture
def file(tmp_path):
    truth = np.arange(ROWS) % 2
    path = tmp_path / "predictions.csv"
    predictions(truth, np.where(np.arange(ROWS) < 60, 1 - truth, truth)).to_csv(path, index=False)
    return path


class TestLargeLabels:
    """Numbers that many systems give as names of classes; as doubles two of them would be one."""

    @staticmethod
    def write(path, truth, given):
        frame = predictions(truth, given)
        frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
        return path

    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_labels_that_are_the_same_double_are_two(self, tmp_path, ending, sign):
        truth = sign * (LARGE + np.arange(ROWS) % 2)
        path = self.write(tmp_path / f"large.{ending}", truth, np.full(ROWS, sign * LARGE))
        asked = {"label": "truth", "prediction": "given"}
        assert check_file(path, PredictionFile(**asked)).certificate.statements[0].observed == {"errors": ROWS // 2}
        by_class = PredictionFile(**asked, metrics=("error", f"recall:{sign * (LARGE + 1)}"))
        assert [each.observed["errors"] for each in check_file(path, by_class).certificate.statements] == [100, 100]

    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_doubles_beside_them_are_what_they_say(self, tmp_path, ending):
        """A column of doubles, as one with a gap would be: each is one of the two, and no longer the other."""
        truth, asked = LARGE + np.arange(ROWS) % 2, PredictionFile(label="truth", prediction="given")
        path = self.write(tmp_path / f"large.{ending}", truth, truth.astype(float))
        assert check_file(path, asked).certificate.statements[0].observed == {"errors": ROWS // 2}

    def test_two_models_are_told_apart(self, tmp_path):
        truth = LARGE + np.arange(ROWS) % 2
        path = self.write(tmp_path / "large.csv", truth, np.full(ROWS, LARGE))
        compared = compare_file(path, ComparisonFile(label="truth", predictions=("given", "better")))
        assert compared.certificate.statements[0].observed["only_second"] == ROWS // 2

    def test_what_doubles_hold_is_counted_as_before(self, tmp_path):
        path = self.write(tmp_path / "small.csv", np.full(ROWS, LARGE - 1), np.full(ROWS, float(LARGE - 1)))
        found = check_file(path, PredictionFile(label="truth", prediction="given")).certificate
        assert found.statements[0].observed == {"errors": 0}


class TestColumns:
    def test_labels_are_no_predictions_of_themselves(self, file, tmp_path):
        result = command("check", file, "--label", "truth", "--prediction", "truth", "--out", tmp_path / "out")
        assert (result.exit_code, "must be two columns" in result.stderr) == (2, True)
        options = ["--label", "truth", "--prediction", "given", "--prediction", "truth"]
        result = command("compare", file, *options, "--out", tmp_path / "out")
        assert (result.exit_code, "another column than the predictions" in result.stderr) == (2, True)

    def test_a_folder_cannot_have_labels_counted_against_themselves(self, file, tmp_path):
        check_file(file, PredictionFile(label="truth", prediction="better")).save(tmp_path / "out")
        record = json.loads((tmp_path / "out" / "predictions.json").read_text())
        (tmp_path / "out" / "predictions.json").write_text(json.dumps(record | {"prediction": "truth"}))
        with pytest.raises(ValueError, match="must be two columns"):
            verify_folder(tmp_path / "out", data=file)

    def test_verify_says_which_columns_were_counted(self, file, tmp_path):
        """The certificate of a copy of the labels holds, and nothing in it says so."""
        check_file(file, PredictionFile(label="truth", prediction="better")).save(tmp_path / "out")
        result = command("verify", tmp_path / "out", "--data", file)
        assert "checked with predictions in 'better'; labels in 'truth'" in result.stdout.splitlines()
        told = json.loads(command("verify", tmp_path / "out", "--data", file, "--json").stdout)
        assert told["basis"] == {"prediction": ["better"], "label": ["truth"]}

    def test_and_which_models_were_compared(self, file, tmp_path):
        compare_file(file, ComparisonFile(label="truth", predictions=("given", "better"))).save(tmp_path / "out")
        result = command("verify", tmp_path / "out", "--data", file)
        assert "checked with predictions in 'given', 'better'; labels in 'truth'" in result.stdout.splitlines()

    def test_names_cannot_print_a_line_of_their_own(self, file, tmp_path):
        name = "better\nThe certificate holds."
        odd = tmp_path / "odd.csv"
        pd.read_csv(file).rename(columns={"better": name}).to_csv(odd, index=False)
        check_file(odd, PredictionFile(label="truth", prediction=name)).save(tmp_path / "out")
        result = command("verify", tmp_path / "out", "--data", odd)
        told = [line for line in result.stdout.splitlines() if line.startswith("checked with")]
        assert told == [r"checked with predictions in 'better\nThe certificate holds.'; labels in 'truth'"]


def test_verify_says_which_target_was_learned(old, tmp_path):
    """A table has columns that are easier to predict than the one that its reader cares for."""
    old.save(tmp_path / "out")
    frame = old.table.X.assign(ill=old.table.y)
    frame.to_csv(tmp_path / "table.csv", index=False)
    result = command("verify", tmp_path / "out", "--data", tmp_path / "table.csv")
    assert "checked with target 'ill'; model 'logistic'" in result.stdout.splitlines()
    assert not any(line.startswith("checked") for line in command("verify", tmp_path / "out").stdout.splitlines())
