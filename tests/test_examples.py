"""The examples run, and print what the README and `make demo` promise."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@pytest.mark.parametrize(
    ("name", "promise"),
    [
        ("demo.py", "the true error is at most"),
        ("breast_cancer.py", "at most 0.0"),
        ("eight_sets.py", "certified at or below the hold-out"),
        ("certificate.py", "ok     the predictor is what these rows give"),
    ],
)
def test_example(name, promise, tmp_path):
    command = [sys.executable, str(EXAMPLES / name)]
    run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert promise in run.stdout
    assert not run.stderr
