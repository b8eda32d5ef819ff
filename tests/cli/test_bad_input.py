"""Bad input gets one line, the right exit status, no traceback, and leaves nothing behind."""

import gzip
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.conftest import small_frame


def one_line(result, status=2):
    assert result.exit_code == status, result.output
    lines = [line for line in result.stderr.splitlines() if line.startswith("pacbayes: ")]
    assert len(lines) == 1, result.stderr
    assert "Traceback" not in result.output
    return lines[0]


def csv(text):
    return lambda path: path.write_text(text)


def frame_csv(change):
    return lambda path: change(small_frame()).to_csv(path, index=False)


def parquet(change):
    return lambda path: pq.write_table(pa.Table.from_pandas(change(small_frame()), preserve_index=False), path)


def truncated(path):
    small_frame().to_parquet(path)
    path.write_bytes(path.read_bytes()[:-40])


def two_tables(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "a,b\n")
        archive.writestr("b.csv", "a,b\n")


def broken_gzip(path):
    path.write_bytes(gzip.compress(b"a,ill\n" + b"1,yes\n" * 1000)[:-20])


def twice(path):
    table = pa.table([pa.array([1] * 30)] * 2 + [pa.array(["a", "b"] * 15)], names=["a", "a", "ill"])
    pq.write_table(table, path)


def spoiled(column, value, rows=slice(3, 6)):
    def change(frame):
        frame = frame.astype({column: object})
        frame.iloc[rows, list(frame.columns).index(column)] = value
        return frame

    return frame_csv(change)


FILES = {
    "empty": ("t.csv", csv(""), "is empty"),
    "blank lines": ("t.csv", csv("\n\n\n"), "no text"),
    "header only": ("t.csv", csv("age,job,ill\n"), "no rows"),
    "binary": ("t.csv", lambda path: path.write_bytes(bytes(range(256)) * 40), "not text"),
    "latin-1": ("t.csv", lambda path: path.write_bytes(b"age,ill\n" + "1,\xe9t\xe9\n".encode("latin-1") * 30), "UTF-8"),
    "too few rows": ("t.csv", frame_csv(lambda frame: frame[:19]), "at least 20 rows. Got 19"),
    "one class": ("t.csv", frame_csv(lambda frame: frame.assign(ill="no")), "at least two classes"),
    "a class once": ("t.csv", spoiled("ill", "perhaps", slice(0, 1)), "at least twice. 'perhaps'"),
    "all missing": (
        "t.csv",
        frame_csv(lambda frame: frame.assign(age=np.nan, job=None)),
        "No column besides the target",
    ),
    "some missing": ("t.csv", spoiled("job", None), "'job' (3)"),
    "missing target": ("t.csv", spoiled("ill", None), "It is missing in 3"),
    "infinite": ("t.csv", spoiled("age", "inf"), "infinite"),
    "duplicate columns": ("t.csv", csv("age,age,ill\n" + "1,2,yes\n3,4,no\n" * 20), "'age' occurs more than once"),
    "target absent": ("t.csv", frame_csv(lambda frame: frame.rename(columns={"ill": "Ill"})), "Did you mean 'Ill'?"),
    "no such target": (
        "t.csv",
        frame_csv(lambda frame: frame.rename(columns={"ill": "zzz"})),
        "There are age, job, zzz",
    ),
    "huge field": ("t.csv", spoiled("job", "x" * 2_000_000), "a text of 2000000 characters"),
    "ragged": ("t.csv", csv("age,ill\n" + "1,yes\n" * 20 + "1,2,3,4\n" + "2,no\n" * 20), "Expected 2 fields"),
    "only the target": ("t.csv", frame_csv(lambda frame: frame[["ill"]]), "no column besides the target"),
    "numbers": ("t.csv", frame_csv(lambda frame: frame.assign(ill=np.linspace(0, 1, 60))), "asks for regression"),
    "identifiers": ("t.csv", frame_csv(lambda frame: frame.assign(ill=[f"p{i}" for i in range(60)])), "an identifier"),
    "unknown suffix": ("t.ods", csv("a"), "must end in one of"),
    "truncated parquet": ("t.parquet", truncated, "not a whole parquet file"),
    "junk as arrow": ("t.arrow", lambda path: path.write_bytes(b"junk" * 50), "not a whole arrow file"),
    "csv as parquet": ("t.parquet", csv("age,ill\n1,yes\n"), "not a whole parquet file"),
    "duplicate in parquet": ("t.parquet", twice, "'a' occurs more than once"),
    "dates": ("t.parquet", parquet(lambda frame: frame.assign(age=pd.Timestamp("2020-01-01"))), "'age' holds times"),
    "lists": ("t.parquet", parquet(lambda frame: frame.assign(job=[[1]] * 60)), "'job' holds"),
    "broken gzip": ("t.csv.gz", broken_gzip, "cannot be unpacked"),
    "not gzip": ("t.csv.gz", csv("age,ill\n"), "cannot be unpacked"),
    "two tables": ("t.csv.zip", two_tables, "It holds 2 files"),
    "junk as zstd": ("t.csv.zst", csv("age,ill\n"), "cannot be unpacked"),
}


