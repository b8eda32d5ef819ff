"""The records of bounds that read numbers of their own: those of one procedure, of two predictors, or of a sequence."""

from __future__ import annotations

from pacbayes.bounds._citations import CITATIONS
from pacbayes.bounds.disintegrated import betting_draw, maurer_draw, portfolio_draw
from pacbayes.bounds.entry import ANY, FIXED, IID_PREDICTABLE, UNSEEN, Entry, Fields, Number, own_entry
from pacbayes.bounds.paired import paired
from pacbayes.bounds.sequential import sequential_from_blocks
from pacbayes.bounds.votes import chebyshev_cantelli, disagreement, first_order, tandem

__all__ = ["OWN_ENTRIES", "UNLISTED_ENTRIES"]

_GIBBS = Number("Weighted mean of the voters' error rates.")
_TANDEM = Number("Weighted mean over pairs of voters of the share of rows on which both err.")
_DISAGREEMENT = Number("Weighted mean over pairs of voters of the share of rows on which they differ.")
_PAIRS = Number("Number of rows on which each pair of voters was judged, or the smallest.")
_VOTERS = ("iid", "voters_unseen")
# of one kept draw the other arguments are statistics of a summary, but of that draw alone
_LOG_RATIO = {"log_ratio": Number("Logarithm of the posterior's density at the kept draw over the prior's.")}
_DRAW: Fields = {"uses_kl": False, "assumptions": ("iid", "no_reference", "kept_draw"), "numbers": _LOG_RATIO}
_BETS: Fields = {
    "assumptions": (*IID_PREDICTABLE, "kept_draw"),
    "valid_for": ANY,
    "valid_at": "draw_n_and_later",
}

# made by own_entry of pacbayes.bounds.entry, each with a sentence for every argument
OWN_ENTRIES: tuple[Entry, ...] = (
    own_entry(
        first_order,
        "langford",
        "A majority vote by its voters' errors: twice the kl bound on their weighted mean.",
        numbers={"gibbs": _GIBBS},
        assumptions=_VOTERS,
    ),
    own_entry(
        tandem,
        "masegosa",
        "A majority vote by the errors that two voters have in common: four times the kl bound on their weighted mean.",
        numbers={"tandem": _TANDEM},
        assumptions=_VOTERS,
    ),
    own_entry(
        disagreement,
        "masegosa",
        "A majority vote between two classes by its voters' errors and by how often two of them disagree.",
        numbers={"gibbs": _GIBBS, "disagreement": _DISAGREEMENT, "n_pairs": _PAIRS},
        assumptions=(*_VOTERS, "two_classes"),
    ),
    own_entry(
        chebyshev_cantelli,
        "wu2021",
        "A majority vote by mean and variance of the weight that errs, by the inequality of Chebyshev and Cantelli.",
        numbers={"gibbs": _GIBBS, "tandem": _TANDEM, "n_pairs": _PAIRS},
        assumptions=_VOTERS,
    ),
    own_entry(
        maurer_draw,
        "rivasplata",
        "The kl bound for one draw from the posterior that is kept: a deterministic predictor without the factor two.",
        statistics=("risk", "log_ratio"),
        **_DRAW,
    ),
    own_entry(
        betting_draw,
        "viallard",
        "Betting for one draw from the posterior that is kept: the tightest of the three if a rate was learned before.",
        statistics=("log_growth", "rates", "weights", "log_ratio"),
        targets=frozenset({"risk", "excess"}),
        **(_DRAW | _BETS),
    ),
    own_entry(
        portfolio_draw,
        "viallard",
        "The portfolio for one draw from the posterior that is kept: its reference part is charged nothing.",
        statistics=("growths", "strengths", "reference_log_growth", "rates", "weights", "log_ratio"),
        **(_DRAW | _BETS),
    ),
)

# reads losses in their order; its statistics, block by block, do not follow from a risk, so that it is not listed
_SEQUENTIAL = Entry(
    name="sequential",
    function=sequential_from_blocks,
    targets=frozenset({"risk"}),
    statistics=("block_means", "block_squares", "block_cubes", "block_growth", "planned", "rates_delta"),
    assumptions=UNSEEN,
    citation=CITATIONS["waudby"],
    description="Bets on the losses of one fixed predictor, each adapted to the losses before it.",
    uses_kl=False,
    valid_for=FIXED,
    valid_at="all_n_no_plan",
)
# reads the counts of two predictors, which are no statistics of one
_PAIRED = Entry(
    name="paired",
    function=paired,
    targets=frozenset({"difference"}),
    statistics=("only_first", "only_second"),
    assumptions=UNSEEN,
    citation=CITATIONS["mcnemar"],
    description="The exact test of two fixed predictors on the rows where one of them errs, inverted into a limit.",
    uses_kl=False,
    valid_for=FIXED,
)
UNLISTED_ENTRIES = (_SEQUENTIAL, _PAIRED)
