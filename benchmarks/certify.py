"""What a certificate costs: a certified fit against a plain scaled logistic regression, one thread, in one run.

Both are solved to a mean gradient of 1e-7. Adult's rows, and a million synthetic ones with overlapping classes. Memory
is the peak during the fit, data included, over the size of the data.
"""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import pacbayes as pb

from _tables import print_table
from _timing import best_time, verdict

TARGETS = {"defaults": 15.0, "alpha given": 5.0}
MEMORY = 3.0


def adult() -> tuple[np.ndarray, np.ndarray]:
    X, y = pb.datasets.load("adult", "sound", return_X_y=True)
    return np.ascontiguousarray(X, dtype=float), np.asarray(y)


def million() -> tuple[np.ndarray, np.ndarray]:
    sample = pb.datasets.make_known_risk(1_000_000, d=30, law="logistic", separation=1.0, random_state=0)
    return sample.X, sample.y


def plain(X: np.ndarray, y: np.ndarray) -> Any:
    model = LogisticRegression(C=1.0, tol=1e-7, max_iter=10_000)
    return make_pipeline(StandardScaler(), model).fit(X, y)


def certified(X: np.ndarray, y: np.ndarray, **options: Any) -> Any:
    return pb.CertifiedLogisticRegression(random_state=0, **options).fit(X, y)


def peak_memory(X: np.ndarray, y: np.ndarray, **options: Any) -> float:
    """Return the peak of a certified fit, data included, relative to the data."""
    tracemalloc.start()
    certified(X, y, **options)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (peak + X.nbytes) / X.nbytes


def main() -> None:
    warnings.simplefilter("ignore", pb.CertificateWarning)
    rows = []
    with threadpool_limits(1):
        for name, load, repeats in (("Adult", adult, 3), ("synthetic", million, 2)):
            X, y = load()
            ratios, memories = [], []
            baseline = best_time(lambda X=X, y=y: plain(X, y), repeats)
            print(f"{name}: plain scaled LogisticRegression {baseline:.2f} s")
            cases = {
                "defaults": {},
                "alpha given": {"alpha": 1.0},
                "bound='betting'": {"bound": "betting"},
                "betting, alpha given": {"bound": "betting", "alpha": 1.0},
            }
            for label, options in cases.items():
                ratio = best_time(lambda X=X, y=y, o=options: certified(X, y, **o), repeats) / baseline
                memory = peak_memory(X, y, **options)
                ratios.append(f"{ratio:.1f}")
                memories.append(memory)
                target = TARGETS.get(label, TARGETS["alpha given" if "alpha" in label else "defaults"])
                met = verdict(ratio <= target and memory <= MEMORY)
                print(
                    f"  {label:22s} {ratio:6.2f} times its cost (target {target:g}), peak memory {memory:.2f} times "
                    f"the data (target {MEMORY:g}): {met}"
                )
            size = "1e6" if len(y) == 1_000_000 else str(len(y))
            used = f"{min(memories):.1f} to {max(memories):.1f}"
            rows.append((f"{name}, {size} x {X.shape[1]}", *ratios, used))
    print_table("cost", ("", "time, defaults", "alpha given", "betting", "betting, alpha given", "memory"), rows)


if __name__ == "__main__":
    main()
