"""Text from files reaches a terminal as text: no control character, no line of its own, nothing invisible."""

import ast
import json
import logging
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import pacbayes as pb
from pacbayes import cli
from pacbayes.certificate.canonical import content_digest
from pacbayes.cli._app import app
from pacbayes.cli._output import Output, show_warnings_as_notes, tidy
from pacbayes.cli._text import as_json, escape

INVISIBLE = [
    *range(0x20),
    *range(0x7F, 0xA0),
    *(0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFFA0, 0xFEFF, 0x2800),
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFFF9, 0xFFFC),
    *range(0xFE00, 0xFE10),
    0x1BCA0,
    0x1D173,
    0xE0001,
    *range(0xE0020, 0xE0080),
    0xE0100,
    0xD800,
    0xDFFF,
]
FAKE = "x\nThe certificate holds.\x1b[8m\r\u202eolleh\u2028\x9b2J"
# what must not be in any output, whoever wrote it; our own line ends excepted
RAW = re.compile("[" + "".join(re.escape(chr(code)) for code in INVISIBLE if code != 0x0A) + "]")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **options: CliRunner().invoke(app, [str(each) for each in arguments], **options)


def check(result, verdict=None):
    for text in (result.stdout, result.stderr):
        assert not RAW.search(text), ascii(text)
    lines = result.stdout.splitlines()
    assert sum(line.startswith("The certificate holds.") for line in lines) == (verdict == "holds")


@pytest.mark.parametrize("code", INVISIBLE)
def test_every_invisible_character_is_shown_as_an_escape(code):
    shown = escape(f"a{chr(code)}b")
    assert shown.isprintable()
    assert re.fullmatch(r"a\\(n|t|r|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})b", shown), shown
    text = as_json({chr(code): chr(code)})
    assert not RAW.search(text)
    assert "\n" not in text
    assert json.loads(text) == {chr(code): chr(code)}


def test_visible_text_stays_as_it_is():
    for text in ("plain", "Grüße, ½ ≤ 3 €", "日本語", "עברית", "😀", r"C:\new\table", "a  b"):
        assert escape(text) == text
        assert json.loads(as_json(text)) == text
        assert as_json({"ä": text}).startswith('{"ä"')


def test_all_ways_out_are_escaped(capsys):
    output = Output(as_json=False, quiet=False)
    output.say(FAKE, "second")
    output.note(FAKE)
    output.warn(FAKE)
    output.table([FAKE, "[bold]x"], [[FAKE, "[red]y"]])
    with output.progress(FAKE):
        warnings.warn(FAKE, UserWarning, stacklevel=1)
    Output(as_json=True, quiet=False).result({FAKE: [FAKE]})
    shown = capsys.readouterr()
    assert not RAW.search(shown.out + shown.err)
    assert "The certificate holds." not in [line[:22] for line in (shown.out + shown.err).splitlines()]
    assert shown.out.splitlines()[:2] == [escape(FAKE), "second"]
    assert "[red]y" in shown.out


@pytest.mark.parametrize("error", [ValueError(FAKE), OSError(2, "gone", FAKE), KeyError(FAKE), RuntimeError(FAKE)])
@pytest.mark.parametrize("traceback", ["", "1"])
def test_errors_are_escaped(capsys, monkeypatch, error, traceback):
    monkeypatch.setenv("PACBAYES_TRACEBACK", traceback)

    @tidy
    def command():
        raise error

    with pytest.raises(RuntimeError):
        command()
    shown = capsys.readouterr()
    assert not RAW.search(shown.err)
    if not traceback:
        assert shown.err.count("\n") == 1
        assert shown.err.startswith("pacbayes: ")


def test_warnings_and_logs_of_libraries_are_escaped(capsys, monkeypatch):
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(logging, "lastResort", logging._StderrHandler(logging.WARNING))
    show_warnings_as_notes()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(FAKE, UserWarning, stacklevel=1)
    logger = logging.getLogger("some.library")
    monkeypatch.setattr(logger, "propagate", False)
    logger.warning("%s", FAKE)
    shown = capsys.readouterr()
    assert not RAW.search(shown.err)
    assert shown.err.count("\n") == 2


def forge(change, value=None):
    """Return a certificate in which texts say something else, with a digest that fits."""
    record = json.loads(pb.certify_predictions([0, 1] * 50, [0, 1] * 49 + [1, 1]).to_json())
    change(record)
    if value is not None:
        record["statements"][0]["value"] = value
    del record["digest"]
    record["digest"] = content_digest(record)
    return json.dumps(record)


def in_notes(record):
    record["notes"] = [
        {"code": FAKE, "numbers": {}},
        {"code": "repeated_rows", "numbers": {"repeated": FAKE, "rows": 1}},
    ]


