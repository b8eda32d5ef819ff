"""A Gaussian over the parameters of a network, bounded by its exact expected errors or by draws, one for each row.

Nothing here knows how networks are made: :class:`NetworkLearner` learns, and what it learned is judged. What has
gradients lives in :mod:`pacbayes.torch`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from pacbayes._core.types import Labels, RowsLike
from pacbayes.certificate import (
    DRAW_SHARE,
    MOST_PASSES,
    POSTERIOR_IS_PRIOR,
    Certificate,
    Check,
    Choice,
    Drawn,
    Statement,
    issue,
)
from pacbayes.procedures.base import Issued, Procedure, Sample, learn_again
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.procedures.judged_network import (
    LearnedNetwork,
    NetworkKeeper,
    bound_choices,
    draw_choices,
    draw_seed,
    recheck_network,
    sum_errors,
)
from pacbayes.procedures.split import learning_count

__all__ = ["Network", "NetworkLearner", "learning_rows"]

_BOUNDS = ("betting", "maurer")
_ASSUMPTIONS = ("iid", "nothing_before", "scores_by_row")


class NetworkLearner(Protocol):
    """Anything that learns a prior from the first rows of a sample, and a posterior."""

    def learn(self, sample: Sample, count: int) -> LearnedNetwork:
        """Learn the prior from the first ``count`` rows of the order alone (it may be 0), the posterior from all."""


def learning_rows(fraction: float, rows: int) -> int:
    """Return how many rows the prior learns from: none for a fraction of 0.

    Examples
    --------
    >>> from pacbayes.procedures.network import learning_rows
    >>> learning_rows(0.0, 100), learning_rows(0.5, 100)
    (0, 50)
    """
    return 0 if fraction == 0.0 else learning_count(fraction, rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Network(Procedure):
    """A Gaussian over the parameters of a network, bounded on the rows that its prior did not learn from.

    Attributes
    ----------
    learner : NetworkLearner
        What learns prior and posterior.
    fraction : float
        Share of the rows that the prior learns from, in [0, 1); at 0 the prior has seen no data.
    delta : float
        Allowed probability of failure.
    bound : {"betting", "maurer"}
        On the error of draws from an optimised posterior. Where the posterior is the prior it is "clopper_pearson",
        whichever is given.
    candidates : int
        How many settings are compared by their certificates on these rows.
    passes : int
        Draws for each judged row, at most 1000, where errors are drawn; where the posterior is the prior one is drawn
        in any case.
    """

    learner: NetworkLearner
    fraction: float
    delta: float
    bound: str = "betting"
    candidates: int = 1
    passes: int = 1

    name: ClassVar[str] = "network"
    made: ClassVar[str] = (
        "A first distribution over networks was learned from a first part of the rows, or fixed before any. It may "
        "then have been adjusted to the rest, on which the number is computed and which counts how far it was adjusted."
    )
    proves: ClassVar[tuple[str, ...]] = ("judged_again", "not_learned_again", "not_collection")

    def __post_init__(self) -> None:
        if self.bound not in _BOUNDS:
            raise ValueError(f"The 'bound' of Network must be one of {', '.join(_BOUNDS)}. Got {self.bound!r} instead.")
        if not 0.0 <= self.fraction < 1.0:
            raise ValueError(f"The 'fraction' of Network must lie in [0, 1). Got {self.fraction!r} instead.")
        if isinstance(self.passes, bool) or not isinstance(self.passes, int) or not 1 <= self.passes <= MOST_PASSES:
            raise ValueError(
                f"The 'passes' of Network must be a whole number from 1 to {MOST_PASSES}. Got {self.passes!r} instead."
            )

    def run(self, sample: Sample) -> Issued:
        """Learn prior and posterior, judge and issue."""
        count = learning_rows(self.fraction, len(sample.y))
        learned = self.learner.learn(sample, count)
        statement, choices = self._judge(sample, count, learned)
        certificate = issue(
            self.name,
            [statement],
            delta=self.delta,
            candidates=self.candidates,
            choices=[
                Choice("learning_rows", count, "given"),
                *learned.choices,
                *choices,
                *bound_choices(statement, self.delta, self.candidates),
            ],
            notes=(*sample.notes, *find_repetitions(sample.X, sample.y, sample.order[:count])),
            digests=sample.digests() | dict(learned.digests),
            seed=sample.random_state,
        )
        return Issued(certificate, {**learned.fitted, "n_learning_": count}, learned.stored)

    def _judge(self, sample: Sample, count: int, learned: LearnedNetwork) -> tuple[Statement, list[Choice]]:
        """Return the statement, and what was chosen about draws."""
        if learned.is_prior:
            return self._judge_prior(sample, count, learned)
        n = len(sample.y) - count
        rates = None if self.bound != "betting" else "one_n" if learned.rate is None else float(learned.rate)
        statement = Statement(
            about="network_draw",
            n=n,
            observed={},
            bound=self.bound,
            kl=float(learned.kl),
            rates=rates,
            assumptions=_ASSUMPTIONS,
        )
        if not learned.is_drawn:
            errors = sum_errors(learned.expected_errors(sample, count), n)
            return replace(statement, observed={"errors": errors}), []
        seed = draw_seed(sample.seed)
        counted = learned.draw_errors(sample, count, self.passes, seed)
        drawn = Drawn(int(counted), self.passes * n, DRAW_SHARE)
        assumptions = (*_ASSUMPTIONS, "drawn_once")
        return replace(statement, drawn=drawn, assumptions=assumptions), draw_choices(self.passes, seed, DRAW_SHARE)

    def _judge_prior(self, sample: Sample, count: int, learned: LearnedNetwork) -> tuple[Statement, list[Choice]]:
        """Return the statement about a prior: rows and draws together are independent draws, and errors are counted."""
        if learned.kl != 0.0:
            raise ValueError(f"A posterior that is the prior must have a divergence of 0. Got {learned.kl!r} instead.")
        seed = draw_seed(sample.seed)
        errors = learned.draw_errors(sample, count, 1, seed)
        statement = Statement(
            about="prior_draw",
            n=len(sample.y) - count,
            observed={"errors": int(errors)},
            bound="clopper_pearson",
            assumptions=(*_ASSUMPTIONS, "drawn_once"),
        )
        return statement, [POSTERIOR_IS_PRIOR, *draw_choices(1, seed)]

    @classmethod
    def recheck(cls, certificate: Certificate, X: RowsLike, y: Labels, model: object) -> list[Check]:
        """Judge a stored network again; what cannot be judged again is learned again, as by any procedure."""
        if isinstance(model, NetworkKeeper):
            return recheck_network(certificate, X, y, model)
        return learn_again(certificate, X, y, model)
