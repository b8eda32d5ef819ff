"""The rivals: one learner, many certificates, in the order of their table."""

from __future__ import annotations

from functools import partial

from pacbayes.reproduction.built_in_methods import DELTA
from pacbayes.reproduction.method_role import RIVAL_GROUPS, MethodFunction, Rival
from pacbayes.reproduction.rival_estimators import held_out, held_out_forest, informed_prior, snapshots
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
