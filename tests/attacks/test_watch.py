"""Lines that cannot be read do not improve a number."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.certificate.words import note_words
from pacbayes.cli import _lines
from pacbayes.cli._lines import Lines

UNREADABLE = {
    "nulls": b'{"label": null, "prediction": 1}',
    "null": b"null",
    "junk": b"junk",
    "above 1": b"1.5",
    "negative": b"-0.1",
    "NaN": b"NaN",
    "infinite": b"Infinity",
    "infinite label": b'{"label": Infinity, "prediction": Infinity}',
    "true": b"false",
    "brackets": b"[" * 200_000,
    "closed brackets": b"[" * 200_000 + b"]" * 200_000,
    "objects": b'{"a":' * 100_000,
    "a byte": b"0\xff",
    "a NUL": b"0\x000",
    "half a surrogate": b'{"label": "\xed\xa0\x80", "prediction": "\xed\xa0\x80"}',
    "a long number": b"0." + b"0" * 2_000_000,
    "digits": b"1" * 10_000,
    "a list": b"[0]",
    "a text": b'"0"',
    "two numbers": b"0 0",
    "twice": b'{"label": 1, "label": 0, "prediction": 0}',
    "separator": "0\u2028".encode(),
    "no prediction": b'{"label": 1}',
}


@pytest.mark.parametrize("bad", UNREADABLE.values(), ids=UNREADABLE)
def test_a_line_that_cannot_be_read_counts_as_wrong(watch, bad):
    Path("losses.txt").write_bytes(b"0\n" * 50 + bad + b"\n" + b"0\n" * 49)
    result = watch("losses.txt", "--out", "c.json")
    assert result.exit_code == 0, result.stderr
    certificate = pb.Certificate.from_json(Path("c.json"))
    assert (certificate.n, certificate.statements[0].observed) == (100, {"errors": 1})
    assert certificate.verify()
    assert [note_words(note) for note in certificate.notes] == [
        "Lines that could not be read and are counted as wrong (loss 1): 1."
    ]
    assert "line 51: " in result.stderr
    assert "Lines that could not be read and count as wrong (loss 1): 1." in result.stderr
    assert max(map(len, result.stderr.splitlines())) < 250


@pytest.mark.parametrize("bad", UNREADABLE.values(), ids=UNREADABLE)
def test_or_stops_if_that_is_wanted(watch, bad):
    Path("losses.txt").write_bytes(b"0\n" * 50 + bad + b"\n" + b"0\n" * 49)
    result = watch("losses.txt", "--unreadable", "stop")
    assert result.exit_code == 2
    assert "Line 51 cannot be read" in result.stderr
    assert result.stderr.count("\n") == 1


def test_errors_that_are_written_as_nulls_are_errors(watch):
    generator = np.random.default_rng(0)
    wrong = generator.random(5000) < 0.1
    rows = [{"label": None if each else 1, "prediction": 1} for each in wrong]
    result = watch("-", "--json", "--every", 5000, input="\n".join(map(json.dumps, rows)))
    record = json.loads(result.stdout.splitlines()[-1])
    assert record["n"] == 5000
    assert record["unreadable"] == wrong.sum()
    assert record["value"] > 0.1


def test_only_the_first_unreadable_lines_are_shown(watch):
    result = watch("-", input="0\n" * 20 + "junk\n" * 500)
    assert result.stderr.count("pacbayes: line") == 6
    assert "(loss 1): 500." in result.stderr


def test_blank_lines_are_no_lines(watch):
    result = watch("-", "--json", input="0\n\n  \n\t\n\r\n1\r\n\n")
    record = json.loads(result.stdout.splitlines()[-1])
    assert (record["n"], record["unreadable"]) == (2, 0)


def test_a_mark_of_the_byte_order_is_no_error(watch):
    Path("losses.txt").write_bytes(b"\xef\xbb\xbf0\n" * 1 + b"0\n" * 9)
    assert json.loads(watch("losses.txt", "--json").stdout.splitlines()[-1])["unreadable"] == 0


@pytest.mark.parametrize("option", [("--delta", "0"), ("--delta", "1"), ("--delta", "nan"), ("--unreadable", "drop")])
def test_bad_options_are_refused_before_a_line_is_read(watch, option):
    result = watch("-", *option, input="junk\n" * 3)
    assert result.exit_code == 2
    assert "line" not in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs sparse files and rusage")
def test_a_line_without_end_does_not_fill_the_memory(tmp_path):
    with (tmp_path / "losses.txt").open("wb") as file:
        file.write(b"0\n" * 20)
        file.truncate(100_000_000)
    code = (
        "import resource, sys; sys.argv[1:] = ['watch', 'losses.txt', '--json']\n"
        "import pacbayes.cli.watch as w, pacbayes.report\n"
        "from pacbayes.cli import main\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: main()\n"
        "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    *_, record, _, grown = done.stdout.splitlines() if done.stdout.count("\n") > 2 else (*done.stdout.splitlines(), "")
    assert int(done.stdout.splitlines()[-1]) < 40_000, grown
    assert '"unreadable": 1' in done.stdout, record


@pytest.mark.parametrize("chunk", [1, 2, 7, 1000])
def test_lines_of_any_chunks_are_the_same(monkeypatch, chunk):
    monkeypatch.setattr(_lines, "LONGEST", 10)
    text = b"ab\n" + b"c" * 30 + b"\n\n" + b"d" * 9 + b"\n" + b"e" * 10 + b"\nrest"
    lines, found = Lines(), []
    for start in range(0, len(text), chunk):
        for line in lines.split(text[start : start + chunk]):
            found.append(line.content)
            lines.take()
    assert found == [b"ab\n", None, b"\n", b"d" * 9 + b"\n", None]
    assert [line.content for line in lines.rest()] == [b"rest"]
    import hashlib

    assert lines.position == len(text) - 4
    assert lines.number == 5
    assert lines.digest == hashlib.sha256(text[:-4]).hexdigest()
    assert lines.reached == len(text)
    assert os.path.sep
