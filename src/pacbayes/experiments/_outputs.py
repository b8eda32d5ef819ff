"""Files of a run: tables, every cell, the figure and the page."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

from pacbayes.experiments import _render
from pacbayes.experiments._claims import claims
from pacbayes.experiments._store import ExperimentFileError
from pacbayes.experiments._tables import tables

if TYPE_CHECKING:
    from pacbayes.experiments._results import Results

__all__ = ["save"]


def save(results: Results, folder: Path) -> list[Path]:
    """Write everything into a folder; each file is whole or not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_written(folder / name, content) for name, content in _contents(results).items()]
    except OSError as error:
        raise ExperimentFileError(
            f"The outputs cannot be written to {folder} ({error.strerror}). The cells are not touched by this."
        ) from error


def _contents(results: Results) -> dict[str, bytes]:
    made = tables(results)
    return {
        "cells.csv": _csv(results).encode(),
        "cells.json": _json(results).encode(),
        "tables.txt": "\n\n".join([results.table(), *claims(results), ""]).encode(),
        "tables.md": "\n".join(_render.markdown(table) for table in made).encode(),
        "tables.tex": "\n".join(_render.latex(table) for table in made).encode(),
        **_pictures(results),
    }


def _pictures(results: Results) -> dict[str, bytes]:
    """Return the figure and the page, or nothing where their packages are not installed."""
    try:
        import jinja2  # noqa: F401, PLC0415  (optional dependencies)
        import matplotlib as mpl  # noqa: F401, PLC0415
    except ImportError:
        return {}
    from pacbayes.experiments._figure import figure  # noqa: PLC0415
    from pacbayes.experiments._page import page  # noqa: PLC0415

    light, dark = (figure(results, kind="svg", dark=dark) for dark in (False, True))
    return {
        "figure.png": figure(results, kind="png"),
        "figure.svg": light,
        "index.html": page(results, light, dark).encode(),
    }


def _written(path: Path, content: bytes) -> Path:
    """Write beside and rename, so that a failure leaves an earlier file as it was."""
    beside = path.with_name(path.name + ".new")
    try:
        beside.write_bytes(content)
        return beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _csv(results: Results) -> str:
    """Return one line per cell; a number that a method does not have is left empty."""
    keys = list(dict.fromkeys(key for values in results.cells.values() for key in values))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["data", "repeat", "method", *keys])
    for cell, values in results.cells.items():
        writer.writerow([*cell, *(repr(values[key]) if key in values else "" for key in keys)])
    return text.getvalue()


def _json(results: Results) -> str:
    cells = [{"data": d, "repeat": r, "method": m, **values} for (d, r, m), values in results.cells.items()]
    return json.dumps({"configuration": results.grid.configuration, "cells": cells}, indent=1) + "\n"
