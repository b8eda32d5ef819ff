"""The values of a certificate, recomputed from what was observed with ``numerics`` and ``bounds`` alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pacbayes import bounds, statistics
from pacbayes._core.rounding import raised
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.certificate.blocks import block_statistics
from pacbayes.certificate.differences import comparison_limits
from pacbayes.certificate.draws import count_draws
from pacbayes.certificate.parts import average_limit, difference_limits
from pacbayes.certificate.sequences import limit_at_target, steps_of
from pacbayes.certificate.statement import Reference, Statement, observed_share

__all__ = [
    "consequence_value",
    "evaluate_limits",
    "evaluate_statement",
    "lower_limit",
    "portfolio_weights",
    "rates_of",
    "risk_bound",
    "statistics_of",
    "transfer_parts",
]


def risk_bound(
    bound: str,
    observed: Mapping[str, Any],
    n: int,
    delta: float,
    kl: ArrayLike = 0.0,
    reference: Reference | None = None,
    *,
    several: bool = False,
    bets: bounds.LearnedBets | None = None,
) -> FloatOrArray:
    """Evaluate a bound on the risk: by its name alone, or with a reference as excess plus reference.

    Arrays broadcast, so that a procedure searches over posteriors with the very function that verifies the result.
    ``several`` says that the statistics have an axis of references, as a portfolio takes them; ``bets`` has its weights
    where these are not the library's own for all data.
    """
    if reference is not None:
        source = SimpleNamespace(n=n, reference_kind=reference.kind, **observed)
        return bounds.debiased(source, kl, delta, excess=bound, reference=reference.bound, split=reference.split)
    record = bounds.get(bound)
    if several and "strengths" not in record.statistics:
        raise ValueError(f"A statement with references must have the bound 'portfolio'. Got {bound!r:.60} instead.")
    bounds.require_sound("Certificate", record, "predictable" if several else "none", None)
    if several:
        given = {name: observed[name] for name in record.statistics} | portfolio_weights(bets)
        charged = {"kl": kl} if record.uses_kl else {}  # of a kept draw the log ratio is among what is observed
        found = record.function(**given, **charged, n=n, delta=delta, several=True)
    else:
        found = bounds.evaluate(record, observed, n, delta, kl)
    value = np.clip(np.asarray(found), 0.0, 1.0)
    return value if value.shape else float(value)


def portfolio_weights(bets: bounds.LearnedBets | None) -> dict[str, Any]:
    """Return what a portfolio takes besides statistics: nothing, for the library's own weights."""
    return {} if bets is None else {"strength_weights": bets.strength_weights, "share": bets.share}


def bets_of(statement: Statement, delta: float) -> bounds.LearnedBets | None:
    """Return the bets of a portfolio around a rate that was chosen on learning rows; None for any other statement."""
    if not statement.references or not isinstance(statement.rates, int | float):
        return None
    return bounds.learned_bets(statement.rates, statement.n, delta)


def rates_of(rates: str | float | None, n: int, delta: float) -> tuple[FloatArray, FloatArray]:
    """Return the grid of rates that a statement names, and its weights."""
    if isinstance(rates, str):
        if rates == "all_n":
            return bounds.betting_rates()
        if rates == "one_n":
            return bounds.betting_rates(n=n, delta=delta)
        raise ValueError(f"The rates must be 'one_n', 'all_n' or a number. Got {rates!r:.60} instead.")
    return np.array([0.5 if rates is None else float(rates)]), np.ones(1)


def statistics_of(statement: Statement, delta: float) -> dict[str, Any]:
    """Return every statistic that follows from what was observed; ``delta`` is that of the statement's grid."""
    observed, record = statement.observed, bounds.get(statement.bound)
    own = {name: observed[name] for name in record.numbers}
    if record.reads_own_numbers:
        return own
    if "block_means" in observed:
        return block_statistics(observed, statement.rates, statement.n, delta)
    bets = bets_of(statement, delta)
    rates, weights = rates_of(statement.rates, statement.n, delta) if bets is None else bets[:2]
    if "errors" in observed:
        given = {name: observed[name] for name in ("errors", "reference_errors", "both") if name in observed}
        strength = 1.0 if statement.reference is None else statement.reference.strength
        return statistics.from_outcomes(statement.n, **given, strength=strength, rates=rates, weights=weights) | own
    return {**observed, "log_growth": np.asarray(observed["log_growth"]), "rates": rates, "weights": weights}


