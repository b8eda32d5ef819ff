"""The second part of a report: statements, bounds, shares of delta, assumptions, choices, digests and citations."""

from __future__ import annotations

from pacbayes import bounds
from pacbayes._core.units import part_texts, percent_text
from pacbayes.certificate import QUANTITIES, Statement
from pacbayes.certificate.shown import further_words, shown_statements
from pacbayes.certificate.words import (
    choice_words,
    drawn_words,
    limit_words,
    portfolio_words,
    risk_words,
    scale_words,
    sentences,
)
from pacbayes.report import phrases
from pacbayes.report.charts import draw_bar
from pacbayes.report.contents import Contents, Data
from pacbayes.report.values import composition

__all__ = ["show_assumptions", "show_composition", "show_delta", "show_details", "show_statements"]


def show_statements(contents: Contents) -> Data:
    """Return every statement as its sentence has it, and as a row with rows, bound and share of delta."""
    certificate = contents.certificate
    shown, left_out = shown_statements(certificate)
    return {
        "sentences": sentences(certificate, shown),
        "statements": [_statement_row(each) for each in shown],
        "left_out": further_words(shown, left_out) if left_out else "",
        "delta": percent_text(certificate.delta),
        "candidates": certificate.candidates,
    }


def _statement_row(statement: Statement) -> Data:
    covered = [(statement.about, statement.value), *((each.about, each.value) for each in statement.consequences)]
    return {
        "predictors": [(phrases.subject_words(about), limit_words(statement, value)) for about, value in covered],
        "noun": phrases.noun_words(statement),
        "observed": risk_words(statement),
        "bound": " + ".join(entry.name for entry in _entries(statement)),
        "n": statement.n,
        "share": percent_text(statement.share),
    }


def show_composition(contents: Contents) -> Data | None:
    """Return what the number is made of: observed, and what each cause adds; nothing for what is bounded from below."""
    first = contents.certificate.statements[0]
    if first.side != "upper" or not first.n or first.target is not None:  # a target is not made of parts
        return None
    parts = composition(contents.certificate)
    adds = part_texts([part["adds"] for part in parts], first.value, first.scale, QUANTITIES[first.quantity].power)
    rows = [(part["name"], *phrases.PARTS[part["name"]], shown) for part, shown in zip(parts, adds, strict=True)]
    following = [each for each in first.consequences if each.rule in phrases.RULES]
    return {
        "bar": draw_bar(parts, ", ".join(f"{name} {shown}" for _, name, _, shown in rows)),
        "rows": rows,
        "total": limit_words(first, first.value),
        "further": [(phrases.RULES[each.rule], limit_words(first, each.value)) for each in following],
        "subject": phrases.subject_words(first.about, inside=True),
        "has_reference": first.reference is not None,
        "has_portfolio": bool(first.references),
    }


def show_delta(contents: Contents) -> Data | None:
    """Return what other confidences would have given; nothing for a difference, or where another threshold passes."""
    if contents.certificate.statements[0].target is not None:
        return None
    rows, own = contents.deltas, contents.certificate.delta
    if not rows:
        return None
    position = next(index for index, row in enumerate(rows) if row["delta"] == own)
    return {
        "rows": rows,
        "position": position,
        "own": rows[position],
        "has_vote": "vote" in rows[position],
        "noun": phrases.noun_words(contents.certificate.statements[0]),
        "sign": phrases.SIDES[contents.certificate.statements[0].side],
        "subject": phrases.subject_words(contents.certificate.statements[0].about, inside=True),
        "several": len(contents.certificate.statements) > 1,
    }


def show_assumptions(contents: Contents) -> Data:
    """Return each assumption in full."""
    return {"conditions": [condition for _, condition in phrases.condition_words(contents.certificate)]}


def show_details(contents: Contents) -> Data:
    """Return statistics, choices, columns, digests, versions and citations."""
    certificate = contents.certificate
    return {
        "facts": [
            ("Delta", percent_text(certificate.delta)),
            ("Settings compared (candidates)", str(certificate.candidates)),
        ],
        "statements": [_details_of(each) for each in shown_statements(certificate)[0]],
        "choices": [choice_words(each) for each in certificate.choices],
        "columns": contents.columns,
        "digests": {**certificate.digests, "certificate": certificate.digest},
        "versions": certificate.versions,
        "citations": list(dict.fromkeys(entry.citation for each in certificate.statements for entry in _entries(each))),
    }


def _entries(statement: Statement) -> list[bounds.Entry]:
    """Return the catalogue's entries of the bounds that a statement rests on."""
    further = (statement.reference, statement.source)
    names = [statement.bound, *(each.bound for each in further if each is not None)]
    names += [] if statement.drawn is None else ["chernoff"]  # on the expected error, given the rows
    return [bounds.get(name) for name in names]


def _details_of(statement: Statement) -> Data:
    entries = _entries(statement)
    facts = [
        ("Guarantee", limit_words(statement, statement.value)),
        ("Bound", " + ".join(entry.name for entry in entries)),
        ("Share of delta", percent_text(statement.share)),
        ("Rows the bound is computed on (n)", str(statement.n)),
        ("Observed", risk_words(statement)),
    ]
    if statement.scale is not None:
        facts.append((str(QUANTITIES[statement.quantity].parameter).capitalize(), scale_words(statement)))
    if drawn := drawn_words(statement):
        facts.append(("Drawn", drawn))
    if any(entry.uses_kl for entry in entries):
        facts.append(("Divergence from prior to posterior (KL)", f"{statement.kl:.6g} nats"))
    return {
        "subject": phrases.subject_words(statement.about),
        "description": entries[0].description,
        "facts": facts + _observed_facts(statement) + _reference_facts(statement),
        "recorded": _recorded(statement),
    }


def _observed_facts(statement: Statement) -> list[tuple[str, str]]:
    known = [(words, name) for name, words in phrases.OBSERVED.items() if name in statement.observed]
    facts = [(words, phrases.count_words(statement.observed[name])) for words, name in known]
    return facts if statement.rates is None else [*facts, ("Rates", phrases.rates_words(statement))]


def _reference_facts(statement: Statement) -> list[tuple[str, str]]:
    facts, reference, source = [], statement.reference, statement.source
    if reference is not None:
        facts.append(("Reference", f"{reference.kind}, strength {percent_text(reference.strength)}"))
    if source is not None:
        words = f"{source.errors} errors on {source.n} rows, {percent_text(source.split)} of the share"
        facts.append(("Certified model", words))
    return facts + [("Reference", words) for words in portfolio_words(statement)]


def _recorded(statement: Statement) -> list[tuple[str, str]]:
    """Return the numbers in full, as certificate.json has them, which a page shows as code."""
    limit = [] if statement.scale is None else [("limit", repr(statement.limit))]
    return [("value", repr(statement.value)), *limit]
