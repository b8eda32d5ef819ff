"""The pages: tables and figure in one HTML file, of the paper's table and of the rivals'."""

from __future__ import annotations

import base64
from importlib.resources import files

from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.claim_words import claim_words
from pacbayes.reproduction.claims import compare_claims
from pacbayes.reproduction.methods import METHODS
from pacbayes.reproduction.result_tables import Table, make_tables
from pacbayes.reproduction.rival_tables import make_rival_tables
from pacbayes.reproduction.rival_words import RIVALS_TITLE
from pacbayes.reproduction.rivals import RIVALS
from pacbayes.reproduction.table_words import CHANGES, GUARANTEES, KEPT, PAPER_TITLE

__all__ = ["render_page", "render_rivals_page"]


def render_page(results: CellMeans, light: bytes, dark: bytes) -> str:
    """Return the page of the paper's table as text, with the figure as SVG for light and dark screens.

    It needs nothing beside itself, and everything in it is escaped.
    """
    return _render(
        "results.html.jinja",
        results,
        make_tables(results),
        (light, dark),
        title=PAPER_TITLE,
        claims=[claim_words(claim) for claim in compare_claims(results)],
        changes=CHANGES,
        kept=KEPT,
        methods=[METHODS[name] for name in results.grid.methods],
    )


def render_rivals_page(results: CellMeans, light: bytes, dark: bytes) -> str:
    """Return the page of the rivals in the same way."""
    methods = [RIVALS[name] for name in results.grid.methods]
    return _render(
        "rivals.html.jinja",
        results,
        make_rival_tables(results),
        (light, dark),
        title=RIVALS_TITLE,
        methods=methods,
        citations={key: entry for method in methods for key, entry in method.citations.items()},
    )


def _render(
    template: str, results: CellMeans, tables: list[Table], pictures: tuple[bytes, bytes], **contents: object
) -> str:
    from jinja2 import Environment, FunctionLoader, select_autoescape  # noqa: PLC0415  (an optional dependency)

    environment = Environment(
        loader=FunctionLoader(_read_template),
        autoescape=select_autoescape(default=True, default_for_string=True),
        trim_blocks=True,
    )
    light, dark = map(_data_address, pictures)
    return environment.get_template(template).render(
        tables=tables,
        guarantees=GUARANTEES,
        repeats=results.grid.repeats,
        datasets=len(results.grid.datasets),
        configuration=results.grid.configuration,
        light=light,
        dark=dark,
        **contents,
    )


def _read_template(name: str) -> str:
    return files("pacbayes.reproduction").joinpath(name).read_text(encoding="utf-8")


def _data_address(picture: bytes) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture).decode()
