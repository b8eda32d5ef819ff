"""Networks drawn at random for each row: errors that were counted on draws, and what must be so of their certificates.

Given the judged rows and a posterior, a fresh draw for each row and pass misclassifies row ``i`` with its own
probability ``e_i``, independently of all others. The sum of ``N = passes * n`` such variables has a moment generating
function of at most that of a binomial with the mean ``e = mean_i e_i`` (Hoeffding 1963, by concavity of the logarithm),
so that with probability at least ``1 - d`` over the draws ``e <= kl_inv_upper(errors/N, log(1/d)/N)``: the bound
``chernoff``. Clopper-Pearson is exact for equal means only, and is used where the posterior is the prior: then a judged
row and its draw are *one* draw from a fixed distribution, and their errors are independent with equal means.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pacbayes import bounds
from pacbayes._core.rounding import raised
from pacbayes.certificate.records import POSTERIOR_IS_PRIOR
from pacbayes.certificate.statement import Statement

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = [
    "DRAWS",
    "DRAW_SEED",
    "DRAW_SHARE",
    "MOST_PASSES",
    "count_draws",
    "expected_limit",
    "is_own_network",
    "wrong_draws",
]

DRAW_SHARE = 0.1  # of a statement's delta, for what draws leave open of the expected error
DRAWS = "draws"  # the choice of how many draws there are for each judged row
MOST_PASSES = 1000  # draws for each judged row: whoever verifies has to repeat them
DRAW_SEED = "draw_seed"  # the choice of what they are drawn from
_NEEDED = {"data", "order", "network"}  # digests of what judging again needs


def expected_limit(statement: Statement, delta: float) -> float:
    """Return a bound on the expected error on the judged rows, given these, from draws; ``delta`` the statement's own.

    Examples
    --------
    >>> from pacbayes.certificate import Drawn, Statement
    >>> from pacbayes.certificate.draws import expected_limit
    >>> drawn = Drawn(errors=30, draws=3000, share=0.1)
    >>> statement = Statement(about="network_draw", n=1000, observed={}, bound="maurer", drawn=drawn)
    >>> round(expected_limit(statement, 0.05), 5)
    0.01711
    """
    drawn = statement.drawn
    if drawn is None:
        raise ValueError("A statement must have draws for a bound on its expected error. It has none.")
    share = min(float(raised(drawn.errors / drawn.draws, 1.0)), 1.0)
    return float(bounds.chernoff(share, drawn.draws, delta * drawn.share))


def count_draws(statement: Statement, delta: float) -> tuple[Statement, float]:
    """Return the statement with a bound on the expected number of errors in place of draws, and the rest of delta."""
    if statement.drawn is None:
        return statement, delta
    errors = min(float(raised(expected_limit(statement, delta) * statement.n, 1.0)), float(statement.n))
    return replace(statement, observed={"errors": errors}, drawn=None), delta * (1.0 - statement.drawn.share)


def is_own_network(record: Certificate, statement: Statement) -> bool:
    """Return whether a statement about a network is as the library makes it: alone, about the error on all rows.

    That the posterior is the prior is recorded as settled beforehand, and only then the exact limit on draws is stated.
    Draws are counted once, with the library's own share of delta, and their number and seed are recorded. Whether the
    divergence, the expected errors or the count are those of the network is checked by whoever has it and the rows.
    """
    beside = (statement.reference, statement.group, statement.target, statement.source)
    several = (statement.references, statement.groups, statement.compared)
    alone = len(record.statements) == 1 and not any(several) and all(each is None for each in beside)
    if not alone or statement.quantity != "error" or not set(record.digests) >= _NEEDED:
        return False
    settled = [each for each in record.choices if each.what == POSTERIOR_IS_PRIOR.what]
    if settled != ([POSTERIOR_IS_PRIOR] if statement.about == "prior_draw" else []):
        return False
    return _is_counted(_given(record, "learning_rows"), 0) and _own_draws(record, statement)


def _own_draws(record: Certificate, statement: Statement) -> bool:
    """Whether draws are recorded if and only if there were some, as many for each row as were settled beforehand."""
    passes, seed, drawn = _given(record, DRAWS), _given(record, DRAW_SEED), statement.drawn
    if statement.about == "prior_draw":
        return drawn is None and passes == [1] and _is_counted(seed, 0)
    if drawn is None:
        return not passes and not seed
    whole, rest = divmod(drawn.draws, statement.n)
    own = passes == [whole] and rest == 0 and 1 <= whole <= MOST_PASSES and "drawn_once" in statement.assumptions
    return own and _is_counted(seed, 0) and drawn.share == DRAW_SHARE


def _given(record: Certificate, what: str) -> list[object]:
    """Return what was chosen under a name; None in place of what was not given beforehand."""
    return [each.value if each.where == "given" else None for each in record.choices if each.what == what]


def _is_counted(values: list[object], least: int) -> bool:
    return len(values) == 1 and isinstance(values[0], int) and values[0] >= least


def wrong_draws(statement: Statement) -> str | None:
    """Return what no draws can have given; None if there is nothing of the kind."""
    drawn = statement.drawn
    if drawn is None or statement.observed:
        return "names"
    if statement.n < 1 or drawn.draws < 1 or drawn.draws % statement.n:
        return "draws"
    return None if 0 <= drawn.errors <= drawn.draws else "errors"
