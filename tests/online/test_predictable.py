"""Online references: equal to a plain refit loop, blind to the future, independent of jobs."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import pacbayes as pb

SAMPLE = pb.datasets.make_known_risk(700, d=4, random_state=0)
SMALL = pb.datasets.make_known_risk(400, d=3, random_state=0)
ARGUMENTS = {"schedule": pb.Every(50), "shuffle": False}


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", ["banknote", "kr-vs-kp"])
def test_the_papers_references(name):
    """Blocks of 150, zero for the first 150, equal to a straightforward loop of cold refits."""
    X, y = pb.datasets.load(name, "published", return_X_y=True)
    order = np.random.RandomState(0).permutation(len(y))
    X, y = X[order], y[order]
    expected = np.zeros(len(y))
    for start in range(150, len(y), 150):
        fit = LogisticRegression(C=1.0 / (0.01 * start), tol=1e-8, max_iter=5000).fit(X[:start], y[:start])
        expected[start : start + 150] = fit.predict(X[start : start + 150]) != y[start : start + 150]
    ours = pb.online_reference(pb.RefittedLogistic(alpha=0.01), X, y, schedule=pb.Every(150), shuffle=False)
    assert ours.points == list(range(150, len(y), 150))
    assert not ours.losses[:150].any()
    np.testing.assert_array_equal(ours.losses, expected)


def test_logistic_regression_is_solved_by_the_refitting_solver():
    X, y = SAMPLE.X, np.where(SAMPLE.y, "b", "a")
    plain = pb.online_reference(LogisticRegression(C=0.3), X, y, schedule=pb.Every(90), shuffle=False)
    for start, stop in plain.boundaries[1:]:
        fit = LogisticRegression(C=0.3, tol=1e-10, max_iter=5000).fit(X[:start], y[:start])
        np.testing.assert_array_equal(plain.losses[start:stop], fit.predict(X[start:stop]) != y[start:stop])


def said():
    return vars(sys).setdefault("said_by_a_recorder", [])


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers which rows (by a number in their first column) it has been shown, and when it was asked about one.

    In a module of Python's, since what clones share, and what its class or module keeps, is refused.
    """

    def fit(self, X, _):
        said().append(("fit", frozenset(X[:, 0].astype(int).tolist())))
        return self

    def predict(self, X):
        said().append(("predict", frozenset(X[:, 0].astype(int).tolist())))
        return np.zeros(len(X), dtype=int)


schedules = st.one_of(
    st.integers(1, 40).map(pb.Every),
    st.tuples(st.floats(1.05, 3.0), st.integers(1, 30)).map(lambda a: pb.Geometric(*a)),
)


@pytest.mark.filterwarnings("ignore:The schedule never refits")
@given(schedules, st.integers(1, 120), st.integers(0, 30), st.integers(1, 4))
@settings(max_examples=60)
def test_no_example_is_seen_before_it_is_predicted(schedule, n, burn_in, chains):
    said().clear()
    X = np.column_stack([np.arange(n), np.zeros(n)])
    y = np.arange(n) % 2
    reference = pb.online_reference(Recorder(), X, y, schedule=schedule, burn_in=burn_in, chains=chains, random_state=n)
    position = np.empty(n, dtype=int)
    position[reference.order] = np.arange(n)
    seen, predicted = frozenset(), []
    for what, rows in said():
        if what == "fit":
            seen = rows
            predicted.append(set())
        else:
            assert not rows & seen
            assert max(position[list(seen)], default=-1) < min(position[list(rows)])
            predicted = predicted or [set()]
            predicted[-1].update(rows)  # by one snapshot in several batches, by no other
    assert sum(map(len, predicted)) == len(set().union(*predicted))
    assert not reference.losses[:burn_in].any()
    assert [b for a, b in reference.boundaries][-1] == n


@given(st.integers(0, 1000), st.integers(60, 140))
@settings(max_examples=15)
def test_reordering_the_future_does_not_change_the_past(seed, cut):
    rng = np.random.default_rng(seed)
    X, y = SAMPLE.X[:200], SAMPLE.y[:200]
    rows = np.concatenate([np.arange(cut), rng.permutation(np.arange(cut, 200))])
    one, two = (
        pb.online_reference(GaussianNB(), X[r], y[r], schedule=pb.Every(20), shuffle=False).losses
        for r in (np.arange(200), rows)
    )
    np.testing.assert_array_equal(one[:cut], two[:cut])


