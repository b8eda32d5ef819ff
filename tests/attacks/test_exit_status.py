"""Exit status 1 means "does not hold" and nothing else: output that cannot be written gives 2, without a traceback."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import pacbayes as pb

from forks import run_forked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the streams of a POSIX shell")

NOISE = re.compile(r"Traceback|Exception ignored|Aborted|Error\b")
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
PLAN = "plan --target 0.05 --risk 0.02"
BOUND = "bound maurer --risk 0.1 --kl 1,2,3 --n 100"
QUICK = {
    "bounds": "bounds",
    "bounds as JSON": "bounds --json",
    "one bound": "bound maurer --risk 0.1 --kl 1 --n 100",
    "a table": BOUND,
    "a table as CSV": f"{BOUND} --csv-out -",
    "plan": PLAN,
    "help": "--help",
    "help of a command": "plan --help",
    "version": "--version",
    "verify": "verify good.json",
    "verify as JSON": "verify good.json --json --quiet",
    "verify a lie": "verify bad.json",
    "verify a lie quietly": "verify bad.json -q",
    "watch": "watch losses.txt --every 10",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("status")
    certificate = pb.certify_predictions([0, 1] * 50, [0, 1] * 50)
    certificate.to_json(place / "good.json")
    record = json.loads(certificate.to_json())
    record["statements"][0]["value"] /= 2
    (place / "bad.json").write_text(json.dumps(record))
    (place / "losses.txt").write_text("0\n1\n" * 5000)
    (place / "table.csv").write_text("age,ill\n" + "".join(f"{i % 7 + i % 2},{'ny'[i % 2]}\n" for i in range(80)))
    return place


def start_forked(folder, command, module="pacbayes", **streams):
    """As `start` with what takes nothing, by its kind: in a fork of a process that has loaded the libraries."""
    taken = {number: streams[name] for number, name in ((1, "stdout"), (2, "stderr")) if name in streams}
    done = run_forked(["-m", module, *command.split()], folder, streams=taken)
    return done.returncode, done.stdout, done.stderr


@contextmanager
def unwritable(kind):
    """Yield the number of a file to which nothing can be written: a full device, or a pipe that nobody reads."""
    if kind == "full":
        number = os.open("/dev/full", os.O_WRONLY)
    else:
        reading, number = os.pipe()
        os.close(reading)
    try:
        yield number
    finally:
        os.close(number)


def start(folder, command, module="pacbayes", **streams):
    arguments = [sys.executable, "-m", module, *command.split()]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | streams
    done = subprocess.run(arguments, cwd=folder, check=False, text=True, timeout=100, **streams)
    return done.returncode, done.stdout or "", done.stderr or ""


def close(number):
    return {"preexec_fn": lambda: os.close(number)}


KINDS = [pytest.param("full", marks=FULL), "pipe"]
OFTEN = {"a table", "help", "version", "verify a lie", "watch"}  # each starts Python; all of them are a long test
CASES = [pytest.param(QUICK[name], id=name, marks=() if name in OFTEN else pytest.mark.long) for name in QUICK]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", CASES)
def test_a_stdout_that_takes_nothing_is_status_2_and_at_most_one_sentence(folder, command, kind):
    status, _, error = start_forked(folder, command, stdout=kind)
    assert status == 2
    assert not NOISE.search(error), error
    said = [line for line in error.splitlines() if line.startswith("pacbayes:")]
    assert len(said) == (kind == "full")


@pytest.mark.parametrize("command", [QUICK[name] for name in ("a table", "help", "verify a lie")])
def test_a_closed_stdout_is_status_2(folder, command):
    status, _, error = start(folder, command, **close(1))
    assert status == 2
    assert not NOISE.search(error), error


# a refusal has to be said on stderr; where that is impossible it is still a refusal
REFUSED = ["verify absent.json", "plan --nonsense", "nonsense"]


@pytest.mark.parametrize("command", REFUSED)
@pytest.mark.parametrize("kind", [*KINDS, "closed"])
def test_a_stderr_that_takes_nothing_leaves_a_refusal_at_2(folder, command, kind):
    if kind == "closed":
        status, out, _ = start(folder, command, **close(2))
    else:
        status, out, _ = start_forked(folder, command, stderr=kind)
    assert (status, out) == (2, "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_stderr_that_takes_nothing_is_never_status_1(folder, kind):
    assert start_forked(folder, "verify bad.json", stderr=kind)[0] == 2
    assert start_forked(folder, "bounds", stderr=kind, stdout=kind)[0] == 2
    assert start_forked(folder, "bounds", stderr=kind)[0] == 0  # nothing was to be written there


LONG = [pytest.param(each, marks=pytest.mark.long) for each in ("demo --out d", "reproduce --jobs 1")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["certify table.csv --target ill --out o", *LONG])
def test_long_commands_too(folder, command, kind, tmp_path):
    if command.startswith("reproduce"):
        command += " --datasets haberman --repeats 1"
    with unwritable(kind) as number:
        status, _, error = start(folder, command, stdout=number, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert status == 2
    assert not NOISE.search(error), error


@pytest.mark.parametrize("module", ["pacbayes", "pacbayes.cli"])
def test_both_modules_are_the_command(folder, module):
    with unwritable("pipe") as number:
        assert start(folder, "bounds", module, stdout=number) == (2, "", "")
    assert start(folder, "verify bad.json", module)[0] == 1


def test_a_file_does_not_become_stdout_where_that_is_closed(folder, tmp_path):
    (tmp_path / "losses.txt").write_text("0\n1\n" * 50)
    status, _, error = start(tmp_path, "watch losses.txt --out c.json --json", **close(1))
    assert status == 2
    assert not NOISE.search(error), error
    for path in tmp_path.iterdir():
        assert "observed" not in path.name
        if path.name == "c.json":
            pb.Certificate.from_json(path)


def test_a_reader_that_has_seen_enough_hears_no_complaint(folder):
    line = f'"{sys.executable}" -m pacbayes bounds | head -1; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 2}
    assert done.stderr == ""


CODE = """
import sys
sys.argv[1:] = {arguments!r}
from pacbayes.cli import main
{setting}
main()
"""


def run_changed(folder, arguments, setting):
    code = CODE.format(arguments=arguments.split(), setting=setting)
    done = run_forked(["-c", code], folder)
    return done.returncode, done.stdout, done.stderr


RAISED = {
    "an exit of 0": ("SystemExit(0)", 2),
    "an exit of 1": ("SystemExit(1)", 2),
    "an exit with words": ("SystemExit('The certificate holds.')", 2),
    "an abort": ("typer.Abort()", 2),
    "end of input": ("EOFError()", 2),
    "memory": ("MemoryError()", 2),
    "recursion": ("RecursionError('deep')", 2),
    "an interrupt": ("KeyboardInterrupt()", 130),
    "the end of a generator": ("GeneratorExit()", 2),
    "a broken pipe": ("BrokenPipeError(32, 'Broken pipe')", 2),
    "a failure of the usage": ("typer.BadParameter('bad')", 2),
    "any": ("Exception()", 2),
}
RAISE = "import typer, pacbayes.cli.{module} as m\ndef fail(*a, **k): raise {error}\nm.{name} = fail"


@pytest.mark.parametrize(("error", "expected"), RAISED.values(), ids=RAISED)
def test_whatever_is_raised_is_no_verdict(folder, error, expected):
    setting = RAISE.format(module="plan", error=error, name="examples_needed")
    status, out, said = run_changed(folder, PLAN, setting)
    assert (status, out) == (expected, "")
    assert not re.search("Traceback|Aborted|holds", said), said


@pytest.mark.parametrize("error", ["KeyboardInterrupt()", "ImportError('x')", "SystemExit(1)", "OSError(32, 'pipe')"])
def test_what_is_raised_while_a_command_loads_is_no_verdict(folder, error):
    setting = RAISE.format(module="_app", error=error, name="import_module")
    status, _, said = run_changed(folder, PLAN, setting)
    assert status == (130 if "Keyboard" in error else 2)
    assert not re.search("Traceback|Aborted", said), said


@pytest.mark.parametrize("module", ["pacbayes", "pacbayes.cli"])
def test_an_interrupt_while_python_imports(tmp_path, module):
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    status, out, error = start(tmp_path, "bounds", module, env=environment)
    assert (status, out) == (130, "")
    assert "Traceback" not in error


def test_a_traceback_that_was_asked_for_is_not_a_verdict(folder):
    status, _, error = start(folder, "bound absent", env={**os.environ, "PACBAYES_TRACEBACK": "1"})
    assert status == 2
    assert "Traceback" in error


def test_errors_of_the_last_flush_are_seen(folder):
    setting = "sys.stdout.write('left in the buffer by a library')"
    code = CODE.format(arguments=[*BOUND.split(), "--csv-out", "x.csv", "--force"], setting=setting)
    with unwritable("pipe") as number:
        command = [sys.executable, "-c", code]
        plain = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        done = subprocess.run(command, cwd=folder, stdout=number, stderr=subprocess.PIPE, check=False, env=plain)
    assert done.returncode == 2
    assert b"ignored" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_encoding_without_a_letter_shows_it_as_an_escape(folder, encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    status, _, error = start(folder, "bound \u0141", env=environment)
    assert status == 2
    assert "\\u0141" in error


def test_a_request_to_end_is_143_before_and_while_a_command_runs(folder):
    wait = "import time, pacbayes.cli.verify as m\ndef wait(*a, **k): print('now', flush=True); time.sleep(600)"
    code = CODE.format(arguments=["verify", "good.json"], setting=wait + "\nm.verify_folder = wait")
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], cwd=folder, **streams) as process:
        assert process.stdout.readline() == b"now\n", process.stderr.read()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=120) == 143
