"""Dask frames and arrays are certified as the rows are in memory, wherever their partitions are cut."""

import sys
from itertools import pairwise

import cloudpickle
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes._core import digests, rows
from pacbayes._core.digests import data_digest
from pacbayes._core.rows import read_blocks, rows_of, take
from pacbayes.engines import EngineError, Runner, wrap_rows
from pacbayes.engines.facts import look_at
from pacbayes.verification import recheck

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have this module
N = 400
SAMPLE = pb.datasets.make_known_risk(N, d=3, random_state=0)
FRAME = pd.DataFrame(SAMPLE.X, columns=["a", "b", "c"]).assign(group=np.where(np.arange(N) % 3, "x", "y"))
LABELS = pd.Series(np.where(SAMPLE.y == 1, "yes", "no"))
MODEL, OTHER = (GaussianNB(var_smoothing=each).fit(SAMPLE.X[:100], SAMPLE.y[:100]) for each in (1e-9, 10.0))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(digests, "DIGEST_ROWS", 90)
    monkeypatch.setattr(rows, "BLOCK_ROWS", 110)


@pytest.fixture
def here():
    """What is computed is computed in this process."""
    with dask.config.set(scheduler="synchronous"):
        yield


def parts_of(values, *lengths):
    """A frame of partitions of so many rows, of which Dask does not know how many they are."""
    edges = np.cumsum([0, *lengths])
    pieces = [dask.delayed(values.iloc[start:stop]) for start, stop in pairwise(edges)]
    return dd.from_delayed(pieces, meta=values.iloc[:0], verify_meta=False)


def content(certificate):
    record = certificate.to_dict()
    return {name: value for name, value in record.items() if name not in {"digest", "created"}}


LENGTHS = (0, 37, 150, 0, 1, 212, 0)


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


class Fails(GaussianNB):
    error = OverflowError

    def predict(self, X):
        if (np.asarray(X)[:, 0] == SAMPLE.X[250, 0]).any():
            raise self.error("row 250")
        return super().predict(X)


@pytest.mark.parametrize("error", [OverflowError, TimeoutError, FileNotFoundError])
def test_what_fails_on_one_partition_fails_as_in_memory(on_cluster, error):
    """Also with what Dask itself says of a cluster that is late or gone."""
    model = Fails().fit(SAMPLE.X[:100], SAMPLE.y[:100])
    model.error = error
    for X in (SAMPLE.X, da.from_array(SAMPLE.X, chunks=(70, 3))):
        with pytest.raises(error, match="row 250"):
            pb.certify(model, X, SAMPLE.y)


def with_wrong_types():
    pieces = [FRAME[["a", "b"]][:200], FRAME[["a", "b"]][200:].astype({"b": "float32"})]
    return dd.from_delayed([dask.delayed(each) for each in pieces], meta=FRAME[["a", "b"]][:0], verify_meta=False)


def with_wrong_columns():
    pieces = [FRAME[["a", "b"]][:200], FRAME[["a"]][200:]]
    return dd.from_delayed([dask.delayed(each) for each in pieces], meta=FRAME[["a", "b"]][:0], verify_meta=False)


def with_other_values():
    made = [dask.delayed(lambda: pd.DataFrame({"a": np.random.default_rng().normal(size=200)}))() for _ in range(2)]
    return dd.from_delayed(made, meta=pd.DataFrame({"a": [0.0]}), verify_meta=False)


def with_other_lengths():
    made = [dask.delayed(lambda: pd.DataFrame({"a": np.zeros(np.random.default_rng().integers(150, 250))}))()]
    first = dask.delayed(lambda: pd.DataFrame({"a": np.zeros(200)}))()
    return dd.from_delayed([first, *made], meta=pd.DataFrame({"a": [0.0]}), verify_meta=False)


COMPUTED = iter(range(10**9))


def with_other_objects():
    made = dask.delayed(lambda: (SAMPLE.X + next(COMPUTED)).astype(object), pure=False)
    return da.from_delayed(made(), (N, 3), dtype=object)


class Speechless:
    def __str__(self):
        raise RuntimeError("no words")


