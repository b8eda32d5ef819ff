"""Certify your own network in twenty lines: a PyTorch module, rows, and an upper limit on its true error.

`CertifiedNetwork` trains the module on a first part of the rows and is evaluated on the rest, where the exact binomial
limit holds. The network is saved as plain data and safetensors; whoever has the folder and the rows can judge it again.
The twenty lines are those of `main`, without the picture. Needs `pip install "pacbayes[torch]"`.

    python examples/certify_your_network.py [certify-your-network.png]
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from torch import nn

from pacbayes.torch import CertifiedNetwork, Training, load, verify

SHOWN = 12


def make_network() -> nn.Module:
    """Return a small convolutional network for images of 8 x 8 pixels."""
    return nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)),
        nn.Conv2d(1, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(512, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def draw(model: CertifiedNetwork, X: np.ndarray, y: np.ndarray, file: Path) -> None:
    """Draw the judged digits that are misclassified, under what is certified."""
    judged = model.order_[model.n_learning_ :]
    wrong = judged[model.predict(X[judged]) != y[judged]]
    figure, axes = plt.subplots(1, SHOWN, figsize=(7.2, 1.5), layout="constrained")
    for panel, row in zip(axes, [*wrong, *[None] * SHOWN], strict=False):
        panel.axis("off")
        if row is not None:
            panel.imshow(X[row].reshape(8, 8), cmap="gray_r")
            panel.set_title(f"{y[row]}, not {model.predict(X[[row]])[0]}", fontsize=7)
    limit = f"{math.ceil(1000 * model.certificate_.value) / 10:.1f} %"  # a limit is rounded up
    counted = f"misclassified: {wrong.size} of {judged.size} judged digits"
    figure.suptitle(f"{counted}; certified at 95 % confidence: at most {limit} of all", fontsize=10)
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    """Train, certify, save, load and verify a network."""
    X, y = load_digits(return_X_y=True)
    X = (X / 16).astype(np.float32)
    training = Training(epochs=25, batch_size=64, learning_rate=3e-3)
    model = CertifiedNetwork(make_network, training=training, split=0.6, random_state=0).fit(X, y)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "network"
        model.save(folder)
        same = bool((load(folder, make_network).predict(X) == model.predict(X)).all())
        held = bool(verify(folder, X, y, module=make_network))
    print(model.certificate_.sentence())
    print(f"loaded, it predicts the same: {same}; judged again from folder and rows, the certificate holds: {held}")
    draw(model, X, y, Path(sys.argv[1] if len(sys.argv) > 1 else "certify-your-network.png"))


if __name__ == "__main__":
    main()
