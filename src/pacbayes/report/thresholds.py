"""The section on a threshold that was certified: errors at all that were tested, and the one that was kept."""

from __future__ import annotations

from collections.abc import Sequence

from pacbayes._core.units import observed_text, percent_text
from pacbayes.certificate import Certificate, Statement
from pacbayes.certificate.statement_words import vacuous_words
from pacbayes.report.charts import draw_shares
from pacbayes.report.contents import Data

__all__ = ["draw_thresholds", "list_thresholds"]

_AXES = {"answers": "share of judged rows that are answered", "shifted": "thresholds that were tested, from the lowest"}
_SHOWN = 12  # rows of the table


def list_thresholds(certificate: Certificate) -> Data:
    """Return the errors at each threshold that was tested as a picture and a table."""
    first = certificate.statements[0]
    rows, errors = first.observed["rows_along"], first.observed["errors_along"]
    chosen = _spread(len(rows), int(first.observed["passed"]))
    return {
        "chart": draw_thresholds(first),
        "words": _words(certificate, first),
        "answers": first.about == "answers",
        "target": percent_text(first.target or 0.0),
        "points": [(rows[each], rows[-1], errors[each], _mark(first, each), _share(first, each)) for each in chosen],
    }


def _words(certificate: Certificate, statement: Statement) -> str:
    passed, steps = int(statement.observed["passed"]), len(statement.observed["rows_along"])
    tested = (
        f"{steps} thresholds were fixed on the learning rows and tested one after another on the judged rows, each "
        f"only if the one before it had passed; {passed} passed."
    )
    return f"{tested} {vacuous_words(certificate, statement) or 'The last of them is used.'}"


def _share(statement: Statement, step: int) -> str:
    rows = statement.observed["rows_along"][step]
    return observed_text(statement.observed["errors_along"][step] / rows, None, None) if rows else "no rows"


def _mark(statement: Statement, step: int) -> str:
    passed = int(statement.observed["passed"])
    if step == passed - 1:
        return "passed, and is used"
    return "passed" if step < passed else ("failed" if step == passed else "was not reached")


def _spread(steps: int, passed: int) -> list[int]:
    """Return some of the thresholds: evenly, and those about the one that was kept."""
    evenly = {round(each * (steps - 1) / max(_SHOWN - 1, 1)) for each in range(_SHOWN)}
    return sorted(each for each in evenly | {passed - 1, passed} if 0 <= each < steps)


def draw_thresholds(statement: Statement) -> str:
    """Return the share of errors at each threshold as SVG, with the target and the threshold that was kept.

    Examples
    --------
    >>> from pacbayes.certificate import Statement
    >>> from pacbayes.report.thresholds import draw_thresholds
    >>> along = {"rows_along": [100, 200, 400], "errors_along": [0, 4, 40], "passed": 2}
    >>> one = Statement(about="answers", n=200, observed=along, bound="clopper_pearson", target=0.05)
    >>> chart = draw_thresholds(one)
    >>> chart.count("<polyline"), chart.count("<circle")
    (1, 1)
    """
    points, passed = _points(statement), int(statement.observed["passed"])
    kept = passed - 1 if passed else None
    axis, label = _AXES.get(statement.about, ""), _label(statement, points)
    return draw_shares(points, kept, statement.target or 0.0, axis=axis, label=label)


def _points(statement: Statement) -> list[tuple[float, float]]:
    """Return where on the axis each threshold is, and its share of errors."""
    rows: Sequence[int] = statement.observed["rows_along"]
    errors: Sequence[int] = statement.observed["errors_along"]
    shares = [count / each if each else 0.0 for count, each in zip(errors, rows, strict=True)]
    if statement.about == "answers":
        return list(zip([each / max(rows[-1], 1) for each in rows], shares, strict=True))
    return [((step + 1) / len(rows), share) for step, share in enumerate(shares)]


def _label(statement: Statement, points: Sequence[tuple[float, float]]) -> str:
    """Return what the picture shows, for those who do not see it."""
    passed = int(statement.observed["passed"])
    if not passed:
        return "No threshold passed."
    at, error = points[passed - 1]
    where = f"{observed_text(at, None, None)} of the judged rows answered" if statement.about == "answers" else "it"
    return (
        f"Errors by threshold. The one that is used: {where}, {observed_text(error, None, None)} observed, certified "
        f"at most {percent_text(statement.target or 0.0)}."
    )
