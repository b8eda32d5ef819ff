"""Rows of CSV say what objects of JSON say, one by one and many at once."""

import json
from pathlib import Path

import numpy as np
import pytest

import pacbayes as pb
from pacbayes._core.labels import MISSING_WORDS
from pacbayes.cli import _growing, _lines, _watcher
from pacbayes.cli._line_blocks import LOSS, BlockReader
from pacbayes.procedures import decode_line, decode_row, key_in, loss_in
from pacbayes.tables import read_table

ODD = [
    *(b"", b" ", b",", b",,", b"a", b"a,b", b"a,b,c,d", b'"a",b,b', b'"a,b",c,c', b'"a""b",1,1', b'a"b,1,1', b'"a,1,1'),
    *(b"shop,label,prediction", b'"shop","label","prediction"', b"a,label,x", b"a,,1", b"a,1,", b",1,1", b"a, 1,1"),
    *(b"a,\xff,1", "ß,ä,ä".encode(), b"k" * 201 + b",1,1", b"a,1\x00,1", b"a,1\r,1", b"a\tb,1,1", b"{},[],null"),
    *(b"NA,a,a", b"a,NA,NA", b"a, nan,nan ", b"a, , ", b"a,\tnull,null", b'a,"None",None', b"a,nan,x", b"a,x,<NA>"),
]
LOSSES = [
    *(
        b"0",
        b"1",
        b"0.5",
        b" 0.5",
        b"0.5\t",
        b"1e-3",
        b"1E-30",
        b"1.0",
        b"-0",
        b"+1",
        b"01",
        b".5",
        b"1.",
        b"1e0",
        b"nan",
    ),
    *(
        b"inf",
        b"1_0",
        b"0x1",
        b"2",
        b"-1",
        b'"0.25"',
        b"",
        b"loss",
        b"0." + b"3" * 60,
        b"1e-400",
        b"1e400",
        b"\xc2\xa00",
    ),
]


