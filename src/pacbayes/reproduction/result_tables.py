"""The tables of a run, as plain cells; how they look is the renderers' business."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.departures import AFFECTS, erratum
from pacbayes.reproduction.method_role import GROUPS
from pacbayes.reproduction.methods import METHODS
from pacbayes.reproduction.printed_table import BOUNDS, COLUMNS, PRINTED, tolerance
from pacbayes.reproduction.table_words import (
    COLUMN_TITLES,
    CORRECTED_NOTES,
    ERRATA_NOTES,
    GUARANTEES,
    TITLES,
    portfolio_notes,
    published_notes,
)

__all__ = [
    "Table",
    "deviations",
    "format_number",
    "format_with_deviation",
    "format_with_sign",
    "make_tables",
    "portfolio_ratios",
]


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text; ``bold`` has (row, column) places."""

    name: str
    title: str
    header: list[str]
    rows: list[list[str]]
    notes: tuple[str, ...] = ()
    bold: frozenset[tuple[int, int]] = frozenset()


def make_tables(results: CellMeans) -> list[Table]:
    """Return the tables for which the run has the methods."""
    published = results.has(*(f"published-{name}" for name in BOUNDS))
    makers: list[tuple[bool, Callable[[CellMeans], Table]]] = [
        (published, _published_table),
        (results.has(*(f"corrected-{name}" for name in BOUNDS)), _corrected_table),
        (results.has("portfolio"), _portfolio_table),
        (True, _methods_table),
        (published, _errata_table),
    ]
    return [make(results) for possible, make in makers if possible]


def deviations(results: CellMeans) -> dict[tuple[str, str], tuple[float, float]]:
    """Return for each printed mean how far the reproduced one is from it, and how far it may be."""
    found = {}
    for data in results.grid.datasets:
        for column in COLUMNS:
            printed = PRINTED[data][column]
            mean = results.mean(data, *_place("published", column))
            found[data, column] = (mean - printed.mean, tolerance(printed, results.grid.repeats))
    return found


def _place(version: str, column: str) -> tuple[str, str]:
    """Return the method and the key of a column; the test error is that of the predictor all three share."""
    return (f"{version}-maurer", "test") if column == "test" else (f"{version}-{column}", "value")


def format_number(x: float, digits: int = 4) -> str:
    """Return four digits without the leading zero, as the paper's readers expect."""
    text = f"{x:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def format_with_sign(x: float) -> str:
    """Return the same with a sign."""
    text = f"{x:+.4f}"
    return text[0] + text[2:] if text[1:].startswith("0.") else text


def format_with_deviation(results: CellMeans, data: str, method: str, key: str) -> str:
    """Return a mean, with the standard deviation in brackets."""
    return f"{format_number(results.mean(data, method, key))} ({format_number(results.deviation(data, method, key))})"


def _published_table(results: CellMeans) -> Table:
    differences = deviations(results)
    rows = []
    for data in results.grid.datasets:
        row = [TITLES[data]]
        for column in COLUMNS:
            difference, allowed = differences[data, column]
            mark = "" if abs(difference) <= allowed else " !"
            row += [
                format_with_deviation(results, data, *_place("published", column)),
                format_with_sign(difference) + mark,
            ]
        rows.append(row)
    within = sum(abs(difference) <= allowed for difference, allowed in differences.values())
    notes = published_notes(results.grid.repeats, within, len(differences))
    header = ["Data", *(part for column in COLUMNS for part in (COLUMN_TITLES[column], "dev."))]
    return Table("published", "As published: the paper's table reproduced", header, rows, notes)


def _corrected_table(results: CellMeans) -> Table:
    rows, bold = [], set()
    for index, data in enumerate(results.grid.datasets):
        rows.append([TITLES[data]] + [format_with_deviation(results, data, *_place("corrected", c)) for c in COLUMNS])
        means = [results.mean(data, *_place("corrected", column)) for column in BOUNDS]
        bold.add((index, 2 + means.index(min(means))))
    header = ["Data", *(COLUMN_TITLES[column] for column in COLUMNS)]
    return Table("corrected", "Corrected arithmetic", header, rows, CORRECTED_NOTES, frozenset(bold))


def portfolio_ratios(results: CellMeans) -> dict[str, float]:
    """Return for each data set the portfolio's mean over the smaller of Maurer's and Ours', exact constants in both."""
    rivals = ("maurer_exact", "ours_exact")
    return {
        data: results.mean(data, "portfolio") / min(results.mean(data, "portfolio", rival) for rival in rivals)
        for data in results.grid.datasets
    }


def _portfolio_table(results: CellMeans) -> Table:
    ratios = portfolio_ratios(results)
    keys = ("maurer_exact", "ours_exact", "value")
    rows = [
        [TITLES[data], *(format_number(results.mean(data, "portfolio", key)) for key in keys), format_number(ratio, 3)]
        for data, ratio in ratios.items()
    ]
    below = sum(ratio < 1.0 for ratio in ratios.values())
    middle = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    header = ["Data", "Maurer", "Ours", "Portfolio", "Ratio"]
    notes = portfolio_notes(below, len(ratios), format_number(middle, 3))
    return Table("portfolio", "The portfolio on the paper's posterior", header, rows, notes)


def _methods_table(results: CellMeans) -> Table:
    """Return one row per method, which fits any number of them; the smallest sound bound of a data set is bold."""
    data, methods = results.grid.datasets, results.grid.methods
    rows = [[METHODS[m].title, *(format_number(results.mean(d, m)) for d in data)] for m in methods]
    whose = "the paper's fit" if METHODS[methods[0]].group in GROUPS[:2] else METHODS[methods[0]].title
    rows.append([f"Test error ({whose})", *(format_number(results.mean(d, methods[0], "test")) for d in data)])
    notes = tuple(f"{METHODS[m].title}: {METHODS[m].about}; {GUARANTEES[METHODS[m].guarantee]}." for m in methods)
    header = ["Bound (mean)", *(TITLES[d] for d in data)]
    return Table("methods", "All methods", header, rows, notes, _smallest_sound(results))


def _smallest_sound(results: CellMeans) -> frozenset[tuple[int, int]]:
    """Return the (row, column) of the smallest sound bound of each data set, if a method is sound."""
    sound = [(k, m) for k, m in enumerate(results.grid.methods) if METHODS[m].is_sound]
    if not sound:
        return frozenset()
    return frozenset(
        (min((results.mean(data, m), k) for k, m in sound)[1], column)
        for column, data in enumerate(results.grid.datasets, start=1)
    )


def _errata_table(results: CellMeans) -> Table:
    rows = []
    for name in BOUNDS:
        method = f"published-{name}"
        for number in map(erratum, AFFECTS[name]):
            changes = [
                results.mean(d, method, f"without_{number}") - results.mean(d, method) for d in results.grid.datasets
            ]
            rows.append([COLUMN_TITLES[name], number.upper(), *map(format_with_sign, changes)])
    header = ["Bound", "Erratum", *(TITLES[d] for d in results.grid.datasets)]
    return Table("errata", "What each departure is worth", header, rows, ERRATA_NOTES)
