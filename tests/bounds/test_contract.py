"""The contract that every entry of the catalogue keeps; a new bound needs a line in `cases.py` and inherits it all."""

from __future__ import annotations

import ast
import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pacbayes as pb
from pacbayes.bounds.words import conditions, sample_sizes

from bounds import cases

ENTRIES = pb.bounds.catalogue()
KLS = np.array([0.0, 1e-9, 1e-3, 0.1, 1.0, 5.0, 30.0, 200.0, 1e4, np.inf])
RISKS = np.linspace(0.0, 0.9, 46)
SIZES = 2.0 ** np.arange(0, 41)
DELTAS = np.array([1e-12, 1e-6, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.9, 1.0 - 1e-12])
TINY = 1e-12


@pytest.fixture(params=ENTRIES, ids=lambda entry: entry.name)
def entry(request):
    return request.param


COMBINATORS = {
    "betting_rates",
    "debiased",
    "forward_backward",
    "gibbs_to_vote",
    "learned_bets",
    "recursive_portfolio_step",
    "recursive_step",
}
# reads losses one by one, and has tests of its own in test_sequential.py
SEQUENCES = {"sequential", "sequential_from_blocks", "sequential_rates", "sequential_statistics"}
# about two predictors at once, and has tests of its own in test_paired.py
PAIRS = {"paired"}
LOOKUPS = {
    "arguments_of",
    "catalogue",
    "errors_within",
    "evaluate",
    "examples_needed",
    "from_numbers",
    "get",
    "require_sound",
}
ROOT = Path(__file__).resolve().parents[2]


def test_every_exported_bound_is_in_the_catalogue():
    """Step 2 of 'Add a bound'."""
    exported = {name for name in pb.bounds.__all__ if inspect.isfunction(getattr(pb.bounds, name))}
    listed = {entry.name for entry in ENTRIES}
    bounds = exported - COMBINATORS - LOOKUPS - SEQUENCES - PAIRS
    assert bounds == listed, "add it to pacbayes/bounds/summary_entries.py or own_entries.py"


def names_in_code(paths):
    """The names that some files use; those in comments and in strings are not among them."""
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    return used | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def functions_of(path):
    return {node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}


PLACES = {
    "docs/theory.md": lambda: set(re.findall(r"`(\w+)`", (ROOT / "docs/theory.md").read_text(encoding="utf-8"))),
    "tests/coverage/*.py": lambda: names_in_code(ROOT.glob("tests/coverage/*.py")),
    "tests/bounds/exact_bounds.py": lambda: functions_of(ROOT / "tests/bounds/exact_bounds.py"),
}


@pytest.mark.parametrize("place", PLACES)
def test_every_bound_is_stated_simulated_and_written_once_more(place):
    """Steps 3 and 5 of 'Add a bound'; a comment that it is to be done does not do it."""
    missing = {entry.name for entry in ENTRIES} - PLACES[place]()
    assert not missing, f"{place} lacks {missing}"


def test_a_name_in_a_comment_is_none_in_the_code(tmp_path):
    path = tmp_path / "code.py"
    path.write_text('"""maurer"""\n# quadratic: to do\nfound = pb.bounds.chernoff("catoni")\n', encoding="utf-8")
    assert names_in_code([path]) == {"found", "pb", "bounds", "chernoff"}


def test_every_bound_has_a_case():
    """Step 4 of 'Add a bound'."""
    assert set(cases.STATISTICS) == {entry.name for entry in ENTRIES}, "add it to STATISTICS in tests/bounds/cases.py"


def test_messages_at_the_ends_of_domains():
    with pytest.raises(ValueError, match="above 1e-290"):
        pb.bounds.maurer(0.1, 1.0, 100, 5e-324)
    with pytest.raises(ValueError, match=r"between 1 and 2\*\*53"):
        pb.bounds.maurer(0.1, 1.0, 2**54, 0.05)
    with pytest.raises(ValueError, match="'values' argument of vector_kl"):
        pb.bounds.vector_kl([0.5, 0.5], [1.0, 2.0, 3.0], 1.0, 100, 0.05)


