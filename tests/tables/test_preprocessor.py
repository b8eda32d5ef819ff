"""Columns of any frame as numbers: learned from the rows that are given, whatever new rows bring."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from pacbayes.tables import ColumnPreprocessor, TableError

pd = pytest.importorskip("pandas")

FRAME = pd.DataFrame(
    {
        "age": [31.0, np.nan, 44.0, 60.0],
        "member": [True, False, True, True],
        "job": ["cook", None, "clerk", "cook"],
        "size": pd.Categorical(["s", "m", "s", None]),
        "note": [None, None, None, None],
        "empty": [np.nan] * 4,
    }
)


def test_kinds_go_by_type_and_what_holds_nothing_is_left_out():
    steps = ColumnPreprocessor().fit(FRAME)
    kinds = {"age": "number", "member": "number", "job": "category", "size": "category"}
    assert dict(steps.columns_) == kinds
    assert steps.transform(FRAME).shape == (4, 2 + 1 + 3 + 3)  # numbers, one mark, categories with a missing one each
    assert np.isfinite(steps.transform(FRAME)).all()


def test_a_number_is_scaled_by_the_rows_that_were_learned_from():
    steps = ColumnPreprocessor().fit(FRAME[["age"]][2:])
    assert steps.transform(FRAME[["age"]])[0, 0] == (31.0 - 52.0) / 8.0
    assert steps.transform(pd.DataFrame({"age": [None, 52.0]})).ravel().tolist() == [0.0, 0.0]


def test_what_was_not_there_in_learning_is_treated_like_rare_values():
    steps = ColumnPreprocessor().fit(FRAME)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new = steps.transform(FRAME.assign(job="king", size="xl", note="text", empty=3.0))
    assert not new[:, 3:].any()  # none of the categories, and no column for what was empty


def test_rows_are_transformed_one_by_one():
    steps = ColumnPreprocessor().fit(FRAME)
    alone = [steps.transform(FRAME.iloc[[row]]) for row in range(4)]
    np.testing.assert_array_equal(np.vstack(alone), steps.transform(FRAME))


def test_columns_are_found_by_name_and_lacking_ones_named():
    steps = ColumnPreprocessor().fit(FRAME)
    np.testing.assert_array_equal(steps.transform(FRAME[FRAME.columns[::-1]]), steps.transform(FRAME))
    with pytest.raises(TableError, match="lack the column 'job'"):
        steps.transform(FRAME.drop(columns="job"))


def test_arrays_are_numbers_and_sparse_rows_pass():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    np.testing.assert_array_equal(ColumnPreprocessor().fit_transform(rows), StandardScaler().fit_transform(rows))
    sparse = sp.csr_matrix(rows)
    assert (ColumnPreprocessor().fit(sparse).transform(sparse) != sparse).nnz == 0
    with pytest.raises(ValueError, match="must hold numbers"):
        ColumnPreprocessor().fit([["a"], ["b"]])


def test_polars_gives_the_same_as_pandas():
    pl = pytest.importorskip("polars")
    frame = FRAME[["age", "member", "job"]]
    same = pl.DataFrame({name: [None if pd.isna(each) else each for each in frame[name]] for name in frame})
    expected = ColumnPreprocessor().fit_transform(frame)
    np.testing.assert_array_equal(ColumnPreprocessor().fit_transform(same), expected)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"day": pd.date_range("2020", periods=3)}), "'day' holds times"),
        (pd.DataFrame({"a": [None, None]}), "No column"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' more than once"),
        (pd.DataFrame({"a": [1.0, np.inf]}), "'a' holds infinite values"),
    ],
)
def test_what_no_model_can_use_is_refused(frame, message):
    with pytest.raises(TableError, match=message):
        ColumnPreprocessor().fit(frame)


def test_a_fitted_one_takes_frames_alone_and_its_clone_nothing():
    steps = ColumnPreprocessor().fit(FRAME)
    with pytest.raises(TableError, match="must come in a frame"):
        steps.transform(np.zeros((2, 6)))
    with pytest.raises(ValueError, match="not fitted"):
        clone(steps).transform(FRAME)
