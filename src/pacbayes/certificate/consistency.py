"""What must be so in any certificate, whatever the data were: which claims go together, and which numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes import bounds
from pacbayes.certificate.arithmetic import consequence_value, evaluate_limits, rates_of
from pacbayes.certificate.assumptions import ASSUMPTIONS
from pacbayes.certificate.at_once import Limits, evaluate_counts
from pacbayes.certificate.blocks import is_growth_possible, wrong_blocks
from pacbayes.certificate.checks import AGREEMENT, Check, compare
from pacbayes.certificate.differences import wrong_comparison
from pacbayes.certificate.draws import is_own_network, wrong_draws
from pacbayes.certificate.groups import check_groups, own_rows
from pacbayes.certificate.kept_draws import is_own_draw
from pacbayes.certificate.last_shares import last_share
from pacbayes.certificate.parameters import is_own_parameter
from pacbayes.certificate.parts import wrong_parts
from pacbayes.certificate.picks import PICKED, is_own_pick, wrong_picks
from pacbayes.certificate.quantities import QUANTITIES
from pacbayes.certificate.recursions import RECURSIVE_BOUNDS, is_own_recursion, wrong_recursion
from pacbayes.certificate.sequences import SEQUENCE_SUBJECTS, is_own_sequence, wrong_steps
from pacbayes.certificate.shares import METRIC_WEIGHTS, check_even_shares
from pacbayes.certificate.statement import Statement
from pacbayes.certificate.subjects import SUBJECTS
from pacbayes.certificate.transfers import is_own_source, wrong_disagreements
from pacbayes.certificate.votes import wrong_votes

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["own_checks"]

_FAILURES = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)  # of odd numbers
_SLACK = 1e-9
_SPLIT = 0.5  # of delta between excess and reference
_PARAMETERS = {each.parameter for each in QUANTITIES.values()} - {None}
_COUNTED = ("errors", "reference_errors", "both")
_KINDS = {"fixed", "predictable"}
_PORTFOLIOS = {"portfolio", "portfolio_draw"}
_MOST_REFERENCES = 3  # one of each: fixed, refitted, learning at every example


def own_checks(record: Certificate) -> list[Check]:
    """Check everything that can be checked without data or model."""
    checks = [_guarded("shares", lambda: _check_shares(record))]
    if not _is_alone(record):
        checks.append(_guarded("groups", lambda: check_groups(record)))
    measured = _are_parameters_used(record)  # of all statements, and therefore found out once
    for statement, known in zip(record.statements, _known_limits(record), strict=True):
        checks += [
            _guarded("value", lambda each=statement, at=known: _check_value(record, each, at)),  # type: ignore[misc]
            _guarded("consequence", lambda each=statement: _check_consequences(each)),  # type: ignore[misc]
            _guarded("claims", lambda each=statement: _check_claims(record, each, measured)),  # type: ignore[misc]
            _guarded("observed", lambda each=statement: _check_observed(record, each)),  # type: ignore[misc]
        ]
    return checks


def _known_limits(record: Certificate) -> list[Limits | None]:
    """Return the limits that are evaluated at once; None for those that are evaluated one by one."""
    try:
        return evaluate_counts(record.statements, record.delta / record.candidates)
    except _FAILURES:
        return [None] * len(record.statements)  # what cannot be evaluated shows where it is


def _is_alone(record: Certificate) -> bool:
    """Whether there is one statement, about all rows, which has all of delta."""
    first = record.statements[0]
    weighted = any(each.what == METRIC_WEIGHTS for each in record.choices)
    of_all = first.group is None and not (first.groups or first.compared)
    return len(record.statements) == 1 and of_all and first.about != "last_snapshot" and not weighted


def _guarded(code: str, compute: Callable[[], Check]) -> Check:
    """Return the check; what cannot be computed at all has not held."""
    try:
        return compute()
    except _FAILURES as error:
        return Check(code, held=False, found=" ".join(str(error).split()))


def _check_shares(record: Certificate) -> Check:
    """All statements hold together, since their shares of delta were fixed beforehand and add up to at most 1."""
    about = [statement.about for statement in record.statements]
    if any(each.what == "candidates" and each.value != record.candidates for each in record.choices):
        return Check("shares", held=False, claimed="candidates")
    if _is_alone(record):
        return compare("shares", record.statements[0].share, 1.0)
    if "last_snapshot" not in about:
        return check_even_shares(record)
    # one of many that might have been the last, never alone and never with an even share
    if about != ["snapshot", "last_snapshot"] or not _fits_plan(record):
        return Check("shares", held=False)
    planned = record.statements[1].bound == "clopper_pearson"
    count, expected = _chosen(record, "last_of"), _chosen(record, "expected_last")
    own = [0.5, last_share(count, expected, planned=planned)]
    return compare("shares", [statement.share for statement in record.statements], own, within=AGREEMENT)


def _fits_plan(record: Certificate) -> bool:
    """Whether the last snapshot is one that the plan of the first fit has, and as many rows as its bound allows."""
    snapshots, last = record.statements
    count, expected, rows = (_chosen(record, what) for what in ("last_of", "expected_last", "expected_rows"))
    if not all(map(_is_count, (count, expected, rows))) or count < expected or last.n > snapshots.n:
        return False
    extended = "arrival_order" in last.assumptions
    if last.bound == "clopper_pearson":
        return bool(count == expected and last.n == rows and not extended)
    return extended and (count > expected or bool(last.n > rows))


def _chosen(record: Certificate, what: str) -> Any:
    """Return what was chosen under a name, if it was chosen without the judged rows; None if not."""
    free = ("given", "learning_rows", "schedule")
    return next((each.value for each in record.choices if each.what == what and each.where in free), None)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _check_value(record: Certificate, statement: Statement, known: Limits | None) -> Check:
    found, lower = evaluate_limits(statement, record.delta / record.candidates) if known is None else known
    below = statement.value > statement.risk + _SLACK if statement.side == "lower" else False
    above = not statement.value >= statement.risk - _SLACK if statement.side != "lower" else False
    if statement.n and (below or above):
        return Check("floor", held=False, claimed=statement.value, found=statement.risk)
    if (lower is None) != (statement.lower is None):
        return Check("value", held=False, claimed=statement.lower, found=lower)
    first = compare("value", statement.value, found, within=AGREEMENT)
    return first if lower is None or not first.held else compare("value", statement.lower, lower, within=AGREEMENT)


def _check_consequences(statement: Statement) -> Check:
    allowed = SUBJECTS[statement.about].consequences
    for each in statement.consequences:
        if (each.about, each.rule) not in allowed:
            return Check("consequence", held=False, claimed=f"{each.about}:{each.rule}")
        found = consequence_value(statement.value, each.rule, statement.side)
        if not (check := compare("consequence", each.value, found, within=AGREEMENT)).held:
            return check
    return Check("consequence", held=True)


def _check_claims(record: Certificate, statement: Statement, measured: bool) -> Check:
    """Procedure, subject, bound, reference, divergence, rates and assumptions have to go together."""
    subject, bound, reference = SUBJECTS[statement.about], bounds.get(statement.bound), statement.reference
    if reference is not None:
        bounds.require_sound("Certificate", bound, reference.kind, None)
    complaints = {
        "procedure": record.procedure not in subject.procedures,
        "order": _is_order_unknown(record),
        "bound": statement.bound not in subject.bounds
        if subject.bounds is not None
        else not (bound.uses_kl and bound.reads_summary),
        "divergence": statement.kl != 0.0 and not (subject.has_divergence and bound.uses_kl),
        "reference": not _own_references(record, statement),
        "source": subject.has_source
        if statement.source is None
        else not is_own_source(record, statement, statement.source),
        "draws": (subject.has_draws or statement.drawn is not None) and not is_own_network(record, statement),
        "picks": statement.about == PICKED and not is_own_pick(record, statement),
        "rates": not _own_rates(record, statement),
        "quantity": not _own_quantity(statement),
        "sequence": (statement.is_step or statement.about in SEQUENCE_SUBJECTS)
        and not is_own_sequence(record, statement),
        "steps": statement.bound in RECURSIVE_BOUNDS and not is_own_recursion(record, statement),
        "rows": (statement.group is not None or bool(statement.groups)) and not own_rows(record, statement),
        "scale": not (measured and _own_scale(record, statement)),
        "assumptions": not _own_assumptions(record, statement),
    }
    wrong = next((code for code, so in complaints.items() if so), None)
    return Check("claims", wrong is None, claimed=wrong)


def _own_quantity(statement: Statement) -> bool:
    """Whether the quantity is one of the library's, stated of a predictor that has it, by a bound made for it."""
    known = QUANTITIES.get(statement.quantity)
    if known is None or (known.about is not None and statement.about not in known.about):
        return False
    pairs = (known.is_difference, SUBJECTS[statement.about].is_pair, bool(statement.compared))
    if any(pairs) and not (all(pairs) and _own_pair(statement)):
        return False
    sided = statement.side == ("both" if statement.groups else known.side)
    labelled = (statement.label is not None) == known.has_label
    return sided and labelled and (known.bounds is None or statement.bound in known.bounds)


