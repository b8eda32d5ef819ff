"""watch with a certificate: alarms, their command, restarts, and the page."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.cli import _watcher

from cli.alarms import WATCH, expected, records, reseal


def test_an_alarm_has_its_row_its_change_and_status_3(run, watched):
    result = run("watch", "losses.txt", *WATCH, "--json")
    assert result.exit_code == 3
    last, monitor = records(result)[-1], expected(watched)
    alarm = {"row": monitor.alarm.row, "change": monitor.alarm.change, "log_evidence": monitor.alarm.log_evidence}
    assert last["alarm"] == alarm
    assert last["log_evidence"] == monitor.log_evidence
    recent = monitor.recent()
    assert last["recent"] == {
        "n": 1000, "observed": recent.observed, "lower": recent.lower, "upper": recent.upper
    }  # fmt: skip
    assert result.stderr.startswith(f"pacbayes: Alarm at row {alarm['row']}: ")
    assert records(result)[0]["alarm"] is None


def one_at_a_time(stream, lines):
    """The lines of a pipe, each of which comes after the one before was answered."""
    for content in stream.buffer.read().splitlines(keepends=True):
        yield from lines.split(content)
        yield None


def test_an_alarm_is_the_same_however_its_lines_come_but_not_the_report_beside_it(run, watched, monkeypatch):
    text, row = Path("losses.txt").read_text(), expected(watched).alarm.row
    together = run("watch", "losses.txt", *WATCH, "--json")
    monkeypatch.setattr(_watcher, "read_pipe", one_at_a_time)
    alone = run("watch", "-", *WATCH, "--json", input=text)
    due = [[each for each in records(result) if not each["n"] % 500] for result in (together, alone)]
    assert due[0] == due[1]
    assert records(together)[-1] == records(alone)[-1]
    (late,), (at_once,) = (
        [each["n"] for each in records(result)[:-1] if each["n"] % 500] for result in (together, alone)
    )
    assert at_once == row < late < row + 256
    said = [result.stderr.partition(" Mean loss of the last")[0] for result in (together, alone)]
    assert said[0] == said[1]
    ended = run("watch", "-", *WATCH, "--json", "--until-alarm", input=text)
    assert records(ended)[-1]["n"] == row


def test_a_report_after_an_alarm_has_its_row_and_the_evidence_by_now(run, watched):
    Path("better.txt").write_text(Path("losses.txt").read_text() + "0\n" * 5000)
    first, *_, last = [line for line in run("watch", "better.txt", *WATCH).stdout.splitlines() if "losses," in line]
    assert "; ALARM" not in first
    assert re.search(rf", evidence now [\d.]+; ALARM at row {expected(watched).alarm.row}$", last)


@pytest.mark.parametrize("every", [1, 7, 256, 512, 100_000])
def test_no_report_comes_twice(run, watched, every):
    options = ("--certificate", "certificate.json", "--every", str(every), "--until-alarm", "--json")
    counts = [record["n"] for record in records(run("watch", "losses.txt", *options))]
    assert len(set(counts)) == len(counts)


PAIRS = '{"label": 1, "prediction": 0}\n{"label": 1, "prediction": 1}\n'


def certify_other(**options):
    certificate = pb.certify_predictions([0, 1] * 500, [0, 1] * 465 + [1, 1] * 35, **options)
    certificate.to_json(Path("other.json"))


def test_label_and_prediction_are_no_evidence_on_another_loss(run, watched):
    """Whether they differ is never below their cost: it would raise an alarm over a certificate that is true."""
    certify_other(metrics=("cost",), cost=[[0, 1], [5, 0]])
    Path("pairs.txt").write_text(PAIRS)
    result = run("watch", "pairs.txt", "--certificate", "other.json")
    assert result.exit_code == 2
    assert "Line 1 has label and prediction" in result.stderr
    assert "about the mean cost" in result.stderr
    Path("pairs.txt").write_text('{"loss": 0.2}\n0\n')
    assert run("watch", "pairs.txt", "--certificate", "other.json").exit_code == 0
    Path("pairs.txt").write_text(PAIRS)
    assert run("watch", "pairs.txt", "--certificate", "certificate.json").exit_code == 0


@pytest.mark.parametrize("metric", ["fnr:1", "balanced-error"])
def test_a_limit_on_some_of_the_rows_is_not_watched(run, watched, metric):
    certify_other(metrics=(metric,))
    result = run("watch", "good.txt", "--certificate", "other.json")
    assert result.exit_code == 2
    assert "a loss that every row has" in result.stderr


def test_without_a_change_all_is_well(run, watched):
    result = run("watch", "good.txt", "--certificate", ".", "--every", "1000")
    assert result.exit_code == 0
    assert "evidence 0." in result.stdout
    assert "No alarm in 2000 rows" in result.stdout


def test_a_pipe_raises_the_same_alarm(run, watched):
    result = run("watch", "-", *WATCH, "--json", input=Path("losses.txt").read_text())
    assert result.exit_code == 3
    assert records(result)[-1]["alarm"]["row"] == expected(watched).alarm.row


def test_until_alarm_ends_with_it(run, watched):
    result = run("watch", "losses.txt", *WATCH, "--until-alarm", "--json", "--state", "s.json")
    row = expected(watched).alarm.row
    assert result.exit_code == 3
    assert row <= records(result)[-1]["n"] < row + 256
    again = run("watch", "losses.txt", *WATCH, "--until-alarm", "--json", "--state", "s.json")
    assert again.exit_code == 3
    assert records(again)[-1]["n"] == records(result)[-1]["n"]


def hook(tmp_path, code="0"):
    """A program that writes down what it is told."""
    Path("hook.py").write_text(
        "import json, os, sys\n"
        "told = {k: v for k, v in os.environ.items() if k.startswith('PACBAYES_ALARM')}\n"
        "open('told.txt', 'a').write(json.dumps([told, sys.argv[1:]]) + '\\n')\n"
        f"print('said by the hook')\nsys.exit({code})\n"
    )
    return f'"{sys.executable}" hook.py "two words" $HOME ;'


def told():
    return [json.loads(line) for line in Path("told.txt").read_text().splitlines()]


def test_the_command_is_run_once_and_without_a_shell(run, watched, tmp_path):
    command = hook(tmp_path)
    for _ in range(3):
        result = run("watch", "losses.txt", *WATCH, "--state", "s.json", "--on-alarm", command, "--json")
        assert result.exit_code == 3
        assert "said by" not in result.stdout
    ((variables, arguments),) = told()
    assert arguments == ["two words", "$HOME", ";"]
    assert variables["PACBAYES_ALARM_ROW"] == str(expected(watched).alarm.row)
    assert float(variables["PACBAYES_ALARM_EVIDENCE"]) >= 100
    assert variables["PACBAYES_ALARM_KEY"] == ""


def test_an_alarm_that_nobody_was_told_of_is_told_at_the_next_start(run, watched, tmp_path):
    assert run("watch", "losses.txt", *WATCH, "--state", "s.json").exit_code == 3
    assert run("watch", "losses.txt", *WATCH, "--state", "s.json", "--on-alarm", hook(tmp_path)).exit_code == 3
    assert len(told()) == 1


def test_a_command_that_fails_is_said(run, watched, tmp_path):
    result = run("watch", "losses.txt", *WATCH, "--on-alarm", hook(tmp_path, "7"))
    assert result.exit_code == 3
    assert "the command on alarm ended with status 7." in result.stderr


def test_a_key_cannot_make_a_command_or_a_line(run, watched, tmp_path):
    key = "a\x00b\n; touch forged $(touch forged)\x1b[2K"
    lines = [json.dumps({"shop": key, "loss": 1.0})] * 50
    result = run("watch", "-", *WATCH, "--by", "shop", "--on-alarm", hook(tmp_path), input="\n".join(lines))
    assert result.exit_code == 3
    assert told()[0][0]["PACBAYES_ALARM_KEY"] == "a\\x00b\\n; touch forged $(touch forged)\\x1b[2K"
    assert not Path("forged").exists()
    assert "\x1b" not in result.output


@pytest.mark.parametrize("cuts", [(1,), (255, 256, 257), (2000, 2100, 2200)])
def test_restarts_change_nothing(run, watched, cuts):
    lines = Path("losses.txt").read_text().splitlines(keepends=True)
    for end in (*cuts, len(lines)):
        Path("parts.txt").write_text("".join(lines[:end]))
        result = run("watch", "parts.txt", *WATCH, "--state", "s.json", "--json")
    assert result.exit_code == 3
    stored = json.loads(Path("s.json").read_text())["alarm"]
    assert stored["monitor"] == expected(watched).to_dict()


def other_certificate():
    pb.certify_predictions([0, 1] * 500, [0, 1] * 470 + [1, 1] * 30).to_json(Path("certificate.json"))


CHANGES = {
    "another certificate": ((), other_certificate, "belongs to another certificate"),
    "another alarm": (("--alarm", "0.05"), None, "belongs to an alarm of 0.01, not 0.05"),
    "another window": (("--window", "500"), None, "belongs to a window of 1000 rows, not 500"),
    "another delta": (("--delta", "0.1"), None, "belongs to a delta of 0.05, not 0.1"),
    "by a key": (("--by", "shop"), None, "belongs to one stream, not --by"),
}


@pytest.mark.parametrize(("options", "change", "words"), CHANGES.values(), ids=CHANGES)
def test_a_state_of_something_else_is_refused(run, watched, options, change, words):
    assert run("watch", "good.txt", *WATCH, "--state", "s.json").exit_code == 0
    if change is not None:
        change()
    result = run("watch", "good.txt", *WATCH, "--state", "s.json", *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_states_with_and_without_an_alarm_are_told_apart(run, watched):
    assert run("watch", "good.txt", "--state", "without.json").exit_code == 0
    assert run("watch", "good.txt", *WATCH, "--state", "with.json").exit_code == 0
    assert "was kept without" in run("watch", "good.txt", *WATCH, "--state", "without.json").stderr
    assert "was kept with --certificate" in run("watch", "good.txt", "--state", "with.json").stderr


FORGED = {
    "no alarm": lambda alarm: None,
    "not told": lambda alarm: {"monitor": alarm["monitor"]},
    "a curve": lambda alarm: {**alarm, "curve": [[1]]},
    "a curve of texts": lambda alarm: {**alarm, "curve": [1, 1, [["<script>", 0, 0, 0, 0]]]},
    "an infinite curve": lambda alarm: {**alarm, "curve": [1, 1, [[1, float("inf"), 0, 0, 0]]]},
    "rows": lambda alarm: {**alarm, "monitor": {**alarm["monitor"], "evidence": {}}},
    "fewer rows": lambda alarm: {**alarm, "monitor": expected(np.zeros(5)).to_dict()},
    "an alarm": lambda alarm: {**alarm, "monitor": {**alarm["monitor"], "alarm": [9, 9, "0x1p+0"]}},
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_forged_state_is_refused_in_one_sentence(run, watched, forge):
    assert run("watch", "good.txt", *WATCH, "--state", "s.json").exit_code == 0
    record = json.loads(Path("s.json").read_text())
    Path("s.json").write_text(json.dumps(reseal({**record, "alarm": forge(record["alarm"])})))
    result = run("watch", "good.txt", *WATCH, "--state", "s.json")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "state file" in result.stderr


def test_junk_is_never_an_alarm(run, watched):
    Path("junk.txt").write_text("0\n" * 50 + "junk\n" * 500)
    result = run("watch", "junk.txt", *WATCH)
    assert result.exit_code == 0
    assert "Lines that could not be read and count as wrong (loss 1): 500." in result.stderr


def test_the_page_is_current_and_harmless(run, watched):
    Path("<b>.txt").write_text(Path("losses.txt").read_text())
    result = run("watch", "<b>.txt", *WATCH, "--page", "page.html")
    assert result.exit_code == 3
    page = Path("page.html").read_text()
    assert "<b>" not in page
    assert page.count("<svg") == 2
    assert 'http-equiv="refresh"' in page
    assert "Alarm at row" in page
    assert run("watch", "good.txt", *WATCH, "--page", "page.html").exit_code == 0
    assert "No alarm" in Path("page.html").read_text()
    Path("mine.html").write_text("<html></html>")
    result = run("watch", "good.txt", *WATCH, "--page", "mine.html")
    assert (result.exit_code, Path("mine.html").read_text()) == (2, "<html></html>")


WRONG = {
    "no certificate": (["--alarm", "0.01"], "--alarm needs --certificate"),
    "a hook alone": (["--on-alarm", "true"], "--on-alarm needs --certificate"),
    "a page alone": (["--page", "p.html"], "--page needs --certificate"),
    "until": (["--until-alarm"], "--until-alarm needs --certificate"),
    "streams alone": (["--streams", "3"], "--streams needs --by"),
    "streams and out": (["--by", "a", "--out", "c.json"], "--out is one certificate"),
    "no name": (["--by", ""], "--by must be the name"),
    "no such file": (["--certificate", "absent.json"], "There is no file 'absent.json'"),
    "no such folder": (["--certificate", "absent/"], "There is no file"),
    "another file": (["--certificate", "losses.txt"], "A certificate must be"),
    "alarm of 1": ([*WATCH, "--alarm", "1"], "must lie between 0 and 1, such as 0.01"),
    "no program": ([*WATCH, "--on-alarm", "no-such-program-here"], "must name a program that can be run"),
    "no words": ([*WATCH, "--on-alarm", ""], "must name a program"),
    "a quote": ([*WATCH, "--on-alarm", "'"], "must be a program and its arguments"),
    "window": ([*WATCH, "--window", "0"], "window"),
    "the same file": ([*WATCH, "--page", "x", "--state", "x"], "must be two files"),
}


@pytest.mark.parametrize(("options", "words"), WRONG.values(), ids=WRONG)
def test_wrong_options_are_refused_in_one_sentence(run, watched, options, words):
    result = run("watch", "losses.txt", *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert not Path("p.html").exists()


def test_help_says_what_is_assumed(run):
    words = " ".join(run("watch", "--help").stdout.split())
    assert "how long a label takes must not depend on whether the prediction was right" in words
    assert "chosen at random, or by a rule that ignores everything about the case" in words
