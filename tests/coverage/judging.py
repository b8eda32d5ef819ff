"""When a simulation speaks against a bound."""

from scipy.stats import binomtest

DELTA = 0.05
LEVEL = 1e-4


def too_often(violations, runs, delta=DELTA):
    """Whether the number of violations is incompatible with a probability of at most delta."""
    return binomtest(int(violations), runs, delta, alternative="greater").pvalue < LEVEL