class TestContract:
    def test_record_is_complete(self, entry):
        assert getattr(pb.bounds, entry.name) is entry.function
        assert entry.citation.startswith("@")
        assert entry.description.endswith(".")
        assert set(entry.statistics) <= set(inspect.signature(entry.function).parameters)
        assert ("kl" in inspect.signature(entry.function).parameters) == entry.uses_kl
        assert "References" in entry.function.__doc__ or not entry.uses_kl
        assert entry.valid_for
        assert conditions(entry.assumptions)
        assert sample_sizes(entry.valid_at)
        assert not entry.valid_for & entry.published_for

    def test_monotone_in_kl(self, entry):
        if cases.charged(entry):
            for risk in (0.0, 0.05, 0.4):
                for n in (5, 100, 10_000):
                    assert np.all(np.diff(cases.call(entry, risk=risk, kl=KLS, n=n)) >= -TINY)

    @given(st.floats(0.0, 0.9), st.floats(0.0, 500.0), st.floats(1.0, 2.0), st.integers(2, 5000))
    @settings(max_examples=50)
    def test_monotone_in_kl_everywhere(self, risk, kl, factor, n):
        for entry in ENTRIES:
            if cases.charged(entry):
                low, high = (cases.call(entry, risk=risk, kl=x, n=n) for x in (kl, kl * factor))
                assert low <= high + TINY, entry.name

    def test_monotone_in_risk(self, entry):
        for kl in (0.0, 10.0):
            for n in (100, 10_000):
                assert np.all(np.diff(cases.call(entry, risk=RISKS, kl=kl, n=n)) >= -TINY)

    def test_monotone_in_n(self, entry):
        for kl in (0.0, 10.0):
            assert np.all(np.diff(cases.call(entry, risk=0.25, kl=kl, n=SIZES[2:], fixed_rates=True)) <= TINY)

    def test_monotone_in_delta(self, entry):
        for kl in (0.0, 10.0):
            for n in (100, 10_000):
                assert np.all(np.diff(cases.call(entry, risk=0.1, kl=kl, n=n, delta=DELTAS, fixed_rates=True)) <= TINY)

    def test_never_below_what_was_observed(self, entry):
        for kl in (0.0, 3.0):
            values = cases.call(entry, risk=RISKS, kl=kl, n=1000)
            assert np.all(values >= np.minimum(cases.empirical(entry, RISKS), cases.vacuous(entry)) - 1e-15)

    def test_limits(self, entry):
        observed = float(cases.empirical(entry, 0.25))
        if entry.name.startswith("betting"):  # for a finite grid the limit is the bound at the smallest rate
            rates, weights = pb.bounds.betting_rates()
            growth = 0.25 * np.log1p(-rates) + cases.MINUS * np.log1p(rates)
            value = entry.function(growth, rates, 5.0, n=10**12, delta=0.05, weights=weights)
            assert value == pytest.approx(observed, abs=1e-4)
        elif entry.name.startswith("portfolio"):  # the same, and fewer strengths than a reference may deserve
            assert cases.call(entry, risk=0.25, kl=5.0, n=2**40) == pytest.approx(observed, abs=5e-3)
        else:
            assert cases.call(entry, risk=0.25, kl=5.0, n=2**40) == pytest.approx(observed, abs=1e-4)
        assert cases.call(entry, kl=1e-9) == pytest.approx(cases.call(entry, kl=0.0), abs=1e-6)
        certain, even = (cases.call(entry, kl=0.0, delta=d, fixed_rates=True) for d in (1.0 - 1e-12, 0.5))
        assert certain <= even

    def test_vacuous_rather_than_wrong(self, entry):
        if cases.charged(entry):
            assert cases.call(entry, kl=math.inf) == cases.vacuous(entry)
            assert cases.call(entry, kl=1e12) == pytest.approx(cases.vacuous(entry), abs=1e-9)
        for n in (1, 2):
            assert cases.call(entry, risk=0.25, n=n) <= cases.vacuous(entry)

    def test_arrays_equal_scalars(self, entry):
        risks, kls, sizes, deltas = [0.0, 0.1, 0.3], [0.0, 2.0, 40.0], [10, 500, 30_000], [0.01, 0.05, 0.5]
        together = cases.call(entry, risk=np.array(risks), kl=np.array(kls), n=np.array(sizes), delta=np.array(deltas))
        alone = [cases.call(entry, *row) for row in zip(risks, kls, sizes, deltas, strict=True)]
        assert all(type(value) is float for value in alone)
        np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-12)

    def test_a_grid_in_one_call(self, entry):
        grid = cases.call(entry, risk=np.array([0.1, 0.2, 0.3]), kl=np.arange(4.0)[:, None], delta=0.05)
        assert grid.shape == ((4, 3) if cases.charged(entry) else (3,))

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"delta": 0.0}, "'delta' argument of {} must be a number strictly between 0 and 1 .* Got 0.0"),
            ({"delta": 1.0}, "'delta' argument of {} .* Got 1.0"),
            ({"delta": math.nan}, "'delta' argument of {} .* Got nan"),
            ({"n": 0}, "'n' argument of {} must be a whole number between 1 and 2.* Got 0.0"),
            ({"n": 10.5}, "'n' argument of {} must be a whole number between 1 and 2.* Got 10.5"),
            ({"kl": -1.0}, "'kl' argument of {} must be non-negative .* Got -1.0"),
            ({"kl": math.nan}, "'kl' argument of {} .* Got nan"),
            ({"kl": "5"}, "'kl' argument of {} must be a real number .* Got '5'"),
        ],
    )
    def test_bad_input(self, entry, change, message):
        if "kl" in change and not entry.uses_kl:
            return
        arguments = cases.arguments(entry, risk=0.1, kl=5.0, n=1000, delta=0.05) | change
        with pytest.raises(ValueError, match=message.format(entry.name)):
            entry.function(**arguments)

    def test_bad_statistics(self, entry):
        good = cases.arguments(entry, risk=0.1, kl=5.0, n=1000, delta=0.05)
        for name in entry.statistics:
            if name in ("rates", "weights", "values", "log_ratio", "step_kl", "step_n"):  # of other domains
                continue
            for wrong in (math.nan, 1e17):
                bad = np.full_like(np.asarray(good[name], dtype=float), wrong)
                with pytest.raises(ValueError, match=f"'{name}'.* argument.* of {entry.name}"):
                    entry.function(**good | {name: bad})

    def test_gradient(self, entry):
        if "return_grad" not in inspect.signature(entry.function).parameters:
            assert not entry.uses_kl
            return
        base = cases.arguments(entry, risk=0.1, kl=5.0, n=1000, delta=0.05)
        value, gradient = entry.function(**base, return_grad=True)
        assert value == pytest.approx(entry.function(**base), abs=1e-12)
        for name, slope in gradient.items():
            start = np.asarray(base[name], dtype=float)
            for index in np.ndindex(start.shape):
                step = np.zeros(start.shape)
                step[index] = 1e-6
                if name == "frequencies":  # along the simplex
                    step = step - 1e-6 * start
                up, down = (entry.function(**base | {name: start + sign * step}) for sign in (1, -1))
                expected = (
                    np.sum(np.asarray(slope) * step) if name == "frequencies" else np.asarray(slope)[index] * 1e-6
                )
                assert expected == pytest.approx((up - down) / 2, rel=1e-4, abs=1e-13), name
