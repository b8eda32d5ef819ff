"""The run: pure cells, any backend, kills, the command, and what it must not load."""

from __future__ import annotations

import dataclasses
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from pacbayes import experiments
from pacbayes.datasets._specifications import SPECIFICATIONS
from pacbayes.experiments import ExperimentFileError
from pacbayes.experiments.__main__ import main
from pacbayes.experiments._grid import Grid, Task, compute
from pacbayes.experiments._store import FILE

pytestmark = pytest.mark.usefixtures("data_folder")

SMALL = ["haberman", "breast-cancer"]


@pytest.fixture(scope="module")
def plain():
    return {}


@pytest.fixture
def results(data_folder, plain):
    """One run of two small sets, every method."""
    if not plain:
        plain["results"] = experiments.run(SMALL, 3)
    return plain["results"]


def test_a_cell_does_not_depend_on_the_rest_of_the_grid(results):
    alone = compute(Task("breast-cancer", 2, 0, ("informed",)))
    assert alone[0].values == results.cells["breast-cancer", 2, "informed"]
    other = compute(Task("breast-cancer", 2, 1, ("informed",)))
    assert other[0].values != alone[0].values


@pytest.mark.parametrize(("backend", "jobs"), [("loky", 2), ("threading", 3), (None, None)])
def test_the_backend_does_not_matter(results, backend, jobs):
    again = experiments.run(SMALL, 3, backend=backend, n_jobs=jobs)
    assert again.cells == results.cells


def test_bounds_hold_on_the_test_rows(results):
    """All of them are far from being violated; a reversed sign or a wrong row would show."""
    for (data, _, name), values in results.cells.items():
        assert 0.0 <= values["test"] <= 1.0
        assert values["value"] >= values["test"] - 0.1, (data, name)
        assert 0.0 < values["value"] < (0.75 if data == "haberman" else 0.3)


def test_sound_methods_use_nothing_of_the_test_rows(monkeypatch):
    """Other test rows change the test error and nothing else."""
    from pacbayes.experiments import Split

    for name in ("laplace", "informed", "split-kl", "holdout", "progressive"):
        split, changed = Split("haberman", 0), Split("haberman", 0)
        X, y = changed.test
        changed.__dict__["test"] = (1000.0 * X, 1 - y)
        one, two = (experiments.METHODS[name].function(s) for s in (split, changed))
        assert {k for k in one if one[k] != two[k]} <= {"test", "test_gibbs"}


def test_resume_computes_only_what_is_missing(results, tmp_path, monkeypatch):
    experiments.run(["haberman"], 2, folder=tmp_path)
    tasks = []
    monkeypatch.setattr("pacbayes.experiments._run.compute", lambda task: tasks.append(task) or compute(task))
    again = experiments.run(SMALL, 3, folder=tmp_path, resume=True, n_jobs=1)
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
        with pytest.raises(ExperimentFileError, match="Its 24 cells are safe" if len(results.cells) == 72 else "safe"):
            experiments.run(SMALL, 3, folder=tmp_path)
    assert experiments.run(SMALL, 3, folder=tmp_path, resume=True).cells == results.cells


COMMAND = [sys.executable, "-m", "pacbayes.experiments", "--datasets", *SMALL, "--repeats", "12", "--resume"]


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
        target = _size(torn / FILE) + rng.randint(500, 18_000)
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
        there = experiments.run(SMALL, 3)
    assert there.cells == results.cells
    assert there.table() == results.table()


def test_the_command(tmp_path, capsys):
    arguments = ["--datasets", "haberman", "--repeats", "2", "--jobs", "1", "--out", str(tmp_path)]
    assert main(arguments) == 0
    shown = capsys.readouterr()
    assert "As published: the paper's table reproduced" in shown.out
    assert "Is Ours below UB on every data set?" in shown.out
    assert "about 0 s left" in shown.err
    assert "\r" not in shown.err
    assert main(arguments) == 2
    assert "cells already. Give --resume, or another folder with --out." in capsys.readouterr().err
    assert main([*arguments, "--resume"]) == 0
    assert main(["--datasets", "iris", "--out", str(tmp_path)]) == 2
    refused = capsys.readouterr().err
    assert refused.startswith("pacbayes: ")
    assert "must be among ['haberman'" in refused


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--jobs", "0"], "from 1, or -1 for one process per core. Got 0 instead."),
        (["--repeats", "0"], "must be a whole number from 1. Got 0"),
        (["--datasets", "iris"], "Got 'iris'"),
        (["--backend", "magic"], "magic"),
    ],
)
def test_bad_arguments_write_nothing(tmp_path, capsys, arguments, words):
    assert main(["--datasets", "haberman", *arguments, "--out", str(tmp_path / "new")]) == 2
    refused = capsys.readouterr().err
    assert refused.startswith("pacbayes: ")
    assert words in refused
    assert refused.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_usage_names_the_command_and_bad_options_get_one_sentence(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("usage: pacbayes reproduce")
    with pytest.raises(SystemExit) as left:
        main(["--jobs", "many"])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert said == "pacbayes: Argument --jobs: invalid int value: 'many'. See pacbayes reproduce --help.\n"


def test_a_missing_data_file_leaves_nothing_behind(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PACBAYES_DATA", str(tmp_path / "data"))
    here = dataclasses.replace(SPECIFICATIONS["haberman"], address="http://127.0.0.1:9/haberman.data")
    monkeypatch.setitem(SPECIFICATIONS, "haberman", here)
    assert main(["--datasets", "haberman", "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == (
        f"pacbayes: haberman.data is not in {tmp_path / 'data'} and could not be fetched (no network). "
        "Put it there, or set PACBAYES_DATA.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_progress_into_a_file_is_a_line_per_tenth(tmp_path, capsys):
    experiments.run(["haberman"], 25, ["corrected-maurer"], progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("experiments: 3/25 splits, haberman, about ")


def test_quick_leaves_out_adult(monkeypatch, tmp_path):
    asked = []

    def stop(datasets, repeats, *_, **__):
        asked.append((datasets, repeats))
        raise KeyboardInterrupt

    monkeypatch.setattr("pacbayes.experiments.__main__.run", stop)
    assert main(["--quick", "--out", str(tmp_path)]) == 130
    assert main(["--out", str(tmp_path)]) == 130
    assert asked[0][1] == 3
    assert "adult" not in asked[0][0]
    assert len(asked[0][0]) == 7
    assert asked[1] == (None, 20)


def test_the_whole_grid_is_eight_by_twenty():
    grid = Grid.checked(None, 20, None, 0)
    assert len(grid.cells) == 8 * 20 * len(experiments.METHODS)
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
        experiments.run(**arguments)


def test_a_method_can_be_added_and_reaches_worker_processes(monkeypatch):
    monkeypatch.setattr("pacbayes.experiments._methods.METHODS", methods := dict(experiments.METHODS))
    monkeypatch.setattr("pacbayes.experiments._grid.METHODS", methods)

    @experiments.method("rows", "rows", "baselines", "the share of rows tested", "none")
    def rows(split):
        return {"value": len(split.test[1]) / 306, "test": 0.0}

    found = experiments.run(["haberman"], 2, ["rows"], n_jobs=2)
    assert np.isclose(found.mean("haberman", "rows"), 62 / 306)
    with pytest.raises(ValueError, match="must be new"):
        experiments.method("betting", "", "ours", "", "")(rows)
