"""What a new user tripped over: silent guesses, numbers without their meaning, files overwritten."""

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import pacbayes as pb
from pacbayes.bounds import examples_needed
from pacbayes.cli._app import app
from pacbayes.tables import find_leaks, prepare_table
from pacbayes.tables.words import sentence


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **options: CliRunner().invoke(app, [str(each) for each in arguments], **options)


def table(n=200, **columns):
    generator = np.random.default_rng(0)
    return pd.DataFrame({"a": generator.normal(size=n), "t": np.where(np.arange(n) % 2, "yes", "no")} | columns)


def test_a_rare_class_is_set_against_the_most_common_answer(run, tmp_path):
    generator = np.random.default_rng(0)
    labels = np.where(np.isin(np.arange(500), [3, 50, 200, 310, 444]), "fraud", "ok")
    pd.DataFrame({"noise": generator.normal(size=500), "t": labels}).to_csv("rare.csv", index=False)
    result = run("certify", "rare.csv", "--target", "t", "--out", "o")
    assert result.exit_code == 0
    assert "fraud: 5, ok: 495" in result.stdout
    assert "always predicting 'ok' would be wrong on 1.00 %" in result.stdout
    assert "no better than always giving the most common answer" in result.stdout
    page = (tmp_path / "o" / "report.html").read_text()
    assert "no better than always giving the most common answer" in page


def test_a_stream_of_snapshots_says_which_number_is_the_votes(run, tmp_path):
    sample = pb.datasets.make_known_risk(300, d=2, random_state=0)
    pd.DataFrame(sample.X, columns=["a", "b"]).assign(t=sample.y).to_csv("s.csv", index=False)
    assert run("certify", "s.csv", "--target", "t", "--method", "online", "--out", "o").exit_code == 0
    page = (tmp_path / "o" / "report.html").read_text()
    assert "twice the guarantee" in page
    assert "double it for the vote" in page


@pytest.mark.parametrize(
    ("columns", "note"),
    [
        ({"b": ["1.5"] * 199 + ["abc"]}, "because some of its values (1) are not numbers, such as 'abc'"),
        ({"b": ["1,5", "2,5"] * 100}, "decimal comma"),
        ({"b": [f"name {k}" for k in range(200)]}, "occurs once"),
        ({"b": ["x", "y"] * 100}, "is a copy of the target"),
        ({"b": ["x", "y", "z", "y"] * 50}, "determines the target"),
        ({"t": ["yes", "no", "yes ", "no"] * 50}, "differ in blanks"),
    ],
)
def test_what_columns_are_taken_for_is_not_silent(columns, note):
    prepared = prepare_table(table(**columns), "t")
    assert any(note in sentence(each) for each in (*prepared.notes, *find_leaks(prepared, np.arange(200))))


def test_ordinary_columns_get_no_note():
    generator = np.random.default_rng(1)
    assert prepare_table(table(b=generator.choice(["x", "y", "z"], 200)), "t").notes == ()


@pytest.mark.parametrize(("risk", "target"), [(0.02, 0.05), (0.1, 0.15), (0.0, 0.05), (0.3, 0.4)])
def test_a_plan_holds_for_all_larger_numbers_too(risk, target):
    n, value = examples_needed("clopper_pearson", target=target, risk=risk)
    errors = np.floor(risk * np.arange(1, 3000) + 1e-9).astype(int)  # at most that share of them is wrong
    values = pb.bounds.clopper_pearson(errors, np.arange(1, 3000), 0.05)
    assert value <= target
    assert np.all(values[n - 1 :] <= target)
    assert values[n - 2] > target


def test_bounds_of_a_certificate_take_nothing_but_delta(run):
    run("demo", "--out", "d", "--quiet")
    assert "With --from only --delta" in run("bound", "maurer", "--from", "d/certificate.json").stderr
    assert "With --from only --delta" in run("bound", "--from", "d/certificate.json", "--risk", "0.1").stderr
    assert run("bound", "--from", "d").exit_code == 0


