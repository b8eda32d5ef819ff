"""Tables as text, Markdown and LaTeX."""

from __future__ import annotations

from pacbayes.experiments._tables import Table

__all__ = ["latex", "markdown", "text"]

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _marked(table: Table, before: str, after: str, quote: dict[str, str]) -> list[list[str]]:
    """Return the cells quoted, and those in bold between two marks."""
    rows = []
    for i, row in enumerate(table.rows):
        cells = [_quoted(cell, quote) for cell in row]
        rows.append([before + cell + after if (i, j) in table.bold else cell for j, cell in enumerate(cells)])
    return rows


def _quoted(cell: str, quote: dict[str, str]) -> str:
    return "".join(quote.get(character, character) for character in cell)


def text(table: Table) -> str:
    """Return a table for the console; * marks what is bold elsewhere."""
    rows = [table.header, *_marked(table, "*", "", {})]
    widths = [max(len(row[k]) for row in rows) for k in range(len(table.header))]
    lines = [
        "  ".join(
            cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    rule = "-" * len(lines[0])
    return "\n".join(
        [table.title, rule, lines[0].rstrip(), rule, *(line.rstrip() for line in lines[1:]), rule, *table.notes]
    )


def markdown(table: Table) -> str:
    """Return a table in GitHub's Markdown."""
    quote = {"|": r"\|"}
    rows = [table.header, ["---"] * len(table.header), *_marked(table, "**", "**", quote)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([f"## {table.title}", "", *lines, "", *(f"- {note}" for note in table.notes), ""])


def latex(table: Table) -> str:
    """Return a table for LaTeX with the booktabs package."""
    rows = [" & ".join(row) + r" \\" for row in _marked(table, r"\textbf{", "}", _LATEX)]
    header = " & ".join(_quoted(cell, _LATEX) for cell in table.header) + r" \\"
    caption = _quoted(". ".join([table.title, *(note.rstrip(".") for note in table.notes)]) + ".", _LATEX)
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering\small",
            rf"\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}",
            r"\toprule",
            header,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{caption}}}",
            r"\end{table}",
            "",
        ]
    )
