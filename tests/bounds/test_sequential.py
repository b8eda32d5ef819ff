"""Sequential bets: exact roots in mpmath, predictable rates, and what their statistics determine."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

import pacbayes as pb
from pacbayes.bounds import sequential, sequential_from_blocks, sequential_rates, sequential_statistics

CLOSE = 1e-9
LAWS = {
    "rare": lambda rng, shape: (rng.random(shape) < 0.01).astype(float),
    "coin": lambda rng, shape: (rng.random(shape) < 0.5).astype(float),
    "uniform": lambda rng, shape: rng.random(shape),
    "skewed": lambda rng, shape: rng.beta(0.2, 3.8, shape),
    "concentrated": lambda rng, shape: rng.beta(10.0, 30.0, shape),
    "near-constant": lambda rng, shape: 0.2 + 0.02 * rng.random(shape),
}


def exact_capital(losses, found, m):
    """The largest log capital at the ends of blocks, in 60 digits; equal losses of a block are counted."""
    total, largest, start = mpf(0), -mpmath.inf, 0
    for size, rate in zip(found.sizes, found.rates, strict=True):
        values, counts = np.unique(losses[start : start + int(size)], return_counts=True)
        logs = (
            int(count) * mpmath.log(1 - mpf(rate) * mpf(value)) for value, count in zip(values, counts, strict=True)
        )
        total += mpmath.fsum(logs) - int(size) * mpmath.log(1 - mpf(rate) * m)
        largest, start = max(largest, total), start + int(size)
    return largest


@pytest.mark.parametrize("seed", range(40))
def test_never_below_the_exact_root_and_close_to_it(seed):
    rng = np.random.default_rng(seed)
    n = int(10 ** rng.uniform(0.0, 6.0 if seed % 4 == 0 else 4.0))
    delta = float(10 ** rng.uniform(-8.0, -0.05))
    values = LAWS[list(LAWS)[seed % len(LAWS)]](rng, 30)
    losses = rng.choice(values, size=n)
    planned = None if seed % 3 == 0 else n + int(rng.integers(0, 3)) * n // 2
    found = sequential_statistics(losses, delta, planned)
    value, level = sequential(losses, delta, planned), mpmath.log(1 / mpf(delta))
    if value < 1.0:
        assert exact_capital(losses, found, mpf(value)) >= level
    if value > losses.mean() + CLOSE:
        assert exact_capital(losses, found, mpf(value) - CLOSE) < level


@pytest.mark.parametrize("planned", [None, 300, 1000])
def test_rates_depend_on_earlier_losses_alone(planned):
    rng = np.random.default_rng(0)
    losses = rng.random(300)
    first = sequential_statistics(losses, 0.05, planned)
    for block in (1, 5, 15):
        start = int(first.sizes[:block].sum())
        other = losses.copy()
        other[start:] = rng.random(300 - start) ** 4
        second = sequential_statistics(other, 0.05, planned)
        np.testing.assert_array_equal(first.rates[: block + 1], second.rates[: block + 1])
        assert not np.allclose(first.rates[block + 1 :], second.rates[block + 1 :])


@pytest.mark.parametrize("planned", [None, 300])
def test_a_prefix_is_what_was_bet_up_to_there(planned):
    """Stopping early, even inside a block, changes nothing that went before."""
    losses = np.random.default_rng(1).random(300)
    whole = sequential_statistics(losses, 0.05, planned)
    for rows in (1, 7, 8, 100, 211):
        part = sequential_statistics(losses[:rows], 0.05, planned)
        np.testing.assert_array_equal(part.rates, whole.rates[: part.rates.size])
        assert part.sizes.sum() == rows


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 64, 200, 12_345, 10**6])
def test_blocks_cover_the_losses(n):
    for planned in (None, n, 3 * n):
        sizes, _ = _rates_of_zeros(n, planned)
        assert sizes.sum() == n
        assert np.all(sizes >= 1)
        assert sizes.size <= 30 + 25 * np.log2(n + 1)


def _rates_of_zeros(n, planned):
    found = sequential_statistics(np.zeros(n), 0.05, planned)
    return sequential_rates(found.means, found.squares, found.cubes, found.log_growth, n, 0.05, planned)


@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.sampled_from([1e-12, 1e-3, 0.05, 0.5, 0.999]), st.booleans())
@settings(max_examples=60)
def test_recorded_blocks_give_the_same_number(seed, n, delta, anytime):
    rng = np.random.default_rng(seed)
    losses = rng.random(n) ** rng.uniform(0.0, 20.0)
    planned = None if anytime else n
    found = sequential_statistics(losses, delta, planned)
    value = sequential(losses, delta, planned)
    again = sequential_from_blocks(found.means, found.squares, found.cubes, found.log_growth, n, delta, planned)
    assert again == value
    assert losses.mean() - 1e-15 <= value <= 1.0
    assert np.all((found.rates >= 0.0) & (found.rates <= 0.99))


def test_many_sequences_and_deltas_at_once():
    losses = np.random.default_rng(2).beta(2.0, 8.0, size=(3, 1, 150))
    deltas = np.array([0.01, 0.2])
    together = sequential(losses, deltas, n=150)
    assert together.shape == (3, 2)
    alone = [[sequential(row[0], float(delta), n=150) for delta in deltas] for row in losses]
    np.testing.assert_allclose(together, alone, rtol=1e-12)
    assert type(alone[0][0]) is float


def test_narrower_than_a_union_over_fixed_rates():
    rng, n, delta = np.random.default_rng(3), 1000, 0.05
    rates, weights = pb.bounds.betting_rates(n=n, delta=delta)
    for name, law in LAWS.items():
        losses = law(rng, (60, n))
        growth = np.stack([np.log1p(-rate * losses).mean(axis=-1) for rate in rates], axis=-1)
        union = np.min((1.0 - np.exp(growth - np.log(1.0 / (delta * weights)) / n)) / rates, axis=-1)
        mean = losses.mean(axis=-1)
        assert np.mean(sequential(losses, delta, n=n) - mean) < 0.76 * np.mean(union - mean), name


def test_ends_of_what_losses_can_be():
    assert sequential(np.zeros(1000), 0.05, n=1000) < 0.006
    assert sequential(np.ones(1000), 0.05, n=1000) == 1.0
    assert sequential([0.3], 0.05) == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sequential([0.1, 1.2], 0.05), "'losses' argument of sequential must lie in .* Got 1.2"),
        (lambda: sequential([0.1, np.nan], 0.05), "'losses' argument of sequential must lie in .* Got nan"),
        (lambda: sequential([], 0.05), "must hold at least one loss"),
        (lambda: sequential(0.5, 0.05), "must hold at least one loss"),
        (lambda: sequential([0.1], 1.0), "'delta' argument of sequential"),
        (lambda: sequential([0.1, 0.2], 0.05, n=1), "must be at least the number of losses, 2. Got 1"),
        (lambda: sequential_from_blocks([0.1], [0.1], [0.1], [0.0], 2000, 0.05), "one number for each of"),
        (lambda: sequential_from_blocks([1.1], [0.1], [0.1], [0.0], 5, 0.05), "'block_means' .* lie in"),
        (lambda: sequential_from_blocks([0.1], [0.1], [0.1], [0.1], 5, 0.05), "'block_growth' .* at most 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_found_by_name_but_not_listed():
    record = pb.bounds.get("sequential")
    assert record not in pb.bounds.catalogue()
    assert "waudby" in record.citation
