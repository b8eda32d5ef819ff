"""A posterior that moves from the prior towards the fit on all rows, as far as that lowers the bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from pacbayes._core.types import FloatArray
from pacbayes.bounds import betting_rates
from pacbayes.certificate import Choice
from pacbayes.certificate._arithmetic import bound_value
from pacbayes.estimators import _prior as learn
from pacbayes.estimators._issue import issue, statistics_of
from pacbayes.estimators._parts import GIVEN, KINDS, PRIOR, Certified, Options, Rows, first_choices, model_digest
from pacbayes.estimators._prior import SIGNS
from pacbayes.estimators._search import Task, best_posterior
from pacbayes.learners import RefittedLogistic
from pacbayes.numerics import kl_inv_upper
from pacbayes.online import Geometric, OnlineReference, online_reference
from pacbayes.posteriors import Gaussian
from pacbayes.summary import Summary

__all__ = ["moving"]

_FREE = "all rows"
_ALL_POSTERIORS = "nothing: the bound holds for all posteriors at once"
_VARIANCES = 4.0 ** np.arange(-2, 4)  # of a prior centred at zero
_STRENGTHS = (0.25, 0.5, 0.75, 1.0)


def moving(
    rows: Rows, classes: Any, seed: int, options: Options, words: dict[str, Any], digests: dict[str, str]
) -> Certified:
    """The posterior moves from the prior towards the fit on all rows, as far as that lowers the bound."""
    del seed  # nothing is drawn
    X = rows.matrix(rows.signs.size)
    X_prior, signs = X[: rows.n_prior], rows.signs[: rows.n_prior]
    plan = _plan(X_prior, signs, rows.signs.size - rows.n_prior, options)
    solver = learn.Solver()
    weights = solver.fit(X_prior, signs, plan.alpha)
    shape = learn.shaped(X_prior, signs, weights, plan.alpha, options.posterior).scaled(plan.scale)
    zero = np.zeros_like(weights)
    prior = shape if options.prior == "informed" else Gaussian(zero, plan.variance, intercept=True)
    start = shape if options.prior == "informed" else shape.moved(zero, 1.0)
    reference = _reference(X, rows, weights, plan.alpha, options)
    task = _task(X, rows, reference, plan, options, str(words["bound"]))
    posterior, step, scale = best_posterior(task, prior, start, solver.fit(X, rows.signs, plan.alpha))
    choices = [
        *first_choices(rows, options, plan.alpha, plan.scale),
        *_later_choices(plan, task, options),
        Choice("posterior mean, share of the way to the fit on all rows", step, _FREE, _ALL_POSTERIORS),
        Choice("posterior scale, relative to its shape", scale, _FREE, _ALL_POSTERIORS),
    ]
    certificate = issue(
        statistics=statistics_of(task.summary(posterior)),
        n=task.signs.size,
        kl=float(posterior.kl(prior)),
        reference_bound=task.reference_bound,
        split=task.split,
        vote_rule="twice",
        predictor="one draw from the posterior per row",
        choices=choices,
        digests=digests | {"model": model_digest(classes, prior, posterior)},
        **words,
    )
    return Certified(rows.preprocessing, plan.alpha, rows.n_prior, prior, posterior, reference, certificate)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is chosen on the prior's part for a posterior that moves."""

    alpha: float
    scale: float
    variance: float
    rate: float
    strength: float


def _plan(X: Any, signs: FloatArray, n: int, options: Options) -> _Plan:
    """Choose penalty, scale and (for a prior at zero) variance by the bound predicted in cross-validation."""
    alphas = learn.ALPHAS if options.alpha is None else np.full(1, options.alpha)
    held = learn.cross_validate(X, signs, alphas, options.posterior)
    risks, kls = held.risks(), _predicted_kls(X, signs, alphas, options)
    predicted = kl_inv_upper(risks[:, :, None], (kls + np.log(1.0 / options.share)) / n)
    a, s, v = np.unravel_index(int(np.argmin(predicted)), predicted.shape)
    rate = learn.predicted_rate(float(risks[a, s]), n, options.share, float(kls[a, s, v]))
    scale = float(learn.SCALES[s])
    losses = ndtr(held.margins[a] / (scale * held.spreads[a]))
    strength = _strength(losses, (held.margins[a] >= 0.0).astype(float), n, options)
    return _Plan(float(alphas[a]), scale, float(_VARIANCES[v]), rate, strength)


