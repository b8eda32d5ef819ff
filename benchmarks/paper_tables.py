"""The tables of docs/reproduction.md, and with --rivals those of docs/rivals.md: hours on one core.

    python benchmarks/paper_tables.py [--rivals] [--repeats 20] [--datasets haberman,adult] [--jobs 2]

Where TABLES_FOLDER names a folder, as `make tables` does, cells are kept there, and a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pacbayes import reproduction
from pacbayes.reproduction.presentations import presentation_of
from pacbayes.reproduction.result_tables import Table

from _tables import print_table

NAMES = {  # of the tables in the pages, in the order in which a study makes them
    "paper": ("paper-published", "paper-corrected", "paper-portfolio", "paper-methods", "paper-errata"),
    "rivals": (
        "rivals-summary",
        "rivals-certificates-small",
        "rivals-certificates-large",
        "rivals-tests",
        "rivals-deterministic",
        "rivals-rows",
        "rivals-seconds",
    ),
}


def cells(table: Table) -> list[list[str]]:
    """Return the cells, those in bold between marks."""
    rows = (enumerate(row) for row in table.rows)
    return [[f"**{cell}**" if (i, j) in table.bold else cell for j, cell in row] for i, row in enumerate(rows)]


def main() -> None:
    """Run a study, and print its tables by their names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rivals", action="store_true")
    parser.add_argument("--repeats", type=int, help="by default 20, of the rivals 10")
    parser.add_argument("--datasets", help="by default all eight")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    study = "rivals" if given.rivals else "paper"
    kept = os.environ.get("TABLES_FOLDER")
    folder = Path(kept) / study if kept else None
    results = reproduction.run(
        given.datasets.split(",") if given.datasets else None,
        given.repeats,
        study=study,
        folder=folder,
        resume=folder is not None and folder.exists(),
        n_jobs=given.jobs,
        progress=True,
    )
    tables = presentation_of(results).make_tables(results)
    names = NAMES[study]
    if len(tables) != len(names):
        print(f"{len(tables)} tables instead of {len(names)}: of all data sets there are as many as in the page")
    for name, table in zip(names, tables, strict=False):
        print_table(name, table.header, cells(table))


if __name__ == "__main__":
    main()
