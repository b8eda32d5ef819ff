"""The tables of the rivals: certificates, test errors, rows, seconds, and a summary, one row per method."""

from __future__ import annotations

import math
from collections.abc import Callable

from pacbayes.reproduction import rival_words as words
from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.method_role import Rival
from pacbayes.reproduction.result_tables import Table, format_number, format_with_deviation, format_with_sign
from pacbayes.reproduction.rivals import RIVALS
from pacbayes.reproduction.table_words import TITLES

__all__ = ["deterministic_value", "make_rival_tables"]

_WIDEST = 4  # data sets in a table with deviations
_BASELINES = {"logistic": "holdout", "forest": "holdout-forest"}


def make_rival_tables(results: CellMeans) -> list[Table]:
    """Return all tables."""
    makers = (_tests, _deterministic, _rows, _seconds)
    return [_summary(results), *_certificates(results), *(make(results) for make in makers)]


def deterministic_value(results: CellMeans, data: str, method: str) -> float:
    """Return the mean certificate of a deterministic predictor: a vote, if the method is about random draws."""
    return results.mean(data, method, "value" if RIVALS[method].is_deterministic else "vote_value")


def _methods(results: CellMeans) -> list[Rival]:
    return [RIVALS[name] for name in results.grid.methods]


def _by_data_set(
    results: CellMeans,
    cell: Callable[[str, str], str],
    name: str,
    title: str,
    notes: tuple[str, ...],
    value: Callable[[str, str], float] | None = None,
    datasets: tuple[str, ...] = (),
) -> Table:
    """Return a table with a column per data set; where values are given, the smallest sound one is bold."""
    data, methods = datasets or results.grid.datasets, _methods(results)
    rows = [[m.title, words.KINDS[m.predictor], *(cell(d, m.name) for d in data)] for m in methods]
    bold = set()
    for column, d in enumerate(data, start=2):
        sound = [(value(d, m.name), k) for k, m in enumerate(methods) if m.is_sound] if value else []
        bold |= {(min(sound)[1], column)} if sound else set()
    return Table(name, title, ["Method", "", *(TITLES[d] for d in data)], rows, notes, frozenset(bold))


def _certificates(results: CellMeans) -> list[Table]:
    """Return the certificates with their deviations, in tables that are narrow enough to read."""

    def cell(data: str, method: str) -> str:
        if results.grid.repeats == 1:
            return format_number(results.mean(data, method))
        return format_with_deviation(results, data, method, "value")

    title = words.certificate_title(results.grid.repeats)
    data = results.grid.datasets
    parts = [data[start : start + _WIDEST] for start in range(0, len(data), _WIDEST)]
    return [
        _by_data_set(results, cell, "certificates", title, words.CERTIFICATE_NOTES, results.mean, part)
        for part in parts
    ]


def _tests(results: CellMeans) -> Table:
    def cell(data: str, method: str) -> str:
        return format_number(results.mean(data, method, "test"))

    return _by_data_set(results, cell, "tests", "Test error of the same predictor", words.TEST_NOTES)


def _deterministic(results: CellMeans) -> Table:
    def value(data: str, method: str) -> float:
        return deterministic_value(results, data, method)

    def cell(data: str, method: str) -> str:
        return format_number(value(data, method))

    title = "If the predictor has to be deterministic"
    return _by_data_set(results, cell, "deterministic", title, words.DETERMINISTIC_NOTES, value)


def _rows(results: CellMeans) -> Table:
    def cell(data: str, method: str) -> str:
        return f"{100.0 * results.mean(data, method, 'share'):.3g}"

    return _by_data_set(results, cell, "rows", "Rows that the predictor learned from", words.ROWS_NOTES)


def _seconds(results: CellMeans) -> Table:
    def cell(data: str, method: str) -> str:
        return f"{results.mean_seconds(data, method):.2f}"

    return _by_data_set(results, cell, "seconds", "Seconds", words.SECONDS_NOTES)


def _summary(results: CellMeans) -> Table:
    smallest = _count_smallest(results, results.mean)
    kept = _count_smallest(results, lambda data, method: deterministic_value(results, data, method))
    rows = []
    for method in _methods(results):
        slack = [results.mean(d, method.name) - results.mean(d, method.name, "test") for d in results.grid.datasets]
        rows.append(
            [
                method.title,
                method.learner,
                method.predictor,
                _ratio(results, method),
                format_with_sign(sum(slack) / len(slack)),
                f"{smallest.get(method.name, 0)} ({kept.get(method.name, 0)})",
                f"{sum(results.mean_seconds(d, method.name) for d in results.grid.datasets):.1f}",
            ]
        )
    header = ["Method", "Learner", "Predictor", "Ratio", "Slack", "Smallest", "Seconds"]
    return Table("summary", "Summary over data sets", header, rows, words.SUMMARY_NOTES)


def _ratio(results: CellMeans, method: Rival) -> str:
    """Return the geometric mean of the ratio to the hold-out of the same learner, if that was run."""
    baseline = _BASELINES[method.learner]
    if not results.has(baseline):
        return ""
    logs = [math.log(results.mean(d, method.name) / results.mean(d, baseline)) for d in results.grid.datasets]
    return format_number(math.exp(sum(logs) / len(logs)), 3)


def _count_smallest(results: CellMeans, value: Callable[[str, str], float]) -> dict[str, int]:
    """Return on how many data sets each sound method is the smallest."""
    sound = [method.name for method in _methods(results) if method.is_sound]
    best = [min(sound, key=lambda name: value(data, name)) for data in results.grid.datasets] if sound else []
    return {name: best.count(name) for name in best}
