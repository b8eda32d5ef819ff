"""How much memory it takes to read a table and to convert it for a learner: at most twice the raw data.

Each table is read and converted in a process of its own, after a small one of the same kind, so that libraries are
there. What is printed is the most that the process had in memory from then on, and the most that it had together with
the one that reads for it, whose libraries count, as ratios to the raw data: the bytes of a file of text, and of Parquet
what it unpacks to, at eight bytes per number and, for a text, its characters and four bytes. Conversion goes on to what
a learner gets: columns are learned from, scaled and encoded, in blocks.

    python benchmarks/conversion.py --rows 1e6
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from _memory import resident, run_watched
from pyarrow import csv

from _tables import print_table

TARGET = 2.0
NUMBERS, TEXTS = 12, 6
WORDS = np.array([f"word {place:03d}" for place in range(50)])


def draw(rows: int, *, texts: bool) -> pa.Table:
    """Return doubles, or doubles and words, and a label."""
    rng = np.random.default_rng(0)
    numbers = {f"x{place}": rng.normal(size=rows) for place in range(TEXTS if texts else NUMBERS)}
    words = {f"t{place}": pa.array(WORDS[rng.integers(0, len(WORDS), rows)]) for place in range(TEXTS if texts else 0)}
    return pa.table({**numbers, **words, "label": np.where(numbers["x0"] + rng.logistic(size=rows) > 0.0, "yes", "no")})


def write(path: Path, table: pa.Table) -> None:
    if path.suffix == ".csv":
        csv.write_csv(table, path)
    else:
        pq.write_table(table, path)


def convert(path: str, small: str) -> None:
    """Read and convert in this process, after a small table, and print how much memory that took."""
    from pacbayes._core.taken import TakenRows  # noqa: PLC0415
    from pacbayes.tables import ColumnPreprocessor, open_table  # noqa: PLC0415

    def run(file: str) -> None:
        rows = open_table(file, "label").X
        taken = TakenRows(rows, np.arange(rows.shape[0], dtype=np.int32))
        steps = ColumnPreprocessor().fit_taken(taken)
        for _ in steps.prepare(taken).blocks():  # texts make many columns, and are never all in memory here
            pass

    run(small)
    before = resident(os.getpid())
    run(path)
    print(json.dumps({"before": before, "own": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


def measure(folder: Path, rows: int, suffix: str, *, texts: bool) -> tuple[str, str, str, str]:
    """Print the ratio of one table, and whether it is within the target; return its row in the page."""
    table, path, small = draw(rows, texts=texts), folder / f"table{suffix}", folder / f"small{suffix}"
    write(path, table)
    write(small, table.slice(0, 1000))
    raw = path.stat().st_size if suffix == ".csv" else table.nbytes
    del table
    found = run_watched([__file__, "--convert", str(path), str(small)])
    own, both = ((found[name] - found["before"]) / raw for name in ("own", "both"))
    what = f"{TEXTS} numbers and {TEXTS} texts" if texts else f"{NUMBERS} numbers"
    print(
        f"{rows:,} rows of {what} ({raw / 1e6:.0f} MB) in {suffix[1:]}: {own:.2f} times the raw data, with the reader "
        f"{both:.2f} ({'at most' if own <= TARGET else 'MORE than'} {TARGET:.0f})",
        flush=True,
    )
    kind = "text" if suffix == ".csv" else "Parquet"
    return f"{what} in {kind}", f"{raw / 1e6:.0f} MB", f"{own:.1f} times", f"{both:.1f} times"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default=1_000_000, type=lambda text: int(float(text)))
    parser.add_argument("--formats", nargs="+", default=("parquet", "csv"), choices=("parquet", "csv"))
    parser.add_argument("--convert", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.convert:
        convert(*given.convert)
        return
    found = []
    for suffix in given.formats:
        for texts in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                found.append(measure(Path(folder), given.rows, f".{suffix}", texts=texts))
    print_table("conversion", ("table", "raw data", "peak of the process", "with its reader"), found)


if __name__ == "__main__":
    main()
