"""Whom a statement can be about: the one list of kinds of predictors, and what may be claimed of each."""

from __future__ import annotations

from dataclasses import dataclass

from pacbayes.certificate.quantities import COUNT_BOUNDS

__all__ = ["SUBJECTS", "Subject"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind of predictor, and what a certificate may say of it.

    Attributes
    ----------
    words : str
        The predictor, as a sentence names it.
    long_words : str
        The same for a reader who has never seen the library.
    plain : str
        The same in a sentence for a reader who knows neither code nor theory; the long words if there is none.
    bounds : frozenset of str or None
        The bounds that are proved for it; None if every bound for posteriors is that reads a summary.
    anytime : bool
        Whether its bets have to hold for all n at once, since it is looked at as the stream grows.
    has_divergence : bool
        Whether it was chosen with the judged rows in sight, so that a divergence is counted.
    is_pair : bool
        Whether it is two predictors, of which the difference is bounded; bets on it hold for all n at once or for one.
    has_source : bool
        Whether a certified predictor's bound and the disagreement with it are added up.
    is_kept : bool
        Whether it is one draw from a posterior: its errors are whole numbers, and a log ratio stands for the
        divergence.
    has_draws : bool
        Whether it is a network drawn at random for each row; how, and from which seed, is then recorded.
    consequences : tuple of (str, str)
        Which other predictors a bound on it covers, and by which rule.
    procedures : frozenset of str
        The procedures that make statements about it.
    assumptions : frozenset of str
        What a statement about it has to assume at least.
    """

    words: str
    long_words: str
    plain: str = ""
    bounds: frozenset[str] | None = COUNT_BOUNDS
    anytime: bool = False
    has_divergence: bool = False
    is_pair: bool = False
    has_source: bool = False
    is_kept: bool = False
    has_draws: bool = False
    consequences: tuple[tuple[str, str], ...] = ()
    procedures: frozenset[str] = frozenset()
    assumptions: frozenset[str] = frozenset({"iid"})

    @property
    def plain_words(self) -> str:
        """The predictor inside a sentence, without marks of code or words of the theory."""
        return self.plain or self.long_words[:1].lower() + self.long_words[1:]


_BETTING = frozenset({"betting"})
_OF_PREDICTIONS = COUNT_BOUNDS | {"sequential"}  # for losses between 0 and 1, which only some quantities have
_OF_PAIRS = frozenset({"paired", "betting", "sequential"})
_LEARNED = frozenset({"iid", "nothing_before", "row_by_row"})
_NETWORK = frozenset({"iid", "nothing_before", "scores_by_row"})
_UNSEEN = frozenset({"iid", "unseen"})
SUBJECTS: dict[str, Subject] = {
    "predict": Subject(
        "`predict`",
        "The model itself, as it is used to predict",
        plain="the model",
        bounds=_OF_PREDICTIONS,
        procedures=frozenset({"split"}),
        assumptions=_LEARNED,
    ),
    "picked": Subject(
        "`predict`",
        "The model itself, as it is used to predict",
        plain="the model",
        bounds=frozenset({"pick_to_learn", "compression_binomial"}),
        procedures=frozenset({"pick_to_learn"}),
        assumptions=_LEARNED | {"rule_before"},
    ),
    "answers": Subject(
        "`predict_or_abstain`",
        "The model that may abstain",
        bounds=frozenset({"clopper_pearson"}),
        procedures=frozenset({"selective"}),
        assumptions=_LEARNED | {"target_before"},
    ),
    "shifted": Subject(
        "`predict`",
        "The model with its certified threshold",
        bounds=frozenset({"clopper_pearson"}),
        procedures=frozenset({"selective"}),
        assumptions=_LEARNED | {"target_before"},
    ),
    "draw": Subject(
        "one draw from the posterior per row",
        "One model drawn at random for each row, from the distribution that was learned",
        plain="a model drawn at random for each case",
        bounds=None,
        has_divergence=True,
        consequences=(("vote", "twice"),),
        procedures=frozenset({"posterior"}),
        assumptions=_LEARNED,
    ),
    "kept_draw": Subject(
        "`predict`, one draw from the posterior that was kept,",
        "One model, drawn once from the distribution that was learned and kept",
        plain="the model, which was drawn once and kept,",
        bounds=frozenset({"maurer_draw", "betting_draw", "portfolio_draw"}),
        has_divergence=True,
        is_kept=True,
        procedures=frozenset({"kept_draw"}),
        assumptions=_LEARNED | {"one_draw"},
    ),
    "last_draw": Subject(
        "one draw from the last posterior per row",
        "One model drawn at random for each row, from the last of the distributions that were learned",
        plain="a model drawn at random for each case",
        bounds=frozenset({"recursive", "recursive_portfolio"}),
        has_divergence=True,
        consequences=(("vote", "twice"),),
        procedures=frozenset({"recursive"}),
        assumptions=_LEARNED,
    ),
    "network_draw": Subject(
        "one network drawn at random for each row",
        "One network drawn at random for each row, from the distribution that was learned",
        plain="a network drawn at random for each case",
        bounds=frozenset({"betting", "maurer"}),
        has_divergence=True,
        has_draws=True,
        procedures=frozenset({"network"}),
        assumptions=_NETWORK,
    ),
    "prior_draw": Subject(
        "one network drawn at random for each row",
        "One network drawn at random for each row, from a distribution that was fixed before the judged rows",
        plain="a network drawn at random for each case",
        bounds=frozenset({"clopper_pearson"}),
        has_draws=True,
        procedures=frozenset({"network"}),
        assumptions=_NETWORK | {"drawn_once"},
    ),
    "snapshot": Subject(
        "a snapshot picked at random per row",
        "One of the snapshots, picked at random for each row",
        plain="one of the stages of the model, picked at random for each case",
        bounds=_BETTING,
        anytime=True,
        consequences=(("vote", "twice"),),
        procedures=frozenset({"online"}),
        assumptions=_LEARNED,
    ),
    "vote": Subject(
        "their vote, which `predict` returns",
        "The majority vote, which is what predicting returns",
        plain="the majority vote",
        bounds=frozenset(),
    ),
    "forest": Subject(
        "the weighted vote, which `predict` returns,",
        "The weighted vote, which is what predicting returns",
        plain="the weighted vote",
        bounds=frozenset({"first_order", "tandem", "disagreement", "chebyshev_cantelli"}),
        has_divergence=True,
        procedures=frozenset({"out_of_bag"}),
        assumptions=_LEARNED,
    ),
    "last_snapshot": Subject(
        "the last snapshot, which `predict_last` returns,",
        "The last snapshot of the model",
        plain="the last stage of the model",
        bounds=_BETTING | {"clopper_pearson"},
        anytime=True,
        procedures=frozenset({"online"}),
        assumptions=_LEARNED,
    ),
    "given_predictions": Subject(
        "the predictor that made these predictions",
        "The predictor that made these predictions",
        plain="the model that made these predictions",
        bounds=_OF_PREDICTIONS,
        procedures=frozenset({"given"}),
        assumptions=_UNSEEN,
    ),
    "given_model": Subject(
        "`predict`",
        "The model itself, as it is used to predict",
        plain="the model",
        bounds=_OF_PREDICTIONS,
        procedures=frozenset({"given"}),
        assumptions=_UNSEEN | {"row_by_row"},
    ),
    "given_losses": Subject(
        "the predictor with these losses",
        "The predictor with these losses",
        plain="the model with these losses",
        bounds=COUNT_BOUNDS | _BETTING | {"sequential"},
        procedures=frozenset({"given"}),
        assumptions=_UNSEEN,
    ),
    "refitted": Subject(
        "the model refitted on all rows",
        "The model refitted on all rows, judged by how rarely it disagrees with the certified one",
        plain="the model refitted on all rows",
        bounds=frozenset({"clopper_pearson"}),
        has_source=True,
        procedures=frozenset({"transfer"}),
        assumptions=_LEARNED | {"fresh_unlabelled"},
    ),
    "compared_predictions": Subject(
        "the two predictors that made these predictions",
        "The two predictors that made these predictions",
        bounds=_OF_PAIRS,
        is_pair=True,
        procedures=frozenset({"comparison"}),
        assumptions=_UNSEEN,
    ),
    "compared_models": Subject(
        "the two models",
        "The two models, as they are used to predict",
        bounds=_OF_PAIRS,
        is_pair=True,
        procedures=frozenset({"comparison"}),
        assumptions=_UNSEEN | {"row_by_row"},
    ),
    "compared_losses": Subject(
        "the two predictors with these losses",
        "The two predictors with these losses",
        bounds=_OF_PAIRS,
        is_pair=True,
        procedures=frozenset({"comparison"}),
        assumptions=_UNSEEN,
    ),
    "watched": Subject(
        "these predictions, on average over time,",
        "These predictions, on average over time",
        plain="these predictions, on average over time,",
        bounds=_BETTING,
        anytime=True,
        procedures=frozenset({"monitor"}),
        assumptions=frozenset({"before_label", "average_over_time"}),
    ),
}
