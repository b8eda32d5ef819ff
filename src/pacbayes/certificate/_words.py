"""A certificate in words: one sentence, a small table, and the same as HTML."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pacbayes.certificate._certificate import Certificate

__all__ = ["as_html", "as_table", "rounded_up", "sentence"]

GAIN = "The number holds for all lengths"  # listed with the assumptions, but a gain and not a condition
_LOSSES = {"zero_one": "error"}


def rounded_up(value: float, digits: int = 4) -> str:
    """Return a bound as text, rounded up so that it stays one."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_CEILING))


def _percent(delta: float) -> str:
    """Return the confidence, rounded down: 95 %, 99.9 %."""
    share = (100 * (1 - Decimal(repr(delta)))).quantize(Decimal("0.0001"), rounding=ROUND_FLOOR)
    return f"{share.normalize():f} %"


def sentence(certificate: Certificate) -> str:
    """Return the guarantee as one sentence that names the predictor."""
    what = _LOSSES.get(certificate.loss, f"loss ({certificate.loss})")
    text = (
        f"With probability at least {_percent(certificate.delta)} over the data, the true {what} of "
        f"{certificate.predictor} is at most {rounded_up(certificate.value)}"
    )
    if certificate.vote_rule == "twice" and certificate.vote_value is not None:
        text += f", and that of their vote, which `predict` returns, at most {rounded_up(certificate.vote_value)}"
    return text + "."


def rows(certificate: Certificate) -> list[tuple[str, str]]:
    """Return the small table: what the number is made of."""
    given: dict[str, Any] = dict(certificate.statistics)
    lines = [("value", rounded_up(certificate.value))]
    if certificate.vote_value is not None:
        lines.append(("vote", rounded_up(certificate.vote_value)))
    lines.append(("confidence", f"{_percent(certificate.delta)} (delta {certificate.delta:g})"))
    if certificate.share < 1.0:
        lines.append(("share", f"{certificate.share:.4g} of delta; the rest is for statements that hold along with it"))
    if certificate.candidates > 1:
        lines.append(("candidates", f"{certificate.candidates}, delta shared among them"))
    lines.append(("examples", f"{certificate.n}, the rows that the bound is computed on"))
    if "risk" in given:
        lines.append(("observed", _decimal(given["risk"])))
    lines.append(("divergence", f"{certificate.kl:.4g} nats from prior to posterior"))
    name = certificate.bound if certificate.reference_bound is None else f"{certificate.bound} of the excess"
    lines.append(("bound", name))
    if certificate.reference_bound is not None:
        kind, strength, loss = (given.get(name) for name in ("reference_kind", "strength", "reference"))
        words = f"{kind}, strength {_decimal(strength)}, loss {_decimal(loss)}, {certificate.reference_bound}"
        lines.append(("reference", words))
    lines += [("note", note) for note in certificate.notes]
    return lines


def as_table(certificate: Certificate) -> str:
    """Return the table as aligned text, the assumptions below it."""
    lines = [f"  {name:<11} {text}" for name, text in rows(certificate)]
    conditions = [each for each in certificate.assumptions if not each.startswith(GAIN)]
    lines += ["  It holds if", *(f"    - {condition}" for condition in conditions)]
    lines += [f"  {gain}" for gain in certificate.assumptions if gain not in conditions]
    return "\n".join(lines)


def as_html(certificate: Certificate) -> str:
    """Return sentence, table, choices and assumptions as a fragment of HTML; everything is escaped."""
    table = "".join(
        f"<tr><th style='text-align:left'>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in rows(certificate)
    )
    assumptions = "".join(f"<li>{escape(each)}</li>" for each in certificate.assumptions)
    chosen = "".join(
        f"<li>{escape(c.what)}: {escape(_short(c.value))} ({escape(c.where)}; paid: {escape(c.paid)})</li>"
        for c in certificate.choices
    )
    return (
        f"<div class='pacbayes-certificate'><p><strong>{escape(sentence(certificate))}</strong></p>"
        f"<table>{table}</table><details><summary>It holds if</summary><ul>{assumptions}</ul></details>"
        f"<details><summary>What was chosen, and where</summary><ul>{chosen}</ul></details></div>"
    )


def _decimal(value: Any) -> str:
    """Return a number with four decimals; whatever else an unverified certificate holds, as it is."""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _short(value: str | float | None) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
