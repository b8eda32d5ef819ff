"""Columns of any frame as numbers: learned from the rows that are given, whatever new rows bring."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from pacbayes._core.leeway import EXACT
from pacbayes._core.state import State
from pacbayes.tables import Column, ColumnPreprocessor, TableError, align_rows, make_preprocessing

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


def mixed_frame(rows, seed, *, missing, texts):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"x{place}": rng.normal(10.0**place, 0.1 + place, rows) for place in range(4)})
    frame["whole"], frame["same"] = rng.integers(-5, 5, rows), 7.0
    if missing:
        frame.loc[rng.integers(0, rows, rows // 5), ["x1", "x3"]] = np.nan
    for name in ("job", "town") if texts else ():
        frame[name] = [f"{name} {value}" for value in rng.geometric(0.01, rows)]
    if missing and texts:
        frame.loc[rng.integers(0, rows, 5), "job"] = None
    return frame


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("rows", [1, 3, 9000])
def test_all_numbers_are_those_of_scikit_learn(rows, missing, texts):
    frame, new = (mixed_frame(size, seed, missing=missing, texts=texts) for size, seed in ((rows, 0), (9000, 1)))
    steps = ColumnPreprocessor().fit(frame)
    kinds = [Column(name, kind, 0, 0) for name, kind in steps.columns_]
    plain = make_preprocessing(kinds, missing="category").fit(align_rows(frame, steps.columns_, missing="category").X)
    assert State.of(steps.transformer_).differs_from(State.of(plain), EXACT) is None
    for part in (frame, new):
        found = steps.transform(part)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn's of categories that are new
            expected = plain.transform(align_rows(part, steps.columns_, missing="category").X)
        np.testing.assert_array_equal(found, expected)
        assert found.flags.c_contiguous == expected.flags.c_contiguous


def test_the_number_of_rows_that_a_scaler_has_seen_is_scikit_learns():
    for missing in (False, True):
        frame = mixed_frame(50, 0, missing=missing, texts=False)
        scaler = ColumnPreprocessor().fit(frame).transformer_.named_transformers_["numbers"].named_steps["scale"]
        plain = StandardScaler().fit(frame.astype(float))
        assert type(scaler.n_samples_seen_) is type(plain.n_samples_seen_)
        np.testing.assert_array_equal(scaler.n_samples_seen_, plain.n_samples_seen_)
