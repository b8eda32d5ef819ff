"""Files of a run: tables, every cell, the figure and the page."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from pacbayes._core.files import write_atomically
from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.cell_store import ResultsFileError
from pacbayes.reproduction.cells import Cell
from pacbayes.reproduction.claim_words import claim_sentence
from pacbayes.reproduction.claims import compare_claims
from pacbayes.reproduction.presentations import presentation_of
from pacbayes.reproduction.renderers import render_latex, render_markdown, render_text

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
    tables = presentation_of(results).make_tables(results)
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
    shown = presentation_of(results)
    light, dark = (shown.draw(results, kind="svg", dark=dark) for dark in (False, True))
    return {
        "figure.png": shown.draw(results, kind="png"),
        "figure.svg": light,
        "index.html": shown.render_page(results, light, dark),
    }


def _cells_as_csv(results: CellMeans) -> str:
    """Return one line per cell; a number that a method does not have is left empty."""
    numbers = _numbers(results)
    keys = list(dict.fromkeys(key for values in numbers.values() for key in values))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["data", "repeat", "method", *keys])
    for cell, values in numbers.items():
        writer.writerow([*cell, *(repr(values[key]) if key in values else "" for key in keys)])
    return text.getvalue()


def _numbers(results: CellMeans) -> dict[Cell, dict[str, float]]:
    """Return the numbers of each cell, and the seconds that it took if they were measured."""
    timings = {cell: {"seconds": seconds} for cell, seconds in results.timings.items()}
    return {cell: {**values, **timings.get(cell, {})} for cell, values in results.cells.items()}


def _cells_as_json(results: CellMeans) -> str:
    cells = [{"data": d, "repeat": r, "method": m, **values} for (d, r, m), values in _numbers(results).items()]
    return json.dumps({"configuration": results.grid.configuration, "cells": cells}, indent=1) + "\n"
