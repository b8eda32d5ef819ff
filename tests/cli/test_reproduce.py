"""``pacbayes reproduce``: its options, its exit statuses, and what it leaves behind."""

import dataclasses
import sys

import pytest

from pacbayes import reproduction
from pacbayes.datasets._specifications import SPECIFICATIONS
from pacbayes.reproduction.cells import Grid


@pytest.fixture
def calls(monkeypatch):
    """Record what the command asks the library for, and answer with made-up results."""
    seen = []
    cell = {("haberman", 0, "informed"): {"value": 0.5, "test": 0.25}}
    results = reproduction.Results(Grid(("haberman",), 1, ("informed",)), cell)

    def answer(folder, **options):
        seen.append((str(folder), {name: value for name, value in options.items() if value is not None}))
        return results, [folder / "cells.csv"]

    monkeypatch.setattr(reproduction, "reproduce", answer)
    return seen


def test_the_command(run, data_folder, tmp_path):
    arguments = ["reproduce", "--datasets", "haberman", "--repeats", "2", "--jobs", "1", "--out", tmp_path]
    shown = run(*arguments)
    assert shown.exit_code == 0
    assert "As published: the paper's table reproduced" in shown.stdout
    assert "Is Ours below UB on every data set?" in shown.stdout
    assert "about 0 s left" in shown.stderr
    assert "\r" not in shown.stderr
    again = run(*arguments)
    assert again.exit_code == 2
    assert "cells already. Pass --resume, or another folder with --out." in again.stderr
    assert run(*arguments, "--resume").exit_code == 0
    refused = run("reproduce", "--datasets", "iris", "--out", tmp_path)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("pacbayes: ")
    assert "must be among ['haberman'" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--jobs", "0"], "from 1, or -1 for one process per core. Got 0 instead."),
        (["--repeats", "0"], "must be a whole number from 1. Got 0"),
        (["--datasets", "iris"], "Got 'iris'"),
        (["--backend", "magic"], "magic"),
    ],
)
def test_bad_arguments_write_nothing(run, data_folder, tmp_path, arguments, words):
    result = run("reproduce", "--datasets", "haberman", *arguments, "--out", tmp_path / "new")
    assert result.exit_code == 2
    assert result.stderr.startswith("pacbayes: ")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_usage_names_the_command_and_bad_options_get_one_sentence(run):
    shown = run("reproduce", "--help")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("Usage: pacbayes reproduce")
    shown_names = " ".join(shown.stdout.split())
    for name in (*SPECIFICATIONS, *reproduction.METHODS, *reproduction.RIVALS, "pacbayes-rivals"):
        assert name in shown_names
    refused = run("reproduce", "--jobs", "many")
    assert refused.exit_code == 2
    assert "--jobs" in refused.stderr
    assert "'many'" in refused.stderr
    assert "Input should be" not in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_missing_data_file_leaves_nothing_behind(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PACBAYES_DATA", str(tmp_path / "data"))
    here = dataclasses.replace(SPECIFICATIONS["haberman"], address="http://127.0.0.1:9/haberman.data")
    monkeypatch.setitem(SPECIFICATIONS, "haberman", here)
    result = run("reproduce", "--datasets", "haberman", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr == (
        f"pacbayes: haberman.data is not in {tmp_path / 'data'} and could not be fetched (no network). "
        "Put it there, or set PACBAYES_DATA.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_quick_leaves_out_adult_and_an_interrupted_run_says_how_to_continue(run, data_folder, tmp_path, monkeypatch):
    asked = []

    def stop(tasks, *_, **__):
        asked.append((sorted({task.data for task in tasks}), 1 + max(task.repeat for task in tasks)))
        raise KeyboardInterrupt

    monkeypatch.setattr("pacbayes.reproduction.runner.compute_tasks", stop)
    for arguments in (["--quick"], []):
        result = run("reproduce", *arguments, "--out", tmp_path / "out")
        assert result.exit_code == 130
        assert result.stderr == "pacbayes: stopped. What was computed is safe; add --resume to continue.\n"
    assert asked[0][1] == 3
    assert "adult" not in asked[0][0]
    assert len(asked[0][0]) == 7
    assert asked[1] == (sorted(SPECIFICATIONS), 20)


def test_reproduce_forwards_its_arguments(run, calls, monkeypatch):
    shown = run("reproduce", "--quick", "--jobs", "2")
    assert shown.exit_code == 0
    assert "informed" in shown.stdout
    assert shown.stdout.endswith("1 cells, 0 s. Wrote pacbayes-reproduction/cells.csv\n")
    given = {"study": "paper", "quick": True, "seed": 0, "resume": False, "n_jobs": 2}
    assert calls.pop() == ("pacbayes-reproduction", given)
    lists = ["--datasets", "adult,haberman", "--datasets", "mushroom", "--methods", " betting, holdout ,"]
    others = ["--repeats", "4", "--out", "x", "--resume", "--backend", "threading", "--seed", "5"]
    assert run("reproduce", *lists, *others).exit_code == 0
    assert run("reproduce", "--rivals", "--quick", "--jobs", "2").exit_code == 0
    assert calls.pop() == ("pacbayes-rivals", given | {"study": "rivals"})
    assert calls.pop() == (
        "x",
        {
            "study": "paper",
            "datasets": ["adult", "haberman", "mushroom"],
            "methods": ["betting", "holdout"],
            "repeats": 4,
            "quick": False,
            "seed": 5,
            "resume": True,
            "n_jobs": -1,
            "backend": "threading",
        },
    )
    monkeypatch.setitem(sys.modules, "pacbayes.reproduction", None)
    monkeypatch.delattr("pacbayes.reproduction")
    result = run("reproduce")
    assert result.exit_code == 2
    assert "has no reproduction" in result.stderr