@pytest.mark.parametrize("case", FILES, ids=str)
def test_file(run, tmp_path, case):
    name, write, words = FILES[case]
    path = tmp_path / name
    write(path)
    assert words in one_line(run("certify", path, "--target", "ill", "--out", "out"))
    assert [each.name for each in tmp_path.iterdir()] == [name]


ARGUMENTS = {
    "no file": (["absent.csv", "--target", "ill"], "There is no file 'absent.csv'"),
    "folder": (["folder", "--target", "ill"], "The folder 'folder' must hold files of one table"),
    "pattern": (["*.parquet", "--target", "ill"], "The pattern '*.parquet' must hold files of one table"),
    "learning rows": (["small.csv", "--target", "ill", "--max-learning-rows", "0"], "--max-learning-rows must be"),
    "delimiter": (["small.csv", "--target", "ill", "--delimiter", ";"], "Is the --delimiter right"),
    "long delimiter": (["small.csv", "--target", "ill", "--delimiter", ";;"], "single character"),
    "closest": (["small.csv", "--target", "il"], "Did you mean 'ill'?"),
    "drop absent": (["small.csv", "--target", "ill", "--drop", "jop"], "Did you mean 'job'?"),
    "drop target": (["small.csv", "--target", "ill", "--drop", "ill"], "cannot be dropped"),
    "positive": (["small.csv", "--target", "ill", "--positive", "yess"], "Did you mean 'yes'?"),
    "delta 0": (["small.csv", "--target", "ill", "--delta", "0"], "--delta must lie between 0 and 1"),
    "delta nan": (["small.csv", "--target", "ill", "--delta", "nan"], "--delta must lie between 0 and 1"),
    "model": (["small.csv", "--target", "ill", "--model", "forest"], "must be logistic"),
    "not a classifier": (["small.csv", "--target", "ill", "--model", "sklearn.linear_model.Ridge"], "not a classifier"),
    "not a class": (["small.csv", "--target", "ill", "--model", "os.system"], "must be logistic"),
    "no module": (["small.csv", "--target", "ill", "--model", "no.such.thing"], "cannot be imported"),
    "method": (["small.csv", "--target", "ill", "--method", "magic"], "must be auto"),
    "forest posterior": (
        ["small.csv", "--target", "ill", "--method", "posterior", "--model", "random-forest"],
        "is for --model logistic",
    ),
    "three classes": (["small.csv", "--target", "job", "--method", "posterior"], "3 classes"),
    "missing": (["small.csv", "--target", "ill", "--missing", "drop"], "refuse or category"),
    "share": (["small.csv", "--target", "ill", "--learning-fraction", "1"], "--learning-fraction"),
    "seed": (["small.csv", "--target", "ill", "--seed", "-1"], "--seed"),
    "candidates": (["small.csv", "--target", "ill", "--candidates", "0"], "--candidates must be"),
    "full folder": (["small.csv", "--target", "ill", "--out", "folder"], "is not empty"),
    "out is a file": (["small.csv", "--target", "ill", "--out", "small.csv"], "is a file"),
}


@pytest.mark.parametrize("case", ARGUMENTS, ids=str)
def test_arguments(run, small, tmp_path, case):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept").write_text("kept")
    arguments, words = ARGUMENTS[case]
    assert words in one_line(run("certify", *arguments))
    assert sorted(str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*")) == [
        "folder",
        "folder/kept",
        "small.csv",
    ]


def test_no_permission(run, small, tmp_path, monkeypatch):
    """A superuser may read everything, so that the refusal is made here."""
    opened = Path.open

    def refused(self, *arguments, **options):
        if self.name == "small.csv":
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", refused)
    assert "no permission for" in one_line(run("certify", small, "--target", "ill"))
    assert list(tmp_path.iterdir()) == [small]


