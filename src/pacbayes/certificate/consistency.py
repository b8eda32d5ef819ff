"""What must be so in any certificate, whatever the data were: which claims go together, and which numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes import bounds
from pacbayes._core.types import FloatArray
from pacbayes.certificate.arithmetic import consequence_value, evaluate_statement, rates_of
from pacbayes.certificate.assumptions import ASSUMPTIONS
from pacbayes.certificate.checks import AGREEMENT, Check, compare
from pacbayes.certificate.quantities import QUANTITIES
from pacbayes.certificate.statement import Statement
from pacbayes.certificate.subjects import SUBJECTS

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["own_checks"]

_SLACK = 1e-9
_SPLIT = 0.5  # of delta between excess and reference
_COUNTED = ("errors", "reference_errors", "both")


def own_checks(record: Certificate) -> list[Check]:
    """Check everything that can be checked without data or model."""
    checks = [_guarded("shares", lambda: _check_shares(record))]
    for statement in record.statements:
        checks += [
            _guarded("value", lambda each=statement: _check_value(record, each)),  # type: ignore[misc]
            _guarded("consequence", lambda each=statement: _check_consequences(each)),  # type: ignore[misc]
            _guarded("claims", lambda each=statement: _check_claims(record, each)),  # type: ignore[misc]
            _guarded("observed", lambda each=statement: _check_observed(record, each)),  # type: ignore[misc]
        ]
    return checks


def _guarded(code: str, compute: Callable[[], Check]) -> Check:
    """Return the check; what cannot be computed at all has not held."""
    try:
        return compute()
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, ZeroDivisionError) as error:
        return Check(code, held=False, found=" ".join(str(error).split()))


def _check_shares(record: Certificate) -> Check:
    """All statements hold together, since their shares of delta were fixed beforehand and add up to at most 1."""
    shares = [statement.share for statement in record.statements]
    own = [1.0 / len(shares)] * len(shares)
    about, count = [statement.about for statement in record.statements], _chosen(record, "last_of")
    if "last_snapshot" in about:  # one of many that might have been the last, never alone and never with an even share
        if about != ["snapshot", "last_snapshot"] or not _is_count(count):
            return Check("shares", held=False)
        own = [0.5, 0.5 / (count * (count + 1))]
    return compare("shares", shares, own, within=AGREEMENT)


def _chosen(record: Certificate, what: str) -> Any:
    """Return what was chosen under a name, if it was chosen without the judged rows; None if not."""
    free = ("given", "learning_rows", "schedule")
    return next((each.value for each in record.choices if each.what == what and each.where in free), None)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _check_value(record: Certificate, statement: Statement) -> Check:
    found = evaluate_statement(statement, record.delta / record.candidates)
    if not statement.value >= statement.risk - _SLACK:
        return Check("floor", held=False, claimed=statement.value, found=statement.risk)
    return compare("value", statement.value, found, within=AGREEMENT)


def _check_consequences(statement: Statement) -> Check:
    allowed = SUBJECTS[statement.about].consequences
    for each in statement.consequences:
        if (each.about, each.rule) not in allowed:
            return Check("consequence", held=False, claimed=f"{each.about}:{each.rule}")
        found = consequence_value(statement.value, each.rule)
        if not (check := compare("consequence", each.value, found, within=AGREEMENT)).held:
            return check
    return Check("consequence", held=True)


def _check_claims(record: Certificate, statement: Statement) -> Check:
    """Procedure, subject, bound, reference, divergence, rates and assumptions have to go together."""
    subject, bound, reference = SUBJECTS[statement.about], bounds.get(statement.bound), statement.reference
    if reference is not None:
        bounds.require_sound("Certificate", bound, reference.kind, None)
    complaints = {
        "procedure": record.procedure not in subject.procedures,
        "order": _is_order_unknown(record),
        "bound": statement.bound not in subject.bounds if subject.bounds is not None else not bound.uses_kl,
        "divergence": statement.kl != 0.0 and not (subject.has_divergence and bound.uses_kl),
        "reference": reference is not None and not _own_reference(record, statement),
        "rates": not _own_rates(record, statement),
        "quantity": statement.quantity not in QUANTITIES,
        "assumptions": not _own_assumptions(record, statement),
    }
    wrong = next((code for code, so in complaints.items() if so), None)
    return Check("claims", wrong is None, claimed=wrong)


def _is_order_unknown(record: Certificate) -> bool:
    """Whether nobody can tell the order of the rows: it needs a seed, or to be as they came, or a note that says so."""
    if "order" not in record.digests:
        return record.in_order
    said = any(note.code == "order_not_reproducible" for note in record.notes)
    return record.seed is None and not record.in_order and not said


def _own_assumptions(record: Certificate, statement: Statement) -> bool:
    """Whether all that a subject needs is assumed; rows that were not shuffled are not i.i.d. all together."""
    needed, given = SUBJECTS[statement.about].assumptions, set(statement.assumptions)
    if record.in_order:
        needed = frozenset("later_iid" if code == "iid" else code for code in needed)
    wrong = {"later_iid", "iid"} <= given or record.in_order != ("later_iid" in given)
    return needed <= given <= set(ASSUMPTIONS) and not wrong


def _own_reference(record: Certificate, statement: Statement) -> bool:
    """Whether a reference is as the library takes it: its share fixed, its strength chosen without the judged rows."""
    reference = statement.reference
    if reference is None or not SUBJECTS[statement.about].has_divergence or reference.split != _SPLIT:
        return False
    return bool(_chosen(record, "strength") == reference.strength)


def _own_rates(record: Certificate, statement: Statement) -> bool:
    """Whether rates are the library's own grid, or one that was chosen without the judged rows."""
    if not _bets(statement):
        return statement.rates is None
    subject = SUBJECTS[statement.about]
    if isinstance(statement.rates, str):
        return statement.rates == ("all_n" if subject.anytime else "one_n")
    single = statement.reference is None and subject.has_divergence
    return single and statement.rates is not None and _chosen(record, "rate") == statement.rates


