"""A class that none of the judged rows has may still be predicted, and counts where it is."""

import numpy as np

from pacbayes.metrics import FalsePositiveRate, Judged, Precision


def test_predictions_of_a_class_without_rows_are_false_positives():
    judged = Judged(np.array(["no", "no", "no"]), np.array(["yes", "no", "yes"]))
    assert FalsePositiveRate("yes").observe(judged).observed == {"errors": 2}
    assert Precision("yes").observe(judged).observed == {"errors": 2}
