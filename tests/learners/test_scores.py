"""Scores of a wrong shape are refused in one sentence, whoever reads them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from pacbayes.learners import AbstainingClassifier, ShiftedClassifier, class_score, confidence_of, margin_of

DRAWS = np.random.default_rng(0)
X = DRAWS.normal(size=(30, 2))
MODELS = {
    2: LogisticRegression().fit(X, X[:, 0] > 0),
    3: LogisticRegression().fit(X, np.digitize(X[:, 0], [-0.5, 0.5])),
}
READERS = {
    "confidence": confidence_of,
    "score": lambda model, rows: class_score(model, rows, model.classes_[1]),
    "margin": lambda model, rows: margin_of(model, rows, np.repeat(model.classes_[1], len(rows))),
}
CHANGES = {
    "one column": lambda given: given[:, 1],
    "the second column": lambda given: given[:, 1:],
    "turned": lambda given: given.T,
    "a row less": lambda given: given[:-1],
    "a column more": lambda given: np.column_stack([given, given[:, 0]]),
    "deeper": lambda given: given[:, :, None],
    "a list in a list": lambda given: [given.tolist()],
    "nothing": lambda given: None,
    "texts": lambda given: given.astype(str),
    "complex": lambda given: given + 1j,
    "a tensor with a gradient": lambda given: Tensor(),
    "no columns": lambda given: given[:, :0],
}


class Tensor:
    """As PyTorch's behave that a gradient is to be computed for."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


class Giving:
    """Gives scores that are changed on the way."""

    def __init__(self, classes, method, change):
        self.model, self.classes_ = MODELS[classes], MODELS[classes].classes_
        given = getattr(self.model, method)(X)
        scores = np.column_stack([-given, given]) if given.ndim == 1 else given
        setattr(self, method, lambda rows: change(scores[: len(rows)]))


WRONG = [
    (classes, method, change)
    for classes in MODELS
    for method in ("predict_proba", "decision_function")
    for change in CHANGES  # of a decision for two classes, one value for each row is enough
    if (classes, method) != (2, "decision_function") or change not in {"one column", "the second column"}
]


@pytest.mark.parametrize(("classes", "method", "change"), WRONG)
@pytest.mark.parametrize("reader", READERS)
def test_a_wrong_shape_is_refused(reader, change, method, classes):
    model = Giving(classes, method, CHANGES[change])
    with pytest.raises(
        ValueError, match=rf"^What {method} of Giving returns must be a score for each of 30 rows"
    ) as caught:
        READERS[reader](model, X)
    assert f"of shape (30, {classes}). Got " in str(caught.value)


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("reader", READERS)
def test_columns_named_in_another_order_are_refused(reader, method):
    model = Giving(3, method, lambda given: pd.DataFrame(given[:, ::-1], columns=[2, 1, 0]))
    with pytest.raises(ValueError, match=r"must have its columns in the order of the classes 0, 1, 2"):
        READERS[reader](model, X)


@pytest.mark.parametrize("change", [lambda given: given.tolist(), lambda given: given.astype(object), pd.DataFrame])
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("reader", READERS)
def test_lists_objects_and_frames_of_the_right_shape_are_taken(reader, method, change):
    plain, changed = (Giving(3, method, each) for each in (lambda given: given, change))
    np.testing.assert_array_equal(READERS[reader](changed, X), READERS[reader](plain, X))


@pytest.mark.parametrize("reader", READERS)
def test_one_decision_value_for_each_row_is_enough_for_two_classes(reader):
    row, column = (Giving(2, "decision_function", lambda given, part=part: given[:, part]) for part in (1, [1]))
    np.testing.assert_array_equal(READERS[reader](row, X), READERS[reader](column, X))


@pytest.mark.parametrize(
    "call",
    [
        lambda model, rows: margin_of(model, rows, np.ones(len(rows))),
        lambda model, rows: class_score(model, rows, 1),
        lambda model, rows: AbstainingClassifier(model, 0.5),
        lambda model, rows: ShiftedClassifier(model, 0.5, 1),
    ],
)
def test_a_class_is_scored_by_the_classes_alone(call):
    model = Giving(2, "predict_proba", lambda given: given)
    del model.classes_
    assert confidence_of(model, X).shape == (30,)
    with pytest.raises(ValueError, match=r"^To score a class, a classifier needs classes_\. Giving has none\.$"):
        call(model, X)
