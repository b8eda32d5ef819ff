"""The command line: arguments in, library calls, words out."""

from __future__ import annotations

import sys
from importlib.util import find_spec

__all__ = ["main"]

_NEEDED = ("typer", "rich", "pandas", "pyarrow", "jinja2", "skops")


def main() -> None:
    """Run the command line, or say in one sentence what has to be installed for it."""
    lacking = [name for name in _NEEDED if find_spec(name) is None]
    if lacking:
        sys.stderr.write(f"pacbayes: the command line needs {', '.join(lacking)}. Install pacbayes[cli].\n")
        raise SystemExit(2)
    from pacbayes.cli._app import app  # noqa: PLC0415

    app()
