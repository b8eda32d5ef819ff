"""Thousands of groups: a certificate with a statement for each, against the plain one of the same rows, in one run.

    python benchmarks/groups.py [--groups 2000] [--rows 5000] [--part memory|file]

``memory`` certifies given predictions, with groups as whole numbers, texts, objects and categories; ``file`` certifies
a Parquet file that is read in batches, as ``pacbayes certify TABLE --target label --group shop`` does, report and all.
The statements are compared with those of the rows of some groups, certified one by one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import pacbayes as pb
from pacbayes.bounds import clopper_pearson
from pacbayes.runs import Settings, certify_file

from _timing import timed, verdict

MOST = 3.0  # times the plain certificate
BLOCK = 1 << 18
LEARNED = 100_000
SHARE = 0.5 * 0.05  # of delta, for the groups


def draw(rows: int, groups: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels, predictions and groups; errors differ from group to group."""
    rng = np.random.default_rng(seed)
    shops = rng.permutation(np.arange(rows) % groups)
    labels = rng.integers(0, 2, rows)
    wrong = rng.random(rows) < 0.02 + 0.1 * (shops % 50) / 50
    return labels, np.where(wrong, 1 - labels, labels), shops


def compare_with_loop(certificate: pb.Certificate, wrong: np.ndarray, shops: np.ndarray, groups: int) -> bool:
    """Return whether the statements of some groups are those that their rows alone give."""
    stated = {each.group["shop"]: each for each in certificate.statements if each.group}
    asked = [str(each) for each in range(0, groups, max(1, groups // 20))]
    for name in asked:
        rows = wrong[shops == int(name)]
        alone = float(clopper_pearson(float(rows.sum()), rows.size, SHARE / groups))
        if (stated[name].n, stated[name].value) != (rows.size, max(alone, rows.mean())):
            return False
    return len(stated) == groups


def fastest(call: Callable[[], pb.Certificate], repeats: int = 3) -> tuple[float, pb.Certificate]:
    """Return the least processor time of some calls, and what the last of them returned."""
    took = []
    for _ in range(repeats):
        began = time.process_time()
        found = call()
        took.append(time.process_time() - began)
    return min(took), found


def columns(shops: np.ndarray, groups: int) -> Iterator[tuple[str, Any]]:
    """Yield the groups of all rows in the containers that people have them in."""
    names = np.array([f"shop {number}" for number in range(groups)])
    yield "whole numbers", shops
    yield "texts", names[shops]
    yield "objects", names.astype(object)[shops]
    yield "categories", pd.Categorical.from_codes(shops, names.tolist())


def measure_memory(rows: int, groups: int) -> bool:
    labels, predictions, shops = draw(rows, groups)
    plain, _ = fastest(lambda: pb.certify_predictions(labels, predictions))
    held = True
    for kind, given in columns(shops, groups):
        took, found = fastest(lambda given=given: pb.certify_predictions(labels, predictions, groups={"shop": given}))
        ratio = took / plain
        print(f"predictions in memory, groups as {kind}: plain {plain:.2f} s, grouped {took:.2f} s, ratio {ratio:.2f}")
        held &= ratio <= MOST
        if kind == "whole numbers":
            held &= compare_with_loop(found, labels != predictions, shops, groups)
            size, text = timed(found.to_json)
            again, read = timed(lambda: pb.Certificate.from_json(text))  # noqa: B023
            check, result = timed(read.verify)
            print(
                f"  {len(text) / 1e6:.1f} MB of JSON written in {size:.2f} s, read in {again:.2f} s, verified in "
                f"{check:.2f} s: {bool(result)}"
            )
    print(f"  at most {MOST:g} times, and equal to a loop: {verdict(held)}", flush=True)
    return held


def write(path: Path, rows: int, groups: int) -> None:
    """Write a table of four numbers, a group and a label, block by block."""
    rng, writer = np.random.default_rng(1), None
    for start in range(0, rows, BLOCK):
        size = min(BLOCK, rows - start)
        X = rng.normal(size=(size, 4))
        noisy = X @ np.array([2.0, 1.0, 0.5, 0.25]) + 0.5 * rng.logistic(size=size)
        named = {f"x{k}": X[:, k] for k in range(4)}
        shops = (np.arange(start, start + size) * 7919) % groups
        block = pa.table({**named, "shop": shops, "label": np.where(noisy > 0.0, "yes", "no")})
        writer = pq.ParquetWriter(str(path), block.schema) if writer is None else writer
        writer.write_table(block)
    if writer is not None:
        writer.close()


def measure_file(rows: int, groups: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write(path, rows, groups)
        took = {}
        for name, asked in (("plain", ()), ("grouped", ("shop",))):
            began = time.perf_counter()
            settings = Settings(target="label", drop=("shop",), groups=asked, max_learning_rows=LEARNED)
            run = certify_file(path, settings)
            issued = time.perf_counter() - began
            run.save(Path(folder) / name)
            took[name] = time.perf_counter() - began
            count = len(run.certificate.statements)
            print(f"file of {rows:,} rows, {name}: {took[name]:.1f} s, {issued:.1f} s of it without report; ", end="")
            print(f"{count} statements", flush=True)
    ratio = took["grouped"] / took["plain"]
    print(f"  ratio {ratio:.2f}, at most {MOST:g}: {verdict(ratio <= MOST)}", flush=True)
    return ratio <= MOST


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--groups", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=5000, help="of each group")
    parser.add_argument("--part", choices=["memory", "file"])
    given = parser.parse_args()
    rows, held = given.groups * given.rows, True
    if given.part in (None, "memory"):
        held &= measure_memory(rows, given.groups)
    if given.part in (None, "file"):
        held &= measure_file(rows, given.groups)
    sys.exit(not held)


if __name__ == "__main__":
    main()
