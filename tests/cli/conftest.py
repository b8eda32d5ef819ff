"""Commands run in this process, in a folder of their own."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pacbayes.cli._app import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder; the result has exit_code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **options: CliRunner().invoke(app, [str(each) for each in arguments], **options)


def small_frame(rows=60, seed=0):
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 2, rows)
    return pd.DataFrame(
        {
            "age": generator.normal(size=rows) + 2.0 * y,
            "job": np.where(generator.random(rows) < 0.7, np.where(y, "cook", "clerk"), "smith"),
            "ill": np.where(y, "yes", "no"),
        }
    )


@pytest.fixture
def small(tmp_path):
    """A small table of two classes as a CSV file."""
    path = tmp_path / "small.csv"
    small_frame().to_csv(path, index=False)
    return path
