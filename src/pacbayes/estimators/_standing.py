"""A posterior that stays at the prior: no divergence, and the exact binomial limit for draw and vote at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from pacbayes.certificate import Choice
from pacbayes.estimators import _prior as learn
from pacbayes.estimators._issue import issue
from pacbayes.estimators._parts import GIVEN, Certified, Options, Rows, first_choices, model_digest
from pacbayes.posteriors import Gaussian

__all__ = ["standing"]

# Of the posterior, relative to its shape: where nothing is gained by width, draws should hardly differ from the vote.
_SCALE = 2.0**-10


def standing(
    rows: Rows, classes: Any, seed: int, options: Options, words: dict[str, Any], digests: dict[str, str]
) -> Certified:
    """The posterior stays at the prior; rows on which the vote or a draw errs are counted, which bounds both."""
    X, signs = rows.matrix(rows.n_prior), rows.signs[: rows.n_prior]
    alpha = options.alpha
    if alpha is None:
        held = learn.cross_validate(X, signs, learn.ALPHAS, None)
        alpha = float(learn.ALPHAS[int(np.argmin(held.errors()))])
    shape = learn.shaped(X, signs, learn.Solver().fit(X, signs, alpha), alpha, options.posterior)
    n = rows.signs.size - rows.n_prior
    prior = shape.scaled(_SCALE)
    choices = first_choices(rows, options, alpha, _SCALE)
    certificate = issue(
        statistics=_counted(rows, prior, seed),
        n=n,
        vote_rule="same",
        predictor="`predict`, and of one draw from the posterior per row,",
        choices=[*choices, Choice("posterior", "the prior itself", GIVEN)],
        digests=digests | {"model": model_digest(classes, prior, prior)},
        **words,
    )
    return Certified(rows.preprocessing, alpha, rows.n_prior, prior, prior, None, certificate)


def _counted(rows: Rows, predictor: Gaussian, seed: int) -> dict[str, Any]:
    """Count the errors of the vote, of one draw per row, and of either; draws follow from the seed."""
    noise = np.random.default_rng(seed).standard_normal(rows.signs.size)
    counts = np.zeros(3, dtype=np.int64)
    for part, block in rows.blocks(rows.n_prior, rows.signs.size):
        spread, centre = predictor.projections(block)
        positive = rows.signs[part] > 0.0
        vote, draw = (centre > 0.0) != positive, (centre + spread * noise[part] > 0.0) != positive
        counts += [int((vote | draw).sum()), int(vote.sum()), int(draw.sum())]
    either, vote, draw = counts.tolist()
    n = rows.signs.size - rows.n_prior
    return {
        "errors": either,
        "vote_errors": vote,
        "draw_errors": draw,
        "risk": either / n,
        "reference_kind": "none",
        "seed": seed,
    }
