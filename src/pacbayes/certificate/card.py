"""A certificate as a card in a notebook: one fragment of HTML with a style of its own, no script, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from pacbayes._core.plain import mark_code
from pacbayes.certificate.notices import find_empty, notice_words
from pacbayes.certificate.number_words import number_rows, remark_rows
from pacbayes.certificate.shown import further_words, shown_statements
from pacbayes.certificate.statement_words import left_out_words
from pacbayes.certificate.words import (
    assumption_words,
    choice_words,
    confidence_words,
    gain_words,
    headline_subject,
    headline_value,
    limit_words,
    risk_words,
    sentences,
    subject_noun,
)

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["as_card"]

_SIGNS = {"upper": "≤ ", "lower": "≥ ", "both": "≤ "}


def as_card(certificate: Certificate) -> str:
    """Return the card: the number, the sentences, what was observed, remarks, and the rest folded.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.card import as_card
    >>> card = as_card(pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5))
    >>> '<span class="pb-number">≤ 5.19 %</span>' in card, "<script" in card
    (True, False)
    """
    first, about = certificate.statements[0], headline_subject(certificate)
    sign = "" if first.compared else _SIGNS[first.side]
    number, unit = escape(limit_words(first, headline_value(certificate))), _inline(subject_noun(first, about))
    body = [
        f'<p class="pb-headline"><span class="pb-number">{sign}{number}</span> <span class="pb-unit">{unit}</span></p>'
    ]
    body += [f'<p class="pb-notice">{escape(notice_words(each))}</p>' for each in find_empty(certificate)]
    statements, left_out = shown_statements(certificate)
    for said, statement in zip(sentences(certificate, statements), statements, strict=True):
        body += [f'<p class="pb-sentence">{_inline(said)}</p>', _pairs("tiles", _tiles(certificate, statement))]
    body += [f"<p>{further_words(statements, left_out)}</p>"] if left_out else []
    body += [f"<p>{_inline(each)}</p>" for each in gain_words(certificate)]
    body += _remarks([text for _, text in remark_rows(certificate)])
    body += [
        _folded("What has to be true", _items(assumption_words(certificate))),
        _folded("The numbers", _pairs("numbers", number_rows(certificate))),
        _folded("What was chosen, and where", _items(map(choice_words, certificate.choices))),
    ]
    return f'<div class="pacbayes-certificate"><style>{_style()}</style>{"".join(body)}</div>'


@cache
def _style() -> str:
    """Return the style of the card: each rule names it, so that nothing else on the page changes."""
    return files("pacbayes.certificate").joinpath("card.css").read_text(encoding="utf-8")


def _tiles(certificate: Certificate, statement: Statement) -> list[tuple[str, str]]:
    """Return the few numbers that stand beside a sentence."""
    source = statement.source
    rows = [("judged rows" if left_out_words(statement) is None else "rows left out, at least", f"{statement.n:,}")]
    if source is not None:
        rows = [("judged rows", f"{source.n:,}"), ("unlabelled rows", f"{statement.n:,}")]
    return [*rows, ("observed", risk_words(statement)), ("confidence", confidence_words(certificate.delta))]


def _remarks(texts: list[str]) -> list[str]:
    return [f'<div class="pb-remarks">{_items(texts)}</div>'] if texts else []


def _folded(title: str, inside: str) -> str:
    return f"<details><summary>{title}</summary>{inside}</details>"


def _items(texts: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{_inline(each)}</li>' for each in texts)}</ul>"


def _pairs(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    inside = "".join(f"<div><dt>{escape(term)}</dt><dd>{_inline(text)}</dd></div>" for term, text in pairs)
    return f'<dl class="pb-{name}">{inside}</dl>'


def _inline(text: str) -> str:
    return mark_code(text, '<code class="pb-code">')
