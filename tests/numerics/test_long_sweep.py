"""The sweep of a million points per function, in `make test-all`."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
def test_a_million_points_per_function():
    sweep = Path(__file__).with_name("test_sweep.py")
    arguments = ["-n", "auto", "--points", "1000000", "-p", "no:cacheprovider", str(sweep)]
    run = subprocess.run([sys.executable, "-m", "pytest", *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-6000:]
