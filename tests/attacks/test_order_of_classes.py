"""Classes are matched by position: frames of costs or probabilities whose names say otherwise are refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier

import pacbayes as pb
from pacbayes.metrics import read_costs

NAMES = ["ill", "well"]
Y = np.array(NAMES * 100)
P = np.tile([0.9, 0.1], (Y.size, 1))
SQUARE = [[0, 100], [1, 0]]
COST = pd.DataFrame(SQUARE, index=NAMES, columns=NAMES)
PRICED = {"metrics": "cost", "cost": COST.loc[NAMES[::-1], NAMES[::-1]]}
OTHER = "in the order of the classes ill, well. They are named well, ill; put them in that order"


def fit(**options):
    return pb.CertifiedClassifier(DummyClassifier(), random_state=0, **options).fit(np.zeros((Y.size, 1)), Y)


@pytest.mark.parametrize(
    "call",
    [
        lambda: pb.certify_predictions(Y, Y, **PRICED),
        lambda: pb.certify(fit(), np.ones((Y.size, 1)), Y, **PRICED),
        lambda: fit(**PRICED),
        lambda: read_costs("me", COST.loc[NAMES[::-1]], np.array(NAMES)),
        lambda: read_costs("me", COST[NAMES[::-1]], np.array(NAMES)),
        lambda: read_costs("me", pl.DataFrame({"well": [1.0, 0.0], "ill": [0.0, 2.0]}), np.array(NAMES)),
        lambda: pb.certify_predictions(Y, Y, metrics="brier", probabilities=pd.DataFrame(P, columns=NAMES[::-1])),
        lambda: pb.certify_predictions(Y, Y, metrics="log-loss", probabilities=pl.DataFrame(P, schema=NAMES[::-1])),
    ],
)
def test_the_same_classes_in_another_order_are_refused(call):
    with pytest.raises(ValueError, match=OTHER):
        call()


@pytest.mark.parametrize(
    "cost",
    [
        COST,
        pd.DataFrame(SQUARE),
        pd.DataFrame(SQUARE, columns=NAMES),
        pl.DataFrame(np.array(SQUARE, dtype=float)),
        pl.DataFrame(np.array(SQUARE, dtype=float), schema=NAMES),
    ],
)
def test_frames_in_order_and_frames_without_names_are_taken_by_position(cost):
    assert read_costs("me", cost, np.array(NAMES)) == read_costs("me", SQUARE, np.array(NAMES))


@pytest.mark.parametrize("frame", [pd.DataFrame(P), pd.DataFrame(P, columns=NAMES), pl.DataFrame(P)])
def test_probabilities_in_order_are_those_of_an_array(frame):
    asked = {"metrics": ("brier", "log-loss")}
    found = pb.certify_predictions(Y, Y, probabilities=frame, **asked)
    known = pb.certify_predictions(Y, Y, probabilities=P, **asked)
    assert (found.statements, found.digests) == (known.statements, known.digests)


@pytest.mark.parametrize(
    ("classes", "names", "refused"),
    [
        ([1, 2], ["1", "2"], False),
        ([1, 2], [1.0, 2.0], False),
        ([1, 2], [0, 1], False),  # which count the positions
        ([1, 2], [2, 1], True),
        ([0, 1], [1, 0], True),
        ([False, True], [False, True], False),
        ([False, True], [True, False], True),
        (["a", "b"], ["a", "c"], True),
        (["a", "b"], ["a", "a"], True),
        (["a", "b"], ["Class A", "Class B"], True),
        (["a", "b"], [1, 2], True),
        (sorted(map(str, range(11))), list(range(11)), True),  # "10" comes before "2"
    ],
)
def test_which_names_are_refused(classes, names, refused):
    classes = np.array(classes)
    cost = pd.DataFrame(np.ones((classes.size, classes.size)), index=names)
    if refused:
        with pytest.raises(ValueError, match="must have its rows in the order of the classes"):
            read_costs("me", cost, classes)
    else:
        assert read_costs("me", cost, classes) == read_costs("me", cost.to_numpy(), classes)


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ({(0, 1): 1.0, ("0", "1"): 9.0, (1, 0): 1.0}, "must have one cost for each pair. Got .* twice"),
        ({0: {1: 5.0}}, "must be by pairs of two classes. Got 0 instead"),
        (
            {(0, 1): 10**400, (1, 0): 1.0},
            "must hold finite numbers of at least 0. Got a whole number beyond all doubles",
        ),
        ([[0, 10**400], [1, 0]], "must hold finite numbers of at least 0. Int too large"),
        ([[0, "much"], [1, 0]], "must hold finite numbers of at least 0. Could not convert"),
    ],
)
def test_what_is_no_cost_of_a_pair_is_refused(cost, message):
    with pytest.raises(ValueError, match=message):
        read_costs("me", cost, np.array([0, 1]))


class Named:
    """A model whose probabilities come with names of their columns."""

    classes_ = np.array(["ill", "well"])

    def __init__(self, names):
        self.names = names

    def predict(self, X):
        return np.full(len(X), "well")

    def predict_proba(self, X):
        return pd.DataFrame(np.tile([0.1, 0.9], (len(X), 1)), columns=self.names)


def test_names_of_what_predict_proba_returns_are_read():
    X, y = np.zeros((60, 1)), np.array(["ill", "well"] * 30)
    in_order = pb.certify(Named(["ill", "well"]), X, y, metrics="brier")
    assert in_order.value == pb.certify(Named([0, 1]), X, y, metrics="brier").value
    with pytest.raises(ValueError, match="What predict_proba of Named returns must have its columns in the order"):
        pb.certify(Named(["well", "ill"]), X, y, metrics="brier")
