"""Options of commands that certify more than the error: metrics, groups, differences and costs."""

from __future__ import annotations

from typing import Annotated

import typer

from pacbayes.metrics import metric_forms

__all__ = ["COST", "DIFFERENCE", "GROUP", "LABEL_METRIC", "METRIC"]

_REST = "CLASS stands for one of the classes; repeatable, all hold together; error=3 has a larger share of delta"

METRIC = Annotated[
    list[str] | None,
    typer.Option(help=f"What to certify: {', '.join(metric_forms())}; {_REST} [default: error]."),
]
LABEL_METRIC = Annotated[
    list[str] | None,
    typer.Option(help=f"What to certify: {', '.join(metric_forms(of_labels=True))}; {_REST} [default: error]."),
]
GROUP = Annotated[
    list[str] | None,
    typer.Option(
        help="State each metric for each value of this column, too; repeatable, crossed; it may be dropped; at most "
        "10000 groups."
    ),
]
DIFFERENCE = Annotated[
    bool, typer.Option("--difference", help="State the largest difference of each rate between groups, too.")
]
COST = Annotated[str | None, typer.Option(help="Costs for the metric cost: TRUE:PREDICTED=COST,..., of all pairs.")]
