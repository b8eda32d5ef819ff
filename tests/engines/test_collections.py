"""Dask frames and arrays are certified as the rows are in memory, wherever their partitions are cut."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from engines.spread import FRAME, LABELS, LENGTHS, MODEL, OTHER, SAMPLE, N, content, parts_of
from pacbayes._core import digests
from pacbayes._core.digests import data_digest
from pacbayes._core.rows import read_blocks, rows_of, take
from pacbayes.engines import Runner, wrap_rows
from pacbayes.verification import recheck

pytestmark = pytest.mark.usefixtures("small_blocks")


def test_every_function_gives_on_the_cluster_what_it_gives_in_memory(on_cluster):
    X, y = da.from_array(SAMPLE.X, chunks=(70, 2)), da.from_array(SAMPLE.y, chunks=90)
    own = pb.CertifiedClassifier(GaussianNB(), random_state=0, metrics=("error", "brier"), groups=0)
    asked = {"metrics": ("error", "recall:1"), "groups": SAMPLE.X[100:, 0] > 0}
    assert isinstance(rows_of(X, in_blocks=True)._runner, Runner)
    own.set_params(groups=None)
    pairs = [
        (own.fit(X, y).certificate_, own.fit(SAMPLE.X, SAMPLE.y).certificate_),
        (pb.certify(MODEL, X[100:], y[100:], **asked), pb.certify(MODEL, SAMPLE.X[100:], SAMPLE.y[100:], **asked)),
        (pb.compare(MODEL, OTHER, X[100:], y[100:]), pb.compare(MODEL, OTHER, SAMPLE.X[100:], SAMPLE.y[100:])),
        (pb.certify_predictions(y, y, groups=y), pb.certify_predictions(SAMPLE.y, SAMPLE.y, groups=SAMPLE.y)),
    ]
    for found, expected in pairs:
        assert content(found) == content(expected)


@pytest.mark.parametrize(
    "options",
    [
        {"groups": "third"},
        {"split": 0.4, "max_learning_rows": 90, "metrics": ("error", "recall:yes", "brier")},
    ],
)
def test_frames_whose_partitions_are_of_unknown_length(here, options):
    """Some have no rows, and blocks cross their borders."""
    frame = FRAME[["a", "b", "c"]].assign(third=np.arange(N) % 3)
    given = parts_of(frame, *LENGTHS)
    whole = pb.CertifiedClassifier(GaussianNB(), random_state=0, **options).fit(given.compute(), LABELS)
    spread = pb.CertifiedClassifier(GaussianNB(), random_state=0, **options).fit(given, parts_of(LABELS, *LENGTHS))
    assert content(spread.certificate_) == content(whole.certificate_)
    np.testing.assert_array_equal(spread.predict(given), whole.predict(frame))
    np.testing.assert_array_equal(spread.predict_proba(given), whole.predict_proba(frame))
    assert recheck(spread.certificate_, given, LABELS, spread)
    assert recheck(whole.certificate_, given, LABELS, whole)


def test_frames_with_texts_and_a_time_index(here):
    times = pd.date_range("2024-01-01", periods=N)
    given = dd.from_pandas(FRAME.set_index(times), npartitions=3)
    options = {"preprocessing": "auto", "split": 0.4, "groups": "group", "random_state": 0}
    found = []
    for rows_given in (given, given.compute()):
        with pytest.warns(pb.CertificateWarning, match="time"):
            found.append(pb.CertifiedClassifier(GaussianNB(), **options).fit(rows_given, LABELS).certificate_)
    assert content(found[0]) == content(found[1])


def test_labels_in_memory_sample_weights_and_rows_in_order(here):
    weights = np.linspace(0.5, 1.0, N)
    options = {"random_state": 0, "split": 0.4}
    given, numbers = parts_of(FRAME[["a", "b"]], *LENGTHS), FRAME[["a", "b"]]
    spread = pb.CertifiedClassifier(GaussianNB(), **options)
    spread.fit(given, LABELS, sample_weight=da.from_array(weights), in_order=True)
    whole = pb.CertifiedClassifier(GaussianNB(), **options)
    whole.fit(numbers, LABELS, sample_weight=weights, in_order=True)
    assert content(spread.certificate_) == content(whole.certificate_)


def test_groups_beside_the_rows_are_named_by_a_series_alone(here):
    """An array of Dask has the name of its graph; labels are computed once for their number and for themselves."""
    sides, computed = SAMPLE.X[:, 0] > 0, []
    y = da.from_delayed(dask.delayed(lambda: computed.append(1) or SAMPLE.y, pure=False)(), (N,), dtype=int)
    series = pd.Series(sides, name="side")
    for grouping, name in ((da.from_array(sides), "group"), (dd.from_pandas(series, npartitions=2), "side")):
        model = pb.CertifiedClassifier(GaussianNB(), random_state=0)
        found = model.fit(SAMPLE.X, y, grouping=grouping, sample_weight=da.ones(N)).certificate_
        assert [each.group for each in found.statements] == [None, {name: "False"}, {name: "True"}]
    assert len(computed) == 2


@pytest.mark.parametrize("spread", [False, True])
def test_masked_weights_are_refused(here, spread):
    weights = np.ma.masked_array(np.ones(N), mask=np.arange(N) == 7)
    given = da.from_array(weights, chunks=100) if spread else weights
    with pytest.raises(
        ValueError, match=r"'sample_weight' argument of CertifiedClassifier\.fit must not contain masked"
    ):
        pb.CertifiedClassifier(GaussianNB()).fit(SAMPLE.X, SAMPLE.y, sample_weight=given)


def test_regression(here):
    X, target = da.from_array(SAMPLE.X, chunks=(70, 3)), SAMPLE.X @ [1.0, 2.0, 0.5]
    spread = pb.CertifiedRegressor(LinearRegression(), random_state=0).fit(X, da.from_array(target))
    whole = pb.CertifiedRegressor(LinearRegression(), random_state=0).fit(SAMPLE.X, target)
    assert content(spread.certificate_) == content(whole.certificate_)
    asked = {"loss": "absolute", "scale": 2.0}
    found = pb.certify(whole.estimator_, X, target + 0.5, **asked)
    assert content(found) == content(pb.certify(whole.estimator_, SAMPLE.X, target + 0.5, **asked))


@pytest.mark.parametrize(
    "column",
    [
        np.arange(N) + 2**53,  # not all of which are doubles
        pd.array([*range(N - 1), 2**53 + 1], dtype="Int64"),
        pd.array([None, *range(N - 1)], dtype="Int64"),
        pd.array([None, *[2**53 + 1] * (N - 1)], dtype="Int64"),
        pd.array([None, True] * (N // 2), dtype="boolean"),
        pd.Categorical(["x", None] * (N // 2)),
        pd.Categorical(np.arange(N) % 5),
        np.array(["t", None] * (N // 2), dtype=object),
        pd.date_range("2024-01-01", periods=N),
        np.linspace(0.0, 1.0, N, dtype=np.float32),
    ],
)
@pytest.mark.parametrize("size", [90, 1 << 16])
def test_the_digest_is_that_of_the_frame_in_memory(here, monkeypatch, column, size):
    monkeypatch.setattr(digests, "DIGEST_ROWS", size)
    given = parts_of(FRAME[["a"]].assign(odd=column), *LENGTHS)
    whole = given.compute()
    wrapped = wrap_rows(given)
    assert data_digest(wrapped, LABELS) == data_digest(whole, LABELS)
    pd.testing.assert_frame_equal(pd.concat(list(read_blocks(wrapped)), ignore_index=True), rows_of(whole))
    some = np.array([399, 0, 37, 36, 186, 187, 188])
    pd.testing.assert_frame_equal(take(wrapped, some), take(whole, some))


@pytest.mark.parametrize("kind", [float, np.int64, object, bool])
def test_the_digest_is_that_of_the_array_in_memory(here, kind):
    array = (SAMPLE.X * 2**60 if kind is np.int64 else SAMPLE.X).astype(kind)
    wrapped = wrap_rows(da.from_array(array, chunks=(57, 1)))
    assert data_digest(wrapped, LABELS) == data_digest(array, LABELS)
    np.testing.assert_array_equal(np.asarray(wrapped[:, 1]), array[:, 1])


def test_arrays_whose_chunks_are_of_unknown_length(here):
    given = da.from_array(SAMPLE.X, chunks=(70, 3))
    some = given[given[:, 0] > 0.0]
    assert np.isnan(some.shape[0])
    kept = SAMPLE.X[:, 0] > 0.0
    found = pb.certify(MODEL, some, SAMPLE.y[kept])
    assert content(found) == content(pb.certify(MODEL, SAMPLE.X[kept], SAMPLE.y[kept]))


def test_a_recheck_takes_groups_beside_rows_of_dask(here):
    X, y, groups = da.from_array(SAMPLE.X, chunks=(70, 2)), da.from_array(SAMPLE.y), SAMPLE.X[:, 0] > 0
    certificate = pb.certify(MODEL, SAMPLE.X, SAMPLE.y, groups=groups)
    assert recheck(certificate, X, y, MODEL, groups=groups)
    assert recheck(certificate, X, y, MODEL, groups=da.from_array(groups, chunks=50))
    assert not recheck(certificate, X, y, MODEL, groups=~groups)
