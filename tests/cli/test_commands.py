"""Every command on small files: what it prints, what it writes, and its exit status."""

import csv
import io
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

import pacbayes as pb
from pacbayes.bounds import catalogue
from pacbayes.certificate.words import note_words, round_up

from bounds import cases
from cli.conftest import small_frame


def test_certify_writes_everything_and_verify_runs_it_again(run, small, tmp_path):
    result = run("certify", small, "--target", "ill", "--out", "out")
    assert result.exit_code == 0, result.output
    assert "split, the default for every model" in result.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "README.txt",
        "certificate.json",
        "model.json",
        "report.html",
    ]
    certificate = pb.Certificate.from_json(tmp_path / "out" / "certificate.json")
    assert certificate.sentence() in result.stdout
    for arguments in (["out"], ["out/certificate.json", "--data", small], ["out", "--model", "out/model.json"]):
        checked = run("verify", *arguments)
        assert checked.exit_code == 0, checked.output
        assert "The certificate holds." in checked.stdout


@pytest.mark.parametrize(
    ("options", "procedure"),
    [
        (["--method", "online"], "online"),
        (["--model", "random-forest", "--method", "online"], "online"),
        (["--model", "random-forest"], "split"),
        (["--model", "hist-gradient-boosting", "--learning-fraction", "0.5"], "split"),
        (["--model", "sklearn.naive_bayes.GaussianNB", "--delta", "0.1", "--candidates", "3"], "split"),
    ],
)
def test_other_models_and_methods(run, small, tmp_path, options, procedure):
    result = run("certify", small, "--target", "ill", "--out", "out", *options)
    assert result.exit_code == 0, result.output
    assert pb.Certificate.from_json(tmp_path / "out" / "certificate.json").procedure == procedure
    assert (tmp_path / "out" / "model.skops").exists()
    assert run("verify", "out", "--data", small).exit_code == 0


def test_other_rows_another_model_and_another_certificate_do_not_verify(run, small, tmp_path):
    assert run("certify", small, "--target", "ill", "--out", "a").exit_code == 0
    assert run("certify", small, "--target", "ill", "--out", "b", "--seed", "1").exit_code == 0
    assert run("verify", "a", "--model", "b").exit_code == 1
    other = tmp_path / "other.csv"
    small_frame(seed=5).to_csv(other, index=False)
    result = run("verify", "a", "--data", other)
    assert result.exit_code == 1
    assert "FAILED digest of the data" in result.stdout
    model = json.loads((tmp_path / "a" / "model.json").read_text())
    model["predictor"]["intercept"] += 1.0
    (tmp_path / "a" / "model.json").write_text(json.dumps(model))
    result = run("verify", "a", "--data", small)
    assert result.exit_code == 1
    assert "FAILED the predictor is what" in result.stdout


@pytest.mark.parametrize(
    "rest", [["check", "--prediction", "a"], ["compare", "--prediction", "a", "--prediction", "b"]]
)
def test_quiet_keeps_what_puts_a_number_in_doubt(run, tmp_path, rest):
    path = tmp_path / "p.csv"
    path.write_text("t,a,b\n" + "x,x,y\ny,y,y\n" * 60)
    command, *columns = rest
    result = run(command, str(path), "--label", "t", *columns, "--delta", "0.7", "--quiet")
    assert result.exit_code == 0
    assert result.stderr == "note: With a delta of 0.7 the guarantee may be wrong more often than right.\n"


def test_quiet_keeps_what_puts_a_certificate_in_doubt(run, small):
    result = run("certify", small, "--target", "ill", "--out", "c", "--quiet", "--delta", "0.7")
    assert result.stderr == "note: With a delta of 0.7 the guarantee may be wrong more often than right.\n"


