"""``compare``: predictions of several models in a file, certified against one of them and verified with the file."""

import json

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes.runs import ComparisonFile, compare_file

from cli.test_bad_input import one_line


def predictions(rows=400, errors=(60, 20, 50)):
    y = np.where(np.random.default_rng(0).random(rows) < 0.5, "cat", "dog")
    wrong = np.where(y == "cat", "dog", "cat")
    columns = {
        name: np.where(np.arange(rows) % 200 < count // 2, wrong, y) for name, count in zip("abc", errors, strict=True)
    }
    return pd.DataFrame({"y": y, **columns})


@pytest.fixture
def file(tmp_path):
    predictions().to_csv(tmp_path / "p.csv", index=False)
    return tmp_path / "p.csv"


PAIR = ("--label", "y", "--prediction", "a", "--prediction", "b")


def test_certifies_reports_and_is_verified_with_the_file(run, file, tmp_path):
    result = run("compare", file, *PAIR, "--out", "out")
    assert result.exit_code == 0, result.output
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"README.txt", "certificate.json", "predictions.json", "report.html"}
    certificate = pb.Certificate.from_json(tmp_path / "out" / "certificate.json")
    frame = predictions()
    expected = pb.compare_predictions(frame["y"].to_numpy(), {"b": frame["b"].to_numpy()}, {"a": frame["a"].to_numpy()})
    assert certificate.statements == expected.statements
    assert certificate.sentence() in result.stdout
    assert "b is better" in result.stdout
    assert run("verify", "out").exit_code == 0
    checked = run("verify", "out", "--data", file)
    assert checked.exit_code == 0, checked.output
    predictions(errors=(62, 20, 50)).to_csv(file, index=False)
    assert run("verify", "out", "--data", file).exit_code == 1


def test_several_models_against_a_named_one(run, file, tmp_path):
    result = run("compare", file, *PAIR, "--prediction", "c", "--baseline", "c", "--out", "out", "--json")
    record = json.loads(result.stdout)
    assert [each["compared"] for each in record["certificate"]["statements"]] == [["a", "c"], ["b", "c"]]
    assert len(record["sentences"]) == 2
    assert run("verify", "out", "--data", file).exit_code == 0


def test_anytime_limits_for_a_file_that_grows(run, file, tmp_path):
    assert run("compare", file, *PAIR, "--anytime", "--out", "out", "--quiet").exit_code == 0
    assert pb.Certificate.from_json(tmp_path / "out" / "certificate.json").statements[0].anytime
    assert run("verify", "out", "--data", file).exit_code == 0


def test_losses(run, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"one": rng.random(300) / 2, "two": rng.random(300) / 4})
    frame.to_csv(tmp_path / "l.csv", index=False)
    assert run("compare", "l.csv", "--loss", "one", "--loss", "two", "--out", "out").exit_code == 0
    assert run("verify", "out", "--data", "l.csv").exit_code == 0


def test_an_edited_certificate_or_record_is_noticed(run, file, tmp_path):
    assert run("compare", file, *PAIR, "--out", "out").exit_code == 0
    path = tmp_path / "out" / "predictions.json"
    text = path.read_text()
    path.write_text(text.replace('"b"', '"c"'))
    assert run("verify", "out", "--data", file).exit_code == 1
    path.write_text(text.replace('"header": true', '"header": 1'))
    assert "as it was written" in one_line(run("verify", "out", "--data", file))
    path.write_text(text)
    place = tmp_path / "out" / "certificate.json"
    record = json.loads(place.read_text())
    record["statements"][0]["lower"] = -0.01
    place.write_text(json.dumps(record))
    assert run("verify", "out").exit_code == 1


@pytest.mark.parametrize("spelled", [{"cat": "Cat"}, {"cat": "kitten"}])
def test_a_class_that_is_written_in_two_ways_reverses_no_verdict(run, tmp_path, spelled):
    frame = predictions(errors=(40, 2, 0))  # b is better
    frame.assign(b=frame["b"].replace(spelled)).to_csv(tmp_path / "p.csv", index=False)
    count = int((frame["b"] == "cat").sum())
    for options in (("--quiet",), ("--json",), ()):
        result = run("compare", "p.csv", *PAIR, "--out", "out", "--force", *options)
        assert f"Predictions that are no label of these rows: {count}, such as" in result.stderr
        assert "a is better" not in result.stdout
    (statement,) = pb.Certificate.from_json(tmp_path / "out" / "certificate.json").statements
    assert statement.observed["unsteady"] == count
    assert statement.lower < -0.095 < statement.value
    assert run("verify", "out", "--data", "p.csv").exit_code == 0


def test_numbers_are_compared_by_value_beside_words(run, tmp_path):
    frame = predictions(errors=(40, 2, 0)).replace({"cat": "0", "dog": "1"})
    halves = np.where(frame.index < 200, frame["b"], frame["b"] + ".0")
    for name, column in {"plain": frame["b"].to_numpy(), "mixed": halves}.items():
        given = frame.assign(b=column)
        given.loc[399, "b"] = "unknown"
        given.to_csv(tmp_path / f"{name}.csv", index=False)
        assert run("compare", f"{name}.csv", *PAIR, "--out", name).exit_code == 0
    one, two = (pb.Certificate.from_json(tmp_path / each / "certificate.json") for each in ("plain", "mixed"))
    assert one.statements == two.statements
    assert "b is better" in one.sentence()


@pytest.mark.parametrize("kind", [str, object])
def test_predictions_in_python_that_are_no_label(kind):
    frame = predictions(errors=(40, 2, 0))
    y, a, b = (frame[name].to_numpy(dtype=kind) for name in "yab")
    b[b == "cat"] = "Cat"
    with pytest.warns(pb.CertificateWarning, match="Predictions that are no label of these rows"):
        certificate = pb.compare_predictions(y, {"a": a}, {"b": b})
    assert certificate.statements[0].lower < 0.095 < certificate.value
    assert [note.code for note in certificate.notes] == ["unknown_predictions", "classes_differ_in_blanks"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--label", "y", "--prediction", "a"), "at least two different columns"),
        (("--label", "y", "--prediction", "a", "--prediction", "a"), "at least two different columns"),
        (("--prediction", "a", "--prediction", "b"), "Name the columns"),
        ((*PAIR, "--loss", "c"), "Name the columns"),
        ((*PAIR, "--baseline", "c"), "--baseline must be one of a, b"),
        ((*PAIR, "--delta", "2"), "--delta must lie between 0 and 1"),
        (("--label", "y", "--prediction", "a", "--prediction", "z"), "z"),
    ],
)
def test_wrong_usages_get_one_sentence(run, file, options, words):
    assert words in one_line(run("compare", file, *options))


def test_the_report_says_who_is_better(file):
    found = compare_file(file, ComparisonFile(label="y", predictions=("a", "b")))
    page = found.report()
    assert "Model b is better." in page
    assert "true error of b minus that of a" in page
    assert "If another confidence had been chosen" not in page
