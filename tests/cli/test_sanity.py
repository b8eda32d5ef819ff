"""Order by time, notes and their refusal from the shell: certify, verify, report."""

import json

import numpy as np
import pandas as pd
import pytest

from pacbayes.tables import read_table


@pytest.fixture
def dated(tmp_path):
    """Six hundred days after which things change: the sign of the column flips half way."""
    generator = np.random.default_rng(0)
    a = generator.normal(size=600)
    sign = np.where(np.arange(600) < 420, 1.0, -1.0)
    frame = pd.DataFrame({
        "a": a,
        "b": generator.normal(size=600),
        "day": pd.date_range("2022-01-01", periods=600).strftime("%d.%m.%Y"),
        "t": np.where(sign * a + 0.3 * generator.normal(size=600) > 0, "yes", "no"),
    })  # fmt: skip
    path = tmp_path / "dated.csv"
    frame.sample(frac=1.0, random_state=0).to_csv(path, index=False)
    return path


def test_by_time_the_later_rows_judge(run, dated, tmp_path):
    shuffled = run("certify", dated, "--target", "t", "--drop", "day", "--out", "shuffled", "--json")
    result = run(
        "certify", dated, "--target", "t", "--time", "day", "--learning-fraction", "0.7", "--out", "o", "--json"
    )
    assert (shuffled.exit_code, result.exit_code) == (0, 0)
    record = json.loads(result.stdout)
    # learned before the change and judged after it: a shuffle would have hidden that
    assert record["certificate"]["statements"][0]["value"] > 0.85
    assert json.loads(shuffled.stdout)["certificate"]["statements"][0]["value"] < 0.5
    assert "on rows of the judged period, 2023-02-25 to 2023-08-23, is at most" in record["sentence"]
    assert [each["name"] for each in record["columns"]] == ["a", "b"]
    assert "note: The rows are ordered by the column 'day', from 2022-01-01 to 2023-08-23" in result.stderr
    page = (tmp_path / "o" / "report.html").read_text()
    assert "The rows were not shuffled: they were taken as they came, the earliest first." in page
    assert "judged period, 2023-02-25 to 2023-08-23" in page
    assert "The rows were shuffled." not in page
    assert "The rows were shuffled." in (tmp_path / "shuffled" / "report.html").read_text()


@pytest.mark.parametrize("method", ["posterior", "online", "split"])
def test_by_time_everything_is_run_again(run, dated, method):
    options = ("--method", method, "--out", "o", "--no-baseline", "--hardest", "2")
    assert run("certify", dated, "--target", "t", "--time", "day", *options).exit_code == 0
    assert run("verify", "o", "--data", dated).exit_code == 0
    changed = read_table(dated)
    changed.loc[0, "day"] = "01.01.2020"  # one row is now the first of all
    changed.to_csv("other.csv", index=False)
    assert run("verify", "o", "--data", "other.csv").exit_code == 1


def test_the_order_of_the_file_plays_no_part_where_times_differ(run, dated):
    read_table(dated).sample(frac=1.0, random_state=5).to_csv("again.csv", index=False)
    values = []
    for name in (dated, "again.csv"):
        result = run("certify", name, "--target", "t", "--time", "day", "--out", f"{name}-o", "--json", "-q")
        record = json.loads(result.stdout)["certificate"]
        values.append((record["statements"], record["digests"]))
    assert values[0] == values[1]


def test_notes_are_said_and_refused(run, tmp_path, small):
    frame = read_table(small).assign(copy=lambda frame: frame["ill"])
    frame.to_csv("leak.csv", index=False)
    said = run("certify", "leak.csv", "--target", "ill", "--out", "o")
    words = "The column 'copy' is a copy of the target under other names. Will it be known for new cases?"
    assert said.exit_code == 0
    assert f"note: {words}" in said.stderr
    assert words in said.stdout
    assert words.replace("'", "&#39;").partition(". Will")[0] in (tmp_path / "o" / "report.html").read_text()
    assert "copies_target" in [
        note["code"] for note in json.loads((tmp_path / "o/certificate.json").read_text())["notes"]
    ]
    assert run("verify", "o", "--data", "leak.csv").exit_code == 0
    refused = run("certify", "leak.csv", "--target", "ill", "--out", "p", "--strict")
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1].startswith("pacbayes: --strict refuses a certificate where something was")
    assert words in refused.stderr
    assert not (tmp_path / "p").exists()
    assert run("certify", "leak.csv", "--target", "ill", "--drop", "copy", "--out", "p", "--strict").exit_code == 0


def test_notes_go_to_stderr_beside_json_too(run, small):
    read_table(small).assign(row=range(60)).to_csv("t.csv", index=False)
    result = run("certify", "t.csv", "--target", "ill", "--out", "o", "--json")
    assert json.loads(result.stdout)["certificate"]["notes"][0]["code"] == "counts_rows"
    assert "note: The column 'row' changes in one direction" in result.stderr


def test_text_in_other_countries(run, tmp_path):
    generator = np.random.default_rng(0)
    a = generator.normal(size=200)
    numbers = [repr(float(each)).replace(".", ",") for each in a]
    towns = generator.choice(["Köln", "Bonn"], 200)
    frame = pd.DataFrame({"größe": numbers, "stadt": towns, "leer": "", "t": np.where(a > 0.2, "ja", "nein")})
    frame.to_csv("daten.csv", index=False, sep=";", encoding="latin-1")
    refused = run("certify", "daten.csv", "--target", "t", "--out", "o")
    assert (refused.exit_code, "--encoding latin-1" in refused.stderr) == (2, True)
    given = ("--encoding", "latin-1", "--decimal", ",")
    result = run("certify", "daten.csv", "--target", "t", "--out", "o", *given, "--json")
    assert {each["name"]: each["kind"] for each in json.loads(result.stdout)["columns"]} == {
        "größe": "number",
        "stadt": "category",
    }
    assert "note: Columns that hold nothing but missing values are left out (1): 'leer'." in result.stderr
    assert run("verify", "o", "--data", "daten.csv").exit_code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--decimal", "x"), "--decimal must be '.' or ','. Got 'x' instead."),
        (("--decimal", ",", "--delimiter", ","), "--decimal and --delimiter must differ. Got ',' for both."),
        (("--encoding", "klingon"), "--encoding must be an encoding of text, such as latin-1 or utf-8."),
        (("--time", "agee"), "There is no column 'agee'. Did you mean 'age'?"),
        (("--time", "job"), "The time 'job' must hold numbers or dates, such as 2024-12-31."),
        (("--time", "ill"), "cannot be the target or dropped"),
        (("--drop", "age,jbo"), "There is no column 'jbo'. Did you mean 'job'?"),
    ],
)
def test_wrong_usage_is_answered_in_one_line(run, small, options, words):
    result = run("certify", small, "--target", "ill", "--out", "o", *options)
    assert result.exit_code == 2
    assert words in result.stderr.splitlines()[-1]


def test_svmlight_from_the_shell(run, tmp_path):
    from sklearn.datasets import dump_svmlight_file

    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 4))
    dump_svmlight_file(X, (X[:, 0] > 0.3).astype(int), str(tmp_path / "t.svm"), zero_based=False)
    assert run("certify", "t.svm", "--target", "label", "--out", "o").exit_code == 0
    assert run("verify", "o", "--data", "t.svm").exit_code == 0
