"""The page: tables, figure, and what changed between published and corrected, in one HTML file."""

from __future__ import annotations

import base64
from importlib.resources import files

from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.claim_words import claim_words
from pacbayes.reproduction.claims import compare_claims
from pacbayes.reproduction.methods import METHODS
from pacbayes.reproduction.result_tables import make_tables
from pacbayes.reproduction.table_words import CHANGES, GUARANTEES, KEPT

__all__ = ["render_page"]


def render_page(results: CellMeans, light: bytes, dark: bytes) -> str:
    """Return the page as text, with the figure as SVG for light and dark screens.

    It needs nothing beside itself, and everything in it is escaped.
    """
    from jinja2 import Environment, select_autoescape  # noqa: PLC0415  (an optional dependency)

    template = files("pacbayes.reproduction").joinpath("results.html.jinja").read_text(encoding="utf-8")
    environment = Environment(autoescape=select_autoescape(default=True, default_for_string=True), trim_blocks=True)
    return environment.from_string(template).render(
        tables=make_tables(results),
        claims=[claim_words(claim) for claim in compare_claims(results)],
        changes=CHANGES,
        kept=KEPT,
        methods=[METHODS[name] for name in results.grid.methods],
        guarantees=GUARANTEES,
        repeats=results.grid.repeats,
        datasets=len(results.grid.datasets),
        configuration=results.grid.configuration,
        light=_data_address(light),
        dark=_data_address(dark),
    )


def _data_address(picture: bytes) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture).decode()
