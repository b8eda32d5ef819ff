"""What verify, demo and failing commands say, and with which exit status."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pacbayes.certificate import Check
from pacbayes.certificate.verdicts import detail_words

from cli.conftest import small_frame


@pytest.fixture
def issued(run, small):
    """A folder from certify."""
    assert run("certify", small, "--target", "ill", "--out", "out").exit_code == 0
    return small.parent / "out"


@pytest.fixture
def forest(run, small):
    """A folder from certify with a model of scikit-learn."""
    assert run("certify", small, "--target", "ill", "--out", "held", "--model", "random-forest").exit_code == 0
    return small.parent / "held"


def changed(path, change):
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


def test_alone_it_counts_checks_and_says_what_was_not_checked(run, issued):
    result = run("verify", issued)
    assert result.exit_code == 0
    assert "8 checks held." in result.stdout
    assert "not checked: the data and the predictor's numbers (pass --data TABLE)" in result.stdout
    assert "ok " not in result.stdout
    assert "pacbayes." not in result.stdout
    assert "--data TABLE." in result.stdout.splitlines()[-1]
    assert run("verify", issued, "--verbose").stdout.count("ok ") == 8
    assert run("verify", issued, "-q").stdout == "The certificate holds.\n"
    (issued / "model.json").unlink()
    assert "not checked: the data and the predictor (pass" in run("verify", issued).stdout


def test_with_data_nothing_is_left_unchecked(run, issued, small):
    result = run("verify", issued, "--data", small)
    assert result.exit_code == 0
    assert "not checked" not in result.stdout
    assert len(json.loads(run("verify", issued, "--data", small, "--json").stdout)["checks"]) >= 20


def test_a_predictor_beside_it_must_be_readable_and_its_own(run, issued):
    changed(issued / "model.json", lambda record: record.update(certificate="0" * 64))
    result = run("verify", issued)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "The predictor belongs to another certificate."
    (issued / "model.json").write_text("junk")
    assert run("verify", issued).exit_code == 2


@pytest.mark.parametrize("data", [[], ["--data", "small.csv"]])
def test_models_cut_short_cannot_be_read_and_others_do_not_match(run, forest, data):
    path = forest / "model.skops"
    content = path.read_bytes()
    path.write_bytes(content + b" ")
    result = run("verify", forest, *data)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "The predictor was changed."
    path.write_bytes(content[:-100])
    result = run("verify", forest, *data)
    assert result.exit_code == 2
    assert "'model.skops' cannot be read" in result.stderr
    path.unlink()
    assert run("verify", forest, *data).exit_code == 2


def test_other_data_are_named_as_the_cause(run, issued, tmp_path):
    small_frame(rows=50).to_csv(tmp_path / "fewer.csv", index=False)
    result = run("verify", issued, "--data", "fewer.csv")
    assert result.exit_code == 1
    assert result.stdout.startswith("FAILED number of rows: claimed is 60, found 50\n")
    assert result.stdout.splitlines()[-1] == "These are not the data it was made from: 50 rows instead of 60."
    small_frame(seed=5).to_csv(tmp_path / "other.csv", index=False)
    result = run("verify", issued, "--data", "other.csv")
    assert result.stdout.splitlines()[-1].startswith("These are not the data it was made from: values")
    assert "Choice(" not in result.stdout
    assert max(map(len, result.stdout.replace(":", " ").split())) < 64
    assert "\nClaimed: With probability" in result.stdout


def test_an_edited_number_is_named_as_the_cause(run, issued):
    changed(issued / "certificate.json", lambda record: record["statements"][0].update(value=0.3335))
    result = run("verify", issued)
    assert result.exit_code == 1
    assert result.stdout.startswith("FAILED content digest")
    assert result.stdout.splitlines()[-1].startswith(
        "The certificate was edited: it says 0.3335, its observed numbers give 0."
    )
    assert run("verify", issued, "-q").stdout.startswith("FAILED content digest: claimed is ")


def test_a_changed_predictor_is_named_as_the_cause(run, issued, small):
    changed(issued / "model.json", lambda record: record["predictor"].update(intercept=9.0))
    result = run("verify", issued, "--data", small)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "The predictor was changed."


def test_other_data_of_a_held_out_model_are_the_cause(run, forest, tmp_path):
    frame = small_frame()
    frame.loc[:20, "age"] += 3.0
    frame.to_csv(tmp_path / "other.csv", index=False)
    result = run("verify", forest, "--data", "other.csv")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "These are not the data it was made from: values or their order differ."


def lower_slightly(record):
    record["statements"][0]["value"] -= 1e-6


def test_a_small_edit_is_shown_in_full(run, issued):
    changed(issued / "certificate.json", lower_slightly)
    said = run("verify", issued).stdout.splitlines()[-1]
    one, two = (float(word.strip(",.")) for word in said.split() if word[0] == "0")
    assert two - one == pytest.approx(1e-6)


def test_rows_that_are_no_number_cannot_be_read(run, issued):
    changed(issued / "model.json", lambda record: record.update(rows="many"))
    result = run("verify", issued)
    assert result.exit_code == 2
    assert "not as this version writes it" in result.stderr


@pytest.mark.parametrize("arguments", [["--datasets", "iris"], ["--jobs", "0", "--resume"], ["--fast"]])
def test_reproduce_refuses_like_the_other_commands(run, tmp_path, arguments):
    result = run("reproduce", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("pacbayes: ")
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_same_data_with_other_settings(run, issued, small):
    changed(issued / "model.json", lambda record: record["settings"].update(seed=3))
    result = run("verify", issued, "--data", small)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].startswith(("The same data give other numbers", "These are not the data"))


@pytest.mark.parametrize(
    ("method", "words"),
    [("split", "the judged rows give the recorded numbers"), ("online", "before it learned from it")],
)
def test_what_is_proved_fits_the_kind(run, small, method, words):
    assert run("certify", small, "--target", "ill", "--out", "x", "--method", method).exit_code == 0
    last = run("verify", "x", "--data", small).stdout.splitlines()[-1]
    assert words in last
    assert "prior" not in last


def test_files_that_are_no_certificates(run, issued, small):
    said = {
        small: "'small.csv' is not a certificate; pass certificate.json or its folder.",
        issued / "model.json": "This is a predictor, not a certificate.",
        ".": "The folder '.' holds no certificate.json.",
    }
    for given, words in said.items():
        result = run("verify", given)
        assert result.exit_code == 2
        assert result.stderr.strip() == f"pacbayes: {words}"


def test_a_certificate_from_watch_has_no_data_to_run(run, small):
    assert run("watch", "-", "--out", "c.json", input="0\n1\n0\n" * 40).exit_code == 0
    alone = run("verify", "c.json")
    assert alone.exit_code == 0
    assert "--data" not in alone.stdout
    result = run("verify", "c.json", "--data", small)
    assert result.exit_code == 2
    assert result.stderr.strip() == "pacbayes: A certificate from watch cannot be run again from data."


def test_demo_says_its_sentence_once(run):
    result = run("demo", "--out", "shown")
    assert result.stdout.count("With probability") == 1
    assert " checks held.\n" in result.stdout
    assert "ok " not in result.stdout
    quiet = run("demo", "--out", "shown", "-q")
    assert quiet.stdout.startswith("With probability")
    assert quiet.stdout.count("\n") == 1
    assert quiet.stderr == ""


def test_files_are_called_as_they_were_given(run, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    said = {
        "absent/c.json": "There is no folder 'absent' for --out.",
        "folder": "--out must be a file. 'folder' is a folder.",
        "file/c.json": "There is no folder 'file' for --out.",
    }
    for out, words in said.items():
        result = run("watch", "-", "--every", "1", "--out", out, input="0\n1\n0\n")
        assert result.exit_code == 2
        assert result.stderr.strip() == f"pacbayes: {words}"


def test_a_folder_that_cannot_be_written_is_called_as_it_was_given(run, small, tmp_path):
    (tmp_path / "file").write_text("")
    result = run("certify", small, "--target", "ill", "--out", "file/out")
    assert result.exit_code == 2
    assert "'file/out'" in result.stderr
    assert "Error" not in result.stderr


SLOW = """
import time
from pacbayes.cli import main
from pacbayes.runs import folder

