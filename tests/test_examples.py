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
        ("certificate.py", "ok     the predictor is what these rows give"),
    ],
)
def test_example(name, promise):
    run = subprocess.run([sys.executable, str(EXAMPLES / name)], check=True, capture_output=True, text=True)
    assert promise in run.stdout
    assert not run.stderr
