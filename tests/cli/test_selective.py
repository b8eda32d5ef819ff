"""``pacbayes certify --max-error`` and ``--max-false-negative-rate``: folder, prediction, verification, refusals."""

import csv
import io
import json

import pytest

import pacbayes as pb

from cli.conftest import small_frame
from cli.test_bad_input import one_line


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    small_frame(rows=1200).to_csv(path, index=False)
    return path


def certify(run, table, *options):
    return run("certify", table, "--target", "ill", "--out", "out", *options)


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_model_that_abstains(run, table, tmp_path):
    result = certify(run, table, "--max-error", "0.05")
    assert result.exit_code == 0, result.output
    assert "among the rows that it answers is at most 5 %" in result.stdout.replace("\n", " ")
    folder = tmp_path / "out"
    certificate = pb.Certificate.from_json(folder / "certificate.json")
    assert certificate.procedure == "selective"
    found = rows(run("predict", "out", table).stdout)
    expected = pb.load_run(folder).predict_or_abstain(small_frame(rows=1200))
    assert [row["prediction"] for row in found] == ["no answer" if each is None else each for each in expected]
    assert {row["answered"] for row in found} == {"yes", "no"}
    record = json.loads(run("predict", "out", table, "--json").stdout)
    assert record["predictions"] == expected.tolist()
    assert "predict_or_abstain" in (folder / "README.txt").read_text()
    assert "Answers against errors" in (folder / "report.html").read_text()


def test_it_is_verified_with_the_data(run, table, tmp_path):
    assert certify(run, table, "--max-error", "0.05").exit_code == 0
    result = run("verify", "out", "--data", table)
    assert result.exit_code == 0, result.output
    path = tmp_path / "out" / "certificate.json"
    record = json.loads(path.read_text())
    record["statements"][0]["observed"]["passed"] += 1
    path.write_text(json.dumps(record))
    assert run("verify", "out").exit_code == 1


def test_settings_that_ask_for_another_error_are_refused(run, table, tmp_path):
    assert certify(run, table, "--max-error", "0.05").exit_code == 0
    path = tmp_path / "out" / "model.json"
    record = json.loads(path.read_text())
    record["settings"]["max_error"] = 0.01
    path.write_text(json.dumps(record))
    assert run("verify", "out").exit_code == 1


def test_few_misses(run, table):
    result = certify(run, table, "--max-false-negative-rate", "0.1", "--positive", "yes")
    assert result.exit_code == 0, result.output
    assert "false-negative rate of class yes of `predict` is at most 10 %" in result.stdout.replace("\n", " ")
    assert run("verify", "out", "--data", table).exit_code == 0
    assert "answered" not in rows(run("predict", "out", table).stdout)[0]


def test_nothing_is_certified_and_nothing_is_answered(run, table):
    result = certify(run, table, "--max-error", "0.0001")
    assert result.exit_code == 0, result.output
    assert result.stdout.replace("\n", " ").count("No threshold is certified at 0.01 %") == 1
    assert "needs" not in result.stdout
    assert {row["prediction"] for row in rows(run("predict", "out", table).stdout)} == {"no answer"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--max-error", "2"), "strictly between 0 and 1"),
        (("--max-error", "0.1", "--max-false-negative-rate", "0.1", "--positive", "yes"), "not both"),
        (("--max-false-negative-rate", "0.1"), "--positive"),
        (("--max-error", "0.1", "--method", "online"), "--method selective"),
        (("--method", "selective"), "needs --max-error"),
        (("--max-error", "0.1", "--refit"), "split of the rows"),
    ],
)
def test_what_does_not_go_together_is_one_line(run, table, options, words):
    assert words in one_line(certify(run, table, *options))
