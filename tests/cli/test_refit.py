"""From a shell: a second model trained on all rows, its certificate by unlabelled rows, and its use."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import pacbayes as pb

from cli.conftest import small_frame
from cli.test_bad_input import one_line

METHOD = "split"
CERTIFY = ("certify", "small.csv", "--target", "ill", "--model", "sklearn.naive_bayes.GaussianNB", "--method", METHOD)
NOT_CERTIFIED = "The model refitted on all rows is NOT CERTIFIED"


@pytest.fixture(autouse=True)
def place(run, tmp_path):
    """A table, unlabelled rows, and new rows."""
    for name, seed, rows in (("small", 0, 120), ("fresh", 1, 200), ("new", 2, 50)):
        frame = small_frame(rows, seed)
        (frame if name == "small" else frame.drop(columns="ill")).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def certify(run, *options):
    result = run(*CERTIFY, "--out", "out", *options)
    assert result.exit_code == 0, result.output
    return result


class TestWithoutUnlabelledRows:
    def test_the_model_is_stored_and_marked(self, run, place):
        result = certify(run, "--refit")
        assert NOT_CERTIFIED in result.stdout
        names = {path.name for path in (place / "out").iterdir()}
        assert "refitted-not-certified.skops" in names
        assert "transfer.json" not in names
        readme = (place / "out" / "README.txt").read_text()
        assert NOT_CERTIFIED in readme
        assert "refitted-not-certified.skops" in readme
        assert "predict . new.csv --refitted" in readme
        assert "is not certified by this" in result.stdout
        assert json.loads(run(*CERTIFY, "--out", "again", "--refit", "--json").stdout)["transfer"] is None

    def test_is_used_with_a_warning_on_the_label(self, run, place):
        certify(run, "--refit")
        result = run("predict", "out", "new.csv", "--refitted", "--out", "p.csv")
        assert result.exit_code == 0, result.output
        assert NOT_CERTIFIED in result.stderr
        assert (place / "p.csv.certificate.txt").read_text().startswith(NOT_CERTIFIED)
        record = json.loads(run("predict", "out", "new.csv", "--refitted", "--json").stdout)
        assert record["certified"] is False
        assert record["sentence"].startswith(NOT_CERTIFIED)
        certified = json.loads(run("predict", "out", "new.csv", "--json").stdout)
        assert certified["certified"] is True
        assert certified["probabilities"] != record["probabilities"]

    def test_is_verified_with_the_data(self, run):
        certify(run, "--refit")
        assert run("verify", "out").exit_code == 0
        result = run("verify", "out", "--data", "small.csv", "--verbose")
        assert result.exit_code == 0, result.output
        assert "the refitted model is what all rows give" in result.stdout


class TestWithUnlabelledRows:
    def test_both_sentences_are_printed_and_stored(self, run, place):
        result = certify(run, "--unlabelled", "fresh.csv")
        transfer = pb.Certificate.from_json(place / "out" / "transfer.json")
        assert transfer.sentence() in result.stdout
        assert NOT_CERTIFIED not in result.stdout
        assert transfer.statements[0].n == 200
        assert transfer.delta == 0.06
        readme = (place / "out" / "README.txt").read_text()
        assert transfer.sentence() in readme
        assert {"refitted.skops", "transfer.json"} <= {path.name for path in (place / "out").iterdir()}
        record = json.loads(run(*CERTIFY, "--out", "again", "--unlabelled", "fresh.csv", "--json").stdout)
        assert record["transfer"]["statements"] == json.loads(transfer.to_json())["statements"]

    def test_labels_of_the_unlabelled_rows_play_no_part(self, run, place):
        certify(run, "--unlabelled", "fresh.csv")
        first = pb.Certificate.from_json(place / "out" / "transfer.json")
        frame = small_frame(200, 1).assign(ill="unknown")
        frame[["job", "ill", "age"]].to_csv(place / "fresh.csv", index=False)
        certify(run, "--unlabelled", "fresh.csv", "--force")
        assert pb.Certificate.from_json(place / "out" / "transfer.json").statements == first.statements

    def test_the_printed_command_verifies_everything(self, run):
        printed = certify(run, "--unlabelled", "fresh.csv").stdout
        command = re.search(r"^Verify: pacbayes (.*)$", printed, re.MULTILINE).group(1).split()
        result = run(*command, "--verbose")
        assert result.exit_code == 0, result.output
        for words in ("the refitted model's certificate follows from this one", "disagreements on the unlabelled rows"):
            assert f"ok     {words}" in result.stdout
        assert "disagree as often on the unlabelled rows as it says" in result.stdout
        assert "not checked" not in result.stdout

    def test_what_was_not_checked_is_said(self, run):
        certify(run, "--unlabelled", "fresh.csv")
        assert (
            "not checked: the unlabelled rows (pass --unlabelled TABLE)"
            in run("verify", "out", "--data", "small.csv").stdout
        )
        alone = run("verify", "out/transfer.json")
        assert alone.exit_code == 0
        assert "the true error of the model refitted on all rows" in alone.stdout
        assert "It follows from the certificate beside it." in alone.stdout
        Path("alone.json").write_bytes(Path("out/transfer.json").read_bytes())
        assert "not checked: the run that it belongs to" in run("verify", "alone.json").stdout

    def test_it_is_used_with_its_own_sentence(self, run, place):
        certify(run, "--unlabelled", "fresh.csv")
        transfer = pb.Certificate.from_json(place / "out" / "transfer.json")
        result = run("predict", "out", "new.csv", "--refitted", "--out", "p.csv")
        assert transfer.sentence() in result.stderr
        assert (place / "p.csv.certificate.txt").read_text() == f"{transfer.sentence()}\n"
        assert json.loads(run("predict", "out", "new.csv", "--refitted", "--json").stdout)["certified"] is True
        stored = pb.load_run("out")
        opened = stored.open(refitted=True)
        assert opened.certificate == transfer
        assert len(opened.predict(small_frame(50, 2))) == 50

    def test_rows_of_the_table_are_noticed_and_strictly_refused(self, run, place):
        small_frame(120, 0)[:60].drop(columns="ill").to_csv(place / "seen.csv", index=False)
        assert "60 of 60 unlabelled rows are copies" in certify(run, "--unlabelled", "seen.csv").stderr
        refused = run(*CERTIFY, "--out", "strict", "--unlabelled", "seen.csv", "--strict")
        assert "60 of 60 unlabelled rows are copies" in one_line(refused)
        assert not (place / "strict").exists()

    def test_the_report_shows_both_models(self, run, place):
        certify(run, "--unlabelled", "fresh.csv")
        page = (place / "out" / "report.html").read_text()
        assert "What the split of the rows cost" in page
        assert "disagreements with the certified model on 200 unlabelled rows" in page
        assert pb.Certificate.from_json(place / "out" / "transfer.json").sentence() in page
        certify(run, "--refit", "--force")
        assert "not certified" in (place / "out" / "report.html").read_text()
        assert not (place / "out" / "transfer.json").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--method", "online", "--refit"),
            "--refit and --unlabelled go with a split of the rows. Got the method 'online'",
        ),
        (("--method", "online", "--unlabelled", "fresh.csv"), "--refit and --unlabelled go with a split of the rows."),
        (("--method", "auto", "--test", "fresh_labelled.csv", "--refit"), "Got the method 'test' instead."),
        (("--unlabelled", "nowhere.csv"), "nowhere.csv"),
        (("--unlabelled", "small.csv"), "--unlabelled must be another file than the data."),
        (("--unlabelled", "without_age.csv"), "without_age.csv: "),
        (("--unlabelled", "empty.csv"), "empty.csv"),
    ],
)
def test_wrong_usages_get_one_line(run, place, options, words):
    fresh = small_frame(30, 1)
    fresh.to_csv(place / "fresh_labelled.csv", index=False)
    fresh.drop(columns="age").to_csv(place / "without_age.csv", index=False)
    fresh[:0].to_csv(place / "empty.csv", index=False)
    command = CERTIFY[:-2] if "--method" in options else CERTIFY
    assert words in one_line(run(*command, "--out", "out", *options))
    assert not (place / "out").exists()


def test_wrong_usages_of_a_run_without_a_refit(run):
    certify(run)
    assert "has no refitted model: certify it with --refit." in one_line(run("predict", "out", "new.csv", "--refitted"))
    words = "--unlabelled goes with --data and a run that has a transfer.json."
    assert words in one_line(run("verify", "out", "--data", "small.csv", "--unlabelled", "fresh.csv"))
    certify(run, "--unlabelled", "fresh.csv", "--force")
    assert words in one_line(run("verify", "out", "--unlabelled", "fresh.csv"))
    assert "pass its folder" in one_line(run("verify", "out/transfer.json", "--data", "small.csv"))


def test_other_unlabelled_rows_are_told(run):
    certify(run, "--unlabelled", "fresh.csv")
    result = run("verify", "out", "--data", "small.csv", "--unlabelled", "new.csv")
    assert result.exit_code == 1
    assert "The unlabelled rows are not those that were given" in result.stdout


def test_the_refit_learned_from_all_rows(run):
    certify(run, "--refit")
    stored = pb.load_run("out")
    model = stored.open(refitted=True).model["predictor"]
    assert int(np.sum(model.named_steps["classifier"].class_count_)) == 120
    assert int(np.sum(stored.models()["predictor"].named_steps["classifier"].class_count_)) < 120
