"""Tables as text, Markdown and LaTeX."""

from __future__ import annotations

from pacbayes.reproduction.result_tables import Table

__all__ = ["render_latex", "render_markdown", "render_text"]

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


def _mark_cells(table: Table, before: str, after: str, quote: dict[str, str]) -> list[list[str]]:
    """Return the cells quoted, and those in bold between two marks."""
    rows = []
    for i, row in enumerate(table.rows):
        cells = [_quote_text(cell, quote) for cell in row]
        rows.append([before + cell + after if (i, j) in table.bold else cell for j, cell in enumerate(cells)])
    return rows


def _quote_text(cell: str, quote: dict[str, str]) -> str:
    return "".join(quote.get(character, character) for character in cell)


def render_text(table: Table) -> str:
    """Return a table for the console; * marks what is bold elsewhere."""
    rows = [table.header, *_mark_cells(table, "*", "", {})]
    widths = [max(len(row[k]) for row in rows) for k in range(len(table.header))]
    lines = [_align_cells(row, widths) for row in rows]
    rule = "-" * len(lines[0])
    return "\n".join(
        [table.title, rule, lines[0].rstrip(), rule, *(line.rstrip() for line in lines[1:]), rule, *table.notes]
    )


def _align_cells(row: list[str], widths: list[int]) -> str:
    """Return the first cell to the left of its column, the others to the right."""
    first, *rest = zip(row, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)])


def render_markdown(table: Table) -> str:
    """Return a table in GitHub's Markdown."""
    quote = {"|": r"\|"}
    rows = [table.header, ["---"] * len(table.header), *_mark_cells(table, "**", "**", quote)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([f"## {table.title}", "", *lines, "", *(f"- {note}" for note in table.notes), ""])


def render_latex(table: Table) -> str:
    """Return a table for LaTeX with the booktabs package."""
    rows = [" & ".join(row) + r" \\" for row in _mark_cells(table, r"\textbf{", "}", _LATEX)]
    header = " & ".join(_quote_text(cell, _LATEX) for cell in table.header) + r" \\"
    caption = _quote_text(". ".join([table.title, *(note.rstrip(".") for note in table.notes)]) + ".", _LATEX)
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
