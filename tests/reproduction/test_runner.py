"""The run: pure cells, any backend, kills, and methods of others."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from pacbayes import reproduction
from pacbayes.reproduction import ResultsFileError
from pacbayes.reproduction.cell_store import FILE
from pacbayes.reproduction.cells import Grid, Task, compute_cells

pytestmark = pytest.mark.usefixtures("data_folder")

SMALL = ["haberman", "breast-cancer"]


@pytest.fixture(scope="module")
def plain():
    return {}


@pytest.fixture
def results(data_folder, plain):
    """One run of two small sets, every method."""
    if not plain:
        plain["results"] = reproduction.run(SMALL, 3)
    return plain["results"]


def test_a_cell_does_not_depend_on_the_rest_of_the_grid(results):
    alone = compute_cells(Task("breast-cancer", 2, 0, ("informed",)))
    assert alone[0].values == results.cells["breast-cancer", 2, "informed"]
    other = compute_cells(Task("breast-cancer", 2, 1, ("informed",)))
    assert other[0].values != alone[0].values


@pytest.mark.parametrize(("backend", "jobs"), [("loky", 2), ("threading", 3), (None, None)])
def test_the_backend_does_not_matter(results, backend, jobs):
    again = reproduction.run(SMALL, 3, backend=backend, n_jobs=jobs)
    assert again.cells == results.cells


def test_bounds_hold_on_the_test_rows(results):
    """All of them are far from being violated; a reversed sign or a wrong row would show."""
    for (data, _, name), values in results.cells.items():
        assert 0.0 <= values["test"] <= 1.0
        assert values["value"] >= values["test"] - 0.1, (data, name)
        assert 0.0 < values["value"] < (0.75 if data == "haberman" else 0.3)


def test_sound_methods_use_nothing_of_the_test_rows(monkeypatch):
    """Other test rows change the test error and nothing else."""
    from pacbayes.reproduction import Split

    for name in ("laplace", "informed", "split-kl", "holdout", "progressive"):
        split, changed = Split("haberman", 0), Split("haberman", 0)
        X, y = changed.test
        changed.__dict__["test"] = (1000.0 * X, 1 - y)
        one, two = (reproduction.METHODS[name].function(s) for s in (split, changed))
        assert {k for k in one if one[k] != two[k]} <= {"test", "test_gibbs"}


def test_resume_computes_only_what_is_missing(results, tmp_path, monkeypatch):
    reproduction.run(["haberman"], 2, folder=tmp_path)
    tasks = []
    monkeypatch.setattr(
        "pacbayes.reproduction.runner.compute_cells", lambda task: tasks.append(task) or compute_cells(task)
    )
    again = reproduction.run(SMALL, 3, folder=tmp_path, resume=True, n_jobs=1)
    assert again.cells == results.cells
    assert sorted((task.data, task.repeat) for task in tasks) == [
        *(("breast-cancer", repeat) for repeat in range(3)),
        ("haberman", 2),
    ]


def test_disk_full_during_a_run_keeps_what_was_there(results, tmp_path, monkeypatch):
    real, calls = os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) == 4:
            raise OSError(28, os.strerror(28))
        real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(ResultsFileError, match="Its 24 cells are safe" if len(results.cells) == 72 else "safe"):
            reproduction.run(SMALL, 3, folder=tmp_path)
    assert reproduction.run(SMALL, 3, folder=tmp_path, resume=True).cells == results.cells


# of the methods those that take least: a run is killed while it starts, computes and writes, whatever it computes
QUICK = ["published-ub", "corrected-maurer", "corrected-ours", "laplace", "holdout", "progressive"]
GRID = ["--repeats", "5", "--datasets", ",".join(SMALL), "--methods", ",".join(QUICK)]
COMMAND = [sys.executable, "-m", "pacbayes", "reproduce", "--resume", *GRID]


def _start(folder, jobs):
    arguments = [*COMMAND, "--out", str(folder), "--jobs", str(jobs)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(arguments, start_new_session=True, **quiet)


def _size(path):
    return path.stat().st_size if path.exists() else 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_five_kills_and_resumes_equal_an_uninterrupted_run(tmp_path, record_count):
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    run = _start(whole, 1)
    rng, killed = random.Random(0), 0
    for attempt in range(5):
        process = _start(torn, 1 + attempt % 2)
        target = _size(torn / FILE) + rng.randint(250, 3_000)
        while _size(torn / FILE) < target and process.poll() is None:
            time.sleep(0.001)
        killed += process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)  # with its workers, which would wait for work for minutes
        process.wait()
    assert killed == 5
    process = _start(torn, 2)
    assert process.wait() == 0
    assert run.wait() == 0
    assert (torn / FILE).read_bytes() == (whole / FILE).read_bytes()
    for name in ("cells.csv", "cells.json", "tables.txt", "tables.tex", "index.html"):
        assert (torn / name).read_bytes() == (whole / name).read_bytes()
    record_count("kill -9 and resume: kills survived bit for bit", killed)


@pytest.mark.filterwarnings("ignore")  # distributed's own
def test_a_dask_cluster_gives_the_same_table(results):
    from joblib import parallel_config

    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        parallel_config("dask"),
    ):
        there = reproduction.run(SMALL, 3)
    assert there.cells == results.cells
    assert there.table() == results.table()


def test_progress_into_a_file_is_a_line_per_tenth(tmp_path, capsys):
    reproduction.run(["haberman"], 25, ["corrected-maurer"], progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("reproduction: 3/25 splits, haberman, about ")


def test_quick_leaves_out_adult():
    grid = Grid.from_arguments(None, None, None, quick=True)
    assert grid.repeats == 3
    assert "adult" not in grid.datasets
    assert len(grid.datasets) == 7
    asked = Grid.from_arguments(["adult"], 2, None, quick=True)
    assert (asked.datasets, asked.repeats) == (("adult",), 2)
    assert Grid.from_arguments(None, None, None) == Grid.from_arguments(None, 20, None)


def test_the_whole_grid_is_eight_by_twenty():
    grid = Grid.from_arguments(None, 20, None, 0)
    assert len(grid.cells) == 8 * 20 * len(reproduction.METHODS)
    assert {task.data for task in grid.tasks()[:20]} == {"adult"}  # the longest first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"datasets": ["iris"]}, "'datasets' argument of run must be among .* Got 'iris'"),
        ({"datasets": []}, "'datasets' argument of run must name at least one"),
        ({"repeats": 0}, "'repeats' argument of run must be a whole number from 1. Got 0"),
        ({"repeats": 2.5}, "'repeats' argument of run must be a whole number from 1. Got 2.5"),
        ({"methods": ["magic"]}, "'methods' argument of run must be among .* Got 'magic'"),
        ({"methods": []}, "'methods' argument of run must name at least one"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        reproduction.run(**arguments)


def test_a_method_can_be_added_and_reaches_worker_processes(request):
    request.addfinalizer(lambda: reproduction.METHODS.pop("rows", None))

    @reproduction.method("rows", "rows", "baselines", "the share of rows tested", "none")
    def rows(split):
        return {"value": len(split.test[1]) / 306, "test": 0.0}

    found = reproduction.run(["haberman"], 2, ["rows"], n_jobs=2)
    assert np.isclose(found.mean("haberman", "rows"), 62 / 306)
    with pytest.raises(ValueError, match="must be new"):
        reproduction.method("betting", "", "ours", "", "")(rows)
    with pytest.raises(ValueError, match=r"'guarantee' argument of method must be among .* Got 'certain' instead"):
        reproduction.method("others", "", "ours", "", "certain")(rows)
