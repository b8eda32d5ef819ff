"""The rivals' table: fair and sound cells, equal however they are computed, and what is shown of them."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pacbayes import reproduction
from pacbayes.reproduction import RIVALS, Results, ResultsFileError, Split
from pacbayes.reproduction.cell_lines import DamageError, header_line, parse_lines, record_line
from pacbayes.reproduction.cell_store import FILE, CellStore
from pacbayes.reproduction.cells import Grid, Record, Task, compute_cells
from pacbayes.reproduction.method_role import RIVAL_GROUPS
from pacbayes.reproduction.rival_figure import draw_rivals
from pacbayes.reproduction.rival_tables import make_rival_tables
from pacbayes.reproduction.rival_zero_prior import maurer_on_all_rows
from pacbayes.reproduction.rivals import DELTA
from pacbayes.reproduction.table_words import GUARANTEES

RECORDED = json.loads((Path(__file__).parent.parent / "recorded" / "rivals.json").read_text())
PAGE = Path(__file__).parents[2] / "docs" / "rivals.md"
FAST = ["maurer", "informed", "progressive", "holdout", "adaptive"]
COUNTS = {"haberman": 244, "adult": 24129}


def made_up(repeats=2, datasets=("haberman", "adult"), methods=None):
    """Results without data: each method's certificate grows with its place in the table."""
    grid = Grid.from_arguments(datasets, repeats, methods, study="rivals")
    records = []
    for data, repeat, method in grid.cells:
        value = 0.1 + 0.01 * list(RIVALS).index(method) + 0.001 * repeat
        numbers = {"value": value, "test": 0.0 if method == "holdout" else 0.05, "rows": 100.0, "share": 0.4}
        if not RIVALS[method].is_deterministic:
            numbers |= {"vote_value": 2.0 * value, "vote_test": 0.05}
        records.append(Record(data, repeat, method, numbers, 0.5))
    return Results.from_records(grid, records, 1.0)


@pytest.fixture(scope="module")
def plain():
    return {}


@pytest.fixture
def results(data_folder, plain):
    """Every method once, on the smallest set."""
    if not plain:
        plain["results"] = reproduction.run(["haberman"], 1, study="rivals", n_jobs=1)
    return plain["results"]


def test_every_rival_is_described():
    for name, method in RIVALS.items():
        assert method.name == name
        assert method.group in RIVAL_GROUPS
        assert GUARANTEES[method.guarantee]
        assert method.learner in ("logistic", "forest")
        assert method.predictor in ("randomised", "deterministic")
        assert method.about
        assert not method.about.endswith(".")
        for key, entry in method.citations.items():
            assert re.match(rf"@\w+{{{re.escape(key)},\n", entry)
        assert method.citations
    assert [name for name, method in RIVALS.items() if not method.is_sound] == ["ours"]


def test_a_cell_has_what_the_table_needs_and_its_certificate_is_far_from_violated(results):
    for (_, _, name), values in results.cells.items():
        assert 0.0 < values["share"] <= 1.0
        assert values["rows"] == pytest.approx(244 * values["share"])
        assert 0.0 <= values["test"] <= 1.0
        assert values["value"] > values["test"] - 0.1
        assert ("vote_value" in values) == (not RIVALS[name].is_deterministic)
        assert results.timings["haberman", 0, name] > 0.0


def test_the_smallest_set_is_as_recorded(results, record_worst):
    """Other processors and packages may round otherwise, which a descent amplifies; forests differ between versions."""
    assert set(RECORDED) == {name for name, method in RIVALS.items() if method.learner == "logistic"}
    for name, numbers in RECORDED.items():
        found = results.cells["haberman", 0, name]
        assert set(found) == set(numbers)
        for key, number in numbers.items():
            record_worst("rivals: deviation from the recorded cells", abs(found[key] - number))
            assert found[key] == pytest.approx(number, rel=1e-5, abs=1e-9), (name, key)


def test_the_page_names_every_rival_and_its_source():
    page = PAGE.read_text()
    for method in RIVALS.values():
        assert f"| {method.title} |" in page
        assert all(f"`{key}`" in page for key in method.citations)


