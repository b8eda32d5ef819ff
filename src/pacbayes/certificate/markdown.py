"""A certificate as a section of a model card: plain Markdown, in which whatever comes from outside is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pacbayes._core.plain import visible
from pacbayes.certificate.notices import find_empty, notice_words
from pacbayes.certificate.number_words import remark_rows
from pacbayes.certificate.shown import further_words, shown_statements
from pacbayes.certificate.statement_words import left_out_words
from pacbayes.certificate.words import (
    assumption_words,
    confidence_words,
    gain_words,
    limit_words,
    risk_words,
    sentences,
    subject_noun,
)

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["as_markdown"]

_DEEPEST = 6
_CODE = ("`predict`", "`predict_last`")  # what our own words have as code
_VERIFY = """```python
import pathlib, pacbayes
print(pacbayes.Certificate.from_json(pathlib.Path("certificate.json")).verify())
```"""


def as_markdown(certificate: Certificate, level: int | None = 2) -> str:
    """Return sentences, a table of limits, remarks, what has to be true and how to verify, under a heading.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.markdown import as_markdown
    >>> text = as_markdown(pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5), None)
    >>> print(text.splitlines()[4])
    | true error of the predictor that made these predictions | 5.19 % | 2.50 % | 200 |
    """
    whole = isinstance(level, int) and not isinstance(level, bool)
    if level is not None and not (whole and 1 <= level <= _DEEPEST):
        raise ValueError(
            f"The 'level' argument of Certificate.to_markdown must be a whole number from 1 to {_DEEPEST}, or None. "
            f"Got {level!r:.40} instead."
        )
    statements, left_out = shown_statements(certificate)
    remarks = [_escape(text) for _, text in remark_rows(certificate)]
    parts = [
        *([] if level is None else [f"{'#' * level} Certificate"]),
        *(f"**{_escape(notice_words(each))}**" for each in find_empty(certificate)),
        *map(_escape, (*sentences(certificate, statements), *gain_words(certificate))),
        _table(statements),
        *([further_words(statements, left_out)] if left_out else []),
        *(["Remarks:", _items(remarks)] if remarks else []),
        "What has to be true:",
        _items([_escape(each) for each in assumption_words(certificate)]),
        "To verify the arithmetic, which needs neither data nor model, run `pacbayes verify certificate.json`, or:",
        _VERIFY,
        _origin(certificate),
    ]
    return "\n\n".join(parts) + "\n"


def _origin(certificate: Certificate) -> str:
    digest = "".join(filter(str.isalnum, certificate.digest))
    return (
        f"Confidence {confidence_words(certificate.delta)} (`delta={certificate.delta:g}`), issued "
        f"{_escape(certificate.created)} by pacbayes {_escape(certificate.versions.get('pacbayes', ''))}; "
        f"SHA-256 of the certificate `{digest}`."
    )


def _table(statements: Sequence[Statement]) -> str:
    """Return a row per statement and per predictor that a statement covers."""
    lines = ["| what is bounded | limit | observed | judged rows |", "|---|---|---|---|"]
    for each in statements:
        alone = left_out_words(each) or f"{each.n}"
        rows = alone if each.source is None else f"{each.source.n}, and {each.n} unlabelled"
        cells = (subject_noun(each), limit_words(each, each.value), risk_words(each), rows)
        lines.append(f"| {' | '.join(map(_escape, cells))} |")
        lines += [
            f"| {_escape(subject_noun(each, further.about))} | {limit_words(each, further.value)} | | {rows} |"
            for further in each.consequences
        ]
    return "\n".join(lines)


def _items(texts: list[str]) -> str:
    return "\n".join(f"- {each}" for each in texts)


def _escape(text: str) -> str:
    r"""Return a text of which Markdown makes nothing but text; the names of our own functions remain code.

    Examples
    --------
    >>> from pacbayes.certificate.markdown import _escape
    >>> print(_escape("`predict` [x](https://y) <b> a|b"))
    `predict` \[x\](https\://y) \<b\> a\|b
    """
    safe = re.sub(r"([\\`*_\[\]<>|~$&#])", r"\\\1", visible(text))
    safe = re.sub(r"(?=://)|(?<=www)(?=\.)", r"\\", safe)  # what some readers make links of
    safe = re.sub(r"^(\s*)([-+]|\d+(?=[.)](\s|$)))", lambda found: f"{found[1]}{_escape_first(found[2])}", safe)
    for name in _CODE:
        safe = safe.replace(re.sub(r"([`_])", r"\\\1", name), name)
    return safe


def _escape_first(mark: str) -> str:
    """Return the start of what would be an item of a list; a dot or bracket follows a number."""
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"