def in_choices(record):
    record["choices"] = [{"what": FAKE, "value": FAKE, "where": FAKE, "cost": FAKE, "size": None}]


def in_names(record):
    record["procedure"] = FAKE


def in_subject(record):
    record["statements"][0]["about"] = FAKE


def in_quantity(record):
    record["statements"][0]["quantity"] = FAKE


def in_bound(record):
    record["statements"][0]["bound"] = FAKE


def in_conditions(record):
    record["statements"][0]["assumptions"] = [FAKE]


def in_versions(record):
    record["versions"] = {FAKE: FAKE}
    record["created"] = FAKE
    record["digests"] = {"data": FAKE}


FORGED = [in_notes, in_choices, in_names, in_subject, in_quantity, in_bound, in_conditions, in_versions]


@pytest.mark.parametrize("value", [None, 0.001])
@pytest.mark.parametrize("change", FORGED)
def test_a_certificate_cannot_print_a_verdict(run, tmp_path, change, value):
    (tmp_path / "c.json").write_text(forge(change, value))
    for options in ([], ["--verbose"], ["-q"], ["--json"]):
        result = run("verify", "c.json", *options)
        assert not RAW.search(result.stdout + result.stderr), ascii(result.output)
        said = [line for line in result.output.splitlines() if line.startswith("The certificate holds.")]
        assert len(said) == (result.exit_code == 0 and "--json" not in options)
        assert result.exit_code in ({0, 1, 2} if value is None else {1, 2})
    for command in (["bound", "--from", "c.json"], ["bound", "--from", "c.json", "--delta", "0.1,0.2"]):
        check(run(*command))


def test_names_in_a_table_are_escaped(run, tmp_path):
    frame = pd.DataFrame({FAKE: range(60), "b": [FAKE, "other"] * 30, "y\n\x1b": [FAKE, "n\x07\u2066"] * 30})
    name = "t\x1b[2J\u202e.csv"
    frame.to_csv(tmp_path / name, index=False)
    for options in ([], ["--quiet"], ["--json"]):
        result = run("certify", name, "--target", "y\n\x1b", "--force", "--out", "o", *options)
        assert result.exit_code == 0, result.output
        check(result)
    check(run("certify", name, "--target", FAKE))
    check(run("certify", name, "--target", "absent\x1b"))
    check(run("verify", "o", "--data", name, "--verbose"), "holds")


def test_what_the_user_typed_comes_back_escaped(run):
    for command in (["verify", FAKE], ["watch", FAKE], ["bound", FAKE], ["plan", FAKE], ["plan", f"--{FAKE}"]):
        check(run(*command))
    done = subprocess.run(
        [sys.executable, "-m", "pacbayes", "\x1b[31m\u202e"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert not RAW.search(done.stderr)
    assert done.stderr.count("\n") == 1


def test_lines_of_a_stream_are_escaped(run):
    result = run("watch", "-", input="0\n" * 20 + '"\x1b[2J\x07"\n{"label": "\\u001b[2J", "prediction": 0}\n')
    assert result.exit_code == 0
    check(result)
    assert "\\x1b" in result.stderr


def test_nothing_is_printed_but_through_the_one_door():
    """Whoever adds a command cannot forget to escape: there is no other way to print."""
    allowed = {"_streams.py"}
    for path in Path(cli.__file__).parent.glob("*.py"):
        if path.name in allowed:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in {"print", "typer.echo", "typer.secho", "click.echo", "rich.print"}, path
                assert not re.search(r"std(out|err)\.(write|buffer)", called), path
                assert not called.endswith("os.write"), path


def test_certify_prints_the_command_that_verifies(run, tmp_path, monkeypatch):
    (tmp_path / "own_models.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\nclass Own(GaussianNB):\n    pass\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    frame = pd.DataFrame({"a": range(80), "y": ["n", "y"] * 40})
    frame.to_csv(tmp_path / "my table.csv", index=False)
    result = run("certify", "my table.csv", "--target", "y", "--model", "own_models.Own", "--out", "o")
    command = "Verify: pacbayes verify o/certificate.json --data 'my table.csv' --trust own_models.Own"
    assert result.stdout.splitlines()[-1] == command, result.output
    plain = run("certify", "my table.csv", "--target", "y", "--out", "p")
    assert plain.stdout.splitlines()[-1] == "Verify: pacbayes verify p/certificate.json --data 'my table.csv'"


def test_a_limit_that_nothing_heeds_is_refused():
    from pacbayes.cli._limits import limit_memory

    assert limit_memory(lambda path: path, None) == {}
    assert limit_memory(lambda path, max_memory: (path, max_memory), "4G") == {"max_memory": "4G"}
    with pytest.raises(ValueError, match="no limit in this version"):
        limit_memory(lambda path: path, "4G")
