"""How time and memory of ``pacbayes certify`` grow with the rows of a Parquet file: peak memory is to stay flat.

Rows are drawn in blocks, written to a temporary folder, certified in a process of its own for each size, and removed.
Peak memory is that of the process; the most that it and the one that reads its file for it had at once is printed too,
and must stay within the same bytes. The exponent is that of time between the sizes from a million rows on, imports
included. A million rows learn from a part that a learning curve finds, and are compared with a hold-out; more rows than
two and a half million learn from a million, without a curve.

    python benchmarks/scale.py --rows 1e5 1e6 --model logistic
    python benchmarks/scale.py --table          # all rows of the page, one after the other
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from _memory import run_watched
from pyarrow import csv

from _tables import print_table

ROWS, COLUMNS = ("1e5", "1e6", "1e7", "2e7"), 20
BLOCK = 1 << 17
FLAT, LARGEST, EXPONENT = 1.3, 2.5e9, 1.05  # of memory at the largest size over that at 1e6; bytes; of time
BASE = 1_000_000
BY_PASSES = 2_500_000  # rows from which a table stays in its file
TITLES = {"logistic": "logistic", "hist-gradient-boosting": "boosting"}
CASES = (  # of the page: rows, model and format
    *((rows, "logistic", "parquet") for rows in (100_000, 1_000_000, 10_000_000, 20_000_000)),
    (6_000_000, "logistic", "csv"),
    *((rows, "hist-gradient-boosting", "parquet") for rows in (100_000, 1_000_000, 20_000_000)),
)
HEADS = ("rows", "model", "where rows are", "learned from", "seconds", "peak memory", "with the reader")


def draw(rows: int, columns: int, rng: np.random.Generator) -> pa.Table:
    """Rows of a noisy linear rule in doubles: every column of use, none that tells the label by itself."""
    X = rng.normal(size=(rows, columns))
    noisy = X @ np.linspace(1.0, 0.1, columns) + rng.logistic(size=rows)
    named = {f"x{number}": X[:, number] for number in range(columns)}
    return pa.table({**named, "label": np.where(noisy > 0.0, "yes", "no")})


def write(path: Path, rows: int, columns: int) -> None:
    """Write a table block by block; as text if its name says so."""
    rng, writer = np.random.default_rng(0), None
    for start in range(0, rows, BLOCK):
        block = draw(min(BLOCK, rows - start), columns, rng)
        if writer is None:
            make = csv.CSVWriter if path.suffix == ".csv" else pq.ParquetWriter
            writer = make(str(path), block.schema)
        writer.write_table(block)
    if writer is not None:
        writer.close()


def certify(path: str, model: str) -> None:
    """Certify in this process, and print what it took."""
    from pacbayes.runs import Settings, certify_file  # noqa: PLC0415  (to be measured)

    run = certify_file(path, Settings(target="label", model=model))
    run.save(Path(path).with_suffix(".certificate"))
    own, reader = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    work = sum(each.ru_utime + each.ru_stime for each in (own, reader))
    first = run.certificate.statements[0]
    found = {"memory": own.ru_maxrss * 1024, "work": work, "learned": run.model.n_learning_}
    print(json.dumps({**found, "judged": first.n, "value": first.value}))


def report(found: dict[int, dict[str, float]]) -> bool:
    """Say how memory and time grew; whether within the targets."""
    large = {rows: each for rows, each in found.items() if rows >= BASE}
    if len(large) < 2:
        return True
    low, high = min(large), max(large)
    ratio = large[high]["memory"] / large[low]["memory"]
    slope, work = (math.log(large[high][of] / large[low][of]) / math.log(high / low) for of in ("seconds", "work"))
    held = ratio <= FLAT and slope <= EXPONENT and max(large[high]["memory"], large[high]["both"]) <= LARGEST
    print(f"memory at {high:.0e} over {low:.0e} rows: {ratio:.2f} (at most {FLAT})")
    print(f"exponent of time from {low:.0e} to {high:.0e} rows: {slope:.2f} (at most {EXPONENT}), of work {work:.2f}")
    print("held" if held else "MISSED")
    return held


def measure(rows: int, model: str, form: str, columns: int) -> dict[str, float]:
    """Write and certify a table, and print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{form}"
        write(path, rows, columns)
        size = path.stat().st_size
        found = run_watched([__file__, "--certify", str(path), "--model", model])
    print(
        f"{rows:>11,} rows x {columns} ({size / 1e9:.2f} GB): {found['seconds']:7.1f} s "
        f"({found['work']:.1f} s of processor time), {found['memory'] / 1e9:5.3f} GB, with the reader "
        f"{found['both'] / 1e9:5.3f} GB, {found['learned']:,} learned from, {found['judged']:,} judged",
        flush=True,
    )
    return {**found, "size": size}


def line(rows: int, model: str, form: str, found: dict[str, float]) -> tuple[str, ...]:
    """Return a row of the page."""
    kind = "a file of text" if form == "csv" else "the file"
    where = f"in {kind} ({found['size'] / 1e9:.2g} GB)" if rows > BY_PASSES else "in memory"
    sizes = (f"{found[name] / 1e9:.2f} GB" for name in ("memory", "both"))
    return f"{rows:,}", TITLES[model], where, f"{found['learned']:,}", f"{found['seconds']:.0f}", *sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="+", default=ROWS, type=lambda text: int(float(text)))
    parser.add_argument("--columns", default=COLUMNS, type=int)
    parser.add_argument("--model", default="logistic")
    parser.add_argument("--format", default="parquet", choices=("parquet", "csv"))
    parser.add_argument("--table", action="store_true", help="measure the rows of the page")
    parser.add_argument("--certify", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.certify:
        certify(given.certify, given.model)
        return
    if given.table:
        print_table("scale", HEADS, [line(*case, measure(*case, COLUMNS)) for case in CASES])
        return
    sizes = map(int, map(float, given.rows))
    sys.exit(not report({rows: measure(rows, given.model, given.format, given.columns) for rows in sizes}))


if __name__ == "__main__":
    main()
