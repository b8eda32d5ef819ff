"""The page: a template filled with numbers of the library and words, everything from outside escaped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from pacbayes.bounds import catalogue
from pacbayes.certificate import Certificate
from pacbayes.certificate._words import rounded_up
from pacbayes.report import _charts, _words
from pacbayes.report._values import composition, delta_values

__all__ = ["render"]


def render(
    certificate: Certificate,
    *,
    about: Mapping[str, str] | None = None,
    columns: Sequence[Mapping[str, Any]] = (),
    baseline: Mapping[str, Any] | None = None,
    trivial: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    curve: Mapping[str, Sequence[float]] | None = None,
    hardest: Sequence[Mapping[str, Any]] = (),
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
        The most common answer: "label", and the "share" of rows on which it would be wrong.
    notes : sequence of str
        What was noticed about the data, besides the certificate's own notes.
    curve : mapping, optional
        The anytime bound: "n", "observed" and "bound".
    hardest : sequence of mapping
        Rows to show as the hardest examples: "row", "label", "predicted" and "values". Give none to show none.
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
    >>> page = render(pb.holdout_certificate([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5), about={"model": "<script>"})
    >>> "at most 0.0519" in page, "<script>\n" in page, "&lt;script&gt;" in page
    (True, True, True)
    """
    percent, verdict = _words.verdict(certificate)
    comparison, warning = _words.comparison(certificate, trivial)
    return str(
        _template().render(
            certificate=certificate,
            sentence=certificate.sentence(),
            percent=percent,
            verdict=verdict,
            comparison=comparison,
            warning=warning,
            notes=[*certificate.notes, *notes],
            predictors=_words.predictor_words(certificate),
            holds_if=_words.holds_if(certificate),
            how_made=_words.how_made(certificate),
            facts=_words.facts(certificate),
            about=dict(about or {}),
            columns=list(columns),
            parts=_parts(certificate),
            baseline=_baseline(baseline),
            chart=_anytime(curve, certificate),
            hardest=list(hardest),
            commands=list(commands),
            slider=_embedded(delta_values(certificate)),
            rows=delta_values(certificate),
            description=_description(certificate),
        )
    )


@cache
def _template() -> Any:
    try:
        import jinja2  # noqa: PLC0415
    except ImportError:
        raise ImportError("A report needs jinja2. Install pacbayes[report].") from None
    # autoescape is on for the whole page; what is marked safe is made of numbers by this package
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.from_string(files("pacbayes.report").joinpath("template.html").read_text(encoding="utf-8"))


def _embedded(value: Any) -> Any:
    """Return JSON that may stand inside a script element."""
    import markupsafe  # noqa: PLC0415

    text = json.dumps(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return markupsafe.Markup(text)  # noqa: S704  (numbers of the library, and no angle brackets)


def _safe(svg: str) -> Any:
    import markupsafe  # noqa: PLC0415

    return markupsafe.Markup(svg)  # noqa: S704  (made by _charts, which escapes its words)


def _parts(certificate: Certificate) -> dict[str, Any]:
    if "risk" not in certificate.statistics:
        return {}
    parts = composition(certificate)
    rows = [
        {"key": part["name"], "name": _words.PARTS[part["name"]][0], "why": _words.PARTS[part["name"]][1]}
        | {"adds": adds}
        for part, adds in zip(parts, _adding_up(parts, certificate.value), strict=True)
    ]
    label = ", ".join(f"{row['name']} {row['adds']}" for row in rows)
    return {"rows": rows, "total": rounded_up(certificate.value), "bar": _safe(_charts.bars(parts, label))}


def _adding_up(parts: Sequence[Mapping[str, Any]], total: float) -> list[str]:
    """Return the parts as text, the last one such that they add up to the total as it is shown."""
    shown = [Decimal(f"{part['adds']:.4f}") for part in parts]
    shown[-1] = Decimal(rounded_up(total)) - sum(shown[:-1], Decimal(0))
    return [f"{part:.4f}" for part in shown]


def _baseline(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if given is None:
        return None
    return {"shown": rounded_up(float(given["value"])), "n": int(given["n"]), "errors": int(given["errors"])}


def _anytime(curve: Mapping[str, Sequence[float]] | None, certificate: Certificate) -> Any:
    if not curve or len(curve["n"]) < 2:
        return None
    lines = [("guarantee", curve["bound"]), ("observed", curve["observed"])]
    label = f"The guarantee falls from {curve['bound'][0]:.3f} to {curve['bound'][-1]:.3f} over {certificate.n} rows."
    return _safe(_charts.curve(curve["n"], lines, label=label))


def _description(certificate: Certificate) -> str:
    return {record.name: record.description for record in catalogue()}.get(certificate.bound, "")
