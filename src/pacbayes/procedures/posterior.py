"""An optimised Gaussian posterior over linear weights: mean, shape and scale have the smallest bound that is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pacbayes import bounds
from pacbayes._core.types import FloatArray, IntArray, Labels, Rows, Transformer
from pacbayes.bounds import betting_rates, learned_bets
from pacbayes.certificate import Certificate, Reference, Statement, issue
from pacbayes.metrics import Questions
from pacbayes.metrics.statements import choices_of
from pacbayes.online import OnlineReference
from pacbayes.posteriors import Gaussian, laplace_covariance
from pacbayes.procedures import prior as learning
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.procedures.learned_posterior import LearnedPosterior
from pacbayes.procedures.linear import LinearForm, TransformedRows, gaussian_digest, learn_preprocessing
from pacbayes.procedures.posterior_descent import descend
from pacbayes.procedures.posterior_plan import SPLIT, Plan, Planner
from pacbayes.procedures.posterior_search import Task, best_on_the_line
from pacbayes.procedures.posterior_statements import state_draws
from pacbayes.procedures.references import REFERENCES, LearnedRows
from pacbayes.procedures.split import learning_count

__all__ = ["Posterior"]

_SAME = 1e-6  # of expected losses, between batches
_MOST_SQUARES = 2**27  # judged rows times weights: with more of them the posterior's scale is free, its shape is not


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior(Procedure):
    """A Gaussian posterior that is chosen with all rows in sight, bounded on those that the prior did not learn from.

    Attributes
    ----------
    classes : ndarray
        The two labels.
    preprocessing : transformer
        Unfitted; it learns from the learning rows alone.
    fraction : float
        Share of the rows that the prior learns from.
    delta : float
        Allowed probability of failure.
    candidates : int
        How many settings are compared by their certificates on these rows.
    bound : str
        A bound for posteriors; "portfolio" without references is betting on its grid of rates.
    prior : {"informed", "zero"}
        Where the prior is centred.
    references : tuple of {"fixed", "online", "learned"}
        What is subtracted: at most one, or several in a portfolio.
    alpha, strength : float or None
        Penalty, and how much of the reference is subtracted; None has them chosen on the learning rows.
    shape : {"laplace", "isotropic"}
        Of the Gaussians.
    questions : Questions
        What is stated besides the error on all rows, which comes first.
    """

    classes: Labels
    preprocessing: Transformer
    fraction: float
    delta: float
    bound: str
    candidates: int = 1
    prior: str = "informed"
    references: tuple[str, ...] = ()
    alpha: float | None = None
    strength: float | None = None
    shape: str = "laplace"
    questions: Questions = field(default_factory=Questions)

    name: ClassVar[str] = "posterior"
    made: ClassVar[str] = (
        "A first distribution over models was learned from a first part of the rows. It was then adjusted to the rest "
        "as far as that lowered the number, which is computed on the rest and counts how far it was adjusted."
    )

    @property
    def _delta(self) -> float:
        """Delta for this one of the candidates."""
        return self.delta / self.candidates

    def run(self, sample: Sample) -> Issued:
        """Learn the prior, choose the posterior, bound it and issue."""
        learned = self._learn(sample)
        posterior = learned.posterior
        _check_steadiness(learned.rows, posterior, sample.seed)
        form = LinearForm(learned.rows.preprocessing, posterior.mean[:-1], float(posterior.mean[-1]))
        return Issued(self._certificate(sample, learned), learned.fitted(), {"linear": form})

    def _learn(self, sample: Sample) -> LearnedPosterior:
        """Learn everything up to the posterior."""
        count = learning_count(self.fraction, len(sample.y))
        rows = learn_preprocessing("CertifiedLogisticRegression", sample, count, self.preprocessing, self.classes)
        X = rows.matrix(len(sample.y))
        plan = self._planner.make(X[:count], rows.signs[:count], len(sample.y) - count)
        solver = learning.Solver()
        weights = solver.fit(X[:count], rows.signs[:count], plan.alpha)
        prior, start = self._gaussians(X[:count], rows.signs[:count], weights, plan)
        seen = LearnedRows(X, rows.signs, count, weights, plan.alpha)
        references = tuple(REFERENCES[name].judge(seen) for name in self.references)
        task = self._task(X, rows, references, plan)
        fit = solver.fit(X, rows.signs, plan.alpha)
        found = self._find(task, prior, start, X, rows.signs, fit, plan.alpha)
        return LearnedPosterior(rows, plan, task, references, prior, *found)

    @property
    def _planner(self) -> Planner:
        return Planner(
            delta=self._delta,
            alpha=self.alpha,
            strength=self.strength,
            prior=self.prior,
            shape=self.shape,
            has_strength=bool(self.references) and self.bound != "portfolio",
        )

    def _gaussians(self, X: Rows, signs: FloatArray, weights: FloatArray, plan: Plan) -> tuple[Gaussian, Gaussian]:
        """Return the prior, and where the search for the posterior starts."""
        around = learning.shaped(X, signs, weights, plan.alpha, self.shape).scaled(plan.scale)
        if self.prior == "informed":
            return around, around
        zero = np.zeros_like(weights)
        return Gaussian(zero, plan.variance, intercept=True), around.moved(zero, 1.0)

    def _find(
        self,
        task: Task,
        prior: Gaussian,
        start: Gaussian,
        X: Any,
        signs: FloatArray,
        fit: FloatArray,
        alpha: float,
    ) -> tuple[Gaussian, float | None, float | None]:
        """Return the posterior with the smallest bound: on the line to the fit on all rows, then by the gradient."""
        posterior, step, scale = best_on_the_line(task, prior, start, fit)
        shaped = self.shape == "laplace" and task.signs.size * fit.size <= _MOST_SQUARES
        alike = laplace_covariance(X, signs, fit, alpha, intercept=True) if shaped else None
        better = descend(task, prior, posterior, alike)
        return (posterior, step, scale) if better is None else (better, None, None)

    def _task(self, X: Any, rows: TransformedRows, references: tuple[OnlineReference, ...], plan: Plan) -> Task:
        n = rows.signs.size - rows.count
        several, rate = self._statement_bound == "portfolio", self._rates(plan)
        rates, weights = betting_rates(n=n, delta=self._delta)
        bets = learned_bets(plan.rate, n, self._delta) if several and rate == plan.rate else None
        if bets is not None:
            rates, weights = bets[:2]
        elif rate == plan.rate:
            rates, weights = np.array([plan.rate]), np.ones(1)
        described = None
        if references and not several:
            used = REFERENCES[self.references[0]]
            described = Reference(used.kind, plan.strength, used.bound, SPLIT)
        return Task(
            X=X[rows.count :],
            signs=rows.signs[rows.count :],
            reference_losses=np.array([each.losses for each in references]).reshape(-1, n),
            reference=described,
            several=several,
            rates=rates,
            weights=weights,
            bound=self._statement_bound,
            delta=self._delta * self.questions.first_share,
            bets=bets,
        )

    @property
    def _statement_bound(self) -> str:
        """The bound that is evaluated: a portfolio without references is a mixture of bets on the risk alone."""
        return "betting" if self.bound == "portfolio" and not self.references else self.bound

    def _rates(self, plan: Plan) -> str | float | None:
        """Return what a statement records: one rate from the learning rows, the grid for one n, or nothing.

        How far a posterior moves from a prior at zero, and with it the best strength, is not predicted well enough for
        a portfolio to bet on it.
        """
        if not self.references and self.bound == "betting":
            return plan.rate
        if self.references and self.bound == "portfolio" and self.prior == "informed":
            return plan.rate
        used = {self.bound, *(REFERENCES[name].bound for name in self.references)}
        return "one_n" if any("rates" in bounds.get(name).statistics for name in used) else None

    def _certificate(self, sample: Sample, learned: LearnedPosterior) -> Certificate:
        task = learned.task
        statement = Statement(
            about="draw",
            n=task.signs.size,
            observed=task.observe(learned.posterior),
            bound=task.bound,
            kl=float(learned.posterior.kl(learned.prior)),
            rates=self._rates(learned.plan),
            reference=task.reference,
            references=self._reference_kinds(task),
            assumptions=("iid", "nothing_before", "row_by_row"),
        )
        digest = gaussian_digest(self.classes, learned.prior, learned.posterior)
        return self._issue(sample, learned, statement, task.losses(learned.posterior), digest)

    def _reference_kinds(self, task: Task) -> tuple[str, ...]:
        return tuple(REFERENCES[name].kind for name in self.references) if task.several else ()

    def _issue(
        self, sample: Sample, learned: LearnedPosterior, statement: Statement, losses: FloatArray, digest: str
    ) -> Certificate:
        """Issue the first statement, and those about parts of the rows, from the losses on all judged rows."""
        count = learned.rows.count
        judged = sample.order[count:]
        beside = sample.grouping
        grouping = self.questions.group(type(self).__name__, sample.X) if beside is None else beside
        grouping = None if grouping is None else grouping.take(judged)
        return issue(
            self.name,
            state_draws(self.questions, statement, losses, sample.y[judged], grouping),
            delta=self.delta,
            candidates=self.candidates,
            choices=[*learned.choices(self, statement.bound), *choices_of(self.questions, grouping)],
            notes=(*sample.notes, *find_repetitions(sample.X, sample.y, sample.order[:count])),
            digests=sample.digests() | {"model": digest},
            seed=sample.random_state,
        )


def _check_steadiness(rows: TransformedRows, posterior: Gaussian, seed: int) -> None:
    """Refuse preprocessing under which a row's expected loss depends on the rows it comes with."""

    def answer(places: IntArray, block: Any) -> FloatArray:
        return np.asarray(posterior.zero_one(block, rows.signs[places], classes=learning.SIGNS))

    different = rows.ask(answer, rows.count, seed, within=_SAME).different(_SAME)
    if different.any():
        raise ValueError(
            f"{type(rows.preprocessing).__name__} must transform each row by itself. Got {int(different.sum())} of "
            f"{different.size} rows that are transformed differently alone or in another batch."
        )
