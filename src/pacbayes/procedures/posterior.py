"""An optimised Gaussian posterior over linear weights: mean, shape and scale have the smallest bound that is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

from pacbayes import bounds, statistics
from pacbayes._core.types import FloatArray, IntArray, Labels, Rows, Transformer
from pacbayes.bounds import betting_rates, learned_bets
from pacbayes.certificate import Certificate, Choice, Reference, Statement, issue, risk_bound
from pacbayes.metrics import Questions
from pacbayes.metrics.statements import choices_of
from pacbayes.numerics import kl_inv_upper
from pacbayes.online import OnlineReference
from pacbayes.posteriors import Gaussian, laplace_covariance
from pacbayes.procedures import prior as learning
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.procedures.linear import LinearForm, TransformedRows, gaussian_digest, learn_preprocessing
from pacbayes.procedures.posterior_descent import descend
from pacbayes.procedures.posterior_search import Task, best_on_the_line
from pacbayes.procedures.posterior_statements import state_draws
from pacbayes.procedures.references import REFERENCES, LearnedRows
from pacbayes.procedures.split import learning_count

__all__ = ["Posterior"]

_VARIANCES = 4.0 ** np.arange(-2, 4)  # of a prior centred at zero
_STRENGTHS = (0.25, 0.5, 0.75, 1.0)
_SPLIT = 0.5  # of delta between excess and reference
_SAME = 1e-6  # of expected losses, between batches
_MOST_SQUARES = 2**27  # judged rows times weights: with more of them the posterior's scale is free, its shape is not


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is chosen on the learning rows."""

    alpha: float
    scale: float
    variance: float
    rate: float
    strength: float


