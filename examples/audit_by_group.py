"""An audit by group: error and recall of each group, and the largest difference, at one delta.

The model does not see the column that it is audited by: the groups go beside the rows. Each group has a limit of its
own, on its own judged rows, and all of them hold together with probability at least 95 %. The fewer rows a group has,
the wider its limit; one with too few says how many it would need. The same from a shell:

    pacbayes certify people.csv --target hired --drop region --group region --metric recall:yes --difference

    python examples/audit_by_group.py [audit-by-group.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import pacbayes as pb
from pacbayes.certificate.statement_table import list_statements
from pacbayes.certificate.words import limit_words
from pacbayes.metrics import group_values

SHARES = {"north": 0.3, "east": 0.25, "south": 0.2, "west": 0.14, "coast": 0.08, "hills": 0.025, "islands": 0.005}


def make_people(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return scores, who was hired, and regions, in two of which the scores say less."""
    rng = np.random.default_rng(seed)
    region = rng.choice([*SHARES], rows, p=[*SHARES.values()])
    hired = np.where(rng.random(rows) < 0.4, "yes", "no")
    signal = np.where(np.isin(region, ["coast", "hills"]), 1.2, 2.6)
    frame = {f"score {k}": rng.normal(size=rows) + signal * (hired == "yes") / 2 for k in (1, 2, 3)}
    return pd.DataFrame(frame), hired, region


def draw(axes: Axes, certificate: pb.Certificate, name: str) -> None:
    """Draw the groups of a metric as a certificate lists them: the worst limit first, those without rows last."""
    rows = [row for row in list_statements(certificate) if row.metric == name and not row.statement.groups]
    for place, row in enumerate(rows):
        each = row.statement
        start, end = (each.value, 1.0) if each.side == "lower" else (0.0, each.value)
        axes.barh(place, end - start, left=start, height=0.6, color="#f3d3cf" if row.remark else "#cfe0f3")
        axes.plot([each.risk], [place], "o", color="#1f4e79", markersize=5)
        axes.annotate(row.remark, (0.5, place + 0.15), ha="center", fontsize=8)
    axes.set_yticks(range(len(rows)), [f"{row.rows.removeprefix('region = ')} ({row.n})" for row in rows])
    axes.set(xlim=(0.0, 1.0), ylim=(len(rows) - 0.4, -0.6))
    side = "at least" if rows[0].statement.side == "lower" else "at most"
    axes.set_title(f"{name}: {side}, and observed")


def main() -> None:
    """Certify, say the largest difference, and draw the groups."""
    X, y, region = make_people(9000, seed=0)
    model = pb.CertifiedClassifier(metrics=("error", "recall:yes"), differences=True, random_state=0)
    certificate = model.fit(X, y, grouping=group_values("audit", {"region": region})).certificate_
    figure, panels = plt.subplots(1, 2, figsize=(10.5, 3.6), layout="constrained")
    for axes, name in zip(panels, ("error", "recall:yes"), strict=True):
        draw(axes, certificate, name)
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else Path("audit-by-group.png"), dpi=110)
    plt.close(figure)
    for each in certificate.differences:
        limit = limit_words(each, each.value)
        print(f"The {each.name} differs by at most {limit} between {len(each.groups)} regions.")


if __name__ == "__main__":
    main()