class Peeker(ClassifierMixin, BaseEstimator):
    """Depends on more than its past, through a side door: it counts the fits of all runs."""

    fits = 0

    def fit(self, *_):
        Peeker.fits += 1
        return self

    def predict(self, X):
        return np.full(len(X), (Peeker.fits // 5) % 2)


def test_debug_mode_catches_an_estimator_that_depends_on_more_than_its_past():
    Peeker.fits = 0
    with pytest.raises(ValueError, match=r"The estimator peeks: the loss of example \d+ changes"):
        pb.online_reference(Peeker(), SAMPLE.X[:130], SAMPLE.y[:130], schedule=pb.Every(10), debug=True)
    pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, schedule=pb.Every(50), debug=True)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_result_does_not_depend_on_jobs_or_backend(backend):
    from joblib import parallel_config

    arguments = {"schedule": pb.Every(50), "chains": 3, "random_state": 1}
    alone = pb.online_reference(pb.RefittedLogistic(), SAMPLE.X, SAMPLE.y, **arguments)
    with parallel_config(backend=backend, n_jobs=2):
        together = pb.online_reference(pb.RefittedLogistic(), SAMPLE.X, SAMPLE.y, n_jobs=2, **arguments)
    np.testing.assert_array_equal(alone.losses, together.losses)


def test_pipelines_trees_and_several_classes():
    X, y = load_iris(return_X_y=True)
    for estimator in (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        DecisionTreeClassifier(random_state=0),
    ):
        for loss in ("zero_one", "brier", "log_loss"):
            reference = pb.online_reference(estimator, X, y, schedule=pb.Geometric(1.3, 20), loss=loss, random_state=0)
            assert 0 < reference.losses[20:].mean() < 0.2
    reference = pb.online_reference(GaussianNB(), X, y, schedule=pb.Every(50), shuffle=False)  # sorted by class
    assert reference.losses[50:100].all()  # a prefix of one class predicts it
    digits = load_digits()
    kept = pb.online_reference(GaussianNB(), digits.data, digits.target, schedule=pb.Every(300), keep=2, random_state=0)
    assert [size for size, _ in kept.snapshots] == [1200, 1500]
    assert kept.snapshots[0][1].predict(digits.data[:3]).shape == (3,)


def test_frames_and_sparse_rows():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(SAMPLE.X, columns=list("abcd"))
    arguments = {"schedule": pb.Every(100), "random_state": 0}
    plain = pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, **arguments)
    np.testing.assert_array_equal(pb.online_reference(GaussianNB(), frame, SAMPLE.y, **arguments).losses, plain.losses)
    dense = pb.online_reference(pb.RefittedLogistic(), SAMPLE.X, SAMPLE.y, **arguments)
    sparse = pb.online_reference(pb.RefittedLogistic(), sp.csc_array(SAMPLE.X), SAMPLE.y, **arguments)
    assert np.mean(dense.losses != sparse.losses) < 0.01


def test_every_example_learners():
    recursive = pb.online_reference(pb.RecursiveLogistic(), SAMPLE.X, SAMPLE.y, schedule=pb.Every(1), random_state=0)
    partial = pb.online_reference(
        SGDClassifier(random_state=0), SAMPLE.X, SAMPLE.y, schedule=pb.Every(1), random_state=0
    )
    exact = pb.online_reference(pb.RefittedLogistic(), SAMPLE.X, SAMPLE.y, schedule=pb.Every(10), random_state=0)
    assert recursive.losses[0] == partial.losses[0] == 0.0
    assert abs(recursive.losses.mean() - exact.losses.mean()) < 0.03
    assert partial.losses.mean() < 0.35


def test_what_in_place_updates_cannot_do_is_refused(tmp_path):
    for extra in ({"keep": 3}, {"checkpoint": tmp_path}):
        with pytest.raises(ValueError, match="keeps no snapshots and no checkpoint"):
            pb.online_reference(pb.RecursiveLogistic(), SMALL.X, SMALL.y, schedule=pb.Every(1), **extra)


