"""The records of bounds for one draw from a posterior that is kept.

Besides the log ratio they read statistics that a summary has, but of the draw's losses alone.
"""

from __future__ import annotations

from pacbayes.bounds.disintegrated import betting_draw, maurer_draw, portfolio_draw
from pacbayes.bounds.entry import ANY, IID, IID_PREDICTABLE, Fields, Number, own_entry

__all__ = ["DRAW_ENTRIES"]

_LOG_RATIO = {"log_ratio": Number("Logarithm of the posterior's density at the kept draw over the prior's.")}
_DRAW: Fields = {"uses_kl": False, "assumptions": (*IID, "kept_draw"), "numbers": _LOG_RATIO}
_BETS: Fields = {
    **_DRAW,
    "assumptions": (*IID_PREDICTABLE, "kept_draw"),
    "valid_for": ANY,
    "valid_at": "draw_n_and_later",
}

DRAW_ENTRIES = (
    own_entry(
        maurer_draw,
        "rivasplata",
        "The kl bound for one draw from the posterior that is kept: a deterministic predictor without the factor two.",
        **(_DRAW | {"statistics": ("risk", "log_ratio")}),
    ),
    own_entry(
        betting_draw,
        "viallard",
        "Betting for one draw from the posterior that is kept: mostly the tightest if a rate was learned before.",
        **(
            _BETS
            | {
                "statistics": ("log_growth", "rates", "weights", "log_ratio"),
                "targets": frozenset({"risk", "excess"}),
            }
        ),
    ),
    own_entry(
        portfolio_draw,
        "viallard",
        "The portfolio for one draw from the posterior that is kept: its reference part is charged nothing.",
        **(_BETS | {"statistics": ("growths", "strengths", "reference_log_growth", "rates", "weights", "log_ratio")}),
    ),
)
