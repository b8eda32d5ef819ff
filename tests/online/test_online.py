"""Online references: equal to a plain refit loop, blind to the future, independent of jobs, resumable."""

from __future__ import annotations

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


def test_refitted_logistic_is_the_exact_minimiser_whatever_came_before():
    X, y = SAMPLE.X, SAMPLE.y
    warm = pb.RefittedLogistic(alpha=0.02)
    for size in (30, 31, 200, 90, 700):
        warm.fit(X[:size], y[:size])
        cold = pb.RefittedLogistic(alpha=0.02, warm_start=False).fit(X[:size], y[:size])
        reference = LogisticRegression(C=1.0 / (0.02 * size), tol=1e-12, max_iter=10_000).fit(X[:size], y[:size])
        np.testing.assert_allclose(warm.weights_, cold.weights_, atol=2e-5)
        np.testing.assert_allclose(warm.coef_, reference.coef_, atol=2e-5)
        np.testing.assert_allclose(warm.predict_proba(X), reference.predict_proba(X), atol=2e-5)
    sparse = pb.RefittedLogistic(alpha=0.02).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.weights_, warm.weights_, atol=2e-5)


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers which rows (by a number in their first column) it has been shown, and when it was asked about one."""

    def __init__(self, log=None):
        self.log = log

    def fit(self, X, _):
        self.log.append(("fit", frozenset(X[:, 0].astype(int).tolist())))
        return self

    def predict(self, X):
        self.log.append(("predict", frozenset(X[:, 0].astype(int).tolist())))
        return np.zeros(len(X), dtype=int)

    def __sklearn_clone__(self):
        return Recorder(self.log)


schedules = st.one_of(
    st.integers(1, 40).map(pb.Every),
    st.tuples(st.floats(1.05, 3.0), st.integers(1, 30)).map(lambda a: pb.Geometric(*a)),
)


@pytest.mark.filterwarnings("ignore:The schedule never refits")
@given(schedules, st.integers(1, 120), st.integers(0, 30), st.integers(1, 4))
@settings(max_examples=60)
def test_no_example_is_seen_before_it_is_predicted(schedule, n, burn_in, chains):
    log = []
    X = np.column_stack([np.arange(n), np.zeros(n)])
    y = np.arange(n) % 2
    reference = pb.online_reference(
        Recorder(log), X, y, schedule=schedule, burn_in=burn_in, chains=chains, random_state=n
    )
    position = np.empty(n, dtype=int)
    position[reference.order] = np.arange(n)
    seen, predicted = frozenset(), []
    for what, rows in log:
        if what == "fit":
            seen = rows
        else:
            assert not rows & seen
            assert max(position[list(seen)], default=-1) < min(position[list(rows)])
            predicted.extend(rows)
    assert len(predicted) == len(set(predicted))
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
    both = (
        pb.RecursiveLogistic().partial_fit(SAMPLE.X[:300], SAMPLE.y[:300]).partial_fit(SAMPLE.X[300:], SAMPLE.y[300:])
    )
    once = pb.RecursiveLogistic().fit(SAMPLE.X, SAMPLE.y)
    np.testing.assert_allclose(both.weights_, once.weights_, rtol=1e-12)
    batch = pb.RefittedLogistic(C=1.0).fit(SAMPLE.X, SAMPLE.y)
    assert np.mean(once.predict(SAMPLE.X) == batch.predict(SAMPLE.X)) > 0.97


def test_recursive_updates_equal_their_definition():
    """The inverse after all updates is that of penalty I + sum p (1 - p) x x' at the probabilities met on the way."""
    model = pb.RecursiveLogistic(penalty=2.0)
    X, y = SAMPLE.X[:60], SAMPLE.y[:60]
    padded, matrix, weights = np.column_stack([X, np.ones(60)]), 2.0 * np.eye(5), np.zeros(5)
    for x, label in zip(padded, y, strict=True):
        p = 1.0 / (1.0 + np.exp(-weights @ x))
        matrix += max(p * (1 - p), 1e-4) * np.outer(x, x)
        weights = weights + np.linalg.solve(matrix, x * (label - p))
    np.testing.assert_allclose(model.fit(X, y).weights_, weights, rtol=1e-9)


