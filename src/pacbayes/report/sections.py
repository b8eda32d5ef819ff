"""The sections of a report, in their order: one list of titles, templates and what fills them.

To add one: an entry in :data:`SECTIONS` with the function that gives its data, and ``templates/<name>.html``, which is
filled with nothing but these data. A function that returns None leaves its section out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pacbayes import bounds
from pacbayes._core.units import limit_text, part_texts, percent_text
from pacbayes.certificate import QUANTITIES, Certificate, Statement
from pacbayes.certificate.words import (
    choice_words,
    gain_words,
    limit_words,
    portfolio_words,
    risk_words,
    scale_words,
    sentences,
)
from pacbayes.report import phrases
from pacbayes.report.charts import draw_bar, draw_curve, draw_learning
from pacbayes.report.values import DeltaRow, SplitCost, composition

__all__ = ["SECTIONS", "Contents", "Section"]

Data: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a report is made from: all that :func:`pacbayes.report.render` was given, and the values over delta."""

    certificate: Certificate
    deltas: Sequence[DeltaRow]
    about: Mapping[str, str]
    columns: Sequence[Mapping[str, object]]
    baseline: Mapping[str, float] | None
    curve: Mapping[str, Sequence[float]] | None
    hardest: Sequence[Mapping[str, object]]
    commands: Sequence[tuple[str, str]]
    split: SplitCost | None = None

    @property
    def first(self) -> Statement:
        """The statement that the headline is about."""
        return self.certificate.statements[0]


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a report.

    Attributes
    ----------
    name : str
        Of its template, and its anchor in the page.
    title : str
        Its heading.
    fill : callable
        Returns what its template shows, or None where there is nothing to show.
    """

    name: str
    title: str
    fill: Callable[[Contents], Data | None]


def _guarantees(contents: Contents) -> Data:
    certificate = contents.certificate
    every = certificate.statements
    return {
        "sentences": sentences(certificate) if len(every) > 1 else [],  # a single one is in the headline already
        "statements": [_guarantee(each) for each in every],
        "candidates": certificate.candidates,
        "limits": "First minus second" if every[0].compared else "At most",
        "gains": gain_words(certificate),
    }


def _guarantee(statement: Statement) -> Data:
    covered = [(statement.about, statement.value), *((each.about, each.value) for each in statement.consequences)]
    return {
        "predictors": [(phrases.subject_words(about), limit_words(statement, value)) for about, value in covered],
        "noun": phrases.noun_words(statement),
        "n": statement.n,
        "share": percent_text(statement.share),
    }


def _origin(contents: Contents) -> Data:
    from pacbayes import procedures  # noqa: PLC0415  (scikit-learn comes with it, and numbers alone do not need that)

    made = procedures.get(contents.certificate.procedure).made
    return {"order": phrases.order_words(contents.certificate), "made": made, "about": contents.about}


def _baseline(contents: Contents) -> Data | None:
    given = contents.baseline
    if given is None:
        return None
    return {
        "noun": phrases.noun_words(contents.first),
        "own": limit_words(contents.first, phrases.headline_value(contents.certificate)),
        "shown": limit_words(contents.first, float(given["value"])),
        "n": int(given["n"]),
        "errors": int(given["errors"]),
    }


def _assumptions(contents: Contents) -> Data:
    return {"conditions": phrases.condition_words(contents.certificate)}


def _composition(contents: Contents) -> Data | None:
    first = contents.first
    if first.side != "upper" or not first.n:  # what is bounded from below is not made of parts that add up
        return None
    parts = composition(contents.certificate)
    adds = part_texts([part["adds"] for part in parts], first.value, first.scale, QUANTITIES[first.quantity].power)
    rows = [(part["name"], *phrases.PARTS[part["name"]], shown) for part, shown in zip(parts, adds, strict=True)]
    further = [
        (phrases.RULES[each.rule], limit_words(first, each.value))
        for each in first.consequences
        if each.rule in phrases.RULES
    ]
    return {
        "bar": draw_bar(parts, ", ".join(f"{name} {shown}" for _, name, _, shown in rows)),
        "rows": rows,
        "total": limit_words(first, first.value),
        "further": further,
        "subject": phrases.subject_words(first.about, inside=True),
        "has_reference": first.reference is not None,
        "has_portfolio": bool(first.references),
    }


def _delta(contents: Contents) -> Data | None:
    if not contents.deltas:
        return None
    rows, own = contents.deltas, contents.certificate.delta
    position = next(index for index, row in enumerate(rows) if row["delta"] == own)
    return {
        "rows": rows,
        "position": position,
        "own": rows[position],
        "has_vote": "vote" in rows[position],
        "noun": phrases.noun_words(contents.first),
        "sign": phrases.sign_words(contents.first),
        "subject": phrases.subject_words(contents.first.about, inside=True),
        "several": len(contents.certificate.statements) > 1,
    }


def _stream(contents: Contents) -> Data | None:
    curve = contents.curve
    if not curve or len(curve["n"]) < 2:
        return None
    first = contents.first
    lines = [("guarantee", curve["bound"]), ("observed", curve["observed"])]
    label = f"The guarantee falls from {_limit(curve['bound'][0])} to {_limit(curve['bound'][-1])} over {first.n} rows."
    advice = [phrases.RULES[each.rule].advice for each in first.consequences if each.rule in phrases.RULES]
    return {
        "chart": draw_curve(curve["n"], lines, label=label),
        "subject": phrases.subject_words(first.about, inside=True),
        "advice": advice,
    }


def _limit(value: float) -> str:
    return limit_text(value, None, None)


def _split(contents: Contents) -> Data | None:
    found = contents.split
    if found is None:
        return None
    first = contents.first
    points = [each for each in found.curve if each[2]]
    stop = (found.learned, first.risk, first.value)
    chart = draw_learning(
        [(learned, errors / rows) for learned, errors, rows in points],
        stop,
        found.rows,
        label=phrases.learning_words(found, stop),
    )
    refit = [] if found.refit is None else [phrases.refit_row(found.refit, found.rows)]
    return {
        "chart": chart if len(points) > 1 else "",
        "words": phrases.split_words(found),
        "models": [phrases.certified_row(first, found.learned), *refit],
        "sentence": phrases.refit_sentence(found.refit),
        "points": [(*each, phrases.share_words(each)) for each in points] if len(points) > 1 else [],
    }


def _hardest(contents: Contents) -> Data | None:
    return {"rows": contents.hardest} if contents.hardest else None


def _checking(contents: Contents) -> Data:
    return {"commands": contents.commands}


def _details(contents: Contents) -> Data:
    certificate = contents.certificate
    return {
        "facts": [
            ("Delta", percent_text(certificate.delta)),
            ("Settings compared (candidates)", str(certificate.candidates)),
        ],
        "statements": [_details_of(each) for each in certificate.statements],
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
        parameter = str(QUANTITIES[statement.quantity].parameter).replace("_", " ")
        facts.append((parameter.capitalize(), scale_words(statement)))
    if any(entry.uses_kl for entry in entries):
        facts.append(("Divergence from prior to posterior (KL)", f"{statement.kl:.6g} nats"))
    facts += [
        (words, phrases.count_words(statement.observed[name]))
        for name, words in phrases.OBSERVED.items()
        if name in statement.observed
    ]
    if statement.rates is not None:
        facts.append(("Rates", phrases.rates_words(statement)))
    if statement.reference is not None:
        facts.append(
            ("Reference", f"{statement.reference.kind}, strength {percent_text(statement.reference.strength)}")
        )
    if statement.source is not None:
        source = statement.source
        facts.append(
            ("Certified model", f"{source.errors} errors on {source.n} rows, {percent_text(source.split)} of the share")
        )
    facts += [("Reference", words) for words in portfolio_words(statement)]
    return {
        "subject": phrases.subject_words(statement.about),
        "description": entries[0].description,
        "facts": facts,
        "recorded": _recorded(statement),
    }


def _recorded(statement: Statement) -> list[tuple[str, str]]:
    """Return the numbers in full, as certificate.json has them, which a reader shows as code."""
    limit = [] if statement.scale is None else [("limit", repr(statement.limit))]
    return [("value", repr(statement.value)), *limit]


SECTIONS = (
    Section("guarantees", "What is guaranteed", _guarantees),
    Section("origin", "How it was made", _origin),
    Section("baseline", "Beside the usual hold-out test", _baseline),
    Section("split", "What the split of the rows cost", _split),
    Section("assumptions", "What has to be true", _assumptions),
    Section("composition", "What the number is made of", _composition),
    Section("delta", "If another confidence had been chosen", _delta),
    Section("stream", "How it fell as rows came in", _stream),
    Section("hardest", "The hardest examples", _hardest),
    Section("checking", "How to check it", _checking),
    Section("details", "For the statistician", _details),
)
