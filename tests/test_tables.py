"""The tables of numbers in the pages: each is marked and known to `make tables`, and is written as it is read."""

import importlib.util
import os
import re
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


tables = load(ROOT / "tools" / "tables.py")
printed = load(ROOT / "benchmarks" / "_tables.py")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def test_every_mark_has_an_entry_and_every_entry_a_mark():
    marks = []
    for page in PAGES:
        text, name = page.read_text(encoding="utf-8"), page.relative_to(ROOT).as_posix()
        found = re.findall(r"^<!-- table: ([\w-]+) -->$", text, re.MULTILINE)
        assert list(tables.marked(text)) == found, name
        assert len(re.findall("^<!-- end -->$", text, re.MULTILINE)) == len(found), name
        marks += [(each, name) for each in found]
    assert sorted(marks) == sorted((name, each.page) for name, each in tables.TABLES.items())


@pytest.mark.parametrize("name", tables.TABLES)
def test_the_benchmark_of_a_table_prints_it_by_its_name(name):
    script = ROOT / tables.TABLES[name].benchmark.command.split()[0]
    assert f'"{name}"' in script.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", tables.TABLES)
def test_the_page_has_the_table_as_it_would_be_printed(name, capsys):
    """Reading a table of a page and printing it again gives the same text, and so does writing it in its place."""
    text = (ROOT / tables.TABLES[name].page).read_text(encoding="utf-8")
    found = tables.marked(text)[name]
    heads, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found.splitlines()]
    printed.print_table(name, heads, rows)
    again = tables.marked(capsys.readouterr().out)
    assert again == {name: found}
    assert tables.replaced(text, again) == text


def test_only_the_named_table_is_exchanged():
    form = "<!-- table: {0} -->\n\n| x |\n|---|\n| {1} |\n\n<!-- end -->\n"
    page = "A\n\n" + form.format("a", 1) + "\nB\n\n" + form.format("b", 2)
    fresh = tables.replaced(page, {"b": "| x |\n|---|\n| 3 |\n"})
    assert fresh == page.replace("| 2 |", "| 3 |")
    assert tables.replaced(fresh, tables.marked(fresh)) == fresh


def test_a_number_is_written_as_in_the_pages():
    assert [printed.decimal(each) for each in (0.05, -0.25, 1.5, 0.99999)] == [".0500", "-.2500", "1.5000", "1.0000"]
    with pytest.raises(ValueError, match="A row must have 2 cells"):
        printed.table(("a", "b"), [("1",)])


def test_what_was_measured_before_is_not_measured_again(monkeypatch, tmp_path, capfd):
    script = tmp_path / "benchmark.py"
    script.write_text("print('<!-- table: a -->\\n| x |\\n|---|\\n| 1 |\\n<!-- end -->')")
    monkeypatch.setattr(tables, "folder_of_results", lambda: tmp_path)
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    known = tables.Benchmark("benchmark.py --repeats 3", 1)
    first = tables.measure(known, again=False)
    assert tables.marked(first) == {"a": "| x |\n|---|\n| 1 |\n"}
    script.write_text("raise SystemExit(2)")
    assert tables.measure(known, again=False) == first
    assert "as measured before" in capfd.readouterr().err
    assert tables.measure(known, again=True) == ""
    assert tables.measure(tables.Benchmark("benchmark.py", 1), again=False) == ""


def test_what_measures_speed_runs_first_and_alone_and_the_rest_two_at_once(monkeypatch):
    """Each of the other two waits for the other, which ends only if both run at once."""
    begun, both = [], threading.Barrier(2, timeout=60)

    def measure(benchmark, again):
        begun.append(benchmark.command)
        if not benchmark.alone:
            both.wait()
        return f"<!-- table: {benchmark.command} -->\n| x |\n|---|\n| 1 |\n<!-- end -->\n"

    monkeypatch.setattr(tables, "measure", measure)
    monkeypatch.setattr(tables, "write", lambda page, found: "".join(f"{page} {name}\n" for name in found))
    given = {"a": (1, True), "b": (9, False), "c": (5, False), "d": (2, True)}
    asked = {name: tables.Table("p", tables.Benchmark(name, m, alone=alone)) for name, (m, alone) in given.items()}
    assert tables.measure_all(asked, 2, again=False) == ("p a\np b\np c\np d\n", [])
    assert begun[:2] == ["d", "a"]
    assert set(begun[2:]) == {"b", "c"}


def test_every_command_has_one_benchmark():
    found = {each.benchmark for each in tables.TABLES.values()}
    assert len({each.command for each in found}) == len(found)


def test_a_benchmark_has_one_thread_unless_it_runs_alone(monkeypatch, tmp_path):
    monkeypatch.setattr(tables, "folder_of_results", lambda: tmp_path)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert tables.environment(tables.Benchmark("a.py", 1))["OMP_NUM_THREADS"] == "1"
    assert "OMP_NUM_THREADS" not in tables.environment(tables.Benchmark("a.py", 1, alone=True))
    found = tables.environment(tables.Benchmark("a.py", 1, by_mapie=True))
    assert found["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT / "src")


def test_all_tables_are_asked_for_by_default(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tables.py", "--list"])
    assert tables.main() == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(tables.TABLES)
    monkeypatch.setattr(sys, "argv", ["tables.py", "rates", "nothing"])
    with pytest.raises(SystemExit):
        tables.main()
    assert "there is no table nothing" in capsys.readouterr().err


def test_a_table_that_could_not_be_measured_is_named(monkeypatch, capsys):
    monkeypatch.setattr(tables, "measure", lambda benchmark, again: "")
    monkeypatch.setattr(sys, "argv", ["tables.py", "rates"])
    assert tables.main() == 1
    printed = capsys.readouterr()
    assert printed.out == "no number has changed\n"
    assert "not measured: rates (benchmarks/betting_rates.py)" in printed.err


@pytest.mark.parametrize(
    ("options", "run"),
    [([], ["b"]), (["--slow"], ["a", "b"]), (["a"], ["a"]), (["m"], [])],
)
def test_what_is_left_out_is_named_with_the_reason(monkeypatch, capsys, options, run):
    known = {
        "a": tables.Benchmark("a", 90, slow=True),
        "b": tables.Benchmark("b", 1),
        "m": tables.Benchmark("m", 1, mapie=True),
    }
    begun = []
    monkeypatch.setattr(tables, "TABLES", {name: tables.Table("p", each) for name, each in known.items()})
    monkeypatch.setattr(tables, "measure_all", lambda asked, jobs, again: (begun.extend(asked), ("", []))[1])
    monkeypatch.setattr(sys, "argv", ["tables.py", *options])
    monkeypatch.delenv("MAPIE_PYTHON", raising=False)
    assert tables.main() == 0
    said = capsys.readouterr().err
    assert begun == run
    assert ("left out: a, takes about 90 minutes; --slow" in said) == (not options)
    assert ("left out: m, MAPIE_PYTHON does not name" in said) == (options != ["a"])
