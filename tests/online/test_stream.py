"""The stream loop: nothing ahead is shown to a snapshot, a certificate's losses are those of predict."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.learners import OneClass
from pacbayes.online import Stream
from pacbayes.online.stream import Stretch, cut_stream, run_stream

SAMPLE = pb.datasets.make_known_risk(400, d=3, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y


class Flattering(GaussianNB):
    """Says of itself that it never errs."""

    def reference_losses(self, _, y):
        return np.zeros(len(y))


def test_losses_of_a_stream_are_those_of_predict():
    plain = Stream(X, Y, pb.Every(100)).judged(GaussianNB())
    flattering = Stream(X, Y, pb.Every(100)).judged(Flattering())
    assert plain.losses.any()
    np.testing.assert_array_equal(flattering.losses, plain.losses)
    model = pb.OnlineCertifiedClassifier(Flattering(), schedule=pb.Every(100), random_state=0).fit(X, Y)
    honest = pb.OnlineCertifiedClassifier(GaussianNB(), schedule=pb.Every(100), random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.losses_, honest.losses_)
    assert model.certificate_.value == honest.certificate_.value
    reference = pb.online_reference(Flattering(), X, Y, schedule=pb.Every(100), shuffle=False)
    assert not reference.losses.any()  # a reference may say itself what its losses are


def test_references_and_streams_run_through_the_same_loop():
    stream = Stream(X, Y, pb.Geometric(1.5, 40)).judged(GaussianNB())
    reference = pb.online_reference(
        GaussianNB(), X, Y, schedule=pb.Geometric(1.5, 40), shuffle=False, keep=100, chains=2
    )
    np.testing.assert_array_equal(reference.losses[reference.points[0] :], stream.losses)
    assert [point for point, _ in stream.snapshots] == reference.points == [point for point, _ in reference.snapshots]
    assert stream.counts == tuple(stop - start for start, stop in reference.boundaries[1:])
    assert stream.weights.sum() == pytest.approx(1.0)


def test_extending_equals_judging_at_once_and_leaves_the_first_stream_alone():
    first = Stream(X[:250], Y[:250], pb.Every(60)).judged(GaussianNB())
    losses, snapshots = first.losses.copy(), first.snapshots
    second = first
    for stop in (251, 300, 400):
        second = second.extended(X[second.y.size : stop], Y[second.y.size : stop]).judged(GaussianNB())
    once = Stream(X, Y, pb.Every(60)).judged(GaussianNB())
    np.testing.assert_array_equal(second.losses, once.losses)
    assert second.counts == once.counts
    assert second.snapshots[: len(snapshots)] == snapshots == first.snapshots
    np.testing.assert_array_equal(first.losses, losses)
    again = second.judged(GaussianNB())  # nothing is left to judge
    assert again.snapshots == second.snapshots
    np.testing.assert_array_equal(again.losses, second.losses)


def test_each_snapshot_of_a_stream_is_a_fit_of_its_own():
    stream = Stream(X, Y, pb.Every(100)).judged(LogisticRegression(warm_start=True))
    for point, model in stream.snapshots:
        fit = LogisticRegression().fit(X[:point], Y[:point])
        np.testing.assert_array_equal(model.coef_, fit.coef_)


def test_a_prefix_of_one_class_predicts_it():
    order = np.argsort(Y, kind="stable")
    (_, model), *_ = Stream(X[order], Y[order], pb.Every(50)).judged(GaussianNB()).snapshots
    assert isinstance(model, OneClass)


def test_the_loop_shows_the_past_to_training_and_the_stretch_to_judging():
    numbers, seen = np.arange(10), []

    def train(point, previous, X, y):
        seen.append((point, previous, X.tolist(), y.tolist()))
        return point

    def judge(model, X, y):
        assert X.tolist() == y.tolist()
        return np.asarray(X, dtype=float)

    steps = list(run_stream(numbers, numbers, cut_stream([2, 5], 10), train, judge, previous=-1))
    assert seen == [(2, -1, [0, 1], [0, 1]), (5, 2, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4])]
    assert [(stretch, model, values.tolist()) for stretch, model, values in steps] == [
        (Stretch(2, 2, 5), 2, [2.0, 3.0, 4.0]),
        (Stretch(5, 5, 10), 5, [5.0, 6.0, 7.0, 8.0, 9.0]),
    ]


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        (0, [(2, 2, 5), (5, 5, 9)]),
        (2, [(2, 2, 5), (5, 5, 9)]),
        (4, [(2, 4, 5), (5, 5, 9)]),
        (5, [(5, 5, 9)]),
        (9, []),
    ],
)
def test_stretches_leave_out_what_was_judged(judged, expected):
    assert cut_stream([2, 5], 9, judged) == expected


@pytest.mark.parametrize("points", [[], [30, 20], [50, 50], [100, 400]])
def test_a_schedule_of_no_use_to_a_stream_is_refused(points):
    class Given:
        def points(self, _):
            return points

    with pytest.raises(ValueError, match="increasing points below the number of rows"):
        Stream(X, Y, Given()).judged(GaussianNB())
