"""A watch that is stopped goes on where it was, with its own state and no other."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.certificate.words import note_words
from pacbayes.cli import _lines
from pacbayes.cli._watch_state import _checksum
from pacbayes.procedures import LossMonitor

from attacks.watched import Follower, append, certificate_of, random_losses


@pytest.mark.parametrize("cuts", [(1,), (4095, 4096), (100, 101, 5000, 8192, 8999), (3, 3, 3)])
def test_a_run_in_parts_ends_with_the_same_certificate(watch, cuts):
    lines = random_losses(9000)
    Path("whole.txt").write_text("".join(lines))
    assert watch("whole.txt", "--out", "whole.json", "--every", 1000).exit_code == 0
    for end in (*cuts, len(lines)):
        text = "".join(lines[:end])
        Path("losses.txt").write_text(text)
        assert watch("losses.txt", "--out", "c.json", "--every", 900, "--quiet").exit_code == 0
    assert certificate_of() == certificate_of("whole.json")
    assert certificate_of()["statements"][0]["n"] == 8999


def test_a_last_line_without_its_end_is_not_counted_twice(watch):
    Path("losses.txt").write_text("0\n" * 30 + "0")
    assert watch("losses.txt", "--out", "c.json").exit_code == 0
    assert certificate_of()["statements"][0]["n"] == 31
    with Path("losses.txt").open("a") as file:
        file.write(".5\n1\n")
    assert watch("losses.txt", "--out", "c.json").exit_code == 0
    assert certificate_of()["statements"][0]["n"] == 32
    assert certificate_of()["statements"][0]["observed"]["risk"] == pytest.approx(1.5 / 32)


def test_the_certificate_does_not_depend_on_when_it_is_looked_at():
    losses = np.random.default_rng(1).random(9000).tolist()
    often, once = LossMonitor(), LossMonitor()
    for position, loss in enumerate(losses):
        often.add(loss)
        if position % 501 == 0:
            often.certificate()
            often = LossMonitor.from_dict(json.loads(json.dumps(often.to_dict())))
    once.add(*losses)
    assert often.certificate().statements == once.certificate().statements


def test_delta_cannot_be_changed_after_losses_were_seen():
    monitor = LossMonitor()
    monitor.add(0.0)
    with pytest.raises(AttributeError):
        monitor.delta = 0.5
    for wrong in (float("nan"), -0.1, 1.1, "0.5", None, [0.5], np.array([0.5]), 0.5j):
        with pytest.raises(ValueError, match=r"A loss must be a number in \[0, 1\]\. Got "):
            monitor.add(0.0, wrong)
    assert len(monitor) == 1
    for delta in (0.0, 1.0, 2.0, float("nan")):
        with pytest.raises(ValueError, match="delta"):
            LossMonitor(delta)


def stored(watch, lines=300):
    Path("losses.txt").write_text("".join(random_losses(lines)))
    assert watch("losses.txt", "--out", "c.json").exit_code == 0
    return json.loads(Path("c.json.state").read_text())


CHANGES = {
    "another delta": (["--delta", "0.1"], None, "belongs to a delta of 0.05"),
    "an earlier line": ([], lambda text: text.replace("0.0\n", "0.1\n", 1), "has changed"),
    "one fewer line": ([], lambda text: text[: text.rindex("\n", 0, -1) + 1], "has changed"),
    "an empty file": ([], lambda text: "", "has changed"),
    "one byte": ([], lambda text: text[:100] + "\n" + text[101:], "has changed"),
}


@pytest.mark.parametrize(("options", "change", "words"), CHANGES.values(), ids=CHANGES)
def test_a_state_that_does_not_belong_is_refused(watch, options, change, words):
    stored(watch)
    if change is not None:
        Path("losses.txt").write_text(change(Path("losses.txt").read_text()))
    before = certificate_of()
    result = watch("losses.txt", "--out", "c.json", *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert certificate_of() == before


def test_the_state_of_another_file_is_refused(watch):
    stored(watch)
    Path("other.txt").write_bytes(Path("losses.txt").read_bytes())
    result = watch("other.txt", "--out", "c.json")
    assert result.exit_code == 2
    assert "belongs to" in result.stderr


def reseal(record):
    from pacbayes.cli._watch_state import _checksum

    record.pop("checksum", None)
    record["checksum"] = _checksum(record)
    return record


DAMAGE = {
    "empty": lambda record: "",
    "not JSON": lambda record: "{",
    "brackets": lambda record: "[" * 100_000,
    "other JSON": lambda record: "[1]",
    "a bit": lambda record: json.dumps(record).replace('"unreadable": 4', '"unreadable": 0'),
    "position": lambda record: json.dumps({**record, "position": 0}),
    "sealed: position": lambda record: json.dumps(reseal({**record, "position": -1})),
    "sealed: a text": lambda record: json.dumps(reseal({**record, "line": "1"})),
    "sealed: replaced": lambda record: json.dumps(reseal({**record, "replaced": True})),
    "sealed: far": lambda record: json.dumps(reseal({**record, "position": 10**18})),
    "sealed: no monitor": lambda record: json.dumps(reseal({**record, "monitor": None})),
    "sealed: losses": lambda record: json.dumps(
        reseal({**record, "monitor": {**record["monitor"], "waiting": ["-0x1p+3"]}})
    ),
    "sealed: infinite": lambda record: json.dumps(
        reseal({**record, "monitor": {**record["monitor"], "waiting": ["0x1p+99999"]}})
    ),
    "sealed: too many": lambda record: json.dumps(
        reseal({**record, "monitor": {**record["monitor"], "unreadable": 999}})
    ),
    "sealed: totals": lambda record: json.dumps(
        reseal({**record, "monitor": {**record["monitor"], "n": 4096, "high": ["0x0p+0"]}})
    ),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_state_is_refused_in_one_sentence(watch, damage):
    record = stored(watch)
    text = damage(record)
    assert text != json.dumps(record)
    Path("c.json.state").write_text(text)
    result = watch("losses.txt", "--out", "c.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("pacbayes: The state file 'c.json.state' ")
    assert result.stderr.count("\n") == 1


def test_files_that_would_overwrite_each_other_are_refused(watch):
    stored(watch)
    for options in (["--state", "losses.txt"], ["--out", "c.json", "--state", "c.json"], ["--state", "no/s"]):
        before = Path("losses.txt").read_bytes()
        assert watch("losses.txt", *options).exit_code == 2
        assert Path("losses.txt").read_bytes() == before
    assert "pipe" in watch("-", "--state", "s", input="0\n").stderr
    Path("s").write_text("mine")
    assert watch("losses.txt", "--state", "s").exit_code == 2
    assert Path("s").read_text() == "mine"


def test_a_pipe_keeps_no_state(watch):
    assert watch("-", "--out", "c.json", input="0\n" * 30).exit_code == 0
    assert watch("-", "--out", "c.json", input="0\n" * 30).exit_code == 0
    assert certificate_of()["statements"][0]["n"] == 30
    assert [path.name for path in Path().iterdir()] == ["c.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals, and files that are renamed while open")
def test_follow_goes_on_through_truncation_rotation_and_restart(tmp_path):
    path = tmp_path / "losses.txt"
    path.write_text("0\n" * 20)
    follower = Follower(tmp_path)
    follower.wait_for(20)
    append(path, "1\n0")  # half a line
    follower.wait_for(21)
    append(path, ".5\n")
    follower.wait_for(22)
    path.write_text("1\n")  # cut
    follower.wait_for(23)
    path.write_text("0\n" * 5)  # written anew, and longer than before
    follower.wait_for(28)
    path.rename(tmp_path / "losses.txt.1")
    append(tmp_path / "losses.txt.1", "1\n")  # the writer has not noticed yet
    path.write_text("0\n0\n")
    follower.wait_for(31)
    status, error = follower.stop()
    assert (status, error.count("was cut or written anew"), error.count("was replaced")) == (0, 2, 1)
    # rotated again while nobody watched, with a line that was not read
    append(path, "1\n")
    path.rename(tmp_path / "losses.txt.2")
    path.write_text("0\n")
    again = Follower(tmp_path)
    again.wait_for(33)
    assert again.stop(signal.SIGTERM)[0] == 0
    statement = json.loads((tmp_path / "c.json").read_text())["statements"][0]
    assert statement["n"] == 33
    assert statement["observed"]["risk"] == pytest.approx(4.5 / 33)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals, and files that are replaced while open")
def test_a_file_that_is_written_anew_with_one_line_more_counts_that_line(tmp_path):
    path, lines = tmp_path / "losses.txt", "0\n1\n0\n" * 100
    path.write_text(lines)
    follower = Follower(tmp_path)
    follower.wait_for(300)
    for k in range(1, 4):
        (tmp_path / "draft").write_text(lines + "0\n" * k)
        (tmp_path / "draft").replace(path)
        follower.wait_for(300 + k)
    path.write_text(lines[:100])  # a fourth time, of which this much is there so far
    time.sleep(1.0)
    status, error = follower.stop()
    assert (status, error.count("begins with the lines that were counted")) == (0, 3)
    assert error.endswith("unless a line that differs shows that they are new.")
    record = certificate_of(tmp_path / "c.json")
    assert (record["statements"][0]["n"], record["notes"]) == (303, [])


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_lines_that_take_the_place_of_others_are_told_and_noted(tmp_path):
    path = tmp_path / "losses.txt"
    path.write_text("0\n" * 20 + "1\n")
    follower = Follower(tmp_path, "--quiet")
    follower.wait_for(21)
    for n in (22, 23):
        path.write_text("1\n" if n == 22 else "0\n")
        follower.wait_for(n)
    status, error = follower.stop()
    assert (status, error.count("pacbayes: 'losses.txt' was cut or written anew with other lines")) == (0, 2)
    again = Follower(tmp_path)
    append(path, "0\n")
    again.wait_for(24)
    assert again.stop()[0] == 0
    certificate = pb.Certificate.from_json(tmp_path / "c.json")
    (words,) = map(note_words, certificate.notes)
    assert words.startswith("2 times the watched file was cut or replaced by other lines, all of which count; ")
    assert certificate.verify()


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_signals_at_any_time_lose_and_repeat_nothing(tmp_path):
    lines = random_losses(700, seed=3)
    (tmp_path / "losses.txt").write_text("".join(lines))
    generator = np.random.default_rng(5)
    for number in (signal.SIGKILL, signal.SIGTERM):
        follower = Follower(tmp_path, "--every", "10")
        follower.process.stdout.readline()
        time.sleep(generator.random() * 0.2)
        follower.stop(number)
    command = [sys.executable, "-m", "pacbayes", "watch", "losses.txt", "--quiet", "--out"]
    for name in ("c.json", "whole.json"):
        assert subprocess.run([*command, name], cwd=tmp_path, check=False, capture_output=True).returncode == 0
    assert certificate_of(tmp_path / "c.json") == certificate_of(tmp_path / "whole.json")


@pytest.mark.parametrize(
    "text", ["0\n" * 80 + "1\n" * 20, "\n0\n \t\n" * 50 + "1\n\r\n" * 20, "\ufeff\n" + "0\n1\n" * 50]
)
def test_losses_that_were_taken_out_of_a_state(watch, text):
    """With a checksum that fits: there are fewer losses than lines, and blank ones do not count."""
    Path("losses.txt").write_text(text, encoding="utf-8")
    assert watch("losses.txt", "--state", "s.json", "--out", "c.json").exit_code == 0
    assert watch("losses.txt", "--state", "s.json", "--out", "c.json").exit_code == 0
    record = json.loads(Path("s.json").read_text())
    del record["checksum"]
    record["monitor"]["waiting"] = record["monitor"]["waiting"][:-20]
    Path("s.json").write_text(json.dumps({**record, "checksum": _checksum(record)}))
    result = watch("losses.txt", "--state", "s.json", "--out", "c.json")
    assert result.exit_code == 2
    assert "has fewer losses than the" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    "header", ["", "label,prediction\n", '"label",prediction\r\n', "Truth,Answer\n", "\ufeffa,a\n"]
)
@pytest.mark.parametrize("odd", ["", "label,prediction\n", "\n \n", "junk\n", "NA,NA\n", "a,\n"])
def test_rows_that_were_taken_out_of_a_state(watch, header, odd, monkeypatch):
    """Headers and blank lines are no losses; whatever else was read is one."""
    text = header + ("a,a\n" * 10 + odd) * 10 + "a,b\n" * 20
    Path("rows.csv").write_text(text, encoding="utf-8", newline="")
    options = ("rows.csv", "--columns", "label,prediction", "--state", "s.json", "--header" if "T" in header else "-q")
    assert watch(*options).exit_code == 0
    for chunk in (7, 100, 10_000):
        monkeypatch.setattr(_lines, "CHUNK", chunk)
        assert watch(*options).exit_code == 0
    record = json.loads(Path("s.json").read_text())
    del record["checksum"]
    record["monitor"]["waiting"] = record["monitor"]["waiting"][:-20]
    record["monitor"]["unreadable"] = 0
    Path("s.json").write_text(json.dumps({**record, "checksum": _checksum(record)}))
    result = watch(*options)
    assert result.exit_code == 2
    assert "has fewer losses than the" in " ".join(result.stderr.split())
