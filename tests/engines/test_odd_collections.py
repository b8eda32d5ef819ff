"""Dask collections that hold what cannot be used, or change while they are, are refused in one sentence."""

import sys

import cloudpickle
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from engines.spread import FRAME, LABELS, MODEL, SAMPLE, N, content, parts_of
from pacbayes.engines import EngineError
from pacbayes.engines.facts import look_at

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have this module
pytestmark = pytest.mark.usefixtures("small_blocks")
OF_OLDER_DASK = "must not contain NaN or missing labels"  # which fills what is none


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
    with pytest.raises(ValueError, match=rf"must hold values\. Partition 1 is None\.|{OF_OLDER_DASK}"):
        pb.certify(MODEL, SAMPLE.X, labels)


def test_labels_that_are_none_are_not_taken_for_missing_ones(here):
    labels = dd.from_delayed([dask.delayed(None)], meta=LABELS[:0], verify_meta=False)
    with pytest.raises(ValueError, match=rf"must hold values\. Partition 0 is None\.|{OF_OLDER_DASK}"):
        pb.certify_predictions(labels, LABELS)


def test_what_labels_raise_is_raised(here):
    labels = dd.from_delayed([dask.delayed(lambda: 1 // 0)()], meta=LABELS[:0], verify_meta=False)
    with pytest.raises(ZeroDivisionError):
        pb.certify(MODEL, SAMPLE.X, labels)


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
