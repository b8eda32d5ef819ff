"""Models that exist: ``check`` for predictions in a file, ``certify --test`` for a table of judged rows."""

import json

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes.runs import PredictionFile, check_file

from cli.conftest import small_frame
from cli.test_bad_input import one_line


def predictions(rows=200, errors=11):
    y = np.where(np.random.default_rng(0).random(rows) < 0.5, "cat", "dog")
    wrong = np.where(y == "cat", "dog", "cat")
    return pd.DataFrame({"y": y, "p": np.where(np.arange(rows) < errors, wrong, y)})


class TestCheck:
    @pytest.fixture
    def file(self, tmp_path):
        predictions().to_csv(tmp_path / "p.csv", index=False)
        return tmp_path / "p.csv"

    def test_certifies_reports_and_is_verified_with_the_file(self, run, file, tmp_path):
        result = run("check", file, "--label", "y", "--prediction", "p", "--out", "out")
        assert result.exit_code == 0, result.output
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
            "README.txt",
            "certificate.json",
            "predictions.json",
            "report.html",
        ]
        certificate = pb.Certificate.from_json(tmp_path / "out" / "certificate.json")
        assert certificate.value == pb.bounds.clopper_pearson(11, 200, 0.05)
        assert certificate.sentence() in result.stdout
        assert run("verify", "out").exit_code == 0
        checked = run("verify", "out", "--data", file)
        assert checked.exit_code == 0, checked.output
        assert "the predictions in this file make the recorded errors" in checked.stdout
        predictions(errors=12).to_csv(file, index=False)
        assert run("verify", "out", "--data", file).exit_code == 1

    def test_an_edited_certificate_is_not_saved_by_the_file(self, run, file, tmp_path):
        assert run("check", file, "--label", "y", "--prediction", "p", "--out", "out").exit_code == 0
        path = tmp_path / "out" / "certificate.json"
        record = json.loads(path.read_text())
        record["statements"][0]["value"] = 0.01
        path.write_text(json.dumps(record))
        assert run("verify", "out", "--data", file).exit_code == 1

    def test_other_columns_in_the_record_are_noticed(self, run, file, tmp_path):
        assert run("check", file, "--label", "y", "--prediction", "p", "--out", "out").exit_code == 0
        path = tmp_path / "out" / "predictions.json"
        path.write_text(path.read_text().replace('"p"', '"y"'))
        assert "must be two columns" in one_line(run("verify", "out", "--data", file))
        path.write_text(path.read_text().replace('"header": true', '"header": 1'))
        assert "as it was written" in one_line(run("verify", "out", "--data", file))

    def test_a_run_is_replaced_by_force_alone(self, run, file):
        arguments = ("check", file, "--label", "y", "--prediction", "p", "--out", "out")
        assert run(*arguments).exit_code == 0
        assert "not empty" in one_line(run(*arguments))
        assert run(*arguments, "--force", "--quiet").stdout.startswith("With probability")

    def test_losses(self, run, tmp_path):
        losses = np.random.default_rng(0).random(300) / 4
        pd.DataFrame({"l": losses}).to_csv(tmp_path / "l.csv", index=False)
        record = json.loads(run("check", "l.csv", "--loss", "l", "--out", "out", "--json").stdout)
        assert record["certificate"]["statements"][0]["value"] == pb.certify_predictions(losses=losses).value
        assert run("verify", "out", "--data", "l.csv").exit_code == 0

    def test_predictions_that_are_no_label_get_a_note(self, run, tmp_path):
        predictions().replace({"p": "cat"}, "Cat").to_csv(tmp_path / "p.csv", index=False)
        result = run("check", "p.csv", "--label", "y", "--prediction", "p")
        count = int((predictions()["p"] == "cat").sum())
        assert f"Predictions that are no label of these rows: {count}, " in result.stderr
        assert (
            f"Predictions that are no label of these rows: {count}, "
            in (tmp_path / "p-certificate" / "report.html").read_text()
        )
        for options in (("--quiet",), ("--json",)):
            again = run("check", "p.csv", "--label", "y", "--prediction", "p", "--force", *options)
            assert again.stderr.count(f"Predictions that are no label of these rows: {count}, ") == 1

    def test_a_class_that_is_written_in_two_ways_makes_no_rate_smaller(self, tmp_path):
        frame = predictions(rows=400, errors=120)
        other = frame["p"].where((frame["p"] != "cat") | (frame.index % 2 == 0), "Cat")
        asked = ("fpr:cat", "fnr:cat", "recall:cat", "specificity:cat", "precision:cat")
        found = {}
        for name, given in {"one": frame, "two": frame.assign(p=other)}.items():
            given.to_csv(tmp_path / "p.csv", index=False)
            columns = PredictionFile(label="y", prediction="p", metrics=("error", *asked))
            found[name] = check_file(tmp_path / "p.csv", columns).certificate
        for one, two in zip(found["one"].statements, found["two"].statements, strict=True):
            assert two.value <= one.value if one.side == "lower" else two.value >= one.value, one.quantity


