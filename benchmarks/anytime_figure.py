"""Draw docs/figures/anytime.png: an online reference's anytime bound beside its true running risk, known here."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import pacbayes as pb

mpl.use("Agg")
import matplotlib.pyplot as plt

N, D, DELTA, STEP = 5000, 10, 0.05, 25


def main() -> None:
    figure, axis = plt.subplots(figsize=(8.5, 5), layout="constrained")
    index = np.arange(1, N + 1)
    for seed in range(3):
        sample = pb.datasets.make_known_risk(N, D, separation=1.0, random_state=seed)
        reference = pb.online_reference(
            pb.RefittedLogistic(), sample.X, sample.y, schedule=pb.Every(STEP), shuffle=False, keep=N // STEP
        )
        true = np.zeros(N)
        for size, model in reference.snapshots:
            true[size : size + STEP] = sample.risk(model.weights_[:-1], model.weights_[-1])
        truth, bound = np.cumsum(true) / index, reference.bound(DELTA)
        observed = np.cumsum(reference.losses) / index
        curves = (
            (bound, "tab:red", 1.5, "bound, valid at all n at once"),
            (truth, "black", 1.5, "true running risk"),
            (observed, "tab:blue", 0.8, "observed running loss"),
        )
        for curve, colour, width, label in curves:
            axis.plot(index, curve, color=colour, linewidth=width, label=None if seed else label)
        below = int(np.sum(bound < truth))
        print(f"run {seed}: bound below truth at {below} of {N} prefixes, last slack {bound[-1] - truth[-1]:.4f}")
    axis.set(xscale="log", xlim=(20, N), ylim=(0, 0.6), xlabel="examples seen", ylabel="average loss of the reference")
    axis.set_title(f"Online logistic regression refitted every {STEP} examples, three streams, delta = {DELTA}")
    axis.legend(frameon=False)
    axis.grid(alpha=0.3)
    target = Path(__file__).resolve().parent.parent / "docs" / "figures" / "anytime.png"
    figure.savefig(target, dpi=110)
    print(f"wrote {target.relative_to(target.parents[2])}")


if __name__ == "__main__":
    main()
