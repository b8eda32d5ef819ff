"""Hypothesis strategies shared by the tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

probabilities = st.one_of(
    st.sampled_from([0.0, 1e-300, 1e-12, 0.1, 0.5, 1.0 - 1e-12, 1.0]),
    st.floats(0.0, 1.0),
    st.floats(-12.0, 0.0).map(lambda e: 10.0**e),
)
inner_probabilities = st.floats(0.001, 0.999)
budgets = st.one_of(st.sampled_from([0.0, 1e-15, 700.0]), st.floats(-15.0, 2.5).map(lambda e: 10.0**e))
inner_budgets = st.floats(1e-3, 3.0)


@st.composite
def balls(draw, min_atoms=2, max_atoms=8, zeros=True):
    """Weights and values of a KL-ball problem."""
    atoms = draw(st.integers(min_atoms, max_atoms))
    positive = st.floats(1e-3, 1.0)
    raw = draw(st.lists(st.one_of(positive, st.just(0.0)) if zeros else positive, min_size=atoms, max_size=atoms))
    if not sum(raw):
        raw[draw(st.integers(0, atoms - 1))] = 1.0
    values = draw(st.lists(st.floats(-5.0, 5.0), min_size=atoms, max_size=atoms))
    return np.array(raw) / np.sum(raw), np.array(values)
