"""Commands and scripts in processes of their own that need not load the libraries: forks of one that has loaded them.

Run as a script this is the process that is forked; it reads requests as JSON lines. Tests ask it through `run_forked`.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

LOADED = [
    "matplotlib.pyplot",
    "pandas",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.compose",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.naive_bayes",
    "sklearn.neighbors",
    "sklearn.pipeline",
    "sklearn.tree",
    "skops.io",
    "pacbayes.cli._app",
    "pacbayes.cli.certify",
    "pacbayes.cli.demo",
    "pacbayes.cli.verify",
    "pacbayes.cli.predict",
    "pacbayes.report",
    "pacbayes.runs",
]


@functools.cache
def _server():
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent
    )
    atexit.register(process.stdin.close)
    return process


def run_forked(arguments, folder, environment=None, streams=None):
    """As `subprocess.run([sys.executable, *arguments], cwd=folder, env=environment)`, with the output as text.

    `streams` has what takes nothing, by the number of the stream: "full" is a full device, "pipe" one that nobody
    reads.
    """
    if not hasattr(os, "fork"):
        return subprocess.run(
            [sys.executable, *arguments], check=False, capture_output=True, text=True, cwd=folder, env=environment
        )
    server = _server()
    request = {
        "arguments": [*map(str, arguments)],
        "folder": str(folder),
        "environment": dict(environment or os.environ),
        "streams": streams or {},
    }
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    return subprocess.CompletedProcess(arguments, **json.loads(server.stdout.readline()))


def _open_unwritable(kind):
    if kind == "full":
        return os.open("/dev/full", os.O_WRONLY)
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def _prepare(request, files):
    """Stand where the request says, with its environment, and write into the files."""
    for number, file in enumerate(files, start=1):
        os.dup2(file.fileno(), number)
    for number, kind in request["streams"].items():
        os.dup2(_open_unwritable(kind), int(number))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path[1:1] = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]


def _run(arguments):
    """Run `-m module ...`, `-c code ...` or a script, as Python does."""
    if arguments[0] == "-m":
        sys.path[0], sys.argv = str(Path.cwd()), arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        sys.path[0], sys.argv = "", ["-c", *arguments[2:]]
        exec(arguments[1], {"__name__": "__main__"})
    else:
        sys.path[0], sys.argv = str(Path(arguments[0]).parent), arguments
        runpy.run_path(arguments[0], run_name="__main__")


def _flush(status):
    """Write out what is left, as Python does last; where that fails, it says so and has a status of its own."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        status = 120
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("Exception ignored in the last flush\n")
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    return status


def _child(request, files):
    status = 1
    try:
        _prepare(request, files)
        _run(request["arguments"])
        status = 0
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
    os._exit(_flush(status))


def _fork(request):
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        pid = os.fork()
        if not pid:
            _child(request, (output, errors))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode())
    return {"returncode": status, "stdout": texts[0], "stderr": texts[1]}


if __name__ == "__main__":
    for each in LOADED:
        importlib.import_module(each)
    with contextlib.redirect_stdout(io.StringIO()):
        sys.modules["pacbayes.cli._app"].app(["plan", "--rows", "9"], standalone_mode=False)  # loads what reads options
    for line in sys.stdin:
        answer = json.dumps(_fork(json.loads(line)))
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()
