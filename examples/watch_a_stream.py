"""A stream that may be looked at whenever you like: a limit for all times at once, beside one that must not be.

Errors of a model in use come in one by one. A limit for one number of rows, fixed beforehand, fails far more often than
promised when somebody looks at it again and again and stops at a good moment. A limit that holds for all times at once
(`LossMonitor`, `pacbayes watch`) may be looked at after every row.

    python examples/watch_a_stream.py [watch-a-stream.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import pacbayes as pb

N, STREAMS, TRUTH, DELTA, FIRST = 1000, 200, 0.1, 0.05, 20
ANYTIME, FIXED = "valid at all times at once", "valid at one time, looked at every row"
COLOURS = {ANYTIME: "#1d5bb5", FIXED: "#d1495b"}


def limits(errors: np.ndarray) -> dict[str, np.ndarray]:
    """Return both limits after each row of a stream of errors."""
    sizes, counts = np.arange(1, N + 1), np.cumsum(errors)
    rates, weights = pb.bounds.betting_rates()  # for all n
    growth = counts[:, None] / sizes[:, None] * np.log1p(-rates)
    return {
        ANYTIME: pb.bounds.betting(growth, rates, 0.0, sizes, DELTA, weights),
        FIXED: pb.bounds.clopper_pearson(counts, sizes, DELTA),
    }


def main() -> None:
    """Draw one stream, and how many of 200 were below the truth at some time so far."""
    rng = np.random.default_rng(1)
    streams = (rng.random((STREAMS, N)) < TRUTH).astype(int)
    found = [limits(errors) for errors in streams]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.8, 3.2), layout="constrained")
    sizes, failed = np.arange(1, N + 1), {}
    for name, colour in COLOURS.items():
        left.plot(sizes, found[0][name], color=colour, lw=1.5, label=name)
        wrong = np.stack([each[name] < TRUTH for each in found])
        wrong[:, : FIRST - 1] = False  # nobody looks before the twentieth row
        failed[name] = 100 * np.maximum.accumulate(wrong, axis=1).mean(axis=0)
        right.plot(sizes, failed[name], color=colour, lw=2)
    left.plot(sizes, np.cumsum(streams[0]) / sizes, color="#9aa3ad", lw=1, label="observed so far")
    left.axhline(TRUTH, color="#16202e", lw=1, ls="--", label="true error")
    left.set(xscale="log", xlim=(FIRST, N), ylim=(0, 0.5), xlabel="rows so far", ylabel="error", title="one stream")
    left.legend(frameon=False, fontsize="small")
    right.axhline(100 * DELTA, color="#16202e", lw=1, ls="--")
    right.annotate("allowed: 5 %", (0.97 * N, 5.5), fontsize=9, ha="right")
    right.set(xscale="log", xlim=(FIRST, N), ylim=(0, None), xlabel="rows so far")
    right.set(ylabel="wrong so far, percent of streams", title=f"{STREAMS} streams")
    for axes in (left, right):
        axes.set_xticks([20, 50, 100, 200, 500, 1000], ["20", "50", "100", "200", "500", "1000"])
        axes.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else "watch-a-stream.png"), dpi=110)
    print(f"wrong at some time: {failed[ANYTIME][-1]:.1f} % for all times, {failed[FIXED][-1]:.1f} % for one time")


if __name__ == "__main__":
    main()
