"""``pacbayes predict``: CSV on stdout or in a file, the guarantee beside it, one line where it cannot be."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes._core.notes import Note

from cli.conftest import small_frame
from cli.test_bad_input import one_line


@pytest.fixture
def folder(run, small, tmp_path):
    assert run("certify", small, "--target", "ill", "--out", "out", "--no-baseline").exit_code == 0
    small_frame(seed=1).drop(columns="ill").to_csv(tmp_path / "new.csv", index=False)
    return tmp_path / "out"


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_stdout_is_plain_csv_and_the_guarantee_goes_to_stderr(run, folder):
    result = run("predict", "out", "new.csv")
    assert result.exit_code == 0, result.output
    expected = pb.load_run(folder).predict(small_frame(seed=1))
    assert [row["prediction"] for row in rows(result.stdout)] == expected.tolist()
    assert list(rows(result.stdout)[0]) == ["prediction", "probability_no", "probability_yes"]
    assert pb.Certificate.from_json(folder / "certificate.json").sentence() in result.stderr
    assert run("predict", "out", "new.csv", "--quiet").stderr == ""


def test_a_file_gets_the_guarantee_beside_it(run, folder, tmp_path):
    result = run("predict", "out", "new.csv", "--out", "p.csv")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert len(rows((tmp_path / "p.csv").read_text())) == 60
    sentence = pb.Certificate.from_json(folder / "certificate.json").sentence()
    assert (tmp_path / "p.csv.certificate.txt").read_text() == f"{sentence}\n"
    assert "already" in one_line(run("predict", "out", "new.csv", "--out", "p.csv"))
    assert run("predict", "out", "new.csv", "--out", "p.csv", "--force").exit_code == 0


def test_everything_that_is_certified_is_written_beside_the_predictions(run, small, tmp_path):
    asked = ("--metric", "error", "--metric", "recall:yes", "--group", "job")
    assert run("certify", small, "--target", "ill", "--out", "all", "--no-baseline", *asked).exit_code == 0
    assert run("predict", "all", small, "--out", "p.csv").exit_code == 0
    text = (tmp_path / "p.csv.certificate.txt").read_text()
    assert text.strip() in (tmp_path / "all" / "README.txt").read_text()
    assert "recall:yes" in text
    assert "job" in text


def test_json_is_one_object(run, folder):
    record = json.loads(run("predict", "out", "new.csv", "--json").stdout)
    assert record["classes"] == ["no", "yes"]
    np.testing.assert_allclose(np.sum(record["probabilities"], axis=1), 1.0)
    assert record["predictions"] == pb.load_run(folder).predict(small_frame(seed=1)).tolist()
    assert record["notes"] == []


def test_what_puts_the_number_in_doubt_is_said_wherever_it_is_used(run, small, tmp_path):
    small_frame()[["ill", "job", "age"]].to_csv(tmp_path / "copies.csv", index=False)
    command = ("certify", small, "--target", "ill", "--test", "copies.csv", "--out", "out", "--no-baseline")
    assert run(*command).exit_code == 0
    words = "60 of 60 judged rows are copies of learning rows"
    for options in ((), ("--quiet",), ("--json",)):
        assert words in run("predict", "out", small, *options).stderr
        assert words in run("verify", "out", *options).stderr
    for command in (("predict", "out", small), ("verify", "out")):
        (said,) = json.loads(run(*command, "--json").stdout)["cautions"]
        assert said.startswith(words)
    assert run("predict", "out", small, "--out", "p.csv").exit_code == 0
    for file in ("p.csv.certificate.txt", "out/README.txt"):
        assert f"\nNote: {words}" in (tmp_path / file).read_text()


def test_that_rows_may_belong_together_is_said_wherever_the_number_is(run, tmp_path):
    """The number is too small for new customers, and whoever uses it does not see what certify printed."""
    frame = small_frame(rows=200).assign(customer=[f"customer {number % 40}" for number in range(200)])
    frame.to_csv(tmp_path / "visits.csv", index=False)
    words = "note: The column 'customer' has 40 values with about 5 rows each. If the rows of one value belong together"
    for options in ((), ("--force", "--quiet")):
        made = run("certify", "visits.csv", "--target", "ill", "--drop", "customer", "--no-baseline", *options)
        assert made.exit_code == 0
        assert made.stderr.count(words) == 1
    for options in ((), ("--quiet",), ("--json",)):
        for command in (("predict", "visits-certificate", "visits.csv"), ("verify", "visits-certificate")):
            assert words in run(*command, *options).stderr
    assert run("predict", "visits-certificate", "visits.csv", "--out", "p.csv").exit_code == 0
    for file in ("p.csv.certificate.txt", "visits-certificate/README.txt"):
        assert f"\nNote: {words.removeprefix('note: ')}" in (tmp_path / file).read_text()
    page = (tmp_path / "visits-certificate" / "report.html").read_text()
    assert "the number is too small for new patients." in page


def test_that_a_column_gives_the_target_away_is_said_wherever_the_number_is(run, tmp_path):
    """The number is next to nothing, and not about new customers, of whom nobody knows why they will have left."""
    frame = small_frame(rows=200)
    frame.assign(reason=frame["ill"].map({"yes": "price", "no": "none"})).to_csv(tmp_path / "left.csv", index=False)
    for options in ((), ("--force", "--quiet")):
        made = run("certify", "left.csv", "--target", "ill", "--no-baseline", *options)
        assert "note: The column 'reason' is a copy of the target" in made.stderr, made.output
    for command in (("predict", "left-certificate", "left.csv"), ("verify", "left-certificate")):
        assert "note: The column 'reason' is a copy of the target" in run(*command, "--quiet").stderr
    page = (tmp_path / "left-certificate" / "report.html").read_text()
    assert "if it is not known for new cases, the number is not about them." in page


def test_an_order_that_nobody_can_draw_again_is_said(run, tmp_path):
    frame = small_frame(rows=200)
    known = pb.CertifiedClassifier(LogisticRegression(), random_state=0).fit(frame[["age"]], frame["ill"]).certificate_
    loose = replace(known, seed=None, notes=(*known.notes, Note("order_not_reproducible")), digest="")
    said = "note: The order of the rows was drawn without a recorded seed"
    for certificate, words in ((known, ""), (loose, said)):
        certificate.to_json(tmp_path / "c.json")
        assert run("verify", "c.json", "--quiet").stderr.startswith(words) is True
        assert bool(json.loads(run("verify", "c.json", "--json").stdout)["cautions"]) is bool(words)


def test_a_label_cannot_move_the_cursor(run, small, tmp_path):
    frame = small_frame()
    frame["ill"] = frame["ill"].replace("yes", "y\x1b[2Kes")
    frame.to_csv(small, index=False)
    assert run("certify", small, "--target", "ill", "--out", "out", "--no-baseline").exit_code == 0
    assert "\x1b" not in run("predict", "out", small).stdout
    assert run("predict", "out", small, "--out", "p.csv").exit_code == 0
    assert set(pb.load_run("out").predict(frame)) == {
        row["prediction"] for row in rows((tmp_path / "p.csv").read_text())
    }
