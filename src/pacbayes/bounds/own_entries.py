"""The records of bounds that read numbers of their own: those of one procedure, of two predictors, or of a sequence."""

from __future__ import annotations

from pacbayes.bounds._citations import CITATIONS
from pacbayes.bounds.entry import FIXED, UNSEEN, Entry
from pacbayes.bounds.paired import paired
from pacbayes.bounds.sequential import sequential_from_blocks

__all__ = ["OWN_ENTRIES", "UNLISTED_ENTRIES"]

# made by own_entry of pacbayes.bounds.entry, each with a sentence for every argument
OWN_ENTRIES: tuple[Entry, ...] = ()

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
