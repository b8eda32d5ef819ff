"""A distribution of 2-D points with three classes on a finite grid, so that the true error of any network is a sum."""

import numpy as np
import torch
from scipy.special import ndtr, softmax
from torch import nn

_SIDE = np.linspace(-2.0, 2.0, 15)
POINTS = np.stack(np.meshgrid(_SIDE, _SIDE), axis=-1).reshape(-1, 2).astype(np.float32)
# more points in the middle, and classes that no straight lines divide
WEIGHTS = softmax(-0.5 * (POINTS.astype(float) ** 2).sum(axis=1))
LABELS = softmax(4.0 * np.column_stack([POINTS[:, 0], -POINTS[:, 0], POINTS[:, 1] ** 2 - 1.0]).astype(float), axis=1)
_NODES = np.linspace(-9.0, 9.0, 181)
_NODE_WEIGHTS = np.exp(-0.5 * _NODES**2) / np.sqrt(2.0 * np.pi) * (_NODES[1] - _NODES[0])
_DRAWS = 2000


def sample(n, seed):
    """Return rows and labels, drawn independently."""
    generator = np.random.default_rng(seed)
    places = generator.choice(len(POINTS), n, p=WEIGHTS)
    return POINTS[places], (generator.random(n)[:, None] > LABELS[places].cumsum(axis=1)).sum(axis=1).clip(max=2)


def true_error(answers):
    """Return the error of a predictor that says each class with these probabilities at each point."""
    return float(WEIGHTS @ (1.0 - (LABELS * answers).sum(axis=1)))


def fixed_answers(predictions):
    """Return the probabilities of a predictor without chance."""
    return np.eye(3)[predictions]


def make_network():
    """Return a network of 2, 8 and 3 units."""
    return nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))


def _part(gaussian, name):
    return gaussian.means[name].double().numpy(), gaussian.scales[name].double().numpy()


def last_layer_answers(module, gaussian):
    """Return the probability of each class, by the trapezium rule, which is accurate to many digits here."""
    with torch.no_grad():
        hidden = module[1](module[0](torch.from_numpy(POINTS))).double().numpy()
    (weight, spread), (bias, bias_spread) = _part(gaussian, "2.weight"), _part(gaussian, "2.bias")
    means, scales = hidden @ weight.T + bias, np.sqrt(hidden**2 @ spread.T**2 + bias_spread**2)
    found = np.empty_like(means)
    for own in range(3):
        scores = means[:, own, None] + scales[:, own, None] * _NODES
        below = [ndtr((scores - means[:, c, None]) / scales[:, c, None]) for c in range(3) if c != own]
        found[:, own] = (below[0] * below[1]) @ _NODE_WEIGHTS
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-6)
    return found


def drawn_answers(gaussian, seed):
    """Return the share of each class among whole networks drawn from a Gaussian over both layers."""
    generator, drawn = np.random.default_rng(seed), {}
    for name in gaussian.names:
        mean, scale = _part(gaussian, name)
        drawn[name] = mean + scale * generator.standard_normal((_DRAWS, *mean.shape))
    hidden = np.maximum(np.matmul(POINTS.astype(float), drawn["0.weight"].swapaxes(1, 2)) + drawn["0.bias"][:, None], 0)
    logits = np.matmul(hidden, drawn["2.weight"].swapaxes(1, 2)) + drawn["2.bias"][:, None]
    return np.eye(3)[logits.argmax(axis=2)].mean(axis=0)