def _own_pair(statement: Statement) -> bool:
    """Whether two predictors are compared on all rows, each under a name of its own."""
    names = statement.compared
    return len(names) == 2 and len({*names, ""}) == 3 and statement.group is None and not statement.groups


def _own_scale(record: Certificate, statement: Statement) -> bool:
    """Whether the scale is the one that was chosen, once: beforehand, which is assumed, or on learning rows."""
    parameter = QUANTITIES[statement.quantity].parameter
    if parameter is None:
        return statement.scale is None
    chosen = [each for each in record.choices if each.what == parameter]
    if len(chosen) != 1 or statement.scale is None or chosen[0].value != statement.scale:
        return False
    if not is_own_parameter(record, parameter, statement.scale):
        return False
    if chosen[0].where == "given":
        return "scale_before" in statement.assumptions
    rows, learning = _chosen(record, f"{parameter}_rows"), _chosen(record, "learning_rows")
    return chosen[0].where == "learning_rows" and _is_count(rows) and _is_count(learning) and bool(rows <= learning)


def _are_parameters_used(record: Certificate) -> bool:
    """Whether everything that losses may be measured by, and that was chosen, measures a loss of some statement."""
    used = {QUANTITIES[each.quantity].parameter for each in record.statements if each.quantity in QUANTITIES}
    return {each.what for each in record.choices if each.what in _PARAMETERS} <= used


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
    if SUBJECTS[statement.about].is_pair and statement.anytime:
        needed = needed | {"arrival_order"}
    wrong = {"later_iid", "iid"} <= given or record.in_order != ("later_iid" in given)
    return needed <= given <= set(ASSUMPTIONS) and not wrong


