"""A predictor of one label."""

from __future__ import annotations

import numpy as np

from pacbayes.learners import OneClass


def test_every_row_gets_the_label_with_certainty():
    model = OneClass("yes")
    assert model.predict(np.zeros((3, 2))).tolist() == ["yes"] * 3
    assert model.predict_proba(np.zeros((3, 2))).tolist() == [[1.0]] * 3
    assert OneClass(2).predict(np.zeros((1, 2))).dtype.kind == "i"
