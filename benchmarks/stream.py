"""Ten million examples summarised in flat memory: peak resident size, and time against generating them."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator

import numpy as np

import pacbayes as pb

TOTAL, CHUNK = 10_000_000, 100_000


def stream(kind: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    for _ in range(TOTAL // CHUNK):
        reference = rng.random(CHUNK)
        yield 0.3 * rng.random(CHUNK), (reference < 0.1).astype(float) if kind == "0-1" else reference


def peak_megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def main() -> None:
    for kind in ("0-1", "real-valued"):
        start = time.perf_counter()
        for _ in stream(kind):
            pass
        generating = time.perf_counter() - start
        start = time.perf_counter()
        summary = pb.Summary.from_chunks(stream(kind), reference_kind="predictable")
        total = time.perf_counter() - start
        peak = peak_megabytes()
        met = "met" if peak < 300 else "NOT MET"
        print(
            f"{kind} references: {summary.n:.0e} examples, {summary.rates.size} rates, {total / generating:.1f} times "
            f"the cost of generating them, peak memory {peak:.0f} MB   target < 300   {met}"
        )


if __name__ == "__main__":
    main()
