"""The tables of numbers in the pages: each is marked and known to `make tables`, and is written as it is read."""

import importlib.util
import re
import sys
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
    script = ROOT / tables.TABLES[name].command.split()[0]
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
    first = tables.measure("benchmark.py --repeats 3", again=False)
    assert tables.marked(first) == {"a": "| x |\n|---|\n| 1 |\n"}
    script.write_text("raise SystemExit(2)")
    assert tables.measure("benchmark.py --repeats 3", again=False) == first
    assert "as measured before" in capfd.readouterr().err
    assert tables.measure("benchmark.py --repeats 3", again=True) == ""
    assert tables.measure("benchmark.py", again=False) == ""


def test_all_tables_are_asked_for_by_default(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tables.py", "--list"])
    assert tables.main() == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(tables.TABLES)
    monkeypatch.setattr(sys, "argv", ["tables.py", "rates", "nothing"])
    with pytest.raises(SystemExit):
        tables.main()
    assert "there is no table nothing" in capsys.readouterr().err


def test_a_table_that_could_not_be_measured_is_named(monkeypatch, capsys):
    monkeypatch.setattr(tables, "measure", lambda command, again: "")
    monkeypatch.setattr(sys, "argv", ["tables.py", "rates"])
    assert tables.main() == 1
    printed = capsys.readouterr()
    assert printed.out == "no number has changed\n"
    assert "not measured: rates (benchmarks/betting_rates.py)" in printed.err