@pytest.mark.parametrize(
    ("y", "p", "errors"),
    [
        (["1", "2", "x"], ["1", "2", "2"], 1),  # predictions alone would be read as numbers
        (["01", "1", "x"], ["1", "1", "x"], 1),
        (["1", "2", "2"], ["1.0", "2.0", "1.0"], 1),
        (["True", "False", "True"], ["True", "True", "True"], 1),
        (["a", "b", "c"], ["a", "b ", "c"], 1),
        (["1", "2", "3", "2"], ["1.0", "02", "3", "no"], 1),  # the labels are numbers, whatever is beside them
        (["1", "1.0", "9007199254740993", "2"], ["01", "1e0", "9007199254740992", "no"], 2),
    ],
)
def test_labels_are_compared_as_they_are_written(tmp_path, y, p, errors):
    lines = "".join(f"{a},{b}\n" for a, b in zip(y, p, strict=True))
    (tmp_path / "p.csv").write_text(f"y,p\n{lines}")
    checked = check_file(tmp_path / "p.csv", PredictionFile(label="y", prediction="p"))
    assert checked.certificate.statements[0].observed["errors"] == errors


class TestTwoTables:
    @pytest.fixture
    def files(self, tmp_path):
        small_frame(80).to_csv(tmp_path / "first.csv", index=False)
        small_frame(50, seed=1)[["ill", "job", "age"]].to_csv(tmp_path / "second.csv", index=False)
        return tmp_path

    @pytest.mark.parametrize("options", [[], ["--model", "sklearn.naive_bayes.GaussianNB"], ["--positive", "yes"]])
    def test_learns_from_the_first_and_judges_on_the_second(self, run, files, options):
        arguments = ("certify", "first.csv", "--target", "ill", "--test", "second.csv", "--out", "out", *options)
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        assert "130 rows (80 to train on, 50 to evaluate on)" in result.stdout
        assert "pacbayes verify out/certificate.json --data first.csv --test second.csv" in result.stdout
        certificate = pb.Certificate.from_json(files / "out" / "certificate.json")
        errors = (pb.load_run("out").predict(small_frame(50, seed=1)) != small_frame(50, seed=1)["ill"]).sum()
        assert certificate.value == pb.bounds.clopper_pearson(int(errors), 50, 0.05)
        assert "unseen" in certificate.statements[0].assumptions
        assert run("verify", "out", "--data", "first.csv", "--test", "second.csv").exit_code == 0
        assert run("verify", "out").exit_code == 0

    def test_other_rows_in_either_file_are_noticed(self, run, files):
        arguments = ("certify", "first.csv", "--target", "ill", "--test", "second.csv", "--out", "out")
        assert run(*arguments).exit_code == 0
        for name, seed, rows in (("first.csv", 0, 80), ("second.csv", 1, 50)):
            changed = small_frame(rows, seed=seed)
            changed.loc[0, "age"] += 1e-9
            changed.to_csv(files / "changed.csv", index=False)
            tables = ["changed.csv" if each == name else each for each in ("first.csv", "second.csv")]
            result = run("verify", "out", "--data", tables[0], "--test", tables[1])
            assert result.exit_code == 1, name
            assert "These are not the data" in result.stdout

    def test_a_label_of_the_second_table_alone_counts_as_an_error(self, run, files):
        judged = small_frame(50, seed=1)
        judged.loc[:3, "ill"] = "perhaps"
        judged.to_csv(files / "second.csv", index=False)
        result = run("certify", "first.csv", "--target", "ill", "--test", "second.csv", "--out", "out")
        assert "Rows with a label that does not occur in the first table: 4;" in result.stderr
        certificate = pb.Certificate.from_json(files / "out" / "certificate.json")
        assert certificate.statements[0].observed["errors"] >= 4

    def test_numbers_stay_numbers(self, run, files):
        for name, rows, seed in (("first.csv", 80, 0), ("second.csv", 50, 1)):
            frame = small_frame(rows, seed=seed)
            frame.assign(ill=(frame["ill"] == "yes") + 1).to_csv(files / name, index=False)
        assert run("certify", "first.csv", "--target", "ill", "--test", "second.csv", "--out", "out").exit_code == 0
        assert pb.load_run("out").predict(small_frame(5)).dtype.kind == "i"
        assert run("verify", "out", "--data", "first.csv", "--test", "second.csv").exit_code == 0
