"""``python -m pacbayes.experiments``: the paper's table from one command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from pacbayes.datasets import DataFileError, load, names
from pacbayes.experiments._methods import METHODS
from pacbayes.experiments._run import run
from pacbayes.experiments._store import ExperimentFileError

__all__ = ["main"]

_QUICK_REPEATS = 3
_QUICK = [name for name in names() if name != "adult"]


class _Parser(argparse.ArgumentParser):
    """Refuses bad options in one sentence, like the other commands."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"pacbayes: {message[:1].upper()}{message[1:]}. See {self.prog} --help.\n")


def _parser(program: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=program,
        description="The paper's table: as published, with corrected arithmetic, and with what this library adds.",
    )
    add = parser.add_argument
    add("--quick", action="store_true", help=f"{_QUICK_REPEATS} repeats, without Adult: about a minute")
    add("--repeats", type=int, help="random splits per data set (default 20)")
    add("--datasets", nargs="+", metavar="NAME", help=f"among {', '.join(names())} (default all)")
    add("--methods", nargs="+", metavar="NAME", help=f"among {', '.join(METHODS)} (default all)")
    add("--out", type=Path, default=Path("pacbayes-experiments"), metavar="FOLDER", help="default %(default)s")
    add("--resume", action="store_true", help="continue with the cells that the folder has already")
    add("--jobs", type=int, default=-1, metavar="N", help="processes (default one per core)")
    add("--backend", help="a backend of joblib: loky, threading, dask, ...")
    add("--seed", type=int, default=0, help="of all splits (default 0)")
    return parser


def main(arguments: Sequence[str] | None = None, program: str = "pacbayes reproduce") -> int:
    """Run the experiment that the arguments ask for, print its tables, write its files.

    Returns the exit code: 0, 2 for anything that could not be read or done, 130 if interrupted.
    """
    chosen = _parser(program).parse_args(arguments)
    datasets = chosen.datasets or (_QUICK if chosen.quick else None)
    try:
        if not chosen.resume and chosen.backend != "dask":  # workers elsewhere have their own files
            _check_data(names() if datasets is None else datasets)
        results = run(
            datasets,
            (_QUICK_REPEATS if chosen.quick else 20) if chosen.repeats is None else chosen.repeats,
            chosen.methods,
            seed=chosen.seed,
            folder=chosen.out,
            resume=chosen.resume,
            n_jobs=chosen.jobs,
            backend=chosen.backend,
            progress=True,
        )
        paths = results.save(chosen.out)
    except (ExperimentFileError, DataFileError, ValueError) as error:
        sys.stderr.write(f"pacbayes: {getattr(error, 'brief', '') or error}\n")
        return 2
    except KeyboardInterrupt:
        line = "\n" if sys.stderr.isatty() else ""
        sys.stderr.write(f"{line}pacbayes: stopped. What was computed is safe; add --resume to continue.\n")
        return 130
    sys.stdout.write("\n\n".join([results.table(), *results.claims()]) + "\n\n")
    sys.stdout.write(f"{len(results.cells)} cells, {results.seconds:.0f} s. Wrote {', '.join(map(str, paths))}\n")
    return 0


def _check_data(datasets: Iterable[str]) -> None:
    """Miss a file before the first hour of work and not after it; unknown names are refused by the run."""
    for name in datasets:
        if name in names():
            load(name)


if __name__ == "__main__":
    sys.exit(main(program="python -m pacbayes.experiments"))
