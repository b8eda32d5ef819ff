"""Several statements about one predictor as a table: what each bounds, on which rows, by how much of delta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacbayes._core.plain import visible
from pacbayes._core.units import limit_text
from pacbayes.certificate.shares import family_of
from pacbayes.certificate.shown import MANY_GROUPS, further_words, is_lacking, shown_statements
from pacbayes.certificate.statement_words import group_name, short_of_rows, vacuous_words
from pacbayes.certificate.words import confidence_words, limit_words, risk_words, sentence, sentences

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["StatementRow", "claim_lines", "list_statements", "opening_lines", "record_statements", "statement_lines"]

HEADINGS = ("metric", "rows", "limit", "observed", "judged rows", "of delta", "")
_LONGEST = 48
_MOST_WARNINGS = 3
_SIDES = {"upper": "≤", "lower": "≥", "both": "≤"}
_GROUPS = "{count} of {all} statements about groups say little or nothing: see the last column of the table."
_MANY = "{count} of {all} statements about groups say little or nothing: these groups have too few rows."


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A statement as a row of texts.

    Attributes
    ----------
    metric, rows, limit, observed, n, share, remark : str
        What is bounded, on which rows, from which side by which limit, what was observed on how many rows, which part
        of delta it has, and how many rows it would need if it has too few.
    statement : Statement
        Itself.
    """

    metric: str
    rows: str
    limit: str
    observed: str
    n: str
    share: str
    remark: str
    statement: Statement

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts, in the order of the columns."""
        return self.metric, self.rows, self.limit, self.observed, self.n, self.share, self.remark


def list_statements(certificate: Certificate, statements: Sequence[Statement] | None = None) -> list[StatementRow]:
    """Return statements, by default all, as rows: by metric all rows, the difference, groups, the worst limit first.

    Groups of which nothing is certified come last.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.statement_table import list_statements
    >>> y = [0, 1] * 100
    >>> certificate = pb.certify_predictions(y, y, groups=["a"] * 198 + ["b"] * 2)
    >>> [(row.rows, row.limit, row.remark) for row in list_statements(certificate)]
    [('all rows', '≤ 1.83 %', ''), ('group = a', '≤ 2.19 %', ''), ('group = b', '≤ 88.82 %', 'needs 7 rows')]
    """
    listed = certificate.statements if statements is None else statements
    names = list(dict.fromkeys(each.name for each in listed))
    order = {"all": 0, "difference": 1, "group": 2}

    def place(each: Statement) -> tuple[int, int, bool, float]:
        worst = each.value if each.side == "lower" else -each.value
        return names.index(each.name), order[family_of(each)], is_lacking(certificate, each), worst

    return [_row(certificate, each) for each in sorted(listed, key=place)]


def _row(certificate: Certificate, statement: Statement) -> StatementRow:
    limit = f"{_SIDES.get(statement.side, '?')} {limit_words(statement, statement.value)}"
    if statement.lower:
        limit += f", ≥ {limit_text(statement.lower, None, None, 'lower')}"
    return StatementRow(
        metric=_cut(visible(statement.name)),
        rows=_rows(statement),
        limit=limit,
        observed=risk_words(statement),
        n=str(statement.n),
        share=f"{100.0 * statement.share:.3g} %",
        remark=_remark(certificate, statement),
        statement=statement,
    )


def _rows(statement: Statement) -> str:
    if statement.groups:
        return f"difference of {len(statement.groups)} groups"
    return "all rows" if statement.group is None else _cut(group_name(statement.group))


def _remark(certificate: Certificate, statement: Statement) -> str:
    needed = short_of_rows(certificate, statement)
    if needed is not None and statement.target is None:  # a threshold needs more rows than that, as its words say
        return f"needs {needed} rows"
    return "nothing certified" if statement.is_vacuous else ""


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def statement_lines(certificate: Certificate) -> list[str]:
    r"""Return the table as aligned lines, headings first; of hundreds of groups the worst and the best.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.statement_table import statement_lines
    >>> certificate = pb.certify_predictions([0, 1] * 100, [0, 1] * 100, metrics=("error", "recall:1"))
    >>> print(*statement_lines(certificate), sep="\n")
    metric    rows      limit      observed  judged rows  of delta
    error     all rows  ≤ 1.83 %        0 %          200      50 %
    recall:1  all rows  ≥ 96.37 %     100 %          100      50 %
    """
    table = [HEADINGS, *(row.cells for row in list_statements(certificate, shown_statements(certificate)[0]))]
    widths = [max(len(cells[column]) for cells in table) for column in range(len(HEADINGS))]
    return [_line(cells, widths) for cells in table]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    right = {3, 4, 5}
    texts = [
        f"{cell:>{width}}" if column in right else f"{cell:<{width}}"
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(texts).rstrip()


def opening_lines(certificate: Certificate) -> list[str]:
    """Return the first sentence, and of which metrics nothing is certified, and of how many groups."""
    first, warnings = certificate.statements[0], _warning_lines(certificate)
    is_said = first.target is not None and vacuous_words(certificate, first) is not None  # that no threshold was found
    return warnings if is_said else [sentence(certificate), *warnings]


def _warning_lines(certificate: Certificate) -> list[str]:
    whole = [each for each in certificate.statements if each.group is None]
    said = [words for each in whole if (words := vacuous_words(certificate, each)) is not None]
    groups = [each for each in certificate.statements if each.group is not None]
    lacking = [each for each in groups if is_lacking(certificate, each)]
    words = _MANY if len(groups) > MANY_GROUPS else _GROUPS
    return said[:_MOST_WARNINGS] + ([words.format(count=len(lacking), all=len(groups))] if lacking else [])


def claim_lines(certificate: Certificate) -> list[str]:
    """Return all that a certificate states: its sentences, or the first of them and a table of several."""
    if not certificate.is_listed:
        return sentences(certificate)
    together = f"All of the following hold together with probability at least {confidence_words(certificate.delta)}:"
    table, (shown, left_out) = [f"  {line}" for line in statement_lines(certificate)], shown_statements(certificate)
    further = ["", further_words(shown, left_out)] if left_out else []
    return [*opening_lines(certificate), "", together, "", *table, *further]


def record_statements(certificate: Certificate) -> list[dict[str, Any]]:
    """Return the statements for machines: what each is about, its limit, and how many rows it would need if too few."""
    return [
        {
            "metric": each.name,
            "group": None if each.group is None else dict(each.group),
            "groups": [dict(group) for group in each.groups],
            "side": each.side,
            "value": each.value,
            "lower": each.lower,
            "limit": each.limit,
            "observed": each.risk if each.n else None,
            "n": each.n,
            "share": each.share,
            "vacuous": each.is_vacuous,
            "rows_needed": short_of_rows(certificate, each),
        }
        for each in certificate.statements
    ]
