"""``pacbayes reproduce``: the paper's table, by the package of experiments."""

from __future__ import annotations

from importlib import import_module

import typer

from pacbayes.cli._output import tidy

__all__ = ["reproduce"]


@tidy
def reproduce(context: typer.Context) -> None:
    """Compute the paper's table again: published and corrected numbers side by side.

    Options are those of the experiments: --quick, --resume, --jobs N, --backend NAME, --out FOLDER; --help lists all.
    """
    try:
        experiments = import_module("pacbayes.experiments.__main__")
    except ModuleNotFoundError as error:
        raise ImportError(f"This installation has no experiments to reproduce ({error.name} is missing).") from None
    raise typer.Exit(int(experiments.main(list(context.args)) or 0))
