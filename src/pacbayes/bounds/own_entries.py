"""The records of bounds that read numbers of their own: those of one procedure, of two predictors, or of a sequence."""

from __future__ import annotations

from pacbayes.bounds._citations import CITATIONS
from pacbayes.bounds.disintegrated import betting_draw, maurer_draw, portfolio_draw
from pacbayes.bounds.entry import ANY, FIXED, IID_PREDICTABLE, UNSEEN, Entry, Fields, Number, own_entry
from pacbayes.bounds.paired import paired
from pacbayes.bounds.sequential import sequential_from_blocks

__all__ = ["OWN_ENTRIES", "UNLISTED_ENTRIES"]

# of one kept draw the other arguments are statistics of a summary, but of that draw alone
_LOG_RATIO = {"log_ratio": Number("Logarithm of the posterior's density at the kept draw over the prior's.")}
_DRAW: Fields = {"uses_kl": False, "assumptions": ("iid", "no_reference", "kept_draw")}
_BETS: Fields = {
    "assumptions": (*IID_PREDICTABLE, "kept_draw"),
    "valid_for": ANY,
    "valid_at": "draw_n_and_later",
}

# made by own_entry of pacbayes.bounds.entry, each with a sentence for every argument
OWN_ENTRIES: tuple[Entry, ...] = (
    own_entry(
        maurer_draw,
        "rivasplata",
        "The kl bound for one draw from the posterior that is kept: a deterministic predictor without the factor two.",
        statistics=("risk", "log_ratio"),
        numbers=_LOG_RATIO,
        **_DRAW,
    ),
    own_entry(
        betting_draw,
        "viallard",
        "Betting for one draw from the posterior that is kept: the tightest of the three if a rate was learned before.",
        statistics=("log_growth", "rates", "weights", "log_ratio"),
        numbers=_LOG_RATIO,
        **(_DRAW | _BETS),
        targets=frozenset({"risk", "excess"}),
    ),
    own_entry(
        portfolio_draw,
        "viallard",
        "The portfolio for one draw from the posterior that is kept: its reference part is charged nothing.",
        statistics=("growths", "strengths", "reference_log_growth", "rates", "weights", "log_ratio"),
        numbers=_LOG_RATIO,
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
