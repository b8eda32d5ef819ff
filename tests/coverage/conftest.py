"""The judge of all simulations."""

import numpy as np
import pytest

from coverage.judging import DELTA, too_often


@pytest.fixture
def judge(record_property):
    def judged(name, values, truth, delta=DELTA):
        values, truth = np.broadcast_arrays(values, truth)
        violations, slack = int(np.sum(values < truth)), float(np.median(values - truth))
        record_property(
            f"line:{name:60s} violated", f"{violations / values.size:7.2%} of {values.size}, median slack {slack:.4f}"
        )
        assert not too_often(violations, values.size, delta), name
        return violations / values.size

    return judged
