"""How accurate the numerical core is: the sweeps of the tests against 60-digit arithmetic, as a table.

python benchmarks/accuracy.py [--points 20000]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from _tables import print_table

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ("kl_inv_upper", "kl_inv_lower", "kl_ball_max", "kl_ball_min", "phi", "log_xi")
HEADS = ("function", "points", "on the wrong side", "worst error / range", "worst error / (1e-9 distance + 4 ulp)")
MEASURED = re.compile(r"^(\w+): (points|values on the wrong side|worst [^(]*(?:\([^)]*ulp\))?).*?(\S+)$", re.MULTILINE)


def sweep(points: int) -> dict[tuple[str, str], str]:
    """Run the sweeps, which must pass, and return what they measured by function and kind."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--points", str(points), "tests/numerics/test_sweep.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return {(function, kind.strip()): value for function, kind, value in MEASURED.findall(done.stdout)}


def row(found: dict[tuple[str, str], str], function: str) -> tuple[str, ...]:
    """Return the row of a function; `log_xi` has an error relative to itself alone."""
    counts = (f"{int(found[function, kind]):,}" for kind in ("points", "values on the wrong side"))
    if (function, "worst relative error") in found:
        return f"`{function}`", *counts, f"{float(found[function, 'worst relative error']):.1e} of itself", ""
    of_range = float(found[function, "worst error / range of values"])
    of_allowed = float(found[function, "worst error / (1e-9 distance + 4 ulp)"])
    return f"`{function}`", *counts, f"{of_range:.1e}", f"{of_allowed:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=20_000)
    found = sweep(parser.parse_args().points)
    print_table("accuracy", HEADS, [row(found, function) for function in FUNCTIONS])


if __name__ == "__main__":
    main()