def _own_references(record: Certificate, statement: Statement) -> bool:
    """Whether references are as the library takes them: none, one whose strength was chosen before, or a portfolio's.

    The strengths, weights and share of a portfolio are the library's own, at most around a recorded rate (see
    :func:`_own_rates`), and not recorded, so that none can be forged.
    """
    reference, kinds = statement.reference, statement.references
    if reference is None and not kinds:
        return statement.bound not in _PORTFOLIOS
    if not SUBJECTS[statement.about].has_divergence:
        return False
    if reference is None:
        return statement.bound in _PORTFOLIOS and set(kinds) <= _KINDS and len(kinds) <= _MOST_REFERENCES
    alone = not kinds and not SUBJECTS[statement.about].is_kept
    return alone and reference.split == _SPLIT and bool(_chosen(record, "strength") == reference.strength)


def _own_rates(record: Certificate, statement: Statement) -> bool:
    """Whether rates are the library's own grid, or one that was chosen without the judged rows."""
    if not _bets(statement):
        return statement.rates is None
    subject = SUBJECTS[statement.about]
    if isinstance(statement.rates, str):
        anytime = statement.bound == "betting" if subject.is_pair else subject.anytime
        return statement.rates == ("all_n" if anytime else "one_n")
    alone = statement.reference is None and subject.has_divergence
    return alone and statement.rates is not None and _chosen(record, "rate") == statement.rates


