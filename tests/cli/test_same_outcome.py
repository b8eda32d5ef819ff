"""One frame as CSV, Parquet and Excel: every command has the same outcome, and no row is lost on the way."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from cli.conftest import small_frame

pytest.importorskip("openpyxl")

SUFFIXES = (".csv", ".parquet", ".xlsx")
INSIDE, AT_THE_END = [3, 10, 11, 40], [57, 58, 59]
DAMAGES = {
    "none": ([], None),
    "rows inside": (INSIDE, None),
    "rows at the end": (AT_THE_END, None),
    "errors inside": (INSIDE, "#VALUE!"),
    "errors at the end": (AT_THE_END, "#DIV/0!"),
    "blanks": (INSIDE, "  "),
}


def write(frame, path, rows=(), value=None):
    """Write a frame, of which some rows hold a value in every cell; Parquet has no errors, and keeps blanks."""
    frame = frame.astype(object)
    frame.loc[list(rows)] = None if path.suffix == ".parquet" else value
    if path.suffix == ".parquet":
        frame.infer_objects().to_parquet(path, index=False)
    else:
        (frame.to_csv if path.suffix == ".csv" else frame.to_excel)(path, index=False)


def outcomes(run, frame, folder, damage, command, *options):
    """What a command says of each file, and with which status."""
    found = []
    for suffix in SUFFIXES:
        write(frame, folder / f"t{suffix}", *DAMAGES[damage])
        result = run(*command, folder / f"t{suffix}", *options, *(() if command[0] == "predict" else ("--force",)))
        found.append((result.exit_code, result.output.replace(f"t{suffix}", "t")))
    return found


def predictions():
    y = np.random.default_rng(0).integers(0, 2, 60)
    return pd.DataFrame({"y": y, "a": np.where(np.arange(60) < 9, 1 - y, y), "b": y})


COMMANDS = {
    "check": (predictions(), "--label", "y", "--prediction", "a", "--out", "out"),
    "check losses": (predictions()[["a"]], "--loss", "a", "--out", "out"),
    "compare": (predictions(), "--label", "y", "--prediction", "a", "--prediction", "b", "--out", "out"),
    "certify": (small_frame(), "--target", "ill", "--no-baseline", "--out", "out"),
    "certify with gaps": (
        small_frame(),
        *("--target", "ill", "--missing", "category", "--no-baseline", "--out", "out"),
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", COMMANDS)
def test_the_outcome_depends_on_the_frame_alone(run, tmp_path, name, damage):
    frame, *options = COMMANDS[name]
    first, *others = outcomes(run, frame, tmp_path, damage, (name.split()[0],), *options)
    assert all(each == first for each in others)
    assert first[0] == (2 if damage != "none" else 0), first[1]
    if damage != "none":
        assert str(len(DAMAGES[damage][0])) in first[1]


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_row_has_a_prediction(run, tmp_path, damage):
    frame = small_frame()
    frame.loc[::7, "age"] = None
    frame.to_csv(tmp_path / "train.csv", index=False)
    options = ("--target", "ill", "--missing", "category", "--no-baseline", "--out", "model")
    assert run("certify", tmp_path / "train.csv", *options).exit_code == 0
    new = small_frame(seed=1).drop(columns="ill")
    found = outcomes(run, new, tmp_path, damage, ("predict", "model"), "--quiet")
    assert found[0] == found[1] == found[2]
    assert found[0][0] == 0, found[0][1]
    assert len(list(csv.DictReader(io.StringIO(found[0][1])))) == 60