def test_stochastic_learned_fixed_and_zero_references():
    arguments = {"schedule": pb.Every(100), "random_state": 0}
    stochastic = pb.online_reference(pb.StochasticReference(variance=0.05), SAMPLE.X, SAMPLE.y, **arguments)
    plain = pb.online_reference(pb.RefittedLogistic(), SAMPLE.X, SAMPLE.y, **arguments)
    assert abs(stochastic.losses.mean() - plain.losses.mean()) < 0.03
    learned = pb.online_reference(pb.LearnedReference(), SAMPLE.X, SAMPLE.y, **arguments)
    final = pb.RefittedLogistic().fit(SAMPLE.X, SAMPLE.y).predict(SAMPLE.X) != SAMPLE.y
    tail = learned.order[200:]
    assert np.corrcoef(learned.losses[200:], final[tail])[0, 1] > 0.5  # it knows which examples are hard
    fixed = pb.fixed_reference(GaussianNB().fit(SAMPLE.X[:100], SAMPLE.y[:100]), SAMPLE.X[100:], SAMPLE.y[100:])
    assert fixed.kind == "fixed"
    assert fixed.losses.mean() < 0.4
    expected = np.full(600, 0.1)
    assert fixed.summary(expected).reference_kind == "fixed"
    assert pb.zero_reference(600).summary(expected).reference_kind == "none"
    assert plain.summary(np.full(700, 0.2)).reference_kind == "predictable"
    np.testing.assert_array_equal(plain.by_row()[plain.order], plain.losses)


def test_stochastic_reference_over_draws_for_several_classes():
    X, y = load_iris(return_X_y=True)
    linear = LogisticRegression(max_iter=1000)
    arguments = {"schedule": pb.Every(40), "random_state": 0}
    averaged = pb.online_reference(pb.StochasticReference(linear, 1e-3), X, y, **arguments)
    plain = pb.online_reference(linear, X, y, **arguments)
    assert abs(averaged.losses.mean() - plain.losses.mean()) < 0.05
    again = pb.online_reference(pb.StochasticReference(linear, 1e-3), X, y, **arguments)
    np.testing.assert_array_equal(averaged.losses, again.losses)
    unseen = pb.StochasticReference().fit(X[:100], y[:100]).reference_losses(X[100:], y[100:])
    assert np.all(unseen == 1.0)  # a label that was not met in the past


def test_summary_pairs_each_row_with_its_own_reference():
    reference = pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, schedule=pb.Every(50), random_state=3)
    summary = reference.summary(reference.by_row(), rates=[0.5])
    assert summary.plus == summary.minus == 0.0  # compared with itself nothing is left


def test_anytime_bound_equals_betting_at_each_prefix():
    reference = pb.online_reference(
        pb.StochasticReference(), SAMPLE.X, SAMPLE.y, schedule=pb.Every(100), random_state=0
    )
    rates, weights = pb.bounds.betting_rates()
    curve = reference.bound(0.05)
    for n in (1, 10, 500, 700):
        growth = np.log1p(-np.outer(rates, reference.losses[:n])).mean(axis=1)
        assert curve[n - 1] == pytest.approx(pb.bounds.betting(growth, rates, 0.0, n, 0.05, weights), abs=1e-12)


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
        (lambda: pb.Every(0), r"'period' argument of Every must be a whole number of at least 1. Got 0"),
        (lambda: pb.Every(1.5), r"'period' argument of Every"),
        (lambda: pb.Geometric(1.0), r"'ratio' argument of Geometric must exceed 1. Got 1.0"),
        (lambda: pb.Geometric(2.0, 0), r"'first' argument of Geometric"),
        (lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, sample_weight=[1]), r"refuses sample weights"),
        (lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y[:5]), r"one label per row of X \(700\)"),
        (lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, schedule="often"), r"'schedule' argument"),
        (lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, burn_in=-1), r"'burn_in' and 'chains'"),
        (
            lambda: pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, loss="hinge"),
            r"'loss' argument must be one of",
        ),
        (lambda: pb.RefittedLogistic(alpha=0.0).fit(SAMPLE.X, SAMPLE.y), r"'alpha' parameter of RefittedLogistic"),
        (lambda: pb.RefittedLogistic(C=-1.0).fit(SAMPLE.X, SAMPLE.y), r"'C' parameter of RefittedLogistic"),
        (
            lambda: pb.RecursiveLogistic(penalty=0.0).fit(SAMPLE.X, SAMPLE.y),
            r"'penalty' parameter of RecursiveLogistic",
        ),
        (
            lambda: pb.fixed_reference(np.array([2.0]), None, None),
            r"'predictor' argument of fixed_reference must lie in",
        ),
        (lambda: pb.zero_reference(3).summary([0.1]), r"one entry per row \(3\)"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