def test_a_cell_is_the_same_alone_and_another_with_another_seed(results):
    for name in ("maurer", "informed", "holdout-forest"):
        (alone,) = compute_cells(Task("haberman", 0, 0, (name,), study="rivals"))
        assert alone.values == results.cells["haberman", 0, name]
        (other,) = compute_cells(Task("haberman", 0, 1, (name,), study="rivals"))
        assert other.values != alone.values


def test_the_number_of_processes_does_not_matter(results):
    again = reproduction.run(["haberman"], 2, FAST, study="rivals", n_jobs=2)
    for cell, values in again.cells.items():
        if cell in results.cells:
            assert values == results.cells[cell]


def test_no_rival_learns_anything_from_the_test_rows(results):
    """Other test rows change the test errors and nothing else."""
    alike = {"forest-first-order", "forest-disagreement", "forest-chebyshev-cantelli", "adaptive-forest"}
    for name in RIVALS.keys() - alike:  # slow, and different in the bound or the split alone
        changed = Split("haberman", 0)
        X, y = changed.test
        changed.__dict__["test"] = (3.0 * X, 1 - y)
        found = RIVALS[name].function(changed)
        before = results.cells["haberman", 0, name]
        assert {key for key in found if found[key] != before[key]} <= {"test", "vote_test"}


def test_scaling_and_references_of_the_declared_prior_come_from_rows_that_are_not_judged(data_folder):
    """Judged rows that are far away are clipped: scaled as by the first tenth, whatever they are."""
    split, changed = Split("haberman", 0), Split("haberman", 0)
    X, y = split.train
    cut = len(y) // 10
    low, high = X[:cut].min(axis=0), X[:cut].max(axis=0)
    changed.__dict__["train"] = (np.concatenate([X[:cut], np.clip(X[cut:], low, high)]), y)
    one, two = (maurer_on_all_rows(each, DELTA) for each in (split, changed))
    assert one["value"] == two["value"]


def test_seconds_are_no_part_of_what_is_compared(tmp_path):
    first, second = (Record("haberman", 0, "informed", {"value": 0.5}, seconds) for seconds in (1.0, 2.0))
    assert first == second
    store = CellStore(tmp_path, {"study": "rivals"})
    store.append([first])
    store.close()
    again = CellStore(tmp_path, {"study": "rivals"}, resume=True)
    again.close()
    assert again.records[0].seconds == 1.0
    assert "seconds" not in Grid.from_arguments(None, None, None, study="rivals").configuration


@pytest.mark.parametrize("seconds", ["soon", float("nan"), True])
def test_seconds_that_are_no_number_are_refused(seconds):
    header = header_line({"study": "rivals"})
    lines = header + record_line(Record("haberman", 0, "informed", {"value": 0.5}, seconds), header)
    with pytest.raises(DamageError):
        parse_lines(lines)


def test_the_defaults_and_the_studies_by_name():
    grid = Grid.from_arguments(None, None, None, study="rivals")
    assert (grid.repeats, len(grid.datasets), grid.methods) == (10, 8, tuple(RIVALS))
    quick = Grid.from_arguments(None, None, None, quick=True, study="rivals")
    assert (quick.repeats, len(quick.datasets)) == (3, 7)
    with pytest.raises(ValueError, match=r"'study' argument of run must be among \['paper', 'rivals'\]. Got 'field'"):
        reproduction.run(study="field")
    with pytest.raises(ValueError, match=r"'methods' argument of run must be among .* Got 'published-ub' instead"):
        reproduction.run(study="rivals", methods=["published-ub"])


