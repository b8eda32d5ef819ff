"""Commands run in this process, in a folder of their own."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import pacbayes as pb
from pacbayes.cli._app import app

GOOD, BAD = 2000, 700


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


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Losses that get worse, in losses.txt, beside good.txt and a certificate that they break; returns them."""
    monkeypatch.chdir(tmp_path)
    pb.certify_predictions([0, 1] * 500, [0, 1] * 465 + [1, 1] * 35).to_json(Path("certificate.json"))
    rng = np.random.default_rng(0)
    losses = np.concatenate([rng.random(GOOD) < 0.03, rng.random(BAD) < 0.15]).astype(int)
    Path("losses.txt").write_text("".join(f"{loss}\n" for loss in losses))
    Path("good.txt").write_text("".join(f"{loss}\n" for loss in losses[:GOOD]))
    return losses
