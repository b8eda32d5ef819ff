"""The table of ``pacbayes reproduce --quick`` has the numbers it had when they were recorded."""

import json
from pathlib import Path

import pytest

from pacbayes import reproduction

RECORDED = json.loads((Path(__file__).parent.parent / "recorded" / "reproduction_quick.json").read_text())


def test_the_quick_table_is_as_recorded(data_folder, record_worst):
    """Bit for bit on the machine that recorded it; other processors and package versions may round otherwise."""
    results = reproduction.run(quick=True, n_jobs=1)
    assert set(results.grid.datasets) == set(RECORDED["means"])
    assert results.grid.repeats == 3
    for data, methods in RECORDED["means"].items():
        assert set(methods) == set(results.grid.methods)
        for method, numbers in methods.items():
            for key, mean in numbers.items():
                found = results.mean(data, method, key)
                record_worst("quick table: deviation from the recorded means", abs(found - mean))
                assert found == pytest.approx(mean, rel=1e-9, abs=1e-12), (data, method, key)