def test_files_of_others_are_not_overwritten(run, tmp_path):
    (tmp_path / "mine.csv").write_text("a,b\n1,2\n")
    (tmp_path / "losses.txt").write_text("0\n1\n" * 50)
    assert run("watch", "losses.txt", "--out", "mine.csv").exit_code == 2
    assert run("bound", "maurer", "--risk", "0.1", "--n", "100,200", "--csv-out", "mine.csv").exit_code == 2
    assert (tmp_path / "mine.csv").read_text() == "a,b\n1,2\n"
    assert run("watch", "losses.txt", "--out", "c.json").exit_code == 0
    assert run("watch", "losses.txt", "--out", "c.json").exit_code == 0
    assert "no folder" in run("watch", "losses.txt", "--out", "nowhere/c.json").stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"label": null, "prediction": null}', "must be known"),
        ('{"label": 1, "prediction": 0.8}', "not a probability"),
        ('{"label": 1, "prediction": "1"}', "of one kind"),
    ],
)
def test_watch_refuses_what_is_no_class(run, line, message):
    result = run("watch", "-", input="0\n" * 20 + line + "\n")
    assert result.exit_code == 0
    assert "line 21: " in result.stderr
    assert message in result.stderr
    assert "Lines that could not be read and count as wrong (loss 1): 1." in result.stderr


def test_real_losses_give_a_certificate_that_verifies(run, tmp_path):
    (tmp_path / "losses.txt").write_text("\n".join(["0.3", "0.25", "0.1"] * 30))
    assert run("watch", "losses.txt", "--out", "c.json", "--quiet").exit_code == 0
    assert pb.Certificate.from_json(tmp_path / "c.json").verify()
    assert pb.Certificate.from_json(tmp_path / "c.json").n == 90


def test_watch_writes_all_shares_in_percent(run, tmp_path):
    (tmp_path / "p.csv").write_text("y,p\n" + "0,0\n1,1\n" * 190 + "0,1\n" * 20)
    assert run("check", "p.csv", "--label", "y", "--prediction", "p", "--out", "c").exit_code == 0
    (tmp_path / "losses.txt").write_text("\n".join(["0", "0.25", "0", "0"] * 50 + ["1"] * 100))
    result = run("watch", "losses.txt", "--certificate", "c", "--page", "page.html", "--every", "50")
    assert result.exit_code == 3
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    shown = re.sub(r"<style.*?</style>|<svg.*?</svg>|<[^>]*>", " ", page, flags=re.DOTALL)
    for text in (result.stdout, shown):
        shares = re.findall(r"(?<![\d^])(?:0|1)\.\d{4}(?!\d)", text)
        assert shares == []
    assert "observed 6.25 %, true loss at most" in result.stdout


def test_watch_stops_at_a_wrong_file(run, tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n" * 200)
    result = run("watch", "table.csv")
    assert result.exit_code == 2
    assert "Is this the right file?" in result.stderr
    assert len(result.stderr.splitlines()) < 15


def test_a_full_folder_does_not_hide_what_else_is_wrong(run, tmp_path):
    """Otherwise --force would be tried next, and say something else then."""
    path = tmp_path / "cells.csv"
    table(b=np.arange(200) % 7).to_csv(path, index=False)
    assert run("certify", str(path), "--target", "t").exit_code == 0
    for options, words in [
        (("--target", "T"), "There is no column 'T'. Did you mean 't'?"),
        (("--target", "t", "--model", "svm"), "svm"),
        (("--target", "t", "--drop", "foo"), "There is no column 'foo'."),
        (("--target", "t", "--group", "foo"), "There is no column 'foo'."),
        (("--target", "t"), "is not empty"),
    ]:
        result = run("certify", str(path), *options)
        assert result.exit_code == 2
        assert words in " ".join(result.stderr.split())
        assert ("is not empty" in " ".join(result.stderr.split())) == (words == "is not empty")
    result = run("certify", "cells.cvs", "--target", "t")
    assert (result.exit_code, result.stderr) == (
        2, "pacbayes: There is no file 'cells.cvs'. Did you mean 'cells.csv'?\n"
    )  # fmt: skip


@pytest.mark.parametrize("value", [("--delta", "5%"), ("--delta=5%",)])
def test_what_is_no_number_is_refused_in_our_words(run, value):
    result = run("plan", *value)
    assert result.exit_code == 2
    assert "--delta" in result.stderr
    assert "'5%'" in result.stderr
    assert "Input should be" not in result.stderr


@pytest.mark.parametrize("command", ["compare", "plan", "watch"])
def test_examples_in_help_stand_on_lines_of_their_own(run, command):
    shown = run(command, "--help").stdout
    assert "\\b" not in shown
    assert "\b" not in shown
    examples = [line for line in shown.splitlines() if line.startswith("      ") and f"pacbayes {command}" in line]
    assert examples
    assert all(line.count("pacbayes ") == 1 for line in examples)
