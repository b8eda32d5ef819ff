"""Tables, files, figure and page."""

from __future__ import annotations

import csv
import json
import re
import sys
from dataclasses import replace

import pytest

from pacbayes import reproduction
from pacbayes.reproduction import Results, ResultsFileError, results_page
from pacbayes.reproduction.cells import Grid, Record
from pacbayes.reproduction.figure import draw_figure
from pacbayes.reproduction.printed_table import PRINTED
from pacbayes.reproduction.renderers import render_latex, render_markdown
from pacbayes.reproduction.result_tables import Table, make_tables, portfolio_ratios
from pacbayes.reproduction.results_page import render_page
from pacbayes.reproduction.table_words import GUARANTEES


def made_up(repeats=2, shift=0.0, datasets=None):
    """Results whose published means are the printed ones, moved by a shift; no data are needed."""
    grid = Grid.from_arguments(datasets, repeats, None, 0)
    records = []
    for data, repeat, method in grid.cells:
        name = method.rpartition("-")[2]
        value = PRINTED[data].get(name, PRINTED[data]["maurer"]).mean + shift
        extra = dict.fromkeys(("without_e4", "without_e5", "without_e6", "without_e12"), value - 0.01)
        extra |= {f"{rival}_exact": PRINTED[data][rival].mean for rival in ("maurer", "ours")}
        spread = 0.001 * (repeat - (repeats - 1) / 2)
        numbers = {"value": value + spread, "test": PRINTED[data]["test"].mean + shift, **extra}
        records.append(Record(data, repeat, method, numbers))
    return Results.from_records(grid, records)


def test_printed_means_deviate_by_nothing_from_themselves():
    text = made_up().table()
    assert "32 of 32 are within" in text
    assert text.count("+.0000") + text.count("-.0000") == 32
    assert " !" not in text.split("Means")[0]


def test_what_is_beyond_its_tolerance_is_marked():
    text = made_up(shift=0.06).table().split("Means")[0]
    assert text.count("+.0600 !") > 20


def test_the_portfolio_is_compared_with_the_smaller_of_the_papers_bounds():
    results = made_up()
    ratios = portfolio_ratios(results)  # the portfolio is made up as Maurer's printed mean
    larger = PRINTED["adult"]["maurer"].mean / PRINTED["adult"]["ours"].mean
    assert ratios["haberman"] == pytest.approx(1.0)
    assert ratios["adult"] == pytest.approx(larger)
    table = next(each for each in make_tables(results) if each.name == "portfolio")
    assert table.rows[-1] == ["Adult", ".2341", ".2108", ".2341", f"{larger:.3f}"]
    lower = make_tables(made_up(shift=-0.04))
    assert "Below both on 8 of 8; geometric mean of the ratio ." in str(lower)


def test_claims_compare_printed_reproduced_and_corrected():
    results = made_up()
    first, maurer, ours, _ = results.claims()
    assert first == "Is Ours below UB on every data set? Printed: yes. Reproduced: yes. Corrected: yes (stands)."
    assert "Printed: Haberman, Breast-C, Tictactoe, Banknote, Mushroom." in maurer
    assert "Printed: kr-vs-kp, Spambase, Adult." in ours
    cells = {c: dict(v) for c, v in results.cells.items()}
    for repeat in range(2):
        cells["haberman", repeat, "corrected-ub"]["value"] = 0.1
    changed = replace(results, cells=cells)
    assert "Corrected: no, not on Haberman (CHANGES)" in changed.claims()[0]


def test_a_run_without_the_papers_methods_has_a_table_and_no_claims():
    grid = Grid.from_arguments(["adult"], 1, ["informed"], 0)
    results = Results.from_records(grid, [Record("adult", 0, "informed", {"value": 0.2, "test": 0.1})])
    assert [table.name for table in make_tables(results)] == ["methods"]
    assert results.claims() == []
    assert "(nan)" not in results.table()


def test_files_hold_every_cell(tmp_path):
    results = made_up()
    paths = {path.name: path for path in results.save(tmp_path)}
    expected = {"cells.csv", "cells.json", "tables.txt", "tables.md", "tables.tex"}
    assert set(paths) == expected | {"figure.png", "figure.svg", "index.html"}
    with paths["cells.csv"].open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(results.cells)
    for row in rows:
        cell = results.cells[row["data"], int(row["repeat"]), row["method"]]
        assert float(row["value"]) == cell["value"]  # every bit
    loaded = json.loads(paths["cells.json"].read_text())
    assert loaded["configuration"]["delta"] == 0.05
    assert {(c["data"], c["repeat"], c["method"]): c["value"] for c in loaded["cells"]} == {
        cell: values["value"] for cell, values in results.cells.items()
    }


def test_files_without_the_packages_for_pictures(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert {path.suffix for path in made_up().save(tmp_path)} == {".csv", ".json", ".txt", ".md", ".tex"}


def test_outputs_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsFileError, match=r"The outputs cannot be written to .*The cells are not touched"):
        made_up().save(tmp_path / "file" / "folder")


ODD = Table(
    "odd", "Odd <b>&</b> 100 %", ["a|b", "c_d"], [["<i>", "x|y"], ["#1", "{z}"]], ("note $5",), frozenset({(1, 1)})
)


def test_markdown_and_latex_quote_what_they_must():
    markdown = render_markdown(ODD).splitlines()
    assert markdown[4] == r"| <i> | x\|y |"
    assert markdown[5] == "| #1 | **{z}** |"
    latex = render_latex(ODD)
    assert r"\#1 & \textbf{\{z\}} \\" in latex
    assert r"c\_d" in latex
    assert r"note \$5" in latex
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")


def test_the_page_stands_alone_and_escapes(monkeypatch):
    monkeypatch.setattr(results_page, "make_tables", lambda _: [ODD])
    page = render_page(made_up(), b"<svg/>", b"<svg/>")
    assert "Odd &lt;b&gt;&amp;&lt;/b&gt;" in page
    assert "<td>&lt;i&gt;</td>" in page
    assert "<strong>{z}</strong>" in page
    assert not re.search(r"(src|href|srcset)=\"(?!data:)", page)
    assert "prefers-color-scheme: dark" in page
    for erratum in ("E4", "E5", "E6", "E7", "E9, E11", "E10", "E12", "E13"):
        assert f"{erratum}<" in page or f"{erratum}.<" in page


def test_the_figure_is_the_same_for_the_same_results():
    few = made_up(datasets=["haberman", "adult"])
    one, two = (draw_figure(few, kind="svg") for _ in range(2))
    assert one == two
    assert draw_figure(made_up(1, datasets=["adult"]), kind="png")[:8] == b"\x89PNG\r\n\x1a\n"
    assert draw_figure(few, kind="svg", dark=True) != one


def test_every_method_says_what_its_number_is_worth():
    for method in reproduction.METHODS.values():
        assert method.about
        assert method.guarantee
        assert GUARANTEES[method.guarantee]
        assert not method.about.endswith(".")