def evaluate_statement(
    statement: Statement, delta: float, *, grid_delta: float | None = None, kl: float | None = None
) -> float:
    """Evaluate a statement's bound on what was observed; of a difference the upper one.

    Parameters
    ----------
    statement : Statement
        Its recorded value plays no part.
    delta : float
        The certificate's delta over its candidates; the statement uses its share of it.
    grid_delta : float, optional
        The delta that the grid of rates was made for, if another.
    kl : float, optional
        In place of the recorded divergence.
    """
    return evaluate_limits(statement, delta, grid_delta=grid_delta, kl=kl)[0]


def evaluate_limits(
    statement: Statement, delta: float, *, grid_delta: float | None = None, kl: float | None = None
) -> tuple[float, float | None]:
    """Evaluate a statement's bound, and of a difference also the lower one; arguments as for the value alone."""
    if statement.compared:
        return comparison_limits(statement, delta, grid_delta)
    if statement.groups:
        return difference_limits(statement, delta * statement.share)
    if statement.target is not None:
        return limit_at_target(statement, delta * statement.share), None
    upper = _upper_limit(statement, delta, grid_delta, kl)
    return (lower_limit(statement, upper) if statement.side == "lower" else upper), None


def lower_limit(statement: Statement, upper: float) -> float:
    """Return the limit from below that one from above on the errors gives, rounded down."""
    lower = 1.0 - upper
    return max(min(float(np.nextafter(lower, -1.0)), statement.risk), 0.0) if lower > 0.0 else 0.0


def _upper_limit(statement: Statement, delta: float, grid_delta: float | None, kl: float | None) -> float:
    """Return the bound on the share of errors, or on the mean loss; 1 where there are no rows."""
    if statement.n == 0:
        return 1.0
    if statement.source is not None:
        return min(float(raised(sum(transfer_parts(statement, delta)), 1.0)), 1.0)
    if statement.has_parts:
        return average_limit(statement, delta * statement.share)
    made_for = delta if grid_delta is None else grid_delta
    own = delta * statement.share / (steps_of(statement) if statement.is_step else 1)
    counted, own = (statement, own) if statement.drawn is None else count_draws(statement, own)
    value = risk_bound(
        statement.bound,
        statistics_of(counted, made_for),
        statement.n,
        own,
        statement.kl if kl is None else kl,
        reference=statement.reference,
        several=bool(statement.references),
        bets=bets_of(statement, made_for),
    )
    if np.ndim(value):  # of a list in the place of a number, of which some versions of numpy would make one
        raise TypeError(f"A limit is one number, not {value!r:.60}")
    # at a delta above one half a limit may lie below what was observed
    return max(float(value), 0.0, observed_share(statement))


def transfer_parts(statement: Statement, delta: float) -> tuple[float, float]:
    """Return the bounds that a predictor with a source adds up: on the source's error, and on their disagreement.

    Where two predictors agree, both are right or both are wrong: ``P(g != y) <= P(f != y) + P(f != g)``. The first is
    bounded on labelled rows that ``f`` has not seen, the second on rows that neither has seen, without labels; both
    bounds hold at once but for the sum of their deltas.
    """
    source, own = statement.source, delta * statement.share
    if source is None:
        raise ValueError("A statement must have a source for its bound to be one of a transfer. It has none.")
    certified = _count_limit(source.bound, source.errors, source.n, own * source.split)
    return certified, _count_limit(
        statement.bound, statement.observed["disagreements"], statement.n, own * (1.0 - source.split)
    )


def _count_limit(bound: str, count: int, n: int, delta: float) -> float:
    rates, weights = rates_of(None, n, delta)
    given = statistics.from_outcomes(n, errors=count, rates=rates, weights=weights)
    return max(float(risk_bound(bound, given, n, delta)), count / n)


def consequence_value(value: float, rule: str, side: str = "upper") -> float:
    """Return what follows from a bound by a rule: the same number, or twice the errors for a vote."""
    if rule not in {"same", "twice"}:
        raise ValueError(f"The rule of a consequence must be 'same' or 'twice'. Got {rule!r:.60} instead.")
    if rule == "same":
        return value
    if side != "lower":
        return float(bounds.gibbs_to_vote(value))
    twice = float(bounds.gibbs_to_vote(min(float(raised(1.0 - value, 1.0)), 1.0)))
    return max(float(np.nextafter(1.0 - twice, -1.0)), 0.0) if twice < 1.0 else 0.0
