"""The groups of a report: for each metric a chart of limits with what was observed, the group with the worst first."""

from __future__ import annotations

from collections.abc import Sequence

from pacbayes._core.plain import visible
from pacbayes.certificate import Certificate, Statement
from pacbayes.certificate.apart_words import difference_words
from pacbayes.certificate.shown import MANY_GROUPS, select_ends
from pacbayes.certificate.statement_words import quantity_noun
from pacbayes.certificate.words import limit_words, risk_words
from pacbayes.report import phrases
from pacbayes.report.charts import draw_limit, nice_top
from pacbayes.report.contents import Data

__all__ = ["list_groups"]


def list_groups(certificate: Certificate) -> Data:
    """Return for each metric the limits of its groups, and the largest difference where it is stated."""
    grouped = [each for each in certificate.statements if each.group is not None]
    names = dict.fromkeys(each.name for each in grouped)
    return {
        "columns": " and ".join(map(visible, grouped[0].group or {})),
        "metrics": [_metric(certificate, [each for each in grouped if each.name == name]) for name in names],
    }


def _metric(certificate: Certificate, groups: Sequence[Statement]) -> Data:
    first, lower = groups[0], groups[0].side == "lower"
    gaps = [each for each in certificate.differences if each.name == first.name]
    noun = quantity_noun(first)
    said = {"title": noun[:1].upper() + noun[1:], "difference": [difference_words(each, len(groups)) for each in gaps]}
    if len(groups) <= MANY_GROUPS:
        ordered = sorted(groups, key=lambda each: (each.value if lower else -each.value, -each.n))
        return {**said, "tables": [{"title": "", "rows": _rows(ordered, ordered)}], "all": []}
    ends = select_ends(certificate, groups)
    shown = [*ends.worst, *ends.best]
    tables = [
        {"title": f"The {len(ends.worst)} worst limits", "rows": _rows(ends.worst, shown)},
        {"title": f"The {len(ends.best)} best limits", "rows": _rows(ends.best, shown)},
    ]
    return {
        **said,
        "tables": [each for each in tables if each["rows"]],
        "count": f"{len(groups):,}",
        "lacking": f"{ends.lacking:,}" if ends.lacking else "",
        "all": _rows(ends.ordered),
    }


def _rows(groups: Sequence[Statement], among: Sequence[Statement] = ()) -> list[Data]:
    """Return groups as rows of texts; with a chart, if it is said among which others they are drawn."""
    if not among:
        return [_row(each, "") for each in groups]
    top = 1.0 if among[0].side == "lower" else nice_top(max(each.value for each in among))
    charts = [draw_limit(each.risk if each.n else None, each.value, top) for each in groups]
    return [_row(each, chart) for each, chart in zip(groups, charts, strict=True)]


def _row(statement: Statement, chart: str) -> Data:
    return {
        "name": ", ".join(map(visible, (statement.group or {}).values())),
        "side": phrases.SIDES[statement.side],
        "shown": "nothing" if statement.is_vacuous else limit_words(statement, statement.value),
        "observed": risk_words(statement),
        "n": f"{statement.n:,}",
        "bar": chart,
    }
