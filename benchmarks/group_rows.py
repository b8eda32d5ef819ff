"""How many rows a group needs where delta is shared by many: for a limit without an error, and the limit on 5,000 rows.

Half of delta is for the groups, in even shares; without groups all of it is for the one statement. No data are needed.
"""

from __future__ import annotations

import math

from pacbayes.bounds import clopper_pearson

from _tables import print_table

DELTA, ROWS, WRONG = 0.05, 5000, 0.02
GROUPS = (1, 20, 500, 2000, 10_000)
LIMITS = {"50 %": 0.5, "10 %": 0.1, "1 %": 0.01, "0.1 %": 0.001}


def count_rows(limit: float, share: float) -> int:
    """Return the least number of rows without an error whose exact limit is below this one."""
    rows = math.ceil(math.log(share) / math.log1p(-limit))
    return rows if float(clopper_pearson(0.0, rows, share)) <= limit else rows + 1


def main() -> None:
    table = []
    for groups in GROUPS:
        share = DELTA if groups == 1 else 0.5 * DELTA / groups
        limit = float(clopper_pearson(WRONG * ROWS, ROWS, share))
        counts = (f"{count_rows(each, share):,}" for each in LIMITS.values())
        table.append(("1, all rows" if groups == 1 else f"{groups:,}", *counts, f"{100 * limit:.2f} %"))
    print_table("group-rows", ("groups", *LIMITS, f"limit on {ROWS:,} rows, {100 * WRONG:g} % of them wrong"), table)


if __name__ == "__main__":
    main()