def test_declared_classes_do_not_depend_on_the_future():
    y = SMALL.y.copy()
    y[-1] = 2
    for estimator, schedule in ((SGDClassifier(random_state=0), pb.Every(1)), (LogisticRegression(), pb.Every(50))):
        one, two = (
            pb.online_reference(estimator, SMALL.X, labels, schedule=schedule, shuffle=False, classes=[0, 1, 2]).losses
            for labels in (SMALL.y, y)
        )
        np.testing.assert_array_equal(one[:-1], two[:-1])
    with pytest.raises(ValueError, match=r"must hold only \[0, 1\]. Got .*2"):
        pb.online_reference(GaussianNB(), SMALL.X, y, classes=[0, 1])


def test_a_warm_start_gives_way_to_a_new_class():
    y = SMALL.y.copy()
    y[120:] = np.where(SMALL.X[120:, 0] > 1.0, 2, y[120:])
    estimator = LogisticRegression(warm_start=True, max_iter=500, C=0.5, class_weight="balanced")
    assert pb.online_reference(estimator, SMALL.X, y, **ARGUMENTS).losses[150:].mean() < 0.5


def test_another_minimiser_is_left_alone():
    shifted = SMALL.X + 3.0
    plain = LogisticRegression(solver="liblinear", C=0.1)
    ours = pb.online_reference(plain, shifted, SMALL.y, **ARGUMENTS)
    for start, stop in ours.boundaries[1:]:
        fit = LogisticRegression(solver="liblinear", C=0.1).fit(shifted[:start], SMALL.y[:start])
        np.testing.assert_array_equal(ours.losses[start:stop], fit.predict(shifted[start:stop]) != SMALL.y[start:stop])


def test_awkward_predictors_and_rows():
    class Column(GaussianNB):
        def predict(self, X):
            return super().predict(X)[:, None]

    plain = pb.online_reference(GaussianNB(), SMALL.X, SMALL.y, **ARGUMENTS)
    assert np.array_equal(pb.online_reference(Column(), SMALL.X, SMALL.y, **ARGUMENTS).losses, plain.losses)
    fitted = GaussianNB().fit(SMALL.X, SMALL.y)
    assert pb.fixed_reference(fitted, SMALL.X, SMALL.y, loss="brier").losses.max() < 1.0
    with pytest.raises(ValueError, match="must have rows and columns"):
        pb.online_reference(GaussianNB(), SMALL.X[:, 0], SMALL.y)
    absolute = pb.online_reference(GaussianNB(), SMALL.X, SMALL.y, loss="absolute", **ARGUMENTS)
    np.testing.assert_array_equal(absolute.losses, plain.losses)


def test_progress_is_plain_text_on_stderr(capsys):
    pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, schedule=pb.Every(100), progress=True, random_state=0)
    printed = capsys.readouterr()
    assert "online reference: 6/6 refits" in printed.err
    assert not printed.out


def test_a_schedule_that_never_refits_is_pointed_out():
    with pytest.warns(UserWarning, match="never refits within 700 examples"):
        reference = pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, schedule=2000)
    assert not reference.losses.any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, sample_weight=[1]), r"refuses sample weights"),
        (lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y[:5]), r"one label per row of X \(700\)"),
        (lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, schedule="often"), r"'schedule' argument"),
        (lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, burn_in=-1), r"'burn_in' and 'chains'"),
        (
            lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, loss="hinge"),
            r"'loss' argument must be one of",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_arrow_tables_are_taken_as_arrays():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({str(column): SAMPLE.X[:, column] for column in range(4)})
    arguments = {"schedule": pb.Every(100), "random_state": 0}
    plain = pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, **arguments)
    np.testing.assert_array_equal(pb.online_reference(GaussianNB(), table, SAMPLE.y, **arguments).losses, plain.losses)


def test_frames_reach_a_learner_that_updates_in_place():
    pd = pytest.importorskip("pandas")
    arguments = {"schedule": pb.Every(1), "random_state": 0}
    plain = pb.online_reference(pb.RecursiveLogistic(), SAMPLE.X, SAMPLE.y, **arguments)
    frame = pb.online_reference(pb.RecursiveLogistic(), pd.DataFrame(SAMPLE.X), SAMPLE.y, **arguments)
    np.testing.assert_array_equal(frame.losses, plain.losses)