def test_json_is_one_object_and_quiet_is_brief(run, small):
    record = json.loads(run("certify", small, "--target", "ill", "--out", "a", "--json").stdout)
    assert record["method"] == "split"
    assert record["certificate"]["procedure"] == "split"
    quiet = run("certify", small, "--target", "ill", "--out", "b", "--quiet")
    assert quiet.stderr == ""
    assert quiet.stdout.strip() == record["sentence"]
    assert json.loads(run("verify", "a", "--json").stdout)["holds"] is True


def test_a_folder_is_replaced_only_by_force(run, small, tmp_path):
    assert run("certify", small, "--target", "ill", "--model", "random-forest", "--out", "out").exit_code == 0
    assert run("certify", small, "--target", "ill", "--out", "out").exit_code == 2
    assert run("certify", small, "--target", "ill", "--out", "out", "--force").exit_code == 0
    assert not (tmp_path / "out" / "model.skops").exists()
    assert run("verify", "out", "--data", small).exit_code == 0


def test_fifty_rows_get_an_honest_wide_certificate(run, tmp_path):
    small_frame(rows=50).to_csv(tmp_path / "fifty.csv", index=False)
    assert run("certify", "fifty.csv", "--target", "ill", "--out", "out").exit_code == 0
    certificate = pb.Certificate.from_json(tmp_path / "out" / "certificate.json")
    assert certificate.value > certificate.statements[0].risk + 0.05


def test_missing_values_as_a_category(run, small, tmp_path):
    frame = small_frame()
    frame.loc[::7, "age"] = None
    frame.loc[::5, "job"] = None
    frame.to_csv(tmp_path / "holes.csv", index=False)
    assert run("certify", "holes.csv", "--target", "ill", "--missing", "category", "--out", "out").exit_code == 0
    assert run("verify", "out", "--data", "holes.csv").exit_code == 0
    kinds = {term["kind"] for term in json.loads((tmp_path / "out" / "model.json").read_text())["predictor"]["terms"]}
    assert kinds == {"number", "missing", "category"}


def test_many_classes_and_one_against_the_rest(run, tmp_path):
    frame = load_digits(as_frame=True).frame.iloc[:300]
    frame.to_parquet(tmp_path / "digits.parquet")
    result = run("certify", "digits.parquet", "--target", "target", "--out", "a", "--no-baseline")
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "a" / "model.json").read_text())["predictor"]["kind"] == "skops"
    result = run("certify", "digits.parquet", "--target", "target", "--positive", "3", "--out", "b")
    assert result.exit_code == 0, result.output
    assert "2 classes (3: 29, not 3: 271)" in result.stdout
    assert json.loads((tmp_path / "b" / "model.json").read_text())["predictor"]["kind"] == "linear"


def test_bound_prints_every_bound_of_the_catalogue_rounded_up(run):
    for record in catalogue():
        arguments = ["--n", "1000", *(["--kl", "12"] if record.uses_kl else [])]
        numbers = cases.STATISTICS[record.name](0.05) if record.numbers else {"risk": 0.05}
        for name, number in numbers.items():
            arguments += [f"--{name.replace('_', '-')}", ",".join(map(repr, np.ravel(number).tolist()))]
        value = json.loads(run("bound", record.name, *arguments, "--json").stdout)["value"]
        assert 0.05 < value < 0.35
        assert run("bound", record.name, *arguments, "--quiet").stdout.strip() == round_up(value)
    assert run("bound", "maurer", "--risk", "0.04", "--kl", "5", "--n", "1000", "-q").stdout.strip() == "0.0774"


def test_bound_over_grids_and_csv(run, tmp_path):
    result = run("bound", "maurer", "--risk", "0:0.1:3", "--kl", "1,5", "--n", "1000", "--csv-out", "-")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert len(rows) == 6
    (tmp_path / "in.csv").write_text(result.stdout)
    assert run("bound", "maurer", "--csv-in", "in.csv", "--csv-out", "out.csv").exit_code == 0
    again = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert [float(text) for text in again["value"]] == [float(row["value"]) for row in rows]
    assert len(run("bound", "maurer", "--csv-in", "in.csv").stdout.splitlines()) == 7


