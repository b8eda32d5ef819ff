"""Coverage of several statements: on tables from populations whose every rate is known, all hold together."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import pacbayes as pb

from coverage.population import COSTS, Population

RATES = ("error", "recall:1", "fnr:1", "fpr:1", "specificity:1", "precision:1")
COUNTED = (*RATES, "balanced-error")
GRADED = ("cost", "brier", "log-loss")
CLASS_ROWS = (20, 200, 2000)  # about so many rows of class 1


def certificate(population, generator, n, names, delta, **options):
    group, label, prediction, chances = population.rows(generator, n)
    if len(np.unique(label)) < 2:
        return None
    if "cost" in names:
        options["cost"] = COSTS
    return pb.certify_predictions(
        label, prediction, delta, metrics=names, groups=group, probabilities=chances, **options
    )


def is_bootstrap_true(population, statement, delta):
    """Whether the limit of the percentile bootstrap at the same share holds: the quantile of a resampled share."""
    errors, n = statement.observed["errors"], statement.n
    limit = binom.ppf(1.0 - delta * statement.share, n, errors / n) / n if n else 1.0
    group = None if statement.group is None else int(statement.group["group"])
    found = population.truth(statement.name, group)
    return (1.0 - found if statement.side == "lower" else found) <= limit


def failures(names, tables, delta, seed=0, **options):
    """How many of so many tables have a false statement, and how many a false limit of the bootstrap."""
    generator, failed, resampled = np.random.default_rng(seed), 0, 0
    for table in range(tables):
        population = Population.draw(generator, share=generator.choice([0.02, 0.3]))
        n = round(CLASS_ROWS[table % 3] / 0.3)
        issued = certificate(population, generator, n, names, delta, **options)
        if issued is None:
            continue
        failed += not all(map(population.holds, issued.statements))
        counted = [each for each in issued.statements if isinstance(each.observed.get("errors"), int)]
        resampled += not all(is_bootstrap_true(population, each, delta) for each in counted)
    return failed, resampled


def is_too_often(failed, tables, delta):
    return binomtest(failed, tables, delta, alternative="greater").pvalue < 1e-4


@pytest.mark.parametrize("name", COUNTED)
def test_a_metric_holds_for_all_rows_and_groups(name):
    failed, _ = failures((name,), 60, 0.5, differences=name in RATES)
    assert not is_too_often(failed, 60, 0.5)


@pytest.mark.parametrize("name", GRADED)
def test_a_loss_holds_for_all_rows_and_groups(name):
    failed, _ = failures((name,), 4, 0.5)
    assert not is_too_often(failed, 4, 0.5)


def test_all_metrics_hold_together_in_all_groups():
    failed, _ = failures(COUNTED, 30, 0.5)
    assert not is_too_often(failed, 30, 0.5)


@pytest.mark.long
@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("delta", [0.5, 0.05])
def test_a_metric_holds_in_ten_thousand_tables(name, delta, record_count):
    failed, resampled = failures((name,), 10_000, delta, differences=name in RATES)
    record_count(f"{name}, delta {delta}: tables of 10,000 with a false statement", failed)
    record_count(f"{name}, delta {delta}: tables of 10,000 with a false bootstrap limit", resampled)
    assert not is_too_often(failed, 10_000, delta)


@pytest.mark.long
@pytest.mark.parametrize("name", GRADED)
def test_a_loss_holds_in_a_thousand_tables(name, record_count):
    failed, _ = failures((name,), 1000, 0.5)
    record_count(f"{name}, delta 0.5: tables of 1,000 with a false statement", failed)
    assert not is_too_often(failed, 1000, 0.5)


def test_limits_without_shares_are_caught():
    """The test has the power to notice: a dozen groups' limits, each at half of delta, fail together far too often."""
    generator, failed, tables = np.random.default_rng(1), 0, 100
    for _ in range(tables):
        population = Population.draw(generator)
        group, label, prediction, _ = population.rows(generator, 2000)
        wrong, groups = label != prediction, np.unique(group)
        counts = [(int(wrong[group == each].sum()), int((group == each).sum())) for each in groups]
        limits = [pb.bounds.clopper_pearson(errors, rows, 0.25) for errors, rows in counts]
        failed += any(population.truth("error", each) > limit for each, limit in zip(groups, limits, strict=True))
    assert is_too_often(failed, tables, 0.5)
