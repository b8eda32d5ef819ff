"""The picture of the README: what is certified on eight data sets, beside a hold-out and the bounds of the paper.

The numbers are those of tables in docs: `pacbayes reproduce` and `benchmarks/any_model.py` make them anew.

    python examples/eight_sets.py [docs/figures/eight-sets.png]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
SERIES = {  # what to call each series, how to draw it, and in which column or row of which page it stands
    "best bound of the paper, as published": ("o", "#9aa3ad"),
    "80/20 hold-out of logistic regression": ("s", "#4c78a8"),
    "pb.CertifiedClassifier()": ("D", "#d1495b"),
}


def read_rows(page: str) -> dict[str, list[float]]:
    """Return the rows of tables on a page that hold numbers alone, by their first cell; of equal names the first."""
    rows: dict[str, list[float]] = {}
    for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
        name, *cells = [cell.strip().strip("*") for cell in line.strip("| ").split(" | ")]
        if len(cells) > 2 and all(re.fullmatch(r"\d?\.\d+", cell) for cell in cells):
            rows.setdefault(name, [float(cell) for cell in cells])
    return rows


def read_table() -> dict[str, list[float]]:
    """Return eight numbers for each of the series."""
    paper, models = read_rows("reproduction.md"), read_rows("choosing.md")
    published = [paper[f"{name} (as published)"] for name in ("Maurer", "UB", "Ours")]
    names = ("haberman", "breast-cancer", "tictactoe", "banknote", "kr-vs-kp", "spambase", "mushroom", "adult")
    columns = ([min(numbers) for numbers in zip(*published, strict=True)], *zip(*map(models.get, names), strict=True))
    return dict(zip(SERIES, map(list, columns), strict=False))


def draw(table: dict[str, list[float]], file: Path) -> None:
    """Draw a row per data set, the certified number boldest."""
    names = ["Haberman", "Breast cancer", "Tic-tac-toe", "Banknote", "kr-vs-kp", "Spambase", "Mushroom", "Adult"]
    mpl.rcParams.update({"font.size": 10, "font.family": "sans-serif", "svg.hashsalt": "pacbayes"})
    figure, axes = plt.subplots(figsize=(8.2, 3.5), layout="constrained")
    for row in range(len(names)):
        best = [table[key][row] for key in SERIES]
        axes.plot([min(best), max(best)], [row, row], color="#e3e6ea", linewidth=3, zorder=1, solid_capstyle="round")
    for key, (marker, colour) in SERIES.items():
        axes.scatter(table[key], range(len(names)), marker=marker, s=40, color=colour, label=key, zorder=2)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xticks([0.001, 0.01, 0.1, 0.5], ["0.1 %", "1 %", "10 %", "50 %"])
    axes.minorticks_off()
    axes.set_xlabel("upper limit on the true error, 95 % confidence (further left is better)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    figure.legend(frameon=False, loc="outside upper center", ncols=3, handletextpad=0.1, columnspacing=1.2)
    figure.savefig(file, dpi=150)
    plt.close(figure)


def main() -> None:
    """Draw the picture and say what is in it."""
    table = read_table()
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "eight-sets.png")
    draw(table, target)
    _, hold_out, ours = table.values()
    below = sum(one <= other for one, other in zip(ours, hold_out, strict=True))
    print(f"certified at or below the hold-out on {below} of 8 data sets: {target}")


if __name__ == "__main__":
    main()