def test_bounds_lists_all(run):
    assert run("bounds", "-q").stdout.split() == [record.name for record in catalogue()]
    assert "assumes" in run("bounds").stdout
    assert len(json.loads(run("bounds", "--json").stdout)) == len(catalogue())


@pytest.mark.parametrize("name", ["maurer", "chernoff", "clopper_pearson", "betting", "mcallester"])
def test_plan_gives_an_n_that_is_enough(run, name):
    record = json.loads(run("plan", "--target", "0.06", "--risk", "0.02", "--bound", name, "--json").stdout)
    assert record["value"] <= 0.06
    assert "examples are enough" in run("plan", "--target", "0.06", "--risk", "0.02").stdout


def test_watch_reads_losses_and_rows_and_loses_nothing(run, tmp_path):
    lines = ["0", "1", "0.5", "junk", '{"label": 1, "prediction": 1}', '{"label": 1}', "", "2"] * 50
    result = run("watch", "-", "--every", "100", "--out", "c.json", input="\n".join(lines))
    assert result.exit_code == 0
    assert result.stderr.count("pacbayes: line") == 6  # the first five, and that there are more
    assert "line 4: expected a loss" in result.stderr
    certificate = pb.Certificate.from_json(tmp_path / "c.json")
    assert certificate.n == 350  # what cannot be read counts as wrong
    assert certificate.statements[0].risk == pytest.approx(4.5 / 7)
    assert certificate.verify()
    assert "are counted as wrong (loss 1): 150." in note_words(certificate.notes[0])
    (tmp_path / "losses.txt").write_text("0\n1\n0")  # the last line has no end
    assert "3 losses" in run("watch", "losses.txt").stdout


def test_demo_ends_with_sentence_report_and_verification(run, tmp_path):
    result = run("demo", "--out", "shown")
    assert result.exit_code == 0, result.output
    last = result.stdout.strip().splitlines()[-4:]
    assert "is at most" in last[0]
    assert last[2].endswith("report.html")
    assert last[3] == "Verified: yes"
    assert (tmp_path / "shown" / "delta.svg").read_text().startswith("<svg")
    assert run("demo", "--out", "shown", "--json").exit_code == 0


def test_help_explains_every_command(run):
    text = run("--help").stdout
    assert "delta" in text
    for name in ("demo", "certify", "verify", "bound", "bounds", "plan", "watch"):
        assert name in text
        assert len(run(name, "--help").stdout) > 200
    assert run("--version").stdout.strip() == f"pacbayes {pb.__version__}"


def test_the_installed_command_prints_no_colours_into_a_pipe_and_no_traceback(tmp_path, small):
    command = [sys.executable, "-m", "pacbayes", "certify", str(small), "--target", "ill", "--out", str(tmp_path / "o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not re.search("\x1b", done.stdout + done.stderr)
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1


def test_the_command_without_its_packages_says_what_to_install(monkeypatch, capsys):
    from pacbayes.cli import main

    monkeypatch.setattr("pacbayes.cli.find_spec", lambda name: None if name == "typer" else object())
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert capsys.readouterr().err == "pacbayes: the command line needs typer. Install pacbayes[cli].\n"


@pytest.mark.parametrize(
    "command",
    [
        "bound chernoff --risk 0.1 --n 99",
        "bound --from c.json",
        "plan --target 0.1 --risk 0.05",
        "plan --rows 99",
        "watch losses.txt",
    ],
)
def test_a_delta_above_one_half_is_noted_even_where_little_is_wanted(run, tmp_path, command):
    (tmp_path / "losses.txt").write_text("0\n1\n0\n")
    pb.certify_predictions([0, 1, 0], [0, 1, 1], delta=0.7).to_json(tmp_path / "c.json")
    noted = "note: With a delta of 0.9 the guarantee may be wrong more often than right.\n"
    for option in ("--quiet", "--json"):
        assert run(*command.split(), option, "--delta", "0.9").stderr == noted
        assert run(*command.split(), option, "--delta", "0.5").stderr == ""
