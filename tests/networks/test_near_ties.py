"""Rows whose two best outputs are about the same count as errors, whatever their label."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn

import pacbayes as pb
from pacbayes.torch import CertifiedNetwork, Training
from pacbayes.torch.outputs import TIE, near_ties, probabilities

DIGITS, LABELS = load_digits(return_X_y=True)
IMAGES = (DIGITS / 16).astype(np.float32).reshape(-1, 1, 8, 8)


class Ties(nn.Module):
    """Puts the first column up by the second, above a row of zeros."""

    def __init__(self, factor=1.0):
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(factor))

    def forward(self, rows):
        return torch.stack([rows[:, 0] * self.factor, rows[:, 1]], dim=1)


class TestNearTies:
    def test_tolerance(self):
        scores = np.array([[0.0, 0.9e-4], [0.0, 1.1e-4], [100.0, 100.009], [100.0, 100.011], [-1e3, -1e3 - 0.2]])
        assert near_ties(scores).tolist() == [True, False, True, False, False]
        assert near_ties(scores, 0.0).tolist() == [False] * 5
        assert near_ties(np.array([[np.inf, 0.0], [0.0, -np.inf], [np.nan, 1.0]])).all()
        assert near_ties(np.array([[1.0], [np.nan]])).tolist() == [False, True]
        assert TIE == 1e-4

    def test_they_count_as_errors_whatever_the_label(self):
        rows = np.random.default_rng(0).normal(size=(400, 2)).astype(np.float32)
        labels = (rows[:, 1] > rows[:, 0]).astype(int)
        assert pb.certify(Ties(), rows, labels).statements[0].observed == {"errors": 0}
        close = np.arange(0, 400, 10)
        rows[close, 1] = rows[close, 0] + np.where(labels[close], 5e-5, -5e-5)
        certificate = pb.certify(Ties(), rows, labels, metrics=("error", "precision:1", "recall:0"))
        counted = {each.name: each.observed["errors"] for each in certificate.statements}
        ones = int(labels[close].sum())
        assert counted == {"error": 40, "precision:1": 40, "recall:0": 40 - ones}

    def test_outputs_that_are_not_finite_count_as_errors(self):
        class Odd(Ties):
            def forward(self, rows):
                return torch.where(rows[:, :1] > 1.5, torch.nan, super().forward(rows))

        rows = np.random.default_rng(0).normal(size=(400, 2)).astype(np.float32)
        labels = (rows[:, 1] > rows[:, 0]).astype(int)
        odd = int((rows[:, 0] > 1.5).sum())
        assert odd
        assert pb.certify(Odd(), rows, labels).statements[0].observed == {"errors": odd}
        assert np.isnan(probabilities(np.array([[np.nan, 1.0]]))).all()

    def test_in_a_certified_network(self):
        class Flat(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(64, 10)

            def forward(self, rows):
                return self.layer(rows.flatten(1)) * 1e-7

        model = CertifiedNetwork(Flat, training=Training(epochs=1), split=0.5, random_state=0).fit(IMAGES, LABELS)
        assert model.certificate_.value == 1.0

    def test_only_a_truth_value_per_row_is_taken(self):
        class Liar:
            def predict(self, X):
                return np.zeros(len(X), dtype=int)

            def near_ties(self, _):
                return np.zeros(3)

        with pytest.raises(ValueError, match="near_ties of Liar must tell True or False for each of 20 rows"):
            pb.certify(Liar(), np.zeros((20, 2)), np.zeros(20, dtype=int))
