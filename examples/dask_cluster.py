"""A certificate from a Dask cluster: rows are judged where they are, and the certificate is that of rows in memory.

A Dask array of 40,000 rows is cut into chunks of different sizes. Two processes predict the judged rows; what comes
back are two bytes for each of them. The picture shows how often each chunk errs, beside the certified limit.

    python examples/dask_cluster.py [dask-cluster.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes.engines import open_runner

CHUNKS = (2_000, 4_000, 7_000, 6_000, 10_000, 3_000, 8_000)


def main() -> None:
    """Certify on two processes and in memory, compare, and draw the errors of each chunk."""
    sample = pb.datasets.make_known_risk(sum(CHUNKS), d=5, random_state=4)
    X, y = da.from_array(sample.X, chunks=(CHUNKS, 5)), da.from_array(sample.y, chunks=(CHUNKS,))
    model = pb.CertifiedClassifier(LogisticRegression(), split=0.25, random_state=0)
    with open_runner(workers=2) as runner, runner.client.as_current():
        certificate = model.fit(X, y).certificate_
        wrong = model.predict(X) != sample.y
    here = pb.CertifiedClassifier(LogisticRegression(), split=0.25, random_state=0).fit(sample.X, sample.y)
    judged = np.ones(wrong.size, dtype=bool)
    judged[model.order_[: model.n_learning_]] = False

    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    edges = np.cumsum([0, *CHUNKS])
    for start, width in zip(edges, CHUNKS, strict=False):
        part = slice(start, start + width)
        share = 100.0 * wrong[part][judged[part]].mean()
        axes.bar(start / 1000, share, width / 1000 * 0.96, align="edge", color="#1d5bb5", alpha=0.6)
    limit = 100.0 * certificate.value
    axes.axhline(limit, color="#d1495b", label=f"certified: at most {limit:.2f} %")
    axes.axhline(100.0 * sample.best_risk, color="#16202e", ls="--", lw=1, label="the best possible")
    axes.set(xlabel="rows, in thousands; a bar is a chunk", ylabel="errors on judged rows, %", ylim=(0, 1.35 * limit))
    axes.legend(frameon=False, fontsize="small", loc="upper right", ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else "dask-cluster.png"), dpi=100)
    same = certificate.statements == here.certificate_.statements and certificate.digests == here.certificate_.digests
    print(f"{certificate.sentence()} The same as in memory: {same}")


if __name__ == "__main__":
    main()
