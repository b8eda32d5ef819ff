"""Files of text in other encodings and with other separators, in every command that reads tables."""

import json
from pathlib import Path

import pytest

import pacbayes as pb

ROWS = [("größer", "größer", "kleiner"), ("kleiner", "kleiner", "kleiner")] * 60
ODD = ("--encoding", "latin-1", "--delimiter", "|")


@pytest.fixture
def odd(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["t|a|b|x", *("|".join((*row, f"0,{place}")) for place, row in enumerate(ROWS))]
    (tmp_path / "p.csv").write_bytes("\n".join([*lines, ""]).encode("latin-1"))
    return "p.csv"


@pytest.mark.parametrize("rest", [["check", "--prediction=a"], ["compare", "--prediction=a", "--prediction=b"]])
def test_predictions_in_other_encodings_are_read_and_verified(run, odd, rest):
    command, *columns = rest
    refused = run(command, odd, "--label", "t", *columns)
    assert refused.exit_code == 2
    assert "--encoding latin-1" in refused.stderr
    result = run(command, odd, "--label", "t", *columns, *ODD, "--out", "out")
    assert result.exit_code == 0, result.stderr
    record = json.loads(Path("out/predictions.json").read_text())
    assert record["encoding"] == "latin-1"
    assert record["decimal"] == "."
    assert run("verify", "out", "--data", odd).exit_code == 0


def test_losses_with_decimal_commas_are_read(run, odd):
    result = run("check", odd, "--loss", "x", *ODD, "--decimal", ",", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["certificate"]["statements"][0]["n"] == len(ROWS)


@pytest.mark.parametrize(
    ("option", "words"), [(("--decimal", ";"), "--decimal must be"), (("--delimiter", "||"), "a single character")]
)
def test_what_separates_nothing_is_refused(run, odd, option, words):
    result = run("check", odd, "--loss", "x", "--encoding", "latin-1", *option)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_new_rows_may_be_written_another_way_than_the_table(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sample = pb.datasets.make_known_risk(200, d=2, random_state=0)
    rows = [(f"{a:.3f}", f"{b:.3f}", f"{y}") for (a, b), y in zip(sample.X.tolist(), sample.y.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([";".join(row) for row in [("u", "v", "y"), *rows]]) + "\n")
    assert run("certify", "t.csv", "--target", "y", "--delimiter", ";", "--out", "c").exit_code == 0
    (tmp_path / "new.csv").write_text("\n".join(["u,v", *(",".join(row[:2]) for row in rows)]) + "\n")
    (tmp_path / "comma.csv").write_text(
        "\n".join(["u\tv", *("\t".join(row[:2]).replace(".", ",") for row in rows)]) + "\n"
    )
    refused = run("predict", "c", "new.csv")
    assert refused.exit_code == 2
    assert "Got the one column 'u,v' with the delimiter ';'; if these rows have another, pass --delimiter." in " ".join(
        refused.stderr.split()
    )
    found = run("predict", "c", "new.csv", "--delimiter", ",")
    assert found.exit_code == 0, found.stderr
    assert run("predict", "c", "comma.csv", "--delimiter", "\t", "--decimal", ",").stdout == found.stdout
