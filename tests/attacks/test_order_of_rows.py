"""Rows are matched by position: objects of pandas whose indexes say otherwise are refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes._core.alignment import refuse_other_order
from pacbayes.metrics import group_values

GENERATOR = np.random.default_rng(0)
X = pd.DataFrame(GENERATOR.standard_normal((400, 2)), columns=["a", "b"], index=GENERATOR.permutation(400))
Y = (X["a"] + GENERATOR.standard_normal(400) > 0).astype(int)
GROUPS = pd.Series(np.where(X["b"] > 0, "old", "young"), index=X.index, name="age")
MODEL = GaussianNB().fit(GENERATOR.standard_normal((50, 2)), np.arange(50) % 2).fit(X.to_numpy(), Y)
OTHER = "must have its rows in the order of .* the same values in another order"


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize(
    "call",
    [
        lambda: pb.certify(MODEL, X, Y.sort_index()),
        lambda: pb.certify(MODEL, X, Y, groups=GROUPS.sort_values()),
        lambda: pb.certify(MODEL, X, Y, groups={"age": GROUPS.sort_values()}),
        lambda: pb.certify_predictions(Y, Y.sort_index()),
        lambda: pb.certify_predictions(Y, Y, groups=GROUPS.sort_values().to_frame()),
        lambda: pb.compare(MODEL, MODEL, X, Y.sort_index()),
        lambda: pb.compare_predictions(Y, Y, {"new": Y.sort_index()}),
        lambda: pb.CertifiedClassifier().fit(X, Y.sort_index()),
        lambda: pb.CertifiedClassifier().fit(X, Y, grouping=GROUPS.sort_values()),
        lambda: pb.CertifiedClassifier().fit(X, Y, grouping=group_values("fit", {"age": GROUPS.sort_values()})),
        lambda: group_values("fit", {"age": GROUPS, "again": GROUPS.sort_values()}),
        lambda: pb.CertifiedClassifier().fit(X, Y, sample_weight=Y.sort_index() + 1.0),
        lambda: pb.CertifiedRegressor(scale=1.0).fit(X, Y.sort_index()),
        lambda: pb.CertifiedForest().fit(X, Y.sort_index()),
    ],
)
def test_the_same_index_in_another_order_is_refused(call):
    with pytest.raises(ValueError, match=OTHER):
        call()


def test_groups_of_the_rows_of_a_network_are_refused_in_another_order():
    network = pytest.importorskip("pacbayes.torch")
    with pytest.raises(ValueError, match=OTHER):
        network.CertifiedNetwork(lambda: None).fit(X, Y, grouping=GROUPS.sort_values())


def test_a_model_keeps_no_index_of_its_groups():
    grouping = group_values("fit", {"age": GROUPS})
    model = pb.CertifiedClassifier(GaussianNB(), random_state=0).fit(X, Y, grouping=grouping)
    assert grouping.index is GROUPS.index
    assert model.grouping_.index is None


def test_other_values_and_arrays_are_matched_by_position():
    fresh = Y.reset_index(drop=True) + 0
    fresh.index += 1000
    assert pb.certify_predictions(Y, fresh).value == pb.certify_predictions(Y, Y).value
    assert pb.certify_predictions(Y, Y.sort_index().to_numpy()).value > pb.certify_predictions(Y, Y).value


@pytest.mark.parametrize(
    ("one", "two", "refused"),
    [
        (["a", "b", "b"], ["b", "a", "b"], True),
        (["a", "b", "b"], ["a", "a", "b"], False),
        ([1, 2, 3], [1.0, 3.0, 2.0], True),
        ([1, 2, 3], ["1", "3", "2"], False),
        (pd.RangeIndex(3), pd.RangeIndex(2, -1, -1), True),
        (pd.RangeIndex(3), pd.RangeIndex(1, 4), False),
        (pd.MultiIndex.from_product([[0, 1], [2, 3]]), pd.MultiIndex.from_product([[1, 0], [2, 3]]), True),
        (pd.date_range("2020", periods=3), pd.date_range("2020", periods=3)[::-1], True),
    ],
)
def test_what_is_another_order(one, two, refused):
    given = {name: pd.Series(0, index=index) for name, index in (("one", one), ("two", two))}
    if refused:
        with pytest.raises(ValueError, match=OTHER):
            refuse_other_order("me", given)
    else:
        refuse_other_order("me", given)


@pytest.mark.parametrize(
    ("grouping", "column"),
    [
        (GROUPS, "age"),
        (GROUPS.to_numpy(), "group"),
        (GROUPS.tolist(), "group"),
        (GROUPS.to_frame(), "age"),
        ({"age": GROUPS}, "age"),
    ],
)
def test_groups_beside_the_rows_may_be_values(grouping, column):
    model = pb.CertifiedClassifier(GaussianNB(), random_state=0).fit(X, Y, grouping=grouping)
    known = pb.CertifiedClassifier(GaussianNB(), random_state=0).fit(
        X, Y, grouping=group_values("fit", {column: GROUPS.to_numpy()})
    )
    assert [each.group for each in model.certificate_.statements] == [None, {column: "old"}, {column: "young"}]
    assert [each.value for each in model.certificate_.statements] == [
        each.value for each in known.certificate_.statements
    ]


@pytest.mark.parametrize("grouping", ["age", ["age", "b"], GROUPS[:10], 3, {}])
def test_what_is_no_group_of_each_row_is_refused_in_a_sentence(grouping):
    with pytest.raises(ValueError, match="must"):
        pb.CertifiedClassifier(GaussianNB()).fit(X, Y, grouping=grouping)
