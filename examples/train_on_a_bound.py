"""Training on a bound: the gradient of a PAC-Bayes bound chooses the posterior.

A bound for all posteriors at once may be minimised like a training loss, and what it says at the minimum is still true.
A tenth of the rows give the prior; a Gaussian around it is then moved by L-BFGS along the gradient of Maurer's bound on
the others. Risk falls, the divergence from the prior rises, and their trade-off is the bound itself.

    python examples/train_on_a_bound.py [train-on-a-bound.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import pacbayes as pb
from pacbayes.posteriors import GaussianFamily

N, D, DELTA = 2000, 20, 0.05


class BoundObjective:
    """Maurer's bound on rows, as a function of a posterior's parameters, with its gradient."""

    def __init__(self, family: GaussianFamily, X: np.ndarray, signs: np.ndarray) -> None:
        self.family, self.losses = family, family.losses_on(X, signs)

    def __call__(self, parameters: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the bound and its gradient, by the chain rule over risk and divergence."""
        losses, pull = self.losses(parameters)
        kl, kl_gradient = self.family.kl(parameters)
        n = len(losses)
        value, slope = pb.bounds.maurer(losses.mean(), kl, n, DELTA, return_grad=True)
        return float(value), slope["risk"] * pull(np.full(n, 1.0 / n)) + slope["kl"] * kl_gradient

    def parts(self, parameters: np.ndarray) -> tuple[float, float, float]:
        """Return bound, risk and divergence."""
        return self(parameters)[0], float(self.losses(parameters)[0].mean()), self.family.kl(parameters)[0]


def draw(steps: list[tuple[float, float, float]], file: Path) -> None:
    """Draw the bound and the risk over the steps, the divergence beside them."""
    bounds, risks, divergences = zip(*steps, strict=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.2), layout="constrained")
    left.plot(bounds, color="#d1495b", lw=2, label="bound on the true error")
    left.plot(risks, color="#4c78a8", lw=2, label="error on the rows, over the posterior")
    left.set(ylim=(0, None), xlabel="steps of L-BFGS", ylabel="error")
    left.legend(frameon=False, loc="lower left")
    right.plot(divergences, color="#16202e", lw=2)
    right.set(ylim=(0, None), xlabel="steps of L-BFGS", ylabel="divergence from the prior, nats")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=110)


def main() -> None:
    """Learn a prior, optimise the posterior, and say what it gained."""
    sample = pb.datasets.make_known_risk(N, D, random_state=0)
    X, signs = sample.X, 2.0 * sample.y - 1.0
    centre = pb.RefittedLogistic(1.0).fit(X[: N // 10], sample.y[: N // 10]).weights_
    family = GaussianFamily.around(pb.Gaussian(centre, 0.3, intercept=True))
    objective = BoundObjective(family, X[N // 10 :], signs[N // 10 :])
    path = [np.zeros(centre.size + 1)]
    minimize(objective, path[0], jac=True, method="L-BFGS-B", callback=lambda each: path.append(each.copy()))
    steps = [objective.parts(each) for each in path]
    draw(steps, Path(sys.argv[1] if len(sys.argv) > 1 else "train-on-a-bound.png"))
    print(f"the bound falls from {steps[0][0]:.4f} at the prior to {steps[-1][0]:.4f} in {len(steps) - 1} steps")


if __name__ == "__main__":
    main()
