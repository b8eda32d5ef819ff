"""A process to kill: reads requests as JSON lines, runs each in a fork of its own, and kills that where it is asked to.

A point is anything that changes files below the folder in question: making, opening for writing, synchronising,
renaming, exchanging, removing. A request may name the point before which to kill, or the seconds after which.
"""

import contextlib
import importlib
import io
import json
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

import pacbayes as pb
from pacbayes import reproduction
from pacbayes._core import folders
from pacbayes.cli import bound, certify, demo, verify, watch  # noqa: F401  (loaded once, before the forks)
from pacbayes.cli._app import app
from pacbayes.runs import Settings, certify_file

EVENTS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.truncate", "shutil.rmtree"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Noon:
    """The same time whenever one looks, so that results can be compared byte by byte."""

    @staticmethod
    def now(_):
        return datetime(2030, 1, 1, 12, tzinfo=UTC)


class Points:
    def __init__(self, folder, last):
        self.folder, self.last, self.count = folder, last, 0

    def __call__(self, *_):
        self.count += 1
        if self.count == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(self, event, arguments):
        writing = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING
        if (writing or event in EVENTS) and os.fsdecode(str(arguments[0])).startswith(self.folder):
            self()

    def around(self, function):
        def counted(*arguments):
            self()
            return function(*arguments)

        return counted


def run(request):
    """The work of a request; in one that only saves, everything else was done before the fork."""
    if "save" in request:
        SAVED[request["save"]].save(request["out"], force=request["force"])
    elif "checkpoint" in request:
        sample = pb.datasets.make_known_risk(300, d=3, random_state=0)
        options = {"schedule": pb.Every(50), "chains": 2, "random_state": 0, "checkpoint": request["checkpoint"]}
        np.save(request["out"], pb.online_reference(pb.RefittedLogistic(), sample.X, sample.y, **options).losses)
    elif "cells" in request:
        reproduction.run(["haberman"], 3, ["corrected-maurer"], folder=request["cells"], resume=True, n_jobs=1)
    else:
        app(request["command"], standalone_mode=False)


def child(request, answer):
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    points = Points(request["folder"], request.get("kill"))
    os.fsync, folders.exchange = points.around(os.fsync), points.around(folders.exchange)
    if request.get("no_exchange"):
        folders.exchange = lambda *_: False
    sys.addaudithook(points.hook)
    status = 0
    try:
        run(request)
    except BaseException as error:
        status = getattr(error, "exit_code", 99)
        os.write(answer, f"{type(error).__name__}: {error}".encode()[:4000] if status == 99 else b"")
    os.write(answer, f"\n{points.count}".encode())
    os._exit(status)


def fork(request):
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        child(request, writing)
    os.close(writing)
    begun = time.monotonic()
    if request.get("after") is not None:
        time.sleep(request["after"])
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with os.fdopen(reading, "rb") as file:
        text, _, points = file.read().decode().rpartition("\n")
    _, status = os.waitpid(pid, 0)
    status = os.waitstatus_to_exitcode(status)
    return {"status": status, "text": text, "points": int(points or 0), "seconds": time.monotonic() - begun}


importlib.import_module("pacbayes.certificate.issue").datetime = Noon
table = Path(sys.argv[1])
SAVED = {
    name: certify_file(table, Settings(target="ill", model=model, method=method, delta=delta), baseline=False)
    for name, model, method, delta in [("old", "random-forest", "split", 0.05), ("new", "logistic", "auto", 0.1)]
}
for each in SAVED.values():
    each.report()  # templates are compiled once, before the forks
with contextlib.redirect_stdout(io.StringIO()):
    app(["plan", "--rows", "9"], standalone_mode=False)  # which loads what reads options


def rehearse(request):
    """Do it without a fork, so that those to come need not load what it takes."""
    with contextlib.redirect_stdout(io.StringIO()):
        run(request)
    return {"status": 0}


for line in sys.stdin:
    asked = json.loads(line)
    sys.stdout.write(json.dumps((rehearse if asked.get("rehearse") else fork)(asked)) + "\n")
    sys.stdout.flush()
