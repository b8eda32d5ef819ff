"""Print the interpreter to test with: ``python3``, or the system's own where that one is clearly faster.

    python3 tools/interpreter.py

A Python that was built without profile-guided optimisation takes up to half as long again for the same tests, and
whether one was is not recorded in it. So both run a loop of calls, and the faster one is printed if it can make virtual
environments and is a version that this package supports.
"""

from __future__ import annotations

import subprocess
import sys
from math import isnan

CANDIDATES = ("python3", "/usr/bin/python3")
CLEARLY = 0.9  # of the time of the first
_LOOP = """
import ensurepip, sys, time, venv

class Counter:
    def add(self, value, *rest, by=1, **options):
        return value + by

def loop(times):
    counter, total, texts = Counter(), 0, {}
    for each in range(times):
        total = counter.add(total, by=each)
        texts[f"{total % 1000}"] = [total, each]

def seconds():
    start = time.process_time()
    loop(40_000)
    return time.process_time() - start

print(min(seconds() for _ in range(7)) if sys.version_info >= (3, 11) else "nan")
"""


def seconds_of(python: str) -> float:
    """Return how long an interpreter takes for the loop; not a number if it cannot be used."""
    try:
        done = subprocess.run([python, "-c", _LOOP], capture_output=True, text=True, check=True, timeout=60)
        return float(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return float("nan")


def main() -> None:
    """Print the name of the interpreter."""
    first, other = map(seconds_of, CANDIDATES)
    faster = other < CLEARLY * first or (isnan(first) and not isnan(other))
    sys.stdout.write(f"{CANDIDATES[faster]}\n")


if __name__ == "__main__":
    main()
