"""How to call each bound of the catalogue with a given level of risk: the one thing a new bound adds for its tests."""

from __future__ import annotations

import numpy as np

from bounds.exact_bounds import RATES, VALUES, WEIGHTS

STRENGTHS = (0.0, 0.5, 1.0)
MINUS = 0.02  # the negative part wherever there is one


def _growth(risk, minus=0.0):
    risk = np.asarray(risk)[..., None]
    return risk * np.log1p(-RATES) + minus * np.log1p(RATES)


def _portfolio(risk):
    """A reference that errs where the predictor does half of the time, and on MINUS of the others."""
    risk, strengths = np.asarray(risk)[..., None, None], np.array(STRENGTHS)[:, None]
    growths = 0.5 * risk * (np.log1p(-RATES) + np.log1p(-RATES * (1.0 - strengths)))
    return {
        "growths": growths + MINUS * np.log1p(RATES * strengths),
        "strengths": STRENGTHS,
        "reference_log_growth": (0.5 * risk[..., 0] + MINUS) * np.log1p(-RATES),
        "rates": RATES,
        "weights": WEIGHTS,
    }


def _recursive(risk, kl=5.0, n=1000):
    """Three steps, all at that risk: each errs on other rows than the one before with probability MINUS risk."""
    risk, kl, n = (np.asarray(each)[..., None] * np.ones(2) for each in (risk, kl, n))
    return {
        "first_risk": risk[..., 0] if risk.ndim > 1 else float(risk[0]),
        "step_risk": risk,
        "step_worse": MINUS * risk,
        "step_better": MINUS * risk,
        "step_kl": kl * [0.8, 0.6],
        "step_n": np.maximum(np.floor(n * [0.8, 0.6]), 1.0),
        "gamma": np.array([0.5, 0.3]),
    }


def _count(risk, n, others=0):
    """Errors among the rows that are not among the others; the most there can be where rounding would go beyond."""
    rows = np.asarray(n) - others
    return np.floor(np.asarray(risk) * rows + 1e-9)


def _recursive_portfolio(risk, kl=5.0, n=1000):
    found = _recursive(risk, kl, n)
    del found["gamma"]
    return found


# From a level of risk (a number or an array) to the statistics of a bound.
STATISTICS = {
    "chernoff": lambda risk: {"risk": risk},
    "clopper_pearson": None,  # counts, not frequencies: made from n as well, below
    "progressive_chernoff": lambda risk: {"reference": risk},
    "mcallester": lambda risk: {"risk": risk},
    "maurer": lambda risk: {"risk": risk},
    "maurer_relaxed": lambda risk: {"risk": risk},
    "catoni": lambda risk: {"risk": risk},
    "tolstikhin_seldin": lambda risk: {"risk": risk, "variance": 0.03},
    "unexpected_bernstein": lambda risk: {"excess": np.asarray(risk) - MINUS, "second": np.asarray(risk) + MINUS},
    "vector_kl": lambda risk: {
        "frequencies": np.stack([1.0 - np.asarray(risk), 0.7 * np.asarray(risk), 0.3 * np.asarray(risk)], axis=-1),
        "values": VALUES,
    },
    "excess_kl": lambda risk: {"plus": risk, "minus": MINUS},
    "excess_relaxed": lambda risk: {"plus": risk, "minus": MINUS},
    "split_kl": lambda risk: {"plus": risk, "minus": MINUS},
    "betting": lambda risk: {"log_growth": _growth(risk, MINUS), "rates": RATES, "weights": WEIGHTS},
    "portfolio": _portfolio,
    "first_order": lambda risk: {"gibbs": 0.5 * np.asarray(risk)},
    "tandem": lambda risk: {"tandem": 0.25 * np.asarray(risk)},
    "disagreement": lambda risk: {
        "gibbs": 0.5 * np.asarray(risk),
        "disagreement": 0.5 * np.asarray(risk),
        "n_pairs": 4000,
    },
    "chebyshev_cantelli": lambda risk: {
        "gibbs": 0.4 * np.asarray(risk),
        "tandem": 0.16 * np.asarray(risk) ** 2 + 0.06 * np.asarray(risk),
        "n_pairs": 4000,
    },
    "recursive": _recursive,
    "recursive_portfolio": _recursive_portfolio,
    # a log ratio that is given in place of the divergence, below
    "maurer_draw": lambda risk: {"risk": risk, "log_ratio": 5.0},
    "betting_draw": lambda risk: {
        "log_growth": _growth(risk, MINUS),
        "rates": RATES,
        "weights": WEIGHTS,
        "log_ratio": 5.0,
    },
    "portfolio_draw": lambda risk: _portfolio(risk) | {"log_ratio": 5.0},
    "pick_to_learn": lambda risk, n=1000: {"size": 1, "errors": _count(risk, n, others=1), "looks": 1},
    "compression": lambda risk: {"risk": risk, "size": 1},
    "compression_binomial": lambda risk, n=1000: {"errors": _count(risk, n, others=1), "size": 1},
}
COUNTS = {"pick_to_learn", "compression_binomial"}
FIXED_RATES = {
    "unexpected_bernstein": {"rates": 0.5 ** np.arange(1, 21)},
    "recursive_portfolio": {"rates": RATES, "weights": WEIGHTS},
}
EMPIRICAL = {
    "unexpected_bernstein": lambda risk: risk - MINUS,
    "excess_kl": lambda risk: risk - MINUS,
    "excess_relaxed": lambda risk: risk - MINUS,
    "split_kl": lambda risk: risk - MINUS,
    "betting": lambda risk: risk - MINUS,
    "betting_draw": lambda risk: risk - MINUS,
    "vector_kl": lambda risk: 0.7 * risk + 0.9 * risk,
    "chebyshev_cantelli": lambda risk: 0.06 * risk / (0.06 * risk + (0.5 - 0.4 * risk) ** 2),
}


def charged(entry):
    """The argument by which a bound charges for the choice of its predictor; None if it was fixed before."""
    return "kl" if entry.uses_kl else next((name for name in ("log_ratio",) if name in entry.statistics), None)


def arguments(entry, risk, kl, n, delta):
    """Return the keyword arguments of a bound at a level of risk."""
    if entry.name == "clopper_pearson":
        statistics = {"errors": np.floor(np.asarray(risk) * np.asarray(n) + 1e-9)}
    elif entry.name in ("recursive", "recursive_portfolio"):
        statistics = STATISTICS[entry.name](risk, kl, n)
    elif entry.name in COUNTS:
        statistics = STATISTICS[entry.name](risk, n)
    else:
        statistics = STATISTICS[entry.name](risk)
        if "n_pairs" in statistics:  # pairs of voters are judged on fewer rows
            statistics["n_pairs"] = np.maximum(np.floor(np.asarray(n) * 0.6), 1.0)
    if charged(entry) is not None:
        statistics[charged(entry)] = kl
    return statistics | {"n": n, "delta": delta}


def call(entry, risk=0.1, kl=5.0, n=1000, delta=0.05, *, fixed_rates=False):
    """Evaluate a bound at a level of risk; with rates that do not depend on n and delta, if asked."""
    extra = FIXED_RATES.get(entry.name, {}) if fixed_rates else {}
    return entry.function(**arguments(entry, risk, kl, n, delta), **extra)


def empirical(entry, risk):
    """What the bound bounds, as observed."""
    return EMPIRICAL.get(entry.name, lambda r: r)(np.asarray(risk))


def vacuous(entry):
    """The largest value the bounded quantity can have."""
    return max(VALUES) if entry.name == "vector_kl" else 1.0
