"""``python -m pacbayes.experiments``: the paper's table from one command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pacbayes.datasets import DataFileError, names
from pacbayes.experiments._methods import METHODS
from pacbayes.experiments._run import run
from pacbayes.experiments._store import ExperimentFileError

__all__ = ["main"]

_QUICK_REPEATS = 3
_QUICK = [name for name in names() if name != "adult"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pacbayes.experiments",
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment that the arguments ask for, print its tables, write its files; return the exit code."""
    chosen = _parser().parse_args(arguments)
    try:
        results = run(
            chosen.datasets or (_QUICK if chosen.quick else None),
            chosen.repeats or (_QUICK_REPEATS if chosen.quick else 20),
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
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted; what was computed is safe, add --resume to continue\n")
        return 130
    sys.stdout.write("\n\n".join([results.table(), *results.claims()]) + "\n\n")
    sys.stdout.write(f"{len(results.cells)} cells, {results.seconds:.0f} s. Wrote {', '.join(map(str, paths))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
