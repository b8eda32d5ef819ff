"""A folder with two predictors, of which one is verified and the other used; certificates that have no end."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import pacbayes as pb
from pacbayes.cli._app import app
from pacbayes.runs import load_run, verify_folder


def command(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


class TestTwoPredictors:
    """``verify`` judges a network again, and ``predict`` takes what is in model.json."""

    def test_a_network_beside_a_run_is_not_verified(self, old, tmp_path):
        old.save(tmp_path / "out")
        (tmp_path / "out" / "network.json").write_text("{}")
        with pytest.raises(ValueError, match=r"must hold one predictor. It holds network.json and model.json"):
            verify_folder(tmp_path / "out")

    def test_nor_is_a_run_beside_a_network_used(self, old, tmp_path):
        old.save(tmp_path / "out")
        (tmp_path / "out" / "network.json").symlink_to("nowhere")
        with pytest.raises(ValueError, match="must hold one predictor"):
            load_run(tmp_path / "out").predict(old.table.X)

    def test_nor_are_predictions_beside_a_network_counted(self, tmp_path):
        pb.certify_predictions([0, 1] * 50, [0, 1] * 50).to_json(tmp_path / "certificate.json")
        for name in ("network.json", "predictions.json"):
            (tmp_path / name).write_text("{}")
        with pytest.raises(ValueError, match=r"It holds network.json and predictions.json"):
            verify_folder(tmp_path)


class TestWithoutEnd:
    @pytest.fixture(params=["pipe", "device", "large"])
    def endless(self, request, tmp_path):
        path = tmp_path / "certificate.json"
        if request.param == "pipe":
            os.mkfifo(path)
        elif request.param == "device":
            path.symlink_to("/dev/zero")
        else:
            with path.open("wb") as file:
                file.truncate(1 << 40)  # as if it were so large
        return path

    def test_a_certificate_is_read_with_a_limit_everywhere(self, endless, tmp_path):
        with pytest.raises(ValueError, match=r"pipe or a device|more than 64 MiB"):
            pb.Certificate.from_json(endless)
        (tmp_path / "losses.txt").write_text("0\n1\n")
        for arguments in (
            ("watch", tmp_path / "losses.txt", "--certificate", endless),
            ("watch", tmp_path / "losses.txt", "--out", endless),
            ("bound", "--from", endless, "--delta", "0.05"),
            ("verify", endless),
        ):
            assert command(*arguments).exit_code == 2

    def test_one_that_ends_is_read(self, tmp_path):
        certificate = pb.certify_predictions([0, 1], [0, 1])
        certificate.to_json(tmp_path / "certificate.json")
        assert pb.Certificate.from_json(Path(tmp_path / "certificate.json")) == certificate


def test_without_the_data_nothing_is_said_of_the_numbers_of_a_predictor(old, tmp_path):
    """Whoever edits them leaves the name of the certificate as it is."""
    old.save(tmp_path / "out")
    model = json.loads((tmp_path / "out" / "model.json").read_text())
    model["predictor"]["intercept"] = -1000.0
    (tmp_path / "out" / "model.json").write_text(json.dumps(model))
    old.table.X.assign(ill=old.table.y).to_csv(tmp_path / "table.csv", index=False)
    alone = command("verify", tmp_path / "out")
    assert "not checked: the data and the predictor's numbers (pass --data TABLE)" in alone.stdout.splitlines()
    assert "whether its numbers are those that were judged is checked with the data" in alone.stdout
    assert "It proves also" not in alone.stdout
    assert command("verify", tmp_path / "out", "--data", tmp_path / "table.csv").exit_code == 1
