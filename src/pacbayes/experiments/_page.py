"""The page: tables, figure, and what changed between published and corrected, in one HTML file."""

from __future__ import annotations

import base64
from importlib.resources import files
from typing import TYPE_CHECKING

from pacbayes.experiments._claims import compared
from pacbayes.experiments._methods import METHODS
from pacbayes.experiments._tables import tables

if TYPE_CHECKING:
    from pacbayes.experiments._results import Results

__all__ = ["page"]

# What was changed from the published to the corrected arithmetic, and why; and what was not.
CHANGES = (
    (
        "E4",
        "UB",
        "started from the risk",
        "starts from the excess",
        "The theorem bounds the excess; with the risk the reference counts twice.",
    ),
    (
        "E5",
        "Ours",
        "phi with powers of 2",
        "the true phi",
        "Where 2e^s belongs the runs had 2^s; the result is sometimes below the supremum.",
    ),
    (
        "E6",
        "all",
        "delta/J for each of J - 1 scales",
        "delta for all J",
        "The bounds hold for all posteriors at once, so choosing the scale costs nothing.",
    ),
    (
        "E12",
        "UB",
        "log(K/delta)",
        "log(2K/delta)",
        "Half of delta pays for the reference, so half is left for the excess.",
    ),
)
KEPT = (
    (
        "E7",
        (
            "UB and Ours take the average loss of the online references to be bounded by a theorem whose proof treats "
            "random means as constants; there are references for which it fails. Betting is sound there."
        ),
    ),
    (
        "E9, E11",
        (
            "Rows with missing values, category codes, and the scaling with all rows, test rows included, are as the "
            "runs had them."
        ),
    ),
    ("E10", "The intercept is not penalised, and is counted in the norm and in the divergence."),
    ("E13", "Expectations over the Gaussian are exact here; the runs averaged 20 draws."),
)


def page(results: Results, light: bytes, dark: bytes) -> str:
    """Return the page as text, with the figure as SVG for light and dark screens.

    It needs nothing beside itself, and everything in it is escaped.
    """
    from jinja2 import Environment, select_autoescape  # noqa: PLC0415  (an optional dependency)

    template = files("pacbayes.experiments").joinpath("page.html.jinja").read_text(encoding="utf-8")
    environment = Environment(autoescape=select_autoescape(default=True, default_for_string=True), trim_blocks=True)
    return environment.from_string(template).render(
        tables=tables(results),
        claims=compared(results),
        changes=CHANGES,
        kept=KEPT,
        methods=[METHODS[name] for name in results.grid.methods],
        repeats=results.grid.repeats,
        datasets=len(results.grid.datasets),
        configuration=results.grid.configuration,
        light=_address(light),
        dark=_address(dark),
    )


def _address(picture: bytes) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture).decode()
