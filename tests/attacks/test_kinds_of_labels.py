"""Labels and predictions of different kinds: what equals a label is that label, for every metric and group."""

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb

GENERATOR = np.random.default_rng(0)
TRUTH, SAID = GENERATOR.random((2, 300)) < [[0.5], [0.8]]
KINDS = {
    "bool": lambda values: values,
    "int": lambda values: values.astype(int),
    "float": lambda values: values.astype(float),
    "objects of bool": lambda values: values.astype(object),
    "objects of int": lambda values: values.astype(int).astype(object),
    "boolean of pandas": lambda values: pd.array(values, dtype="boolean"),
    "Int64 of pandas": lambda values: pd.array(values.astype(int), dtype="Int64"),
    "list": lambda values: values.tolist(),
}
OBJECTS = {"objects of bool", "objects of int"}
# rows that each rate is about, and which of them count as errors
COUNTS = {
    "error": (np.ones(300, dtype=bool), TRUTH != SAID),
    "recall": (TRUTH, ~SAID),
    "fnr": (TRUTH, ~SAID),
    "fpr": (~TRUTH, SAID),
    "specificity": (~TRUTH, SAID),
    "precision": (SAID, ~TRUTH),
}


@pytest.mark.parametrize("predicted", KINDS)
@pytest.mark.parametrize("labelled", KINDS)
def test_every_metric_counts_by_value(labelled, predicted):
    labels, predictions = KINDS[labelled](TRUTH), KINDS[predicted](SAID)
    positive = "True" if labelled in {"bool", "objects of bool", "boolean of pandas", "list"} else "1"
    names = [name if name == "error" else f"{name}:{positive}" for name in COUNTS]
    groups = np.where(np.arange(300) % 3, "a", "b")
    if (labelled in OBJECTS) != (predicted in OBJECTS):
        with pytest.raises(ValueError, match="must hold labels of the kind"):
            pb.certify_predictions(labels, predictions, metrics=names)
        return
    certificate = pb.certify_predictions(labels, predictions, metrics=names, groups=groups)
    for statement in certificate.statements:
        about, wrong = COUNTS[statement.name.partition(":")[0]]
        inside = about if statement.group is None else about & (groups == statement.group["group"])
        assert statement.n == inside.sum()
        assert statement.observed["errors"] == (inside & wrong).sum()


def test_a_cost_counts_by_value():
    asked = {"metrics": ("cost",), "cost": {(False, True): 1.0, (True, False): 0.5}}
    same = pb.certify_predictions(TRUTH, SAID, **asked)
    assert pb.certify_predictions(TRUTH, SAID.astype(int), **asked).value == same.value


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_whole_numbers_that_floats_cannot_tell_apart_are_refused(kind):
    labels, predictions = np.array([2**53 + 1, 2**53 + 3], kind), np.array([2.0**53, 2.0**53 + 4])
    for given in ((labels, predictions), (predictions, labels)):
        with pytest.raises(ValueError, match=r"up to 2\*\*53"):
            pb.certify_predictions(*given)
    with pytest.raises(ValueError, match=r"up to 2\*\*53"):
        pb.compare_predictions(labels, predictions, predictions)
    assert pb.certify_predictions(labels, labels).statements[0].observed["errors"] == 0
