"""The records of bounds that read numbers of their own: those of one procedure, of two predictors, or of a sequence."""

from __future__ import annotations

from pacbayes.bounds._citations import CITATIONS
from pacbayes.bounds.compression import compression, compression_binomial, pick_to_learn
from pacbayes.bounds.draw_entries import DRAW_ENTRIES
from pacbayes.bounds.entry import FIXED, UNSEEN, Entry, Number, own_entry
from pacbayes.bounds.paired import paired
from pacbayes.bounds.recursive import recursive
from pacbayes.bounds.recursive_portfolio import recursive_portfolio
from pacbayes.bounds.sequential import sequential_from_blocks
from pacbayes.bounds.votes import chebyshev_cantelli, disagreement, first_order, tandem

__all__ = ["OWN_ENTRIES", "UNLISTED_ENTRIES"]

_GIBBS = Number("Weighted mean of the voters' error rates.")
_TANDEM = Number("Weighted mean over pairs of voters of the share of rows on which both err.")
_DISAGREEMENT = Number("Weighted mean over pairs of voters of the share of rows on which they differ.")
_PAIRS = Number("Number of rows on which each pair of voters was judged, or the smallest.")
_VOTERS = ("iid", "voters_unseen")
_OF_STEPS = {
    "first_risk": Number("Empirical risk of the first of several posteriors."),
    "step_risk": Number("Empirical risk of each later posterior.", per="step"),
    "step_worse": Number("Of each later step, how often a draw errs and one from before does not.", "step"),
    "step_better": Number("Of each later step, how often a draw from before errs and one does not.", "step"),
    "step_kl": Number("Of each later step, the divergence from the posterior before, in nats.", per="step"),
    "step_n": Number("Of each later step, the number of examples, unseen by the posterior before.", per="step"),
}
_SIZE = Number("Number of rows that determine the predictor, the compression set.")
_REST = Number("Number of errors on the other rows.")
_LOOKS = Number("Number of rules among which one was chosen by its result.")
_COMPRESSED = ("iid", "set_of_rows")
_GAMMA = Number("Of each later step, how much of the loss before is subtracted, in [0, 1].", per="step")

# made by own_entry of pacbayes.bounds.entry, each with a sentence for every argument
OWN_ENTRIES: tuple[Entry, ...] = (
    *DRAW_ENTRIES,
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
        recursive,
        "wu2024",
        "The last of several posteriors, each the prior of the next, by its excess over the one before and so on.",
        numbers=_OF_STEPS | {"gamma": _GAMMA},
        assumptions=("iid", "steps_unseen"),
    ),
    own_entry(
        recursive_portfolio,
        "wu2024",
        "The same by bets over rates and over how much of the loss before is subtracted: no strength is chosen.",
        numbers=_OF_STEPS,
        assumptions=("iid", "steps_unseen"),
    ),
    own_entry(
        pick_to_learn,
        "paccagnan",
        "For a predictor that learned from the rows it was most wrong on, by how many these were.",
        numbers={"size": _SIZE, "errors": _REST, "looks": _LOOKS},
        uses_kl=False,
        assumptions=("iid", "worst_first"),
    ),
    own_entry(
        compression,
        "bazinet",
        "The kl bound for a predictor that some of the rows determine, and any loss on the others.",
        numbers={"risk": Number("Mean loss on the other rows."), "size": _SIZE},
        uses_kl=False,
        assumptions=_COMPRESSED,
    ),
    own_entry(
        compression_binomial,
        "langford2005",
        "The exact binomial limit for a predictor that some of the rows determine, and the 0-1 loss on the others.",
        numbers={"errors": _REST, "size": _SIZE},
        uses_kl=False,
        assumptions=_COMPRESSED,
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
