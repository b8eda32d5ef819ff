"""What must be so of one draw from a posterior that was kept, whatever the data were."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pacbayes.certificate.statement import Statement

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["is_own_draw"]

# The density of a prior over that of a posterior has a mean of at most 1 over draws from the posterior. So a log ratio
# below this has a probability of at most exp(-28), one in a million millions.
_LEAST = -28.0


def is_own_draw(record: Certificate, statement: Statement) -> bool:
    """Whether the log ratio is one number, the same in all statements, and one that a draw can have."""
    ratio = statement.observed["log_ratio"]
    if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not math.isfinite(ratio) or ratio < _LEAST:
        return False
    return all(each.observed.get("log_ratio") == ratio for each in record.statements)