def test_a_failing_write_leaves_nothing(run, small, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pacbayes.runs.folder.write_predictor", full)
    assert "No space left" in one_line(run("certify", small, "--target", "ill", "--out", "out"))
    assert list(tmp_path.iterdir()) == [small]


def test_the_report_is_made_before_anything_is_written(run, small, tmp_path, monkeypatch):
    def failing(*_, **__):
        raise RuntimeError("no page")

    monkeypatch.setattr("pacbayes.runs.run.render", failing)
    assert "RuntimeError: no page" in one_line(run("certify", small, "--target", "ill", "--out", "out"))
    assert list(tmp_path.iterdir()) == [small]


@pytest.fixture
def issued(run, small):
    assert run("certify", small, "--target", "ill", "--out", "out").exit_code == 0
    return small.parent / "out"


def changed(path, change):
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


CERTIFICATES = {
    "edited": (lambda record: record["statements"][0].update(value=0.01), 1, "DOES NOT HOLD"),
    "edited words": (lambda record: record.update(created="never"), 1, "The certificate was edited."),
    "another schema": (lambda record: record.update(schema_version=99), 2, "schema version 1. Got 99"),
    "a field gone": (lambda record: record.pop("delta"), 2, "'delta'"),
    "a field more": (lambda record: record.update(extra=1), 2, "'extra'"),
    "a wrong type": (lambda record: record.update(delta="many"), 2, "'delta'"),
}


@pytest.mark.parametrize("case", CERTIFICATES, ids=str)
def test_certificate(run, issued, case):
    change, status, words = CERTIFICATES[case]
    changed(issued / "certificate.json", change)
    result = run("verify", issued / "certificate.json")
    assert result.exit_code == status
    assert words in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("text", ["", "junk", "[1]", "[" * 100_000, '{"a": 1, "a": 2}', "\0\0"])
def test_not_a_certificate(run, tmp_path, text):
    (tmp_path / "c.json").write_text(text)
    one_line(run("verify", tmp_path / "c.json"))


def test_absent_certificate_and_data(run, issued):
    assert "no file" in one_line(run("verify", "absent.json"))
    assert "no file" in one_line(run("verify", issued, "--data", "absent.csv"))
    (issued / "model.json").unlink()
    assert "no predictor" in one_line(run("verify", issued, "--data", issued.parent / "small.csv"))


PREDICTORS = {
    "not JSON": (None, "must be a JSON object"),
    "another format": (lambda record: record.update(version=7), "format"),
    "a setting gone": (lambda record: record["settings"].pop("target"), "must have the field 'target'"),
    "a setting more": (lambda record: record["settings"].update(luck=7), "exactly the fields of this version"),
    "a wrong setting": (lambda record: record["settings"].update(delta="0.05"), "'delta'"),
    "a stranger's class": (
        lambda record: record["settings"].update(model="antigravity.Fly"),
        "--trust antigravity.Fly",
    ),
    "no terms": (lambda record: record["predictor"].pop("terms"), "not as this version writes it"),
    "a list": (lambda record: record.update(settings=[1]), "fields of this version"),
}


@pytest.mark.parametrize("case", PREDICTORS, ids=str)
def test_predictor(run, issued, small, case):
    change, words = PREDICTORS[case]
    if change is None:
        (issued / "model.json").write_text("junk")
    else:
        changed(issued / "model.json", change)
    assert words in one_line(run("verify", issued, "--data", small))


COMMANDS = {
    "unknown bound": (["bound", "mauer", "--risk", "0.1", "--n", "10"], "must be one of"),
    "no bound": (["bound"], "Name a bound"),
    "no n": (["bound", "maurer", "--risk", "0.1"], "'n' is missing"),
    "no risk": (["bound", "maurer", "--n", "10"], "'risk' is missing"),
    "risk 2": (["bound", "maurer", "--risk", "2", "--n", "10"], "--risk must lie in [0, 1]. Got 2 instead."),
    "half an example": (["bound", "maurer", "--risk", "0.1", "--n", "10.5"], "whole number"),
    "no number": (["bound", "maurer", "--risk", "x", "--n", "10"], "--risk must be numbers"),
    "bad range": (["bound", "maurer", "--risk", "0:1", "--n", "10"], "first:last:count"),
    "kl of a fixed predictor": (["bound", "chernoff", "--risk", "0.1", "--n", "10", "--kl", "2"], "takes no kl"),
    "target below risk": (["plan", "--target", "0.1", "--risk", "0.2"], "must lie above"),
    "hopeless": (["plan", "--target", "1e-15", "--risk", "0"], "More than 10^9 examples"),
    "watch nothing": (["watch", "absent.txt"], "no file"),
}


@pytest.mark.parametrize("case", COMMANDS, ids=str)
def test_command(run, case):
    arguments, words = COMMANDS[case]
    assert words in one_line(run(*arguments))


@pytest.mark.parametrize(
    "command", [["certify", "small.csv", "--target", "ill"], ["verify", "out", "--data", "small.csv"]]
)
def test_a_table_beyond_the_limit_is_refused(run, small, issued, command):
    result = run(*command, "--max-memory", "1K", *(["--out", "new"] if command[0] == "certify" else []))
    assert result.exit_code == 2
    assert "--max-memory" in one_line(result)
