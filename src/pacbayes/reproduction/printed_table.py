"""The paper's printed table: means and deviations over 20 runs, and when a mean counts as reproduced."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["BOUNDS", "COLUMNS", "PRINTED", "PrintedNumber", "tolerance"]

BOUNDS = ("maurer", "ub", "ours")
COLUMNS = ("test", *BOUNDS)
_RUNS = 20
_ROUNDING = 0.002  # four digits are printed, and the runs drew 20 times where expectations are exact here (erratum E13)


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """One number of the table; the paper calls the deviation a standard error (erratum E8)."""

    mean: float
    deviation: float


def tolerance(printed: PrintedNumber, repeats: int) -> float:
    """Return how far a mean over ``repeats`` runs may lie from a printed one: three deviations of their difference."""
    return 3.0 * printed.deviation * math.sqrt(1.0 / repeats + 1.0 / _RUNS) + _ROUNDING


def _row(*numbers: float) -> dict[str, PrintedNumber]:
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return {column: PrintedNumber(*pair) for column, pair in zip(COLUMNS, pairs, strict=True)}


PRINTED = {
    "haberman": _row(0.2726, 0.0388, 0.4140, 0.0114, 0.5829, 0.0176, 0.5020, 0.0113),
    "breast-cancer": _row(0.0371, 0.0133, 0.1387, 0.0049, 0.2079, 0.0070, 0.1635, 0.0068),
    "tictactoe": _row(0.0427, 0.0151, 0.2148, 0.0056, 0.3683, 0.0215, 0.2456, 0.0069),
    "banknote": _row(0.0498, 0.0113, 0.1292, 0.0033, 0.1926, 0.0075, 0.1359, 0.0038),
    "kr-vs-kp": _row(0.0449, 0.0084, 0.1670, 0.0023, 0.2466, 0.0039, 0.1633, 0.0029),
    "spambase": _row(0.1694, 0.0132, 0.3238, 0.0027, 0.5015, 0.0082, 0.3054, 0.0032),
    "mushroom": _row(0.0026, 0.0013, 0.0551, 0.0007, 0.0820, 0.0015, 0.0565, 0.0009),
    "adult": _row(0.1696, 0.0045, 0.2341, 0.0013, 0.3842, 0.0024, 0.2108, 0.0014),
}