def slow(*_):
    print("writing", flush=True)  # while a folder is written, what is printed goes to stderr
    time.sleep(60)

folder.write_predictor = slow
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGTERM")
def test_a_request_to_end_leaves_nothing_half_written(small, tmp_path):
    command = [sys.executable, "-c", SLOW, "certify", str(small), "--target", "ill", "--out", str(tmp_path / "out")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        assert any("writing" in line for line in process.stderr)
        assert len(list(tmp_path.iterdir())) == 2
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 143
        assert process.stderr.read().endswith("pacbayes: stopped.\n")
    assert list(tmp_path.iterdir()) == [small]


def test_what_has_no_short_form_is_not_said_to_differ_from_itself():
    check = Check("choices", False, [["learning_rows", 3]], [["learning_rows", 4]])
    assert detail_words(check) == "what is claimed is not what is found"


def test_the_demo_is_verified_as_its_readme_says(run, tmp_path, monkeypatch):
    for _ in range(2):  # the second replaces the first, with its table
        assert run("demo", "--out", str(tmp_path / "demo"), "-q").exit_code == 0
    monkeypatch.chdir(tmp_path / "demo")
    commands = {line.strip() for line in Path("README.txt").read_text().splitlines() if "pacbayes verify" in line}
    assert any("--data" in command for command in commands)
    for command in commands:
        assert run(*command.split()[1:]).exit_code == 0