def _bets(statement: Statement) -> bool:
    names = [statement.bound, *([] if statement.reference is None else [statement.reference.bound])]
    return any("rates" in bounds.get(name).statistics for name in names)


def _check_observed(record: Certificate, statement: Statement) -> Check:
    """Check what follows from the definition of what was observed."""
    wrong = _wrong_counts(statement) if "errors" in statement.observed else _wrong_growth(record, statement)
    return Check("observed", wrong is None, claimed=wrong)


def _wrong_counts(statement: Statement) -> str | None:
    given, n = statement.observed, statement.n
    expected_names = {"errors"} if statement.reference is None else set(_COUNTED)
    further = {"predict_errors", "draw_errors"} if statement.value_about("noisy_draw") is not None else set()
    if set(given) != expected_names | further:
        return "names"
    errors = float(given["errors"])
    if not 0.0 <= errors <= n:
        return "errors"
    if not SUBJECTS[statement.about].has_divergence and not errors.is_integer():
        return "whole"
    if further and not _union_fits(errors, float(given["predict_errors"]), float(given["draw_errors"])):
        return "union"
    if statement.reference is not None:
        against, both = float(given["reference_errors"]), float(given["both"])
        least, most = max(0.0, errors + against - n), min(errors, against)
        if not against.is_integer() or not least - _SLACK * n <= both <= most + _SLACK * n:
            return "both"
    return None


def _union_fits(either: float, one: float, other: float) -> bool:
    whole = one.is_integer() and other.is_integer() and min(one, other) >= 0.0
    return whole and max(one, other) <= either <= one + other


def _wrong_growth(record: Certificate, statement: Statement) -> str | None:
    """``log(1 - rate x)`` lies between its chord over [0, 1] and its tangent, so its mean lies between theirs."""
    given = statement.observed
    if set(given) != {"risk", "log_growth"} or statement.bound != "betting" or statement.quantity != "loss":
        return "names"
    rates, _ = rates_of(statement.rates, statement.n, record.delta / record.candidates)
    growth: FloatArray = np.asarray(given["log_growth"], dtype=float)
    risk = float(given["risk"])
    if not 0.0 <= risk <= 1.0 or rates.shape != growth.shape:
        return "risk"
    chord, tangent = risk * np.log1p(-rates), np.log1p(-rates * risk)
    return "growth" if np.any(growth < chord - _SLACK) or np.any(growth > tangent + _SLACK) else None
