"""When a simulation speaks against a bound, and when it has nothing left to say."""

import numpy as np
from scipy.stats import binomtest

DELTA = 0.05
LEVEL = 1e-4
SETTLED = 1e-6
LOOKS = (50, 100, 200, 300, 400, 600, 800, 1200, 1600, 2400, 3200, 4800)


def too_often(violations, runs, delta=DELTA):
    """Whether the number of violations is incompatible with a probability of at most delta."""
    return binomtest(int(violations), runs, delta, alternative="greater").pvalue < LEVEL


def too_rarely(violations, runs, delta):
    """Whether the number of violations is incompatible with a probability of delta or more."""
    return binomtest(int(violations), runs, delta, alternative="less").pvalue < SETTLED


def first_below_second(row):
    """Which values of a run are below their truths, which follow them."""
    return [value < truth for value, truth in zip(row[::2], row[1::2], strict=True)]


def repeat(one, runs, delta=None, failed=first_below_second):
    """Return what ``one(run)`` gives in many runs; with delta, as soon as it is proven that fewer of all runs fail.

    A run has one statement or several, and ``failed`` says of each whether it was false. Of a bound that fails more
    often than delta a study would be ended so in one of 80,000: each of the twelve looks errs in one of a million.
    Ended or not, what was found is judged, and a bound that fails as often as it may is never ended early.
    """
    found, count = [], 0
    for run in range(runs):
        found.append(one(run))
        if delta is None:
            continue
        count = count + np.asarray(failed(found[-1]), dtype=int)
        if run + 1 in LOOKS and all(too_rarely(each, run + 1, delta) for each in np.atleast_1d(count)):
            break
    return found