def _bets(statement: Statement) -> bool:
    names = [statement.bound, *([] if statement.reference is None else [statement.reference.bound])]
    return any({"rates", "planned"} & set(bounds.get(name).statistics) for name in names)


def _check_observed(record: Certificate, statement: Statement) -> Check:
    """Check what follows from the definition of what was observed."""
    if statement.compared:
        wrong = wrong_comparison(statement, record.delta / record.candidates)
    elif statement.source is not None:
        wrong = wrong_disagreements(statement)
    elif statement.drawn is not None:
        wrong = wrong_draws(statement)
    elif statement.is_step:
        wrong = wrong_steps(record, statement)
    elif statement.has_parts:
        wrong = wrong_parts(statement)
    elif bounds.get(statement.bound).reads_own_numbers:
        wrong = _wrong_numbers(statement) or wrong_votes(record, statement)
    elif "errors" in statement.observed:
        wrong = _wrong_counts(record, statement)
    elif statement.n == 0:
        wrong = "names"
    elif "block_means" in statement.observed:
        wrong = wrong_blocks(statement, record.delta / record.candidates)
    else:
        wrong = _wrong_growth(record, statement)
    return Check("observed", wrong is None, claimed=wrong)


def _wrong_numbers(statement: Statement) -> str | None:
    """A bound's own numbers are all recorded; besides them at most the observed share of errors, which is shown."""
    if statement.about == PICKED:
        return wrong_picks(statement)
    if statement.bound in RECURSIVE_BOUNDS:
        return wrong_recursion(statement)
    own, given = set(bounds.get(statement.bound).numbers), statement.observed
    if not own <= set(given) <= own | {"risk"}:
        return "names"
    return None if 0.0 <= float(given.get("risk", 0.0)) <= 1.0 else "risk"


def _wrong_counts(record: Certificate, statement: Statement) -> str | None:
    given, n, subject = statement.observed, statement.n, SUBJECTS[statement.about]
    plain = statement.reference is None and not statement.references
    expected_names = {"errors"} if plain else set(_COUNTED)
    if set(given) != expected_names | ({"log_ratio"} if subject.is_kept else set()):
        return "names"
    errors = float(given["errors"])
    if not 0.0 <= errors <= n:
        return "errors"
    if (subject.is_kept or not subject.has_divergence) and not errors.is_integer():
        return "whole"
    if subject.is_kept and not is_own_draw(record, statement):
        return "log_ratio"
    return None if plain else _wrong_references(statement, errors)


def _wrong_references(statement: Statement, errors: float) -> str | None:
    """Numbers of errors of references are whole, and those in common lie between what is least and most possible."""
    given, n, kinds = statement.observed, statement.n, statement.references
    shape = (len(kinds),) if kinds else ()
    against, both = (np.asarray(given[name], dtype=float) for name in ("reference_errors", "both"))
    if against.shape != shape or both.shape != shape:
        return "references"
    least, most = np.maximum(0.0, errors + against - n), np.minimum(errors, against)
    whole = bool(np.all((against == np.round(against)) & (against >= 0.0) & (against <= n)))
    whole = whole and (not SUBJECTS[statement.about].is_kept or bool(np.all(both == np.round(both))))
    inside = bool(np.all((both >= least - _SLACK * n) & (both <= most + _SLACK * n)))
    return None if whole and inside else "both"


def _wrong_growth(record: Certificate, statement: Statement) -> str | None:
    """Check means of ``log(1 - rate x)`` that were recorded in place of losses."""
    given = statement.observed
    if set(given) != {"risk", "log_growth"} or statement.bound != "betting" or statement.quantity != "loss":
        return "names"
    rates, _ = rates_of(statement.rates, statement.n, record.delta / record.candidates)
    growth = np.asarray(given["log_growth"], dtype=float)
    return None if is_growth_possible(float(given["risk"]), growth, rates) else "growth"
