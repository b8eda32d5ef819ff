"""Options of commands that certify more than the error: metrics, groups, differences and costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from pacbayes.certificate import Certificate
from pacbayes.certificate.statement_words import short_of_rows
from pacbayes.metrics import METRICS, parse_metrics

__all__ = ["COST", "DIFFERENCE", "GROUP", "METRIC", "asked_settings", "record_statements"]

METRIC = Annotated[
    list[str] | None,
    typer.Option(
        help=f"What to certify: {', '.join(METRICS)}; of one class as recall:CLASS; repeatable, all hold together; "
        "error=3 has a larger share of delta [default: error]."
    ),
]
GROUP = Annotated[
    list[str] | None,
    typer.Option(help="State each metric for each value of this column, too; repeatable, crossed; it may be dropped."),
]
DIFFERENCE = Annotated[
    bool, typer.Option("--difference", help="State the largest difference of each rate between groups, too.")
]
COST = Annotated[str | None, typer.Option(help="Costs for the metric cost: TRUE:PREDICTED=COST,..., of all pairs.")]


def asked_settings(
    metric: Sequence[str] | None, group: Sequence[str] | None, cost: str | None, *, difference: bool
) -> dict[str, Any]:
    """Return the options as the settings of a run have them."""
    names, weights = parse_metrics("--metric", metric or ("error",))
    groups = tuple(group or ())
    return {"metrics": names, "weights": weights, "groups": groups, "differences": difference, "cost": cost}


def record_statements(certificate: Certificate) -> list[dict[str, Any]]:
    """Return the statements for machines: what each is about, its limit, and how many rows it would need if too few."""
    return [
        {
            "metric": each.name,
            "group": None if each.group is None else dict(each.group),
            "groups": [dict(group) for group in each.groups],
            "side": each.side,
            "value": each.value,
            "lower": each.lower,
            "limit": each.limit,
            "observed": each.risk if each.n else None,
            "n": each.n,
            "share": each.share,
            "vacuous": each.is_vacuous,
            "rows_needed": short_of_rows(certificate, each),
        }
        for each in certificate.statements
    ]
