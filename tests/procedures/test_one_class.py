"""Rows of a single class: a prediction that is no class among them is an error all the same."""

import numpy as np
import pytest

import pacbayes as pb


class Constant:
    def __init__(self, label):
        self.label = label

    def predict(self, X):
        return np.full(len(X), self.label)


ROWS = np.random.default_rng(0).normal(size=(60, 2))
KINDS = {
    "whole": (np.zeros(60, dtype=int), 1),
    "byte": (np.full(60, 255, dtype=np.uint8), 7),
    "truth": (np.ones(60, dtype=bool), False),
    "fraction": (np.full(60, 3.0), 4.0),
    "text": (np.full(60, "yes"), "no"),
    "object": (np.full(60, "yes", dtype=object), "no"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_is_misclassified(kind):
    labels, other = KINDS[kind]
    right, wrong = Constant(labels[0]), Constant(other)
    assert pb.certify(right, ROWS, labels).statements[0].observed == {"errors": 0}
    certificate = pb.certify(wrong, ROWS, labels)
    assert certificate.statements[0].observed == {"errors": 60}
    assert certificate.value == 1.0
    with pytest.warns(pb.CertificateWarning, match="no label of these rows: 60"):  # or it is written in another way
        assert pb.compare(wrong, right, ROWS, labels).statements[0].observed["unsteady"] == 60
    wrong.classes_ = right.classes_ = np.array([labels[0], other])
    assert pb.compare(wrong, right, ROWS, labels).statements[0].observed["only_first"] == 60
