"""The page: sections in their order, filled with numbers of the library and words, everything from outside escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from pacbayes._core.notes import Note
from pacbayes._core.plain import mark_code
from pacbayes.certificate import Certificate, find_notices, notice_words
from pacbayes.certificate.unsayable import words_or_verdict
from pacbayes.certificate.words import plain_sentence
from pacbayes.report import phrases
from pacbayes.report.contents import Contents, Section
from pacbayes.report.sections import READER, STATISTICIAN
from pacbayes.report.values import SplitCost, delta_values

if TYPE_CHECKING:
    import jinja2

__all__ = ["render"]

_BARE = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Certificate</title></head>'
    "<body><h1>Certificate</h1><p>{}</p></body></html>\n"
)


def render(
    certificate: Certificate,
    *,
    about: Mapping[str, str] | None = None,
    columns: Sequence[Mapping[str, object]] = (),
    baseline: Mapping[str, float] | None = None,
    trivial: Mapping[str, str | float] | None = None,
    notes: Sequence[Note | str] = (),
    curve: Mapping[str, Sequence[float]] | None = None,
    split: SplitCost | None = None,
    hardest: Sequence[Mapping[str, object]] = (),
    commands: Sequence[tuple[str, str]] = (),
) -> str:
    r"""Return a report on a certificate as one HTML page that needs no network.

    Parameters
    ----------
    certificate : Certificate
        What the report is about.
    about : mapping, optional
        What to say about data and model: names and values.
    columns : sequence of mapping
        "name", "kind", "missing" and "distinct" of each column.
    baseline : mapping, optional
        What a hold-out would have given: "value", "n" and "errors".
    trivial : mapping, optional
        The most common class: "label", and the "share" of rows that it misclassifies.
    notes : sequence of Note or str
        What was noticed about the data, besides the certificate's own notes; a sentence stays as it is.
    curve : mapping, optional
        The anytime bound: "n", "observed" and "bound".
    split : SplitCost, optional
        The learning curve that a split was chosen by, and a second model that was trained on all rows.
    hardest : sequence of mapping
        Rows to show as the hardest examples: "row", "label", "predicted" and "values". Pass none to show none.
    commands : sequence of (text, command)
        How to verify.

    Returns
    -------
    str
        The page; everything given is shown as text.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.report import render
    >>> page = render(pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5), about={"model": "<script>"})
    >>> "at most 5.19 %" in page, "<script>(function" in page, "&lt;script&gt;" in page
    (True, True, True)
    """
    _environment()  # without jinja2 there is no page of anything
    has_transfer = split is not None and split.has_transfer
    return words_or_verdict(
        certificate,
        lambda: _render_page(
            Contents(
                certificate=certificate,
                deltas=[] if certificate.statements[0].compared else delta_values(certificate),
                about=about or {},
                columns=columns,
                baseline=baseline,
                trivial=trivial,
                notes=notes,
                notices=find_notices(certificate, trivial, has_transfer=has_transfer),
                curve=curve,
                split=split,
                hardest=hardest,
                commands=commands,
            )
        ),
        _BARE.format,
    )


def _render_page(contents: Contents) -> str:
    certificate = contents.certificate
    page = _environment().get_template("page.html")
    return page.render(
        certificate=certificate,
        headline=phrases.Headline.of(certificate),
        sentence=plain_sentence(certificate),
        notices=[notice_words(each) for each in contents.notices],
        verdict=phrases.verdict_words(certificate),
        often="" if phrases.says_nothing(certificate) else phrases.often_words(certificate.delta),
        reader=_fill_sections(READER, contents),
        statistician=_fill_sections(STATISTICIAN, contents),
        style=_environment().get_template("page.css").render(),
        script=_environment().get_template("page.js").render(),
    )


def _fill_sections(sections: Sequence[Section], contents: Contents) -> list[dict[str, str]]:
    """Return name, title and HTML of each section that has something to show."""
    filled = []
    for section in sections:
        data = section.fill(contents)
        if data is not None:
            body = _environment().get_template(f"{section.name}.html").render(data)
            filled.append({"name": section.name, "title": section.title, "body": body})
    return filled


@cache
def _environment() -> jinja2.Environment:
    try:
        import jinja2  # noqa: PLC0415
        from markupsafe import Markup  # noqa: PLC0415  (which jinja2 brings)
    except ImportError:
        raise ImportError("A report needs jinja2. Install pacbayes[report].") from None
    # everything is escaped but for what the templates mark safe: charts, whose words are escaped where they are drawn,
    # the sections, which come from this same environment, and script and style, in which nothing is filled in
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pacbayes.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["csp_hash"] = _hash_for_policy
    environment.filters["tie"] = lambda text: text.replace(" %", "\u00a0%")  # a sign stays with its number
    environment.filters["code"] = lambda text: Markup(mark_code(text))  # noqa: S704  (it escapes)
    return environment


def _hash_for_policy(text: str) -> str:
    """Return how a Content-Security-Policy names an inline script or style: by the very text between its tags."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
