"""Timing shared by the benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["best_time", "timed", "verdict"]


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds a call took, and its result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def best_time(call: Callable[[], Any], repeats: int = 5) -> float:
    """Return the least seconds of several calls."""
    return min(timed(call)[0] for _ in range(repeats))


def verdict(met: bool) -> str:
    """Return what is printed beside a target."""
    return "met" if met else "NOT MET"
