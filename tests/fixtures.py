"""Result files that others published, beside the folder of raw data: what bounds are compared with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def fixture(name):
    """Return the path of a published result file; skip where there is none, fail if `PACBAYES_REQUIRE_DATA` is set."""
    given = os.environ.get("PACBAYES_DATA")
    path = Path(given).resolve().parent / "fixtures" / name if given else Path(name)
    if given and path.is_file():
        return path
    if os.environ.get("PACBAYES_REQUIRE_DATA"):
        pytest.fail(f"PACBAYES_REQUIRE_DATA is set but there is no folder 'fixtures' with {name} beside PACBAYES_DATA")
    return pytest.skip(f"set PACBAYES_DATA to a folder beside which the folder 'fixtures' holds {name}")
