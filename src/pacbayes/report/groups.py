"""The groups of a report: for each metric a chart of limits with what was observed, the group with the worst first."""

from __future__ import annotations

from collections.abc import Sequence

from pacbayes._core.plain import visible
from pacbayes.certificate import Certificate, Statement
from pacbayes.certificate.apart_words import difference_words
from pacbayes.certificate.statement_words import quantity_noun
from pacbayes.certificate.words import limit_words, risk_words
from pacbayes.report import phrases
from pacbayes.report.charts import draw_limit, nice_top
from pacbayes.report.contents import Data

__all__ = ["list_groups"]

_SHOWN = 40  # groups of a metric that are not folded away


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
    ordered = sorted(groups, key=lambda each: (each.value if lower else -each.value, -each.n))
    top = 1.0 if lower else nice_top(max(each.value for each in groups))
    rows = [_row(each, top) for each in ordered]
    gaps = [each for each in certificate.differences if each.name == first.name]
    noun = quantity_noun(first)
    return {
        "title": noun[:1].upper() + noun[1:],
        "rows": rows[:_SHOWN],
        "folded": rows[_SHOWN:],
        "difference": [difference_words(each) for each in gaps],
    }


def _row(statement: Statement, top: float) -> Data:
    return {
        "name": ", ".join(map(visible, (statement.group or {}).values())),
        "side": phrases.SIDES[statement.side],
        "shown": "nothing" if statement.is_vacuous else limit_words(statement, statement.value),
        "observed": risk_words(statement),
        "n": f"{statement.n:,}",
        "bar": draw_limit(statement.risk if statement.n else None, statement.value, top),
    }
