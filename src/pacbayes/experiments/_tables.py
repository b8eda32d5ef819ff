"""The tables of a run, as plain cells; how they look is the renderers' business."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pacbayes.experiments._methods import GROUPS, METHODS
from pacbayes.experiments._printed import COLUMNS, PRINTED, TITLES, tolerance
from pacbayes.experiments._published import AFFECTS

if TYPE_CHECKING:
    from pacbayes.experiments._results import Results

__all__ = ["Table", "deviations", "tables"]

BOUNDS = COLUMNS[1:]
_NAMES = {"test": "Test", "maurer": "Maurer", "ub": "UB", "ours": "Ours"}


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text; ``bold`` has (row, column) places."""

    name: str
    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)
    bold: frozenset[tuple[int, int]] = frozenset()


def tables(results: Results) -> list[Table]:
    """Return the tables for which the run has the methods."""
    makers: list[tuple[bool, Callable[[Results], Table]]] = [
        (results.has(*(f"published-{name}" for name in BOUNDS)), _published),
        (results.has(*(f"corrected-{name}" for name in BOUNDS)), _corrected),
        (True, _methods),
        (results.has(*(f"published-{name}" for name in BOUNDS)), _errata),
    ]
    return [make(results) for possible, make in makers if possible]


def deviations(results: Results) -> dict[tuple[str, str], tuple[float, float]]:
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


def _number(x: float) -> str:
    """Return four digits without the leading zero, as the paper's readers expect."""
    return f"{x:.4f}".replace("0.", ".", 1)


def _with_deviation(results: Results, data: str, method: str, key: str) -> str:
    return f"{_number(results.mean(data, method, key))} ({_number(results.deviation(data, method, key))})"


def _signed(x: float) -> str:
    return f"{x:+.4f}".replace("0.", ".", 1)


def _published(results: Results) -> Table:
    differences = deviations(results)
    rows = []
    for data in results.grid.datasets:
        row = [TITLES[data]]
        for column in COLUMNS:
            difference, allowed = differences[data, column]
            mark = "" if abs(difference) <= allowed else " !"
            row += [_with_deviation(results, data, *_place("published", column)), _signed(difference) + mark]
        rows.append(row)
    within = sum(abs(difference) <= allowed for difference, allowed in differences.values())
    repeats = results.grid.repeats
    allowed_words = f"3 sd sqrt(1/{repeats} + 1/20) + .002 of it, sd as printed (! marks the others)."
    notes = [
        f"Means (standard deviations) over {repeats} repeats, and the deviation from the printed mean.",
        f"{within} of {len(differences)} are within {allowed_words}",
        "Reproduces errata E4 to E6 and E9 to E12 as the runs had them. These numbers are not certificates.",
    ]
    header = ["Data", *(part for column in COLUMNS for part in (_NAMES[column], "dev."))]
    return Table("published", "As published: the paper's table reproduced", header, rows, notes)


def _corrected(results: Results) -> Table:
    rows, bold = [], set()
    for index, data in enumerate(results.grid.datasets):
        rows.append([TITLES[data]] + [_with_deviation(results, data, *_place("corrected", c)) for c in COLUMNS])
        means = [results.mean(data, *_place("corrected", column)) for column in BOUNDS]
        bold.add((index, 2 + means.index(min(means))))
    notes = [
        "The same fits and references; delta unsplit over the posterior's scales, and all J of them.",
        "Ours with the true phi; UB from the excess, with log(2K/delta).",
        "UB and Ours still assume the published theorem for online references, whose proof fails (erratum E7).",
        "All three keep the published encoding (E9 to E11).",
    ]
    header = ["Data", *(_NAMES[column] for column in COLUMNS)]
    return Table("corrected", "Corrected arithmetic", header, rows, notes, frozenset(bold))


def _methods(results: Results) -> Table:
    """Return one row per method, which fits any number of them; the smallest sound bound of a data set is bold."""
    data, methods = results.grid.datasets, results.grid.methods
    rows = [[METHODS[m].title, *(_number(results.mean(d, m)) for d in data)] for m in methods]
    bold = set()
    sound = [k for k, m in enumerate(methods) if METHODS[m].guarantee == "sound"]
    for column, d in enumerate(data, start=1):
        if sound:
            bold.add((min(sound, key=lambda k, d=d: results.mean(d, methods[k])), column))  # type: ignore[misc]
    whose = "the paper's fit" if METHODS[methods[0]].group in GROUPS[:2] else METHODS[methods[0]].title
    rows.append([f"Test error ({whose})", *(_number(results.mean(d, methods[0], "test")) for d in data)])
    notes = [f"{METHODS[m].title}: {METHODS[m].about}; {METHODS[m].guarantee}." for m in methods]
    header = ["Bound (mean)", *(TITLES[d] for d in data)]
    return Table("methods", "All methods", header, rows, notes, frozenset(bold))


def _errata(results: Results) -> Table:
    rows = []
    for name in BOUNDS:
        for departure in AFFECTS[name]:
            erratum = departure.partition("_")[0]
            method = f"published-{name}"
            changes = [
                results.mean(d, method, f"without_{erratum}") - results.mean(d, method) for d in results.grid.datasets
            ]
            rows.append([_NAMES[name], erratum.upper(), *map(_signed, changes)])
    notes = ["How the published mean would change if this departure alone were put right."]
    header = ["Bound", "Erratum", *(TITLES[d] for d in results.grid.datasets)]
    return Table("errata", "What each departure is worth", header, rows, notes)
