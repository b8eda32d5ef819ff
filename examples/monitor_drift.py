"""One of four cameras moves by a pixel: an alarm says that the certificate is no longer true, and since when.

A classifier of handwritten digits is certified and put to use. After 3000 images a camera moves, and more images are
misclassified. `Monitor` looks after every image; its alarm is false with a probability of at most 1 %, however long
the stream. In a shell: `pacbayes watch losses.txt --certificate FOLDER --alarm 0.01`.

    python examples/monitor_drift.py [monitor-drift.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import pacbayes as pb

GOOD, ROWS, STEP = 3000, 4500, 25
COLOURS = {"recent": "#1d5bb5", "level": "#d1495b", "change": "#66717f"}


def main() -> None:
    """Certify on one half of the digits, watch images drawn from the other, and draw what the monitor saw."""
    X, y = load_digits(return_X_y=True)
    order, rng = np.random.default_rng(0).permutation(y.size), np.random.default_rng(1)
    learned, used = order[:1200], order[1200:]
    model = pb.CertifiedClassifier(LogisticRegression(max_iter=2000), random_state=0).fit(X[learned], y[learned])

    rows = rng.choice(used, ROWS)
    images = X[rows].reshape(-1, 8, 8)
    images[GOOD::4] = np.roll(images[GOOD::4], 1, axis=2)  # the camera has moved
    losses = model.predict(images.reshape(-1, 64)) != y[rows]

    monitor = pb.Monitor(model.certificate_, alpha=0.01, window=300)
    seen, recent, evidence = [], [], []
    for start in range(0, ROWS, STEP):
        monitor.update(losses[start : start + STEP])
        seen.append(len(monitor))
        recent.append(monitor.recent())
        evidence.append(monitor.log_evidence / np.log(10))
    alarm = monitor.alarm

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.2, 4.6), sharex=True, layout="constrained")
    limits = [100 * np.array([getattr(each, side) for each in recent]) for side in ("lower", "observed", "upper")]
    top.fill_between(seen, limits[0], limits[2], color=COLOURS["recent"], alpha=0.2, lw=0)
    top.plot(seen, limits[1], color=COLOURS["recent"], label="last 300 images, with limits")
    top.axhline(100 * monitor.value, color=COLOURS["level"], ls="--", label="certified")
    top.set(ylim=(0, 40), ylabel="misclassified, percent")
    bottom.plot(seen, evidence, color=COLOURS["recent"])
    bottom.axhline(2, color=COLOURS["level"], ls="--")
    bottom.annotate("alarm", (0, 2), xytext=(0, 3), textcoords="offset points", color=COLOURS["level"], fontsize=9)
    bottom.set(ylim=(-2, 8), xlim=(0, ROWS), xlabel="images so far", ylabel="evidence")
    bottom.set_yticks([-2, 0, 2, 4, 6, 8], ["0.01", "1", "100", "$10^4$", "$10^6$", "$10^8$"])
    for axes in (top, bottom):
        axes.axvline(alarm.change, color=COLOURS["change"], ls=":", label="estimated change")
        axes.spines[["top", "right"]].set_visible(False)
    top.legend(frameon=False, fontsize="small", loc="upper left")
    figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else "monitor-drift.png"), dpi=110)
    print(f"alarm at image {alarm.row}: the error exceeds {monitor.value:.3f} since about image {alarm.change}")


if __name__ == "__main__":
    main()
