"""Points for the sweeps: edges in every position, magnitudes over hundreds of decades."""

from __future__ import annotations

import numpy as np

PROBABILITIES = [0.0, 1e-300, 1e-100, 1e-30, 1e-16, 1e-12, 1e-8, 1e-4, 0.01, 0.1, 0.3, 0.5]
PROBABILITIES += [1.0 - 2.0**-53, 1.0 - 1e-15] + [1.0 - p for p in PROBABILITIES[4:11]] + [1.0]
BUDGETS = [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 40.0, 100.0, 700.0]


def _mixture(rng, size, *parts):
    choice = rng.integers(len(parts), size=size)
    return np.choose(choice, [part(size) for part in parts])


def probabilities(rng, size):
    return _mixture(
        rng,
        size,
        lambda k: rng.choice(PROBABILITIES, k),
        rng.random,
        lambda k: 10.0 ** rng.uniform(-20, 0, k),
        lambda k: 1.0 - 10.0 ** rng.uniform(-16, 0, k),
    )


def budgets(rng, size):
    return _mixture(rng, size, lambda k: rng.choice(BUDGETS, k), *[lambda k: 10.0 ** rng.uniform(-15, 2.84, k)] * 3)


def weights(rng, atoms):
    """One weight vector: even or wild, often with zeros, summing to 1 up to rounding or a little off."""
    u = rng.dirichlet(np.full(atoms, 10.0 ** rng.uniform(-1.5, 1)))
    if rng.random() < 0.3:
        u = u * 10.0 ** rng.uniform(-30, 0, atoms)
    if rng.random() < 0.5:
        u[rng.random(atoms) < 0.3] = 0.0
    if not u.sum() > 0:
        u[rng.integers(atoms)] = 1.0
    u = u / u.sum()
    return u * (1.0 + 5e-7 * rng.uniform(-1, 1)) if rng.random() < 0.2 else u


def values(rng, atoms):
    kind = rng.integers(5)
    if kind == 0:
        return rng.random(atoms)
    if kind == 1:
        return rng.normal(size=atoms)
    if kind == 2:  # ties, also at the top
        return rng.integers(-2, 3, atoms).astype(float)
    if kind == 3:
        return rng.normal(size=atoms) * 10.0 ** rng.uniform(-8, 8)
    return 1000.0 + rng.random(atoms)


def excess_weights(rng, size):
    plus = probabilities(rng, size)
    minus = np.where(rng.random(size) < 0.5, (1.0 - plus) * rng.random(size), (1.0 - plus) * probabilities(rng, size))
    return plus, np.minimum(minus, 1.0 - plus)
