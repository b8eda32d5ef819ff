"""The rivals: one learner, many certificates, in the order of their table."""

from __future__ import annotations

from functools import partial

from pacbayes.reproduction.built_in_methods import DELTA
from pacbayes.reproduction.method_role import RIVAL_GROUPS, MethodFunction, Rival
from pacbayes.reproduction.rival_estimators import (
    held_out,
    held_out_forest,
    informed_prior,
    kept_draw,
    out_of_bag,
    picked_rows,
    recursive_posterior,
    snapshots,
)
from pacbayes.reproduction.rival_zero_prior import maurer_on_all_rows, ours_on_all_rows, portfolio_on_all_rows

__all__ = ["RIVALS"]

_ZERO, _LEARNED, _COMPRESSION, _OUT_OF_BAG, _HELD_OUT = RIVAL_GROUPS


def _draws(name: str, title: str, group: str, function: MethodFunction, about: str, *bounds: str) -> Rival:
    """Return a sound method about a logistic regression that is drawn for each row."""
    return Rival(name, title, group, function, about, "sound", "logistic", "randomised", bounds)


def _kept(
    name: str, title: str, group: str, function: MethodFunction, about: str, *bounds: str, learner: str = "logistic"
) -> Rival:
    """Return a sound method about one predictor that is kept."""
    return Rival(name, title, group, function, about, "sound", learner, "deterministic", bounds)


def _recursive(steps: int, bound: str) -> Rival:
    """Return recursive PAC-Bayes in so many steps, by split-kl as published, or by bets."""
    name, title, theorem, words = _RECURSIVE[bound]
    function = partial(recursive_posterior, delta=DELTA, steps=steps, bound=bound)
    about = f"{steps} parts, a posterior from each and all before it, with the one before as its prior, by {words}"
    return _draws(f"{name}-{steps}", f"{title}, T = {steps}", _LEARNED, function, about, theorem)


def _forest(bound: str, title: str) -> Rival:
    about = f"a forest of 100 trees from all rows, each tree judged out of bag, by the {title} bound on its vote"
    function = partial(out_of_bag, delta=DELTA, bound=bound)
    name = f"forest-{bound.replace('_', '-')}"
    return _kept(name, f"forest, {title}", _OUT_OF_BAG, function, about, bound, learner="forest")


_STEPS = (2, 4, 8)
# by the bound's name of the estimator: name, title, the bound of the catalogue, and words
_RECURSIVE = {
    "split_kl": ("recursive", "recursive", "recursive", "split-kl"),
    "portfolio": ("recursive-portfolio", "recursive, portfolio", "recursive_portfolio", "the portfolio"),
}

_METHODS = (
    _draws(
        "maurer",
        "Maurer",
        _ZERO,
        partial(maurer_on_all_rows, delta=DELTA),
        "the paper's posterior, scaled with a tenth of the rows, by Maurer's bound",
        "maurer",
    ),
    Rival(
        "ours",
        "Ours",
        _ZERO,
        partial(ours_on_all_rows, delta=DELTA),
        "the same posterior, by the paper's bound with its online reference",
        "reference-theorem",
        "logistic",
        "randomised",
        ("excess_kl", "progressive_chernoff"),
    ),
    _draws(
        "portfolio",
        "portfolio",
        _ZERO,
        partial(portfolio_on_all_rows, delta=DELTA),
        "the same posterior, by bets over rates and strengths of two learning references",
        "portfolio",
    ),
    _draws(
        "informed-maurer",
        "informed, Maurer",
        _LEARNED,
        partial(informed_prior, delta=DELTA, bound="maurer"),
        "prior from 40 % of the rows, posterior from all, by Maurer's bound",
        "maurer",
    ),
    _draws(
        "informed",
        "informed",
        _LEARNED,
        partial(informed_prior, delta=DELTA),
        "the same prior and posterior, by the portfolio",
        "portfolio",
    ),
    _kept(
        "draw",
        "one draw, kept",
        _LEARNED,
        partial(kept_draw, delta=DELTA),
        "one draw from that posterior, kept, by the portfolio with the log ratio of densities",
        "portfolio_draw",
    ),
    *(_recursive(steps, bound) for bound in _RECURSIVE for steps in _STEPS),
    _kept(
        "pick-to-learn",
        "pick-to-learn",
        _COMPRESSION,
        partial(picked_rows, delta=DELTA, bound="pick_to_learn"),
        "30 % of the rows and those that are picked round by round, by the bound of pick-to-learn",
        "pick_to_learn",
    ),
    _kept(
        "compression",
        "compression",
        _COMPRESSION,
        partial(picked_rows, delta=DELTA, bound="compression"),
        "picked in the same way, by a bound for all sets of rows at once",
        "compression_binomial",
    ),
    _forest("first_order", "first-order"),
    _forest("tandem", "tandem"),
    _forest("disagreement", "disagreement"),
    _forest("chebyshev_cantelli", "Chebyshev-Cantelli"),
    _draws(
        "progressive",
        "progressive",
        _HELD_OUT,
        partial(snapshots, delta=DELTA),
        "each row predicted, then learned: the mean error of all snapshots, by betting",
        "betting",
    ),
    _kept(
        "holdout",
        "hold-out",
        _HELD_OUT,
        partial(held_out, delta=DELTA, share=0.8),
        "80 % of the rows to learn from, the exact limit on the rest",
        "clopper_pearson",
    ),
    _kept(
        "adaptive",
        "adaptive split",
        _HELD_OUT,
        partial(held_out, delta=DELTA, share="adaptive"),
        "as many learning rows as the learning curve asks for, the exact limit on the rest",
        "clopper_pearson",
    ),
    _kept(
        "holdout-forest",
        "hold-out (forest)",
        _HELD_OUT,
        partial(held_out_forest, delta=DELTA, share=0.8),
        "the same hold-out with a forest of 100 trees",
        "clopper_pearson",
        learner="forest",
    ),
    _kept(
        "adaptive-forest",
        "adaptive split (forest)",
        _HELD_OUT,
        partial(held_out_forest, delta=DELTA, share="adaptive"),
        "the same adaptive split with a forest of 100 trees",
        "clopper_pearson",
        learner="forest",
    ),
)

RIVALS: dict[str, Rival] = {each.name: each for each in _METHODS}