def with_cells_without_text():
    made = np.full((N, 1), Speechless(), dtype=object)
    return da.from_delayed(dask.delayed(made), made.shape, dtype=object)


def with_masked_values():
    """In one column of several chunks, which are put together before they are looked at."""
    return da.from_array(np.ma.masked_greater(SAMPLE.X, 2.0), chunks=(100, 1))


def with_sparse_chunks():
    return da.from_array(SAMPLE.X, chunks=(100, 3)).map_blocks(sp.csr_matrix, dtype=float)


def with_unknown_categories():
    made = FRAME[["a"]].assign(group=pd.Categorical(FRAME["group"]))
    pieces = [made[:200], made[200:].assign(group=pd.Categorical(["z"] * 200))]
    return dd.from_delayed([dask.delayed(each) for each in pieces], meta=made[:0], verify_meta=False)


BAD = {
    "types": (with_wrong_types, "Partition 1 has float32 in the column 'b' and not float64"),
    "columns": (with_wrong_columns, "Partition 1 is not: it has the columns"),
    "categories": (with_unknown_categories, "call categorize"),
    "values": (with_other_values, "must be the same whenever they are computed. Those of partition"),
    "objects": (with_other_objects, "must be the same whenever they are computed. Those of partition"),
    "no texts": (with_cells_without_text, r"must have texts, .* Those of partition 0 have none: .*no words"),
    "masked": (with_masked_values, "The rows in 'X' must not contain masked values"),
    "sparse": (with_sparse_chunks, "does not: it is csr_matrix"),
    "column": (
        lambda: parts_of(FRAME, 200, 200)["a"],
        "must be a DataFrame, or an Array of two dimensions. Got Series",
    ),
    "dimensions": (lambda: da.ones((N, 2, 2)), "Got Array of 3 dimensions"),
    "bag": (lambda: dask.delayed(FRAME), "two dimensions. Got Delayed"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used_is_refused_in_one_sentence(here, case):
    make, words = BAD[case]
    with pytest.raises(ValueError, match=words) as found:
        pb.CertifiedClassifier(GaussianNB(), preprocessing="auto", random_state=0).fit(make(), LABELS)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("others", [[[1], [2]], [["1"], [2]], [1, "a"], ["1", "a"], [None, "a"], ["nan", "a"]])
def test_cells_of_any_kind_are_known_again(others):
    """Also where pandas has no hash, or the same for a number and its text."""
    kinds = [[[1], [3]], [True, "a"], [np.nan, "a"], others]
    frames = [pd.DataFrame({"a": pd.Series(cells, dtype=object)}) for cells in kinds]
    prints = [look_at(frame, 0, frame[:0])[1].prints for frame in (*frames, frames[-1].copy())]
    assert len(set(prints)) == 4
    assert prints[-1] == prints[-2] != (None,)


def test_rows_that_are_fewer_or_more_the_next_time_are_refused(here):
    made = with_other_lengths()
    with pytest.raises(ValueError, match=r"same whenever they are computed|inconsistent numbers of samples"):
        pb.CertifiedClassifier(GaussianNB(), random_state=0).fit(made, LABELS)


def test_rows_and_labels_belong_together_by_their_order(here):
    """Dask itself cuts columns of a table otherwise than the rest of it."""
    given = parts_of(FRAME[["a", "b"]], 200, 200)
    model = pb.CertifiedClassifier(GaussianNB(), split=0.4, random_state=0)
    found = model.fit(given, parts_of(LABELS, 100, 300)).certificate_
    assert content(found) == content(model.fit(FRAME[["a", "b"]], LABELS).certificate_)
    with pytest.raises(EngineError, match=r"must be as many. Got 400 rows in 2 partitions, and 399 labels instead"):
        model.fit(given, parts_of(LABELS, 100, 299))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(given, LABELS[:-1])


@pytest.mark.parametrize(
    "index",
    [np.arange(N), np.arange(N)[::-1] / 7, pd.date_range("2020", periods=N), [f"row {each}" for each in range(N)]],
    ids=["whole", "fractions", "times", "text"],
)
def test_labels_in_another_order_than_the_rows_are_refused(here, index):
    """However either is partitioned; a column in the same order, or with an index of its own, is taken."""
    frame, labels = FRAME[["a", "b", "c"]].set_axis(index), pd.Series(SAMPLE.y, index=index)
    model = GaussianNB().fit(frame, labels + 0)
    given, mixed = parts_of(frame, 150, 0, 250), labels.sample(frac=1, random_state=0)
    expected = content(pb.certify(model, frame, labels))
    for same in (labels, parts_of(labels, 300, 100), labels.set_axis(np.arange(N) + 5000)):
        assert content(pb.certify(model, given, same)) == expected
    for other, way in ((mixed, "to_numpy"), (parts_of(mixed, 300, 100), "to_dask_array")):
        with pytest.raises(ValueError, match=rf"'y' argument of certify .* another order.* pass y\.{way}\(\)"):
            pb.certify(model, given, other)
    with pytest.raises(ValueError, match="in another order"):
        pb.certify(model, frame, parts_of(mixed, 300, 100))
    with pytest.raises(ValueError, match="'groups' argument"):
        pb.certify(model, given, labels, groups=parts_of(mixed, 300, 100))
    with pytest.raises(ValueError, match="in another order"):
        pb.certify_predictions(parts_of(labels, 300, 100), parts_of(mixed, 200, 200))
    with pytest.raises(ValueError, match="in another order"):
        pb.CertifiedClassifier(GaussianNB()).fit(given, parts_of(mixed, 300, 100))


def test_missing_labels_in_a_partition_are_refused(here):
    labels = LABELS.astype(object)
    labels[250] = None
    with pytest.raises(ValueError, match="must not contain NaN or missing labels"):
        pb.certify(MODEL, da.from_array(SAMPLE.X), parts_of(labels, 200, 200))


@pytest.mark.parametrize("kind", [dd, da])
def test_a_partition_of_labels_that_is_none_is_named(here, kind):
    parts = [dask.delayed(LABELS[:200]), dask.delayed(None)]
    if kind is dd:
        labels = dd.from_delayed(parts, meta=LABELS[:0], verify_meta=False)
    else:
        labels = da.concatenate([da.from_delayed(each, (200,), dtype=object) for each in parts])
    with pytest.raises(EngineError, match=r"must hold values\. Partition 1 is None\."):
        pb.certify(MODEL, SAMPLE.X, labels)


def test_labels_that_are_none_are_not_taken_for_missing_ones(here):
    labels = dd.from_delayed([dask.delayed(None)], meta=LABELS[:0], verify_meta=False)
    with pytest.raises(EngineError, match=r"must hold values\. Partition 0 is None\."):
        pb.certify_predictions(labels, LABELS)


def test_what_labels_raise_is_raised(here):
    labels = dd.from_delayed([dask.delayed(lambda: 1 // 0)()], meta=LABELS[:0], verify_meta=False)
    with pytest.raises(ZeroDivisionError):
        pb.certify(MODEL, SAMPLE.X, labels)


def test_a_recheck_takes_groups_beside_rows_of_dask(here):
    X, y, groups = da.from_array(SAMPLE.X, chunks=(70, 2)), da.from_array(SAMPLE.y), SAMPLE.X[:, 0] > 0
    certificate = pb.certify(MODEL, SAMPLE.X, SAMPLE.y, groups=groups)
    assert recheck(certificate, X, y, MODEL, groups=groups)
    assert recheck(certificate, X, y, MODEL, groups=da.from_array(groups, chunks=50))
    assert not recheck(certificate, X, y, MODEL, groups=~groups)


class Unstorable(GaussianNB):
    def __reduce__(self):
        raise TypeError("it holds a lock")


def test_a_model_that_cannot_be_sent_is_refused(here):
    model = Unstorable().fit(SAMPLE.X, SAMPLE.y)
    with pytest.raises(EngineError, match=r"must be something that pickle stores. It cannot \(it holds a lock\)"):
        pb.certify(model, da.from_array(SAMPLE.X), SAMPLE.y)


def test_other_estimators_say_who_takes_rows_of_dask(here):
    with pytest.raises(ValueError, match=r"pass the result of compute\(\)"):
        pb.CertifiedForest().fit(da.from_array(SAMPLE.X), SAMPLE.y)
