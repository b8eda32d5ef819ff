"""The records of bounds that read statistics of a summary, in the order in which they are listed."""

from __future__ import annotations

from pacbayes.bounds.bernstein import tolstikhin_seldin, unexpected_bernstein
from pacbayes.bounds.betting import betting
from pacbayes.bounds.entry import (
    ANY,
    FIXED,
    IID_PREDICTABLE,
    PREDICTABLE,
    PUBLISHED,
    UNSEEN,
    Fields,
    excess_entry,
    risk_entry,
)
from pacbayes.bounds.excess import excess_kl, excess_relaxed, split_kl, vector_kl
from pacbayes.bounds.holdout import chernoff, clopper_pearson, progressive_chernoff
from pacbayes.bounds.kl_bounds import catoni, maurer, maurer_relaxed, mcallester
from pacbayes.bounds.portfolio import portfolio

__all__ = ["SUMMARY_ENTRIES"]

_HOLDOUT: Fields = {
    "uses_kl": False,
    "targets": frozenset({"risk", "reference"}),
    "assumptions": UNSEEN,
    "valid_for": FIXED,
}
_THEOREM_E7: Fields = {"assumptions": PUBLISHED, "published_for": PREDICTABLE}

SUMMARY_ENTRIES = (
    risk_entry(
        chernoff, "hoeffding", "The kl form of the Chernoff bound for one fixed predictor and any loss.", **_HOLDOUT
    ),
    risk_entry(
        clopper_pearson,
        "clopper",
        "The exact binomial limit for one fixed predictor and the 0-1 loss, the hold-out baseline.",
        **_HOLDOUT,
    ),
    risk_entry(
        progressive_chernoff,
        "biggs",
        "The paper's bound on the average true loss of a reference.",
        **(_HOLDOUT | _THEOREM_E7 | {"targets": frozenset({"reference"})}),
    ),
    risk_entry(mcallester, "mcallester1999", "The square-root bound: simplest to state, loosest at small risk."),
    risk_entry(maurer, "maurer", "The kl bound: the usual choice for a risk with no variance information."),
    risk_entry(maurer_relaxed, "mcallester2003", "The kl bound in closed form, showing its fast rate at small risk."),
    risk_entry(
        catoni,
        "catoni",
        "The exponential-moment bound at a rate fixed beforehand, or the best of a grid.",
        valid_at="all_n_fixed_rates",
    ),
    risk_entry(
        tolstikhin_seldin,
        "tolstikhin",
        "The empirical Bernstein bound: good where the loss varies little around its mean.",
    ),
    excess_entry(
        unexpected_bernstein,
        "mhammedi",
        "The second-moment rival of the paper; valid for online references, at the same rates never below betting.",
        assumptions=IID_PREDICTABLE,
        valid_for=ANY,
        valid_at="all_n_fixed_rates",
    ),
    excess_entry(
        vector_kl,
        "adams",
        "The kl bound for any number of error types and any weights on them.",
        targets=frozenset({"sum"}),
    ),
    excess_entry(excess_kl, "biggs", "The paper's main theorem: the three-way kl inverse of an excess.", **_THEOREM_E7),
    excess_entry(excess_relaxed, "biggs", "The main theorem in closed form, showing its fast rate.", **_THEOREM_E7),
    excess_entry(split_kl, "wu", "Positive and negative parts bounded separately by the binary kl."),
    excess_entry(
        betting,
        "jang",
        "The sound bound for online references, and at the same rates never above unexpected Bernstein.",
        statistics=("log_growth", "rates", "weights"),  # weights have a default, and a summary has its own
        targets=frozenset({"risk", "excess", "reference"}),
        assumptions=IID_PREDICTABLE,
        valid_for=ANY,
        valid_at="all_n_fixed_rates",
    ),
    risk_entry(
        portfolio,
        "portfolio",
        "Bets over rates and strengths of a reference at once: the sound bound on a risk that needs no choice.",
        statistics=("growths", "strengths", "reference_log_growth", "rates", "weights"),
        assumptions=IID_PREDICTABLE,
        valid_at="all_n_fixed_rates",
    ),
)
