"""The risk of a Gaussian network as training sees it, and the rate to bet at that learning rows predict by it."""

from __future__ import annotations

import numpy as np
import torch

from pacbayes import bounds
from pacbayes._core.types import IntArray
from pacbayes.certificate import DRAW_SHARE
from pacbayes.procedures.base import Sample
from pacbayes.procedures.prior import predicted_rate
from pacbayes.torch.arrays import code_labels, to_tensor
from pacbayes.torch.descent import DrawnRisk, LastLayerRisk
from pacbayes.torch.draws import DrawnModule
from pacbayes.torch.gaussian_predictor import GaussianPredictor
from pacbayes.torch.layers import features_of

__all__ = ["bound_share", "predict_rate", "risk_on", "training_seeds"]

_ROWS = 1024
_EXPECTED_KL = 3.0  # of a posterior from a prior that learned; it matters little
_STREAM = b"posterior"  # of a sample's seed: what is drawn in training is apart from what is judged


def training_seeds(seed: int) -> tuple[int, int]:
    """Return seeds of draws and of batches in the training of a posterior, from a sample's seed.

    Examples
    --------
    >>> from pacbayes.torch.rates import training_seeds
    >>> training_seeds(0) == training_seeds(0), training_seeds(0) == training_seeds(1)
    (True, False)
    """
    draws, batches = np.random.SeedSequence([seed, *_STREAM]).generate_state(2)
    return int(draws), int(batches)


def bound_share(is_exact: bool) -> float:
    """Return the share of delta that the bound has; the rest is for draws, where there are any."""
    return 1.0 if is_exact else 1.0 - DRAW_SHARE


def risk_on(predictor: GaussianPredictor, sample: Sample, places: IntArray) -> LastLayerRisk | DrawnRisk:
    """Return the risk on rows of these numbers as a function of what is trained, which starts at the prior."""
    device, shape = predictor.device, predictor.shape
    drawn = DrawnModule(predictor.module, predictor.layers, predictor.prior).to(device)
    rows, labels = np.asarray(sample.X), code_labels(sample.y[places], predictor.classes).to(device)

    def take(batch: torch.Tensor) -> torch.Tensor:
        return to_tensor(rows[places[batch.numpy()]], shape).to(device)

    if not predictor.is_exact:
        return DrawnRisk(drawn, take, labels, training_seeds(sample.seed)[0])
    parts = torch.arange(len(places)).split(_ROWS)
    blocks = [features_of(predictor.module, predictor.layers[0], take(part)) for part in parts]
    return LastLayerRisk(drawn, torch.cat(blocks), labels)


def predict_rate(predictor: GaussianPredictor, sample: Sample, count: int, aside: int, delta: float) -> float:
    """Return the best rate at the prior's error on learning rows that the network did not learn from.

    Parameters
    ----------
    predictor : GaussianPredictor
        Of which the prior matters, and what is not drawn.
    sample : Sample
    count : int
        How many rows of the order are learning rows.
    aside : int
        How many of these, the last, were kept aside.
    delta : float
        Of the statement, its share for draws included.
    """
    risk = risk_on(predictor, sample, sample.order[count - aside : count])
    n = len(sample.y) - count
    error = (risk.estimate() * aside + 0.5) / (aside + 1.0)
    if not predictor.is_exact:  # the bound is given the limit of the draws
        error = float(bounds.chernoff(min(error, 1.0), n, delta * DRAW_SHARE))
    return predicted_rate(error, n, delta * bound_share(predictor.is_exact), _EXPECTED_KL)
