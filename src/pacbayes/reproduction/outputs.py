"""Files of a run: tables, every cell, the figure and the page."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from pacbayes._core.files import write_atomically
from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.cell_store import ResultsFileError
from pacbayes.reproduction.claim_words import claim_sentence
from pacbayes.reproduction.claims import compare_claims
from pacbayes.reproduction.figure import draw_figure
from pacbayes.reproduction.renderers import render_latex, render_markdown, render_text
from pacbayes.reproduction.result_tables import make_tables
from pacbayes.reproduction.results_page import render_page

__all__ = ["check_outputs", "write_outputs"]

_NAMES = ("cells.csv", "cells.json", "tables.txt", "tables.md", "tables.tex", "figure.png", "figure.svg", "index.html")


def check_outputs(folder: Path) -> None:
    """Refuse, before the work, a folder in which an output could not be written because a folder has its name."""
    for name in _NAMES:
        if (folder / name).is_dir():
            raise ResultsFileError(f"{folder / name} is a folder, and a file is to be written there. Choose another.")


def write_outputs(results: CellMeans, folder: Path) -> list[Path]:
    """Write everything into a folder, each file atomically; return the paths."""
    contents = {folder / name: content for name, content in _contents(results).items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in contents.items():
            write_atomically(path, content)
    except OSError as error:
        raise ResultsFileError(
            f"The outputs cannot be written to {folder} ({error.strerror}). The cells are not touched by this."
        ) from error
    return list(contents)


def _contents(results: CellMeans) -> dict[str, str | bytes]:
    tables = make_tables(results)
    claims = map(claim_sentence, compare_claims(results))
    return {
        "cells.csv": _cells_as_csv(results),
        "cells.json": _cells_as_json(results),
        "tables.txt": "\n\n".join([*map(render_text, tables), *claims, ""]),
        "tables.md": "\n".join(map(render_markdown, tables)),
        "tables.tex": "\n".join(map(render_latex, tables)),
        **_pictures(results),
    }


def _pictures(results: CellMeans) -> dict[str, str | bytes]:
    """Return the figure and the page, or nothing where their packages are not installed."""
    try:
        import jinja2  # noqa: F401, PLC0415  (optional dependencies)
        import matplotlib as mpl  # noqa: F401, PLC0415
    except ImportError:
        return {}
    light, dark = (draw_figure(results, kind="svg", dark=dark) for dark in (False, True))
    return {
        "figure.png": draw_figure(results, kind="png"),
        "figure.svg": light,
        "index.html": render_page(results, light, dark),
    }


def _cells_as_csv(results: CellMeans) -> str:
    """Return one line per cell; a number that a method does not have is left empty."""
    keys = list(dict.fromkeys(key for values in results.cells.values() for key in values))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["data", "repeat", "method", *keys])
    for cell, values in results.cells.items():
        writer.writerow([*cell, *(repr(values[key]) if key in values else "" for key in keys)])
    return text.getvalue()


def _cells_as_json(results: CellMeans) -> str:
    cells = [{"data": d, "repeat": r, "method": m, **values} for (d, r, m), values in results.cells.items()]
    return json.dumps({"configuration": results.grid.configuration, "cells": cells}, indent=1) + "\n"
