"""Tables of numbers as the pages have them: printed between marks by which ``tools/tables.py`` finds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["decimal", "print_table", "table"]


def decimal(value: float, digits: int = 4) -> str:
    """Return a number with so many digits and without a zero before the point, as the pages have them."""
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1.0 else f"{value:.{digits}f}"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown; every row has a cell for each head."""
    lines = [_line(heads), f"|{'---|' * len(heads)}"]
    for row in rows:
        if len(row) != len(heads):
            raise ValueError(f"A row must have {len(heads)} cells. Got {len(row)} instead.")
        lines.append(_line(row))
    return "\n".join(lines)


def _line(cells: Sequence[object]) -> str:
    return "|" + "".join(f" {each} |" if each != "" else " |" for each in cells)


def print_table(name: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table of the pages by its name."""
    print(f"\n<!-- table: {name} -->\n{table(heads, rows)}\n<!-- end -->", flush=True)
