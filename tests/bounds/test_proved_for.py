"""What records claim beyond one sample size and a fixed reference: listed by hand, and simulated where it can be.

The library offers a bound for streams, and beside references that learn, because its record says that it may. A record
that claims too much is therefore noticed twice: it is not in the lists below, and at many sample sizes of one stream
its bound is too low too often.
"""

import inspect

import numpy as np
import pytest

import pacbayes as pb

from bounds import cases
from bounds.exact_bounds import RATES, WEIGHTS
from coverage.judging import too_often

ENTRIES = {entry.name: entry for entry in pb.bounds.catalogue()}
BETS = {"rates": RATES, "weights": WEIGHTS}
PROOF = (
    "prove it in docs/theory.md first: that a process which does not depend on n, and is a supermartingale given the "
    "examples so far, has reached 1/delta wherever the bound fails; then add it here, with"
)


def _growth(risk):
    return np.asarray(risk)[..., None] * np.log1p(-RATES)


def _portfolio(risk):
    """Of a reference that never errs."""
    growths = np.repeat(_growth(risk)[..., None, :], len(cases.STRENGTHS), axis=-2)
    return BETS | {
        "growths": growths,
        "strengths": cases.STRENGTHS,
        "reference_log_growth": np.zeros_like(_growth(risk)),
    }


# Every bound whose record says that it holds at several n at once: how a share of errors is its statistics, with rates
# that do not depend on n, of a predictor that was fixed before
ALONG_A_STREAM = {
    "catoni": lambda risk: {"risk": risk},
    "unexpected_bernstein": lambda risk: {"excess": risk, "second": risk, **cases.FIXED_RATES["unexpected_bernstein"]},
    "betting": lambda risk: {"log_growth": _growth(risk), **BETS},
    "portfolio": _portfolio,
    "betting_draw": lambda risk: {"log_growth": _growth(risk), **BETS},
    "portfolio_draw": _portfolio,
}
# Every bound whose record says that it is proved for references that learn from the examples before: why it is
PREDICTABLE = {
    "unexpected_bernstein": "a product of factors, each with a mean of at most 1 given the examples before",
    "betting": "a product of factors, each with a mean of at most 1 given the examples before",
    "portfolio": "a mixture of such products",
    "betting_draw": "a product of factors, each with a mean of at most 1 given the examples before",
    "portfolio_draw": "a mixture of such products",
}
# What a bound for one n says at that n: the planted mistake
FOR_ONE_N = {"clopper_pearson": lambda risk, n: {"errors": np.rint(risk * n)}}
RUNS, DELTA, TRUE_RISK = 4000, 0.2, 0.2
LOOKS = np.unique(np.geomspace(3, 3000, 120).astype(int))


@pytest.fixture(scope="module")
def counted():
    """How many errors a predictor has made at each look, stream by stream."""
    between = np.diff(LOOKS, prepend=0)
    return np.cumsum(np.random.default_rng(0).binomial(between, TRUE_RISK, size=(RUNS, LOOKS.size)), axis=1)


def failures(counted, bound):
    """Return in how many streams a bound is below the true risk at any look; it is asked of each count once."""
    failed = np.zeros(RUNS, dtype=bool)
    for n, errors in zip(LOOKS, counted.T, strict=True):
        different, which = np.unique(errors, return_inverse=True)
        failed |= (bound(different / n, float(n)) < TRUE_RISK)[which]
    return int(failed.sum())


def call(entry, risk, n, statistics):
    charged = {cases.charged(entry): 0.0} if cases.charged(entry) else {}
    return np.asarray(entry.function(**statistics, **charged, n=n, delta=DELTA))


def test_what_holds_at_several_n_is_listed():
    claimed = {name for name, entry in ENTRIES.items() if entry.valid_at != "one_n"}
    assert claimed == set(ALONG_A_STREAM), f"{PROOF} how errors are its statistics"


@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if entry.valid_at != "one_n"])
def test_what_is_said_to_hold_at_several_n_does_along_a_stream(name, counted):
    """At many n of one stream at once; the streams are those in which bounds for one n fail far too often."""
    statistics = ALONG_A_STREAM.get(name) or cases.STATISTICS[name] or (lambda risk: {"risk": risk})
    found = failures(counted, lambda risk, n: call(ENTRIES[name], risk, n, statistics(risk)))
    assert not too_often(found, RUNS, DELTA), f"of {RUNS} streams it was too low at some n in {found}"


@pytest.mark.parametrize("name", FOR_ONE_N)
def test_a_bound_for_one_n_is_caught(name, counted):
    found = failures(counted, lambda risk, n: call(ENTRIES[name], risk, n, FOR_ONE_N[name](risk, n)))
    assert ENTRIES[name].valid_at == "one_n"
    assert too_often(found, RUNS, DELTA)


def reads_reference(entry):
    """Whether a bound may be asked beside a reference: then what its record says of references is a claim."""
    return "no_reference" not in entry.assumptions and entry.valid_for != frozenset({"none"})


def test_what_is_proved_for_references_that_learn_is_listed():
    claimed = {
        name
        for name, entry in ENTRIES.items()
        if "any_predictable_reference" in entry.assumptions
        or (reads_reference(entry) and "predictable" in entry.valid_for)
    }
    assert claimed == set(PREDICTABLE), f"{PROOF} why it is one for any reference that is fixed before each example"


@pytest.mark.parametrize("name", ENTRIES)
def test_assumptions_and_kinds_of_reference_say_the_same(name):
    entry = ENTRIES[name]
    if "fixed_reference" in entry.assumptions or "fixed_predictor" in entry.assumptions:
        assert "predictable" not in entry.valid_for, "it is proved for a fixed reference alone"
    if "any_predictable_reference" in entry.assumptions:
        assert "predictable" in entry.valid_for
    if "published_only_E7" in entry.assumptions:
        assert "predictable" in entry.published_for
    if entry.valid_at == "all_n_fixed_rates":
        assert "rates" in inspect.signature(entry.function).parameters
