"""The small table of a certificate: what its numbers are made of, and what else has to be known, as names and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pacbayes._core.plain import name_text, visible
from pacbayes._core.units import percent_text
from pacbayes.certificate.arithmetic import transfer_parts
from pacbayes.certificate.picks import PICKED
from pacbayes.certificate.quantities import QUANTITIES
from pacbayes.certificate.statement import REFIT
from pacbayes.certificate.statement_words import left_out_words
from pacbayes.certificate.subjects import SUBJECTS
from pacbayes.certificate.words import (
    assumption_words,
    confidence_words,
    drawn_words,
    gain_words,
    limit_words,
    note_words,
    portfolio_words,
    risk_words,
    scale_words,
)

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["as_table", "number_rows", "remark_rows", "table_lines"]

_NOT_CERTIFIED = "a second model, refitted on all rows, is not certified by this; `predict` is the certified model"


def number_rows(certificate: Certificate) -> list[tuple[str, str]]:
    """Return what the numbers of a certificate are made of, as names and texts; of several what is common."""
    lines = [("confidence", f"{confidence_words(certificate.delta)} (`delta={certificate.delta:g}`)")]
    if certificate.candidates > 1:
        lines.append(("candidates", f"{certificate.candidates}, delta shared among them"))
    if certificate.is_listed:
        return [*lines, *_common_rows(certificate)]
    several = len(certificate.statements) > 1
    for statement in certificate.statements:
        if statement.compared:
            lines.append(("compared", " with ".join(map(name_text, statement.compared))))
        elif several:
            lines.append(("about", SUBJECTS[statement.about].words.rstrip(",")))
        lines += _statement_rows(statement)
        if statement.source is not None:
            lines += _transfer_rows(statement, certificate.delta / certificate.candidates)
    return lines


def _common_rows(certificate: Certificate) -> list[tuple[str, str]]:
    """Return what several statements, which a table lists one by one, have in common."""
    first = certificate.statements[0]
    used = dict.fromkeys(visible(each.bound) for each in certificate.statements)
    measured = {
        known.parameter: f"{scale_words(each)}, fixed before the judged rows"
        for each in certificate.statements
        if (known := QUANTITIES.get(each.quantity)) is not None and known.parameter is not None
    }
    return [
        ("about", SUBJECTS[first.about].words.rstrip(",")),
        *measured.items(),
        ("examples", f"{first.n}, the rows that the first bound is computed on"),
        ("bound", ", ".join(used)),
    ]


def remark_rows(certificate: Certificate) -> list[tuple[str, str]]:
    """Return what else has to be known: a second model that is not certified, and what was noticed about the data."""
    is_beside = REFIT in certificate.choices and certificate.statements[0].source is None
    refit = [("refit", _NOT_CERTIFIED)] if is_beside else []
    return refit + [("note", note_words(note)) for note in certificate.notes]


def _transfer_rows(statement: Statement, delta: float) -> list[tuple[str, str]]:
    """Return the two bounds that a transfer adds up."""
    source = statement.source
    if source is None:
        return []
    certified, apart = (limit_words(statement, each) for each in transfer_parts(statement, delta))
    disagreements = statement.observed["disagreements"]
    return [
        ("certified", f"{source.errors} errors on {source.n} judged rows of the certified model: {certified}"),
        ("unlabelled", f"{disagreements} disagreements with it on {statement.n} rows: {apart}"),
    ]


def _statement_rows(statement: Statement) -> list[tuple[str, str]]:
    lines = [("value", limit_words(statement, statement.value))]
    known = QUANTITIES.get(statement.quantity)
    if known is not None and known.parameter is not None:
        lines.append((known.parameter, f"{scale_words(statement)}, fixed before the judged rows"))
    lines += [("vote", limit_words(statement, each.value)) for each in statement.consequences if each.about == "vote"]
    if statement.share < 1.0:
        lines.append(("share", f"{percent_text(statement.share)} of delta"))
    if statement.target is not None:
        passed, steps = statement.observed["passed"], len(statement.observed["rows_along"])
        lines.append(("thresholds", f"{passed} of {steps} passed, tested one after another"))
    if statement.source is None:
        rows = left_out_words(statement) or f"{statement.n}, the rows that the bound is computed on"
        lines.append(("examples", rows))
    if statement.about == PICKED:
        lines.append(("picked", f"{statement.observed.get('size')} of these, from which the model learned"))
    lines.append(("observed", risk_words(statement)))
    if SUBJECTS[statement.about].has_draws:
        lines.append(("drawn", drawn_words(statement)))
    if statement.kl > 0.0:
        lines.append(("divergence", f"{statement.kl:.4g} nats from prior to posterior"))
    reference = statement.reference
    bound = visible(statement.bound)
    lines.append(("bound", bound if reference is None else f"{bound} of the excess"))
    if reference is not None:
        loss = f"{statement.observed.get('reference_errors')} errors"
        words = f"{reference.kind}, strength {percent_text(reference.strength)}, {loss}, {visible(reference.bound)}"
        lines.append(("reference", words))
    return lines + [("reference", words) for words in portfolio_words(statement)]


def table_lines(certificate: Certificate) -> list[str]:
    """Return the table as aligned lines, the assumptions below it."""
    rows = (*number_rows(certificate), *remark_rows(certificate))
    lines = [f"  {name:<11} {text}" for name, text in rows]
    lines += ["  It holds if", *(f"    - {condition}" for condition in assumption_words(certificate))]
    return [*lines, *(f"  {gain}" for gain in gain_words(certificate))]


def as_table(certificate: Certificate) -> str:
    """Return the table as aligned text, the assumptions below it."""
    return "\n".join(table_lines(certificate))