def outcome(run, arguments, monkeypatch, *, chunk, fewest):
    for module in (_lines, _growing):
        monkeypatch.setattr(module, "CHUNK", chunk)
    monkeypatch.setattr(_lines, "_FEWEST", fewest)
    result = run("watch", *arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("columns", [("shop", "label", "prediction"), ("shop", "note", "loss")])
def test_what_is_read_at_once_is_what_is_read_alone(columns):
    lines = [*ODD, *(b"a,," + loss for loss in LOSSES), *(b"a,x,x", b"b,x,y", b"c,,0.25")]
    for by in (None, "shop"):
        reader = BlockReader(by, columns)
        valid = [line + b"\r\n" * (place % 2) for place, line in enumerate(lines) if b"\xff" not in line]
        content = b"\n".join(line.rstrip(b"\n") for line in valid) + b"\n"
        read, taken = reader.read(content), 0
        for line, kind, key, loss in zip(content.split(b"\n"), read.kinds, read.keys, read.losses, strict=False):
            if kind == LOSS:
                given = decode_row(line, columns)
                assert loss_in(given, line).hex() == float(loss).hex()
                assert reader.names[key] == (None if by is None else key_in(given, by))
                taken += 1
        assert taken >= 3
        alone = [k for k, line in enumerate(content.split(b"\n")[:-1]) if not is_readable(line, columns, by)]
        assert (read.kinds[alone] != LOSS).all()


def is_readable(line, columns, by):
    try:
        given = decode_row(line, columns)
        loss_in(given, line)
        return given is not None and (by is None or bool(key_in(given, by)))
    except ValueError:
        return False


@pytest.mark.parametrize("word", sorted(MISSING_WORDS | {" NA", "nan ", " "}))
def test_a_missing_label_is_not_right_because_the_prediction_is_missing_too(run, tmp_path, word):
    path = tmp_path / "rows.csv"
    path.write_text("a,a\n" * 40 + f"{word},{word}\n" * 60)
    result = run("watch", str(path), "--columns", "label,prediction", "--json")
    record = json.loads(result.stdout.splitlines()[-1])
    assert (record["n"], record["unreadable"], record["observed"]) == (100, 60, 0.6)
    assert "line 41: 'label' and 'prediction' must be known." in result.stderr


def test_the_words_for_missing_values_are_those_of_tables(tmp_path):
    parsers = pytest.importorskip("pandas._libs.parsers")
    assert parsers.STR_NA_VALUES <= MISSING_WORDS
    path = tmp_path / "table.csv"
    for word in sorted(MISSING_WORDS):
        path.write_text(f"a,b\n{word},x\ny,z\n")
        assert read_table(path).isna().to_numpy().tolist() == [[True, False], [False, False]], word


def test_a_key_may_be_a_word_for_missing_values(run, tmp_path):
    (tmp_path / "rows.csv").write_text("NA,a,a\n" * 40)
    result = run("watch", "rows.csv", "--columns", "country,label,prediction", "--by", "country", "--json")
    assert json.loads(result.stdout.splitlines()[-1])["key"] == "NA"


@pytest.mark.parametrize("by", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_csv_says_what_json_says_in_blocks_and_alone(run, tmp_path, monkeypatch, seed, by):
    rng = np.random.default_rng(seed)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_watcher, "_PAUSE", 1e12)
    pb.certify_predictions([0, 1] * 500, [0, 1] * 440 + [1, 1] * 60).to_json(Path("certificate.json"))
    rows = [(f"s{rng.integers(20)}", "yes", rng.choice(["yes", "no"], p=[0.8, 0.2])) for _ in range(1200)]
    Path("rows.csv").write_text("shop,label,prediction\n" + "".join(",".join(row) + "\n" for row in rows))
    objects = [json.dumps(dict(zip(("shop", "label", "prediction"), row, strict=True))) for row in rows]
    Path("rows.jsonl").write_text("\n".join(objects) + "\n")
    options = ["--every", "50", "--json", "--certificate", "certificate.json", *(["--by", "shop"] if by else [])]
    csv = ["rows.csv", "--columns", "shop,label,prediction", *options]
    alone = outcome(run, csv, monkeypatch, chunk=65_536, fewest=10**9)
    for chunk in (int(rng.integers(40, 4000)), 100_000):
        assert outcome(run, csv, monkeypatch, chunk=chunk, fewest=2) == alone
    assert outcome(run, ["rows.jsonl", *options], monkeypatch, chunk=65_536, fewest=16)[:2] == alone[:2]
    assert alone[0] == 3


@pytest.mark.parametrize("seed", range(3))
def test_odd_rows_count_alike_in_blocks_and_alone(run, tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    monkeypatch.chdir(tmp_path)
    lines = [ODD[rng.integers(len(ODD))] if rng.random() < 0.2 else b"s%d,x,x" % rng.integers(9) for _ in range(600)]
    Path("rows.csv").write_bytes(b"a,x,x\n" * 12 + b"\n".join(lines) + b"\n")
    arguments = ["rows.csv", "--columns", "shop,label,prediction", "--by", "shop", "--every", "40", "--json"]
    alone = outcome(run, arguments, monkeypatch, chunk=65_536, fewest=10**9)
    assert outcome(run, arguments, monkeypatch, chunk=int(rng.integers(40, 2000)), fewest=1) == alone
    assert "cannot be read are only counted" in alone[2]


def test_a_header_is_skipped_and_what_is_missing_counts_as_wrong(run, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("label,prediction\n" + "a,a\n" * 40 + "label,prediction\n" + "a,a\n" * 39 + "a,\n")
    result = run("watch", str(path), "--columns", "label, prediction", "--json")
    assert result.exit_code == 0, result.stderr
    record = json.loads(result.stdout.splitlines()[-1])
    assert (record["n"], record["unreadable"], record["observed"]) == (80, 1, 1 / 80)
    assert "line 82: 'label' and 'prediction' must be known." in result.stderr


def test_a_state_of_other_columns_is_refused(run, tmp_path):
    path, state = tmp_path / "rows.csv", tmp_path / "state.json"
    path.write_text("0,0,1\n" * 50)
    first = ["watch", str(path), "--state", str(state), "--columns"]
    assert run(*first, "label,prediction,id").exit_code == 0
    assert run(*first, "label,prediction,id").exit_code == 0
    for other in ("id,label,prediction", "loss,a,b"):
        result = run(*first, other)
        assert result.exit_code == 2
        assert "was kept with other --columns" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("", "different names"),
        ("loss,loss", "different names"),
        ("loss,", "different names"),
        ("a,b", "must have 'loss', or 'label' and 'prediction'"),
        ("loss,label", "must have 'loss', or 'label' and 'prediction'"),
        ("id,label,prediction,loss", "must have 'loss', or 'label' and 'prediction', not both"),
        ("loss", "the name of --by"),
    ],
)
def test_columns_without_a_loss_are_refused(run, tmp_path, columns, words):
    path = tmp_path / "rows.csv"
    path.write_text("0\n")
    result = run("watch", str(path), "--columns", columns, "--by", "shop")
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


HEADED = ["truth,answer"] + ["a,a"] * 30 + ["b,a"] * 10


def watched(run, tmp_path, lines, *options, columns="label,prediction"):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    result = run("watch", str(path), "--columns", columns, "--json", *options)
    record = json.loads(result.stdout.splitlines()[-1]) if result.stdout else {}
    return result.exit_code, record.get("n"), " ".join(result.stderr.split())


def test_a_header_of_other_names_is_neither_counted_nor_dropped_unasked(run, tmp_path):
    status, _, words = watched(run, tmp_path, HEADED)
    assert status == 2
    assert "Line 1 'truth,answer' must be known to be a header or a row" in words
    assert watched(run, tmp_path, HEADED, "--header")[:2] == (0, 40)
    assert watched(run, tmp_path, HEADED, "--no-header")[:2] == (0, 41)


def test_a_header_in_other_capitals_is_skipped_first_alone(run, tmp_path):
    assert watched(run, tmp_path, ["Label, PREDICTION", *HEADED[1:]]) == (0, 40, "")
    assert watched(run, tmp_path, ["a,a", "Label,Prediction", *HEADED[1:]])[:2] == (0, 42)


@pytest.mark.parametrize("first", ["b,a", "truth,a", "1,2", "a,a", "x,", "x,y,z"])
def test_a_first_line_that_may_be_a_row_counts(run, tmp_path, first):
    assert watched(run, tmp_path, [first, *HEADED[1:]])[:2] == (0, 41)


def test_a_word_for_a_first_loss_is_skipped_and_said(run, tmp_path):
    status, n, words = watched(run, tmp_path, ["error", *["0", "1"] * 10], "--quiet", columns="loss")
    assert (status, n) == (0, 20)
    assert "line 1 'error' is taken for a header and not counted; --no-header counts it." in words
    for first in ("nan", "2", '""'):
        assert watched(run, tmp_path, [first, *["0", "1"] * 10], columns="loss")[:2] == (0, 21)


def test_a_first_line_of_a_short_file_is_noted(run, tmp_path):
    status, n, words = watched(run, tmp_path, HEADED[:6])
    assert (status, n) == (0, 6)
    assert "line 1 'truth,answer' counts as a row that is wrong; if it is a header, pass --header." in words


def test_no_stream_is_made_of_a_header(run, tmp_path):
    lines = ["store,truth,answer"] + [f"s{k % 3},a,{'ab'[k % 5 == 0]}" for k in range(60)]
    _, _, words = watched(run, tmp_path, lines, "--by", "shop", columns="shop,label,prediction")
    assert "must be known to be a header" in words
    options = ("--by", "shop", "--header")
    assert watched(run, tmp_path, lines, *options, columns="shop,label,prediction")[:2] == (0, 20)


def test_a_header_needs_columns(run, tmp_path):
    (tmp_path / "rows.csv").write_text("0\n")
    result = run("watch", str(tmp_path / "rows.csv"), "--header")
    assert result.exit_code == 2
    assert "--header and --no-header need --columns" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"label": "a", "prediction": "a", "loss": 1}', "not both"),
        ('{"label": 9007199254740993.0, "prediction": 9007199254740992.0}', "more digits than doubles can tell apart"),
        ('{"label": 1.0000000000000000001, "prediction": 1}', "more digits than doubles can tell apart"),
        ('{"label": 1e-400, "prediction": 2e-400}', "more digits than doubles can tell apart"),
        ('{"label": 1e400, "prediction": 2}', "more digits than doubles can tell apart"),
        ('{"label": {}, "prediction": {}}', "texts, numbers or truth values"),
        ('{"label": [1], "prediction": [1]}', "texts, numbers or truth values"),
        ("1e-400", "too small to be told from 0"),
        ('{"loss": 1e-400}', "too small to be told from 0"),
    ],
)
def test_what_a_double_cannot_tell_apart_counts_as_wrong(run, tmp_path, line, words):
    (tmp_path / "l.txt").write_text("0\n" * 30 + f"{line}\n" + "0\n" * 30)
    result = run("watch", "l.txt")
    assert words in result.stderr
    assert "line 31: " in result.stderr
    assert "61 losses, observed 1.64 %" in result.stdout


@pytest.mark.parametrize(
    ("line", "loss"),
    [
        ('{"label": 9007199254740993, "prediction": 9007199254740992}', 1.0),
        ('{"label": 9007199254740992.0, "prediction": 9007199254740992}', 0.0),
        ('{"label": 10000000000000000000001, "prediction": 10000000000000000000000.0}', 1.0),
        ('{"label": 1.00, "prediction": 10e-1}', 0.0),
        ('{"label": 0.0, "prediction": -0.0}', 0.0),
        ('{"label": true, "prediction": false}', 1.0),
        ("0.1", 0.1),
        ("0e-999", 0.0),
    ],
)
def test_numbers_that_doubles_hold_are_compared_exactly(line, loss):
    assert loss_in(decode_line(line), line) == loss