def _predicted_kls(X: Any, signs: FloatArray, alphas: FloatArray, options: Options) -> FloatArray:
    """Return divergences by penalty, scale and variance of the prior: zero where the prior is the fit itself."""
    if options.prior == "informed":
        return np.zeros((alphas.size, learn.SCALES.size, 1))
    result = np.empty((alphas.size, learn.SCALES.size, _VARIANCES.size))
    for a, alpha in enumerate(alphas):
        weights = learn.Solver().fit(X, signs, float(alpha))
        shape = learn.shaped(X, signs, weights, float(alpha), options.posterior)
        for v, variance in enumerate(_VARIANCES):
            zero = Gaussian(np.zeros_like(weights), float(variance), intercept=True)
            result[a, :, v] = shape.kl(zero, scales=learn.SCALES)
    return result


def _strength(losses: FloatArray, errors: FloatArray, n: int, options: Options) -> float:
    """Choose how much of a reference to subtract, by the bound predicted in cross-validation."""
    if options.reference == "none":
        return 1.0
    if options.strength is not None:
        return options.strength
    rates, weights = betting_rates(n=n, delta=options.share)
    values = []
    for strength in _STRENGTHS:
        summary = Summary.from_losses(
            losses, errors, reference_kind="fixed", strength=strength, rates=rates, weights=weights
        )
        statistics = statistics_of(summary)
        values.append(bound_value("betting", statistics, n, options.share, kl=1.0, reference_bound="betting"))
    return _STRENGTHS[int(np.argmin(values))]


def _reference(
    X: Any,
    rows: Rows,
    weights: FloatArray,
    alpha: float,
    options: Options,
) -> OnlineReference | None:
    """Return the reference's losses on the bound's part."""
    n = rows.signs.size - rows.n_prior
    if options.reference == "none":
        return None
    if options.reference == "fixed":
        scores = np.asarray(X[rows.n_prior :] @ weights[:-1]).ravel() + weights[-1]
        losses = ((scores > 0.0) != (rows.signs[rows.n_prior :] > 0.0)).astype(np.float64)
        return OnlineReference(losses, np.arange(n), [], "fixed")
    run = online_reference(
        RefittedLogistic(C=1.0 / alpha),
        X,
        rows.signs,
        schedule=Geometric(1.1, first=rows.n_prior),
        classes=SIGNS,
        shuffle=False,
    )
    points = [point - rows.n_prior for point in run.points]
    return OnlineReference(run.losses[rows.n_prior :], np.arange(n), points, run.kind)


def _task(
    X: Any,
    rows: Rows,
    reference: OnlineReference | None,
    plan: _Plan,
    options: Options,
    bound: str,
) -> Task:
    n = rows.signs.size - rows.n_prior
    single_rate = reference is None and bound == "betting"
    rates, weights = (np.array([plan.rate]), np.ones(1)) if single_rate else betting_rates(n=n, delta=options.share)
    return Task(
        X=X[rows.n_prior :],
        signs=rows.signs[rows.n_prior :],
        references=None if reference is None else reference.losses,
        reference_kind=KINDS[options.reference],
        strength=plan.strength,
        rates=rates,
        weights=weights,
        bound=bound,
        reference_bound={"none": None, "fixed": "clopper_pearson", "online": "betting"}[options.reference],
        split=0.5,
        delta=options.share,
    )


def _later_choices(plan: _Plan, task: Task, options: Options) -> list[Choice]:
    chosen = []
    if options.prior == "zero":
        chosen.append(Choice("prior variance", plan.variance, PRIOR))
    if task.bound == "betting":
        union = f"a union over {task.rates.size} rates, inside the bound"
        single = task.rates.size == 1
        chosen.append(Choice("rate", plan.rate, PRIOR) if single else Choice("rate", "best of a grid", _FREE, union))
    if options.reference != "none":
        where = PRIOR if options.strength is None else GIVEN
        chosen += [
            Choice("reference", options.reference, GIVEN, "half of delta, for the reference's own loss"),
            Choice("strength", plan.strength, where),
        ]
    return chosen