@dataclass(frozen=True, slots=True)
class _Found:
    """A posterior, and where on the line to the fit on all rows it is, unless the gradient led away from it."""

    posterior: Gaussian
    step: float | None = None
    scale: float | None = None


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
        count = learning_count(self.fraction, len(sample.y))
        rows = learn_preprocessing(sample, count, self.preprocessing, self.classes)
        X = rows.matrix(len(sample.y))
        plan = self._plan(X[:count], rows.signs[:count], len(sample.y) - count)
        solver = learning.Solver()
        weights = solver.fit(X[:count], rows.signs[:count], plan.alpha)
        prior, start = self._gaussians(X[:count], rows.signs[:count], weights, plan)
        learned = LearnedRows(X, rows.signs, count, weights, plan.alpha)
        references = tuple(REFERENCES[name].judge(learned) for name in self.references)
        task = self._task(X, rows, references, plan)
        found = self._find(task, prior, start, X, rows.signs, solver.fit(X, rows.signs, plan.alpha), plan.alpha)
        posterior = found.posterior
        _check_steadiness(rows, posterior, sample.seed)
        certificate = self._certificate(sample, rows, plan, task, prior, found)
        fitted = {
            "preprocessing_": rows.preprocessing,
            "alpha_": plan.alpha,
            "n_learning_": count,
            "prior_": prior,
            "posterior_": posterior,
            "reference_": references if len(references) > 1 else next(iter(references), None),
        }
        form = LinearForm(rows.preprocessing, posterior.mean[:-1], float(posterior.mean[-1]))
        return Issued(certificate, fitted, {"linear": form})

    def _plan(self, X: Rows, signs: FloatArray, n: int) -> _Plan:
        """Choose penalty, scale and (for a prior at zero) variance by the bound predicted in cross-validation."""
        alphas = learning.ALPHAS if self.alpha is None else np.full(1, self.alpha)
        held = learning.cross_validate(X, signs, alphas, self.shape)
        risks, kls = held.risks(), self._predicted_kls(X, signs, alphas)
        predicted = kl_inv_upper(risks[:, :, None], (kls + np.log(1.0 / self._delta)) / n)
        a, s, v = np.unravel_index(int(np.argmin(predicted)), predicted.shape)
        rate = learning.predicted_rate(float(risks[a, s]), n, self._delta, float(kls[a, s, v]))
        scale = float(learning.SCALES[s])
        losses = ndtr(held.margins[a] / (scale * held.spreads[a]))
        strength = self._strength(losses, (held.margins[a] >= 0.0).astype(float), n)
        return _Plan(float(alphas[a]), scale, float(_VARIANCES[v]), rate, strength)

    def _predicted_kls(self, X: Rows, signs: FloatArray, alphas: FloatArray) -> FloatArray:
        """Return divergences by penalty, scale and variance of the prior: zero where the prior is the fit itself."""
        if self.prior == "informed":
            return np.zeros((alphas.size, learning.SCALES.size, 1))
        result = np.empty((alphas.size, learning.SCALES.size, _VARIANCES.size))
        for a, alpha in enumerate(alphas):
            weights = learning.Solver().fit(X, signs, float(alpha))
            around = learning.shaped(X, signs, weights, float(alpha), self.shape)
            for v, variance in enumerate(_VARIANCES):
                zero = Gaussian(np.zeros_like(weights), float(variance), intercept=True)
                result[a, :, v] = around.kl(zero, scales=learning.SCALES)
        return result

    def _strength(self, losses: FloatArray, errors: FloatArray, n: int) -> float:
        """Choose how much of a reference to subtract, by the bound predicted in cross-validation."""
        if not self.references or self.bound == "portfolio" or self.strength is not None:
            return self.strength if self.strength is not None and self.references else 1.0
        rates, weights = betting_rates(n=n, delta=self._delta)
        values = []
        for strength in _STRENGTHS:
            observed = statistics.from_outcomes(
                losses.size,
                float(losses.sum()),
                float(errors.sum()),
                float(losses @ errors),
                strength=strength,
                rates=rates,
                weights=weights,
            )
            reference = Reference("fixed", strength, "betting", _SPLIT)
            values.append(float(risk_bound("betting", observed, n, self._delta, 1.0, reference=reference)))
        return _STRENGTHS[int(np.argmin(values))]

    def _gaussians(self, X: Rows, signs: FloatArray, weights: FloatArray, plan: _Plan) -> tuple[Gaussian, Gaussian]:
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
    ) -> _Found:
        """Return the posterior with the smallest bound: on the line to the fit on all rows, then by the gradient."""
        posterior, step, scale = best_on_the_line(task, prior, start, fit)
        shaped = self.shape == "laplace" and task.signs.size * fit.size <= _MOST_SQUARES
        alike = laplace_covariance(X, signs, fit, alpha, intercept=True) if shaped else None
        better = descend(task, prior, posterior, alike)
        return _Found(posterior, step, scale) if better is None else _Found(better)

    def _task(self, X: Any, rows: TransformedRows, references: tuple[OnlineReference, ...], plan: _Plan) -> Task:
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
            described = Reference(used.kind, plan.strength, used.bound, _SPLIT)
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

    def _rates(self, plan: _Plan) -> str | float | None:
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

    def _certificate(
        self,
        sample: Sample,
        rows: TransformedRows,
        plan: _Plan,
        task: Task,
        prior: Gaussian,
        found: _Found,
    ) -> Certificate:
        statement = Statement(
            about="draw",
            n=task.signs.size,
            observed=task.observe(found.posterior),
            bound=task.bound,
            kl=float(found.posterior.kl(prior)),
            rates=self._rates(plan),
            reference=task.reference,
            references=tuple(REFERENCES[name].kind for name in self.references) if task.several else (),
            assumptions=("iid", "nothing_before", "row_by_row"),
        )
        judged = sample.order[rows.count :]
        grouping = self.questions.group(type(self).__name__, sample.X)
        grouping = None if grouping is None else grouping.take(judged)
        losses = task.losses(found.posterior)
        return issue(
            self.name,
            state_draws(self.questions, statement, losses, sample.y[judged], grouping),
            delta=self.delta,
            candidates=self.candidates,
            choices=[*self._choices(rows, plan, task, found), *choices_of(self.questions, grouping)],
            notes=(*sample.notes, *find_repetitions(sample.X, sample.y, sample.order[: rows.count])),
            digests=sample.digests() | {"model": gaussian_digest(self.classes, prior, found.posterior)},
            seed=sample.random_state,
        )

    def _choices(self, rows: TransformedRows, plan: _Plan, task: Task, found: _Found) -> list[Choice]:
        learned, given = "learning_rows", "given"
        choices = [
            Choice("learning_rows", rows.count, given),
            Choice("preprocessing", type(rows.preprocessing).__name__, learned),
            Choice("alpha", plan.alpha, learned if self.alpha is None else given),
            Choice("prior_mean", "fit" if self.prior == "informed" else "zero", learned),
            Choice("prior_shape", self.shape, given),
            Choice("prior_scale", plan.scale, learned),
            Choice("bound", task.bound, given),
            Choice("candidates", self.candidates, given, *_candidates_cost(self.candidates)),
        ]
        if self.prior == "zero":
            choices.append(Choice("prior_variance", plan.variance, learned))
        if "rates" in bounds.get(task.bound).statistics:
            choices.append(_rate_choice(plan.rate, task))
        if task.reference is not None:
            choices.append(Choice("reference", self.references[0], given, "reference", 1.0 - _SPLIT))
            choices.append(Choice("strength", plan.strength, learned if self.strength is None else given))
        if task.several:
            bets = len(self.references) * len(statistics.STRENGTHS)
            choices += [Choice("reference", name, given, "portfolio", bets) for name in self.references]
        free = "all_rows", "all_posteriors"
        if found.step is None:
            return [
                *choices,
                Choice("posterior_mean", "gradient", *free),
                Choice("posterior_shape" if self.shape == "laplace" else "posterior_scale", "gradient", *free),
            ]
        return [
            *choices,
            Choice("posterior_step", found.step, *free),
            Choice("posterior_scale", found.scale, *free),
        ]


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


def _rate_choice(rate: float, task: Task) -> Choice:
    """Return where the rates of a bound that bets come from."""
    if task.bets is not None:
        return Choice("rate", rate, "learning_rows", "most_of_the_weight", float(task.bets.weights[0]))
    if task.rates.size == 1:
        return Choice("rate", rate, "learning_rows")
    return Choice("rate", "grid", "all_rows", "mixture_of_rates", task.rates.size)


def _candidates_cost(candidates: int) -> tuple[str, float | None]:
    return ("candidates", candidates) if candidates > 1 else ("none", None)
