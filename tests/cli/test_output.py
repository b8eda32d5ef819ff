"""What every command shares: lines as they are, tables, and one sentence for each failure."""

import errno
import subprocess
import sys
import warnings

import pytest
import typer

from pacbayes._core.files import write_atomically
from pacbayes.cli._output import Output, tidy


def test_lines_are_printed_as_they_are_and_what_moves_the_cursor_as_escapes(capsys):
    output = Output(as_json=False, quiet=False)
    output.say("[bold] :smile: \x1b[31m\rred " + "long " * 60)
    output.note("[red]")
    output.table(["a", "b"], [["[x]", "\x1b1"], [":o:", "10"]], numbers=(1,))
    shown = capsys.readouterr()
    said = r"[bold] :smile: \x1b[31m\rred " + "long " * 60
    assert shown.out.splitlines() == [said, "a        b", r"[x]  \x1b1", ":o:     10"]
    assert shown.err == "note: [red]\n"


def test_progress_and_warnings_go_to_stderr_once(capsys):
    with Output(as_json=False, quiet=False).progress("Working on [1] ..."):
        for _ in range(2):
            warnings.warn("two\nlines", UserWarning, stacklevel=1)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "Working on [1] ...\nnote: two lines\n"


def test_json_silences_words_and_quiet_silences_progress(capsys):
    output = Output(as_json=True, quiet=True)
    output.say("words")
    output.note("words")
    output.table(["a"], [["b"]])
    with output.progress("words"):
        sys.stdout.write("what a model prints meanwhile")
    output.result({"ä": 1})
    shown = capsys.readouterr()
    assert shown.out == '{"ä": 1}\n'
    assert shown.err == ""


def failing(error):
    @tidy
    def command():
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("two\n lines."), "two lines."),
        (RuntimeError("x"), "RuntimeError: x"),
        (MemoryError(), "There is not enough memory for this table."),
        (OSError("no number"), "no number"),
        (OSError(errno.ENOSPC, "No space left"), "Something could not be read or written: No space left."),
        (OSError(errno.ENOSPC, "No space left", "a.json"), "'a.json' cannot be read or written: No space left."),
        (PermissionError(errno.EACCES, "denied", ".draft", None, "a.json"), "There is no permission for 'a.json'."),
        (FileNotFoundError(errno.ENOENT, "absent", "a.json"), "There is no file 'a.json'."),
        (FileNotFoundError(errno.ENOENT, "absent", "no/a.json"), "There is no folder 'no'."),
        (IsADirectoryError(errno.EISDIR, "folder", "a"), "'a' is a folder, and a file is needed."),
        (
            NotADirectoryError(errno.ENOTDIR, "no folder", "a/b"),
            "'a/b' cannot be there: a part of its path is a file, not a folder.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_failure_is_one_sentence(tmp_path, monkeypatch, capsys, error, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PACBAYES_TRACEBACK", raising=False)
    with pytest.raises(typer.Exit) as left:
        failing(error)()
    assert left.value.exit_code == 2
    assert capsys.readouterr().err == f"pacbayes: {words}\n"


def test_a_failing_write_names_the_file_that_the_user_gave(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
    with pytest.raises(typer.Exit):
        tidy(write_atomically)(tmp_path / "c.json", "text")
    assert (
        capsys.readouterr().err
        == f"pacbayes: {str(tmp_path / 'c.json')!r} cannot be read or written: Input/output error.\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM to send to oneself")
def test_a_request_to_end_is_an_interruption_with_a_status_of_its_own():
    code = (
        "import os, signal; from pacbayes.cli._output import tidy; import typer\n"
        "@tidy\n"
        "def command(): os.kill(os.getpid(), signal.SIGTERM); signal.pause()\n"
        "try: command()\n"
        "except typer.Exit as left: raise SystemExit(left.exit_code)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, "pacbayes: stopped.\n")
