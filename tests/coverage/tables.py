"""Many tables at once: counts of a population's cells, and the limits of all statements, as arrays.

The limits are those of the library's own functions at the shares that certificates have; a test compares them with
certificates, table by table.
"""

import numpy as np
from scipy.stats import binom

import pacbayes as pb
from pacbayes.certificate import rows_for_half

LOWER = ("recall:1", "specificity:1", "precision:1")


def draw_counts(population, generator, n, tables):
    """Counts by table, group, label and prediction."""
    cells = generator.multinomial(n, population.joint.ravel(), size=tables).reshape(tables, *population.joint.shape)
    return np.stack([cells[..., :2].sum(axis=-1), cells[..., 2:].sum(axis=-1)], axis=-1)


def rows_and_errors(name, counts):
    """How many rows a metric is about, and its errors; the last two axes are label and prediction."""
    kind = name.partition(":")[0]
    if kind in ("recall", "fnr"):
        return counts[..., 1, :].sum(axis=-1), counts[..., 1, 0]
    if kind in ("fpr", "specificity"):
        return counts[..., 0, :].sum(axis=-1), counts[..., 0, 1]
    if kind == "precision":
        return counts[..., :, 1].sum(axis=-1), counts[..., 0, 1]
    return counts.sum(axis=(-1, -2)), counts[..., 0, 1] + counts[..., 1, 0]


def limit(errors, rows, delta):
    """The exact limit on a share of errors; 1 where there are no rows."""
    some = np.maximum(rows, 1)
    found = pb.bounds.clopper_pearson(errors.astype(float), some.astype(float), delta)
    return np.where(rows > 0, np.maximum(found, errors / some), 1.0)


def resampled_limit(errors, rows, delta):
    """The limit of the percentile bootstrap: the quantile of a resampled share of errors."""
    some = np.maximum(rows, 1)
    return np.where(rows > 0, binom.ppf(1.0 - delta, some, errors / some) / some, 1.0)


def true_shares(population, name):
    """The true share of errors, for all rows and by group."""
    found = np.array([population.truth(name, group) for group in (None, *range(len(population.joint)))])
    return 1.0 - found if name in LOWER else found


def failures(population, name, counts, delta, make=limit):
    """For each table whether any statement about all rows, a group, or their largest difference is false."""
    families = 3 if make is limit else 2  # the bootstrap is not asked for differences
    truth, present = true_shares(population, name), counts.sum(axis=(-1, -2)) > 0
    groups = present.sum(axis=1)
    rows, errors = rows_and_errors(name, counts)
    whole = make(errors.sum(axis=1), rows.sum(axis=1), delta / families)
    parts = make(errors, rows, (delta / families / groups)[:, None])
    false = (whole < truth[0]) | ((parts < truth[1:]) & present).any(axis=1)
    return false | differs_more(truth[1:], rows, errors, present, delta / families) if make is limit else false


def differs_more(truth, rows, errors, present, delta):
    """Whether the largest difference between the groups that are compared lies outside its two limits."""
    needed = np.array([rows_for_half(each) for each in delta / (2 * present.sum(axis=1))])
    large = present & (rows >= needed[:, None])
    used = np.where(large.sum(axis=1)[:, None] > 1, large, present)
    own = (delta / (2 * used.sum(axis=1)))[:, None]
    high, low = limit(errors, rows, own), 1.0 - limit(rows - errors, rows, own)
    outside = []
    for table in range(len(rows)):
        where = used[table]
        apart = high[table, where][:, None] - low[table, where]
        np.fill_diagonal(apart, 0.0)
        gap = truth[where].max() - truth[where].min()
        least = (low[table, where].max() - high[table, where].min()).clip(min=0.0)
        outside.append(gap > apart.max() or gap < least)
    return np.array(outside)


def balanced_failures(population, counts, delta):
    """The same for the balanced error, of which no difference is stated."""
    present = counts.sum(axis=(-1, -2)) > 0
    rows, errors = counts.sum(axis=-1), np.stack([counts[..., 0, 1], counts[..., 1, 0]], axis=-1)
    truth = true_shares(population, "balanced-error")
    whole = limit(errors.sum(axis=1), rows.sum(axis=1), delta / 2 / 2).mean(axis=-1)
    parts = limit(errors, rows, (delta / 2 / present.sum(axis=1) / 2)[:, None, None]).mean(axis=-1)
    return (whole < truth[0]) | ((parts < truth[1:]) & present).any(axis=1)
