"""Coverage of several statements: on tables from populations whose every rate is known, all hold together."""

import numpy as np
import pytest

import pacbayes as pb

from coverage.judging import repeat, too_often
from coverage.population import COSTS, Population
from coverage.tables import balanced_failures, draw_counts, resampled_limit
from coverage.tables import failures as failed_tables

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


def failures(names, tables, delta, seed=0, **options):
    """Whether each of so many tables has a false statement; of fewer where these prove that it is rare enough."""
    generator = np.random.default_rng(seed)

    def is_false(table):
        population = Population.draw(generator, share=generator.choice([0.02, 0.3]))
        n = round(CLASS_ROWS[table % 3] / 0.3)
        issued = certificate(population, generator, n, names, delta, **options)
        return issued is not None and not all(map(population.holds, issued.statements))

    return repeat(is_false, tables, delta, bool)


@pytest.mark.parametrize("name", COUNTED)
def test_a_metric_holds_for_all_rows_and_groups(name):
    found = failures((name,), 60, 0.5, differences=name in RATES)
    assert not too_often(sum(found), len(found), 0.5)


@pytest.mark.parametrize("name", GRADED)
def test_a_loss_holds_for_all_rows_and_groups(name):
    found = failures((name,), 4, 0.5)
    assert not too_often(sum(found), len(found), 0.5)


def test_all_metrics_hold_together_in_all_groups():
    found = failures(COUNTED, 30, 0.5)
    assert not too_often(sum(found), len(found), 0.5)


@pytest.mark.parametrize("name", RATES)
def test_arrays_are_what_certificates_say(name):
    """The tables below are judged by arrays: they agree with certificates on which tables have a false statement."""
    generator = np.random.default_rng(5)
    for share in (0.02, 0.3):
        population = Population.draw(generator, share=share)
        counts = draw_counts(population, generator, 300, 12)
        found = failed_tables(population, name, counts, 0.9)
        for table, expected in zip(counts, found, strict=True):
            group, label, prediction = (
                np.repeat(each, table.ravel()) for each in np.indices(table.shape).reshape(3, -1)
            )
            if len(np.unique(label)) == 2:
                issued = pb.certify_predictions(label, prediction, 0.9, metrics=name, groups=group, differences=True)
                assert expected == (not all(map(population.holds, issued.statements)))


@pytest.mark.parametrize("delta", [0.5, 0.05])
@pytest.mark.parametrize("name", COUNTED)
def test_a_metric_holds_in_ten_thousand_tables(name, delta, record_count):
    generator, failed, resampled, tables = np.random.default_rng(0), 0, 0, 0
    for class_rows in CLASS_ROWS:
        for share in (0.02, 0.3):
            for _ in range(8):
                population = Population.draw(generator, share=share)
                counts = draw_counts(population, generator, round(class_rows / share), 209)
                if name == "balanced-error":
                    failed += int(balanced_failures(population, counts, delta).sum())
                else:
                    failed += int(failed_tables(population, name, counts, delta).sum())
                    resampled += int(failed_tables(population, name, counts, delta, resampled_limit).sum())
                tables += len(counts)
    assert tables >= 10_000
    record_count(f"{name}, delta {delta}: of {tables} tables a statement is false in", failed)
    if name != "balanced-error":
        record_count(f"{name}, delta {delta}: of {tables} tables a bootstrap limit is false in", resampled)
    assert not too_often(failed, tables, delta)


@pytest.mark.long
@pytest.mark.parametrize("name", GRADED)
def test_a_loss_holds_in_a_thousand_tables(name, record_count):
    found = failures((name,), 1000, 0.5)
    record_count(f"{name}, delta 0.5: of {len(found)} tables a statement is false in", sum(found))
    assert not too_often(sum(found), len(found), 0.5)


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
    assert too_often(failed, tables, 0.5)