@pytest.mark.usefixtures("data_folder")
def test_a_folder_of_the_paper_is_refused(tmp_path):
    reproduction.run(["haberman"], 1, ["holdout"], folder=tmp_path)
    with pytest.raises(ResultsFileError, match="study None there and 'rivals' here"):
        reproduction.run(["haberman"], 1, ["holdout"], study="rivals", folder=tmp_path, resume=True)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_run_continues_with_equal_numbers(data_folder, tmp_path):
    arguments = [
        "--rivals",
        "--repeats",
        "30",
        "--datasets",
        "haberman",
        "--methods",
        "maurer,holdout",
        "--jobs",
        "1",
    ]
    command = [sys.executable, "-m", "pacbayes", "reproduce", *arguments, "--out", str(tmp_path)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    path = tmp_path / FILE
    process = subprocess.Popen(command, **quiet)
    while (path.stat().st_size if path.exists() else 0) < 2000 and process.poll() is None:
        time.sleep(0.001)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    torn = len(path.read_bytes().splitlines())
    assert subprocess.run([*command, "--resume"], check=False, **quiet).returncode == 0
    assert 2 < torn < 61
    whole = reproduction.run(["haberman"], 30, ["maurer", "holdout"], study="rivals")
    there = json.loads((tmp_path / "cells.json").read_text())["cells"]
    assert len(there) == 60
    for cell in there:
        place = (cell.pop("data"), cell.pop("repeat"), cell.pop("method"))
        assert cell.pop("seconds") > 0.0
        assert cell == whole.cells[place]


def test_tables_mark_the_smallest_sound_certificate():
    tables = {table.name: table for table in make_rival_tables(made_up())}
    assert list(tables) == ["summary", "certificates", "tests", "deterministic", "rows", "seconds"]
    wide = [table for table in make_rival_tables(made_up(datasets=None)) if table.name == "certificates"]
    assert [len(table.header) for table in wide] == [6, 6]  # no row wider than a page
    first = tables["certificates"]
    assert first.rows[0][:3] == ["Maurer", "R", ".1005 (.0007)"]
    assert first.bold == {(0, 2), (0, 3)}
    kept = [k for k, method in enumerate(RIVALS.values()) if method.is_deterministic]
    votes = [0.1005 + 0.01 * k if k in kept else 2 * (0.1005 + 0.01 * k) for k in range(len(RIVALS))]
    sound = [k for k, method in enumerate(RIVALS.values()) if method.is_sound]
    assert tables["deterministic"].bold == {(min(sound, key=votes.__getitem__), column) for column in (2, 3)}
    assert tables["rows"].rows[0][2:] == ["40", "40"]
    assert tables["seconds"].rows[0][2:] == ["0.50", "0.50"]
    summary = {row[0]: row for row in tables["summary"].rows}
    baseline = 0.1005 + 0.01 * list(RIVALS).index("holdout")
    ratio = f"{0.1005 / baseline:.3f}".removeprefix("0")
    assert summary["Maurer"][1:5] == ["logistic", "randomised", ratio, "+.0505"]
    assert summary["Maurer"][5].startswith("2 (")
    assert summary["Maurer"][6] == "1.0"
    assert made_up().claims() == []


def test_unsound_numbers_are_never_marked():
    tables = make_rival_tables(made_up(methods=["ours"]))
    assert all(not table.bold for table in tables)
    assert "Ours" in made_up(1, methods=["ours"]).table()


def test_files_hold_every_cell_and_its_seconds(tmp_path):
    found = made_up()
    paths = {path.name: path for path in found.save(tmp_path)}
    assert set(paths) == {
        "cells.csv", "cells.json", "tables.txt", "tables.md", "tables.tex", "figure.png", "figure.svg", "index.html",
    }  # fmt: skip
    with paths["cells.csv"].open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(found.cells)
    assert {row["seconds"] for row in rows} == {"0.5"}
    page = paths["index.html"].read_text()
    assert not re.search(r"(src|href|srcset)=\"(?!data:)", page)
    for method in RIVALS.values():
        assert f"<td>{method.title}</td>" in page
        assert all(f"{{{key}," in page for key in method.citations)
    assert "<strong>.1005 (.0007)</strong>" in page


def test_the_figure_is_the_same_for_the_same_results():
    one, two = (draw_rivals(made_up(methods=["maurer", "holdout"]), kind="svg") for _ in range(2))
    assert one == two
    assert draw_rivals(made_up(1, ["adult"], ["holdout"]), kind="png")[:8] == b"\x89PNG\r\n\x1a\n"
    assert draw_rivals(made_up(methods=["maurer", "holdout"]), kind="svg", dark=True) != one
