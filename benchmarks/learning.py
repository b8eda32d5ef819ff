"""How the time of logistic regression grows with the rows it learns from: in chunks it is linear.

Time is that of ``CrossValidatedLogistic.fit`` on rows that are scaled in blocks when they are needed, as ``certify``
has it learn, on one thread; memory is what the fit allocates beyond the rows. The exponent is between the sizes that
follow each other, the first of which pays for choosing the penalty, on 20,000 rows at most.

    python benchmarks/learning.py --rows 1e5 1e6 5e6
"""

from __future__ import annotations

import argparse
import math
import time
import tracemalloc

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from pacbayes._core.taken import TakenRows
from pacbayes.learners import CrossValidatedLogistic
from pacbayes.tables import ColumnPreprocessor

from _timing import verdict

ROWS, COLUMNS = ("1e5", "1e6", "5e6"), 20
EXPONENT = 1.05


def draw(rows: int, columns: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    y = X @ np.linspace(1.0, 0.1, columns) + rng.logistic(size=rows) > 0.0
    return pd.DataFrame(X, columns=[f"x{place}" for place in range(columns)], copy=False), y


def learn(frame: pd.DataFrame, y: np.ndarray) -> float:
    """Return the seconds of a fit."""
    taken = TakenRows(frame, np.arange(len(frame)))
    prepared = ColumnPreprocessor().fit_taken(taken).prepare(taken)
    began = time.process_time()
    CrossValidatedLogistic().fit(prepared, y)
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="+", default=ROWS)
    parser.add_argument("--columns", default=COLUMNS, type=int)
    given = parser.parse_args()
    before: tuple[int, float] | None = None
    with threadpool_limits(1):
        for rows in (int(float(each)) for each in given.rows):
            frame, y = draw(rows, given.columns)
            seconds = min(learn(frame, y) for _ in range(2))
            tracemalloc.start()
            learn(frame, y)
            peak = tracemalloc.get_traced_memory()[1] / (8 * frame.size)
            tracemalloc.stop()
            line = (
                f"{rows:>9,} rows x {given.columns}: {seconds:6.2f} s, {1e6 * seconds / rows:5.2f} s per million rows, "
            )
            line += f"{peak:.2f} of the rows' memory beside them"
            if before is not None:
                exponent = math.log(seconds / before[1]) / math.log(rows / before[0])
                line += f", exponent {exponent:.2f} (at most {EXPONENT:g}): {verdict(exponent <= EXPONENT)}"
            print(line, flush=True)
            before = (rows, seconds)


if __name__ == "__main__":
    main()
