"""``pacbayes reproduce``: the paper's table, computed again, and that of its rivals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from pacbayes.cli._failures import INTERRUPTED
from pacbayes.cli._output import TidyCommand, tidy
from pacbayes.cli._streams import print_error, print_lines

__all__ = ["ReproduceCommand", "reproduce"]

Rivals = Annotated[
    bool, typer.Option("--rivals", help="The other table: the certificates of the field, same rows and same learner.")
]
Quick = Annotated[
    bool,
    typer.Option("--quick", help="3 repeats, and all data sets except Adult: under a minute, of the rivals a few."),
]
Repeats = Annotated[int | None, typer.Option(help="Random splits per data set [default: 20, of the rivals 10].")]
Names = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="One or several, separated by commas; repeatable [default: all]."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder for the cells, tables, figure and page [default: pacbayes-reproduction or pacbayes-rivals].",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Keep the cells that the folder already holds.")]
Jobs = Annotated[int, typer.Option(metavar="N", help="Number of processes; -1 for one per core.")]
Backend = Annotated[str | None, typer.Option(metavar="NAME", help="A backend of joblib: loky, threading, dask, ...")]
Seed = Annotated[int, typer.Option(help="Seed of all random splits; the same seed gives the same table.")]


@tidy
def reproduce(
    rivals: Rivals = False,
    quick: Quick = False,
    repeats: Repeats = None,
    datasets: Names = None,
    methods: Names = None,
    out: Out = None,
    resume: Resume = False,
    jobs: Jobs = -1,
    backend: Backend = None,
    seed: Seed = 0,
) -> None:
    """Recompute the table of Biggs and Guedj (2023), as published and corrected, with what this library adds.

    With --rivals, compare the certificates of the field on the same data sets instead: each with the test error of the
    predictor that it is about, the rows that this predictor learned from, and the seconds that it took.

    Cells are stored in the folder as they are computed: a run that was stopped continues with --resume and ends with
    the same numbers. Exit status: 0 success, 2 an input could not be read or the command could not be carried out, 130
    interrupted.
    """
    try:
        from pacbayes import reproduction  # noqa: PLC0415  (only this command needs them)
        from pacbayes.datasets import DataFileError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ImportError(f"This installation has no reproduction ({error.name} is missing).") from None
    try:
        results, paths = reproduction.reproduce(
            out or Path("pacbayes-rivals" if rivals else "pacbayes-reproduction"),
            study="rivals" if rivals else "paper",
            datasets=_split_names(datasets),
            repeats=repeats,
            methods=_split_names(methods),
            quick=quick,
            seed=seed,
            resume=resume,
            n_jobs=jobs,
            backend=backend,
        )
    except DataFileError as error:
        raise OSError(error.brief or str(error)) from None
    except KeyboardInterrupt:
        if sys.stderr.isatty():  # below the line of progress
            print_lines([""], err=True)
        print_error("stopped. What was computed is safe; add --resume to continue.")
        raise typer.Exit(INTERRUPTED) from None
    for text in (results.table(), *results.claims()):
        print_lines([*text.split("\n"), ""])
    print_lines([f"{len(results.cells)} cells, {results.seconds:.0f} s. Wrote {', '.join(map(str, paths))}"])


def _split_names(given: list[str] | None) -> list[str] | None:
    """Return the names of all occurrences of an option, each of which may be a list with commas."""
    return None if given is None else [name.strip() for text in given for name in text.split(",") if name.strip()]


class ReproduceCommand(TidyCommand):
    """Ends its help with the data sets and methods to choose from; the parameters are of typer's private classes."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the lists, for which alone the package is loaded."""
        from pacbayes import datasets, reproduction  # noqa: PLC0415

        with formatter.section("Data sets"):
            formatter.write_text(", ".join(datasets.names()))
        for title, methods in (("Methods", reproduction.METHODS), ("Methods of --rivals", reproduction.RIVALS)):
            with formatter.section(title):
                formatter.write_dl([(method.name, method.about) for method in methods.values()])
