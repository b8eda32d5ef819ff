"""A network as an online reference: cloned, trained on the past alone, continued, and resumed where it can be."""

from functools import partial

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.datasets import load_iris

import pacbayes as pb
from pacbayes.torch import NetworkClassifier, Training, fully_connected

X, Y = load_iris(return_X_y=True)
OPTIONS = {"schedule": pb.Every(50), "random_state": 0}
FACTORY = partial(fully_connected, 4, 16, 3)


def network(**options):
    given = {"training": Training(epochs=15, batch_size=25, learning_rate=0.02), "random_state": 0} | options
    return NetworkClassifier(FACTORY, **given)


def test_a_network_is_a_reference_like_any_other(capsys):
    reference = pb.online_reference(network(), X, Y, keep=1, debug=True, progress=True, **OPTIONS)
    assert reference.kind == "predictable"
    assert reference.points == [50, 100]
    assert reference.losses[50:].mean() < 0.2
    assert set(np.unique(reference.losses)) <= {0.0, 1.0}
    (point, snapshot), *_ = reference.snapshots
    assert point == 100
    ahead = reference.order[100:]
    np.testing.assert_array_equal(snapshot.predict(X[ahead]) != Y[ahead], reference.losses[100:])
    assert "2/2 refits" in capsys.readouterr().err


def test_labels_are_text_and_may_come_late():
    names = np.array(["setosa", "versicolor", "virginica"])[Y]
    rows = np.r_[0:20, 50:70, 100:110]  # the third kind after the only snapshot
    options = {"schedule": pb.Every(40), "shuffle": False}
    reference = pb.online_reference(network(), X[rows], names[rows], **options)
    assert np.all(reference.losses[40:] == 1.0)


def test_losses_of_probabilities():
    plain = pb.online_reference(network(), X, Y, **OPTIONS).losses
    smooth = pb.online_reference(network(), X, Y, loss="brier", **OPTIONS).losses
    assert np.corrcoef(plain[50:], smooth[50:])[0, 1] > 0.3
    assert 0.0 < smooth[50:].mean() < 0.3


def test_a_trained_network_forgets_when_it_is_cloned():
    trained = network().fit(X, Y)
    assert not hasattr(clone(trained), "module_")
    first = pb.online_reference(trained, X, Y, **OPTIONS).losses
    np.testing.assert_array_equal(first, pb.online_reference(network(), X, Y, **OPTIONS).losses)


def test_warm_start_continues_from_the_last_weights():
    model = network(warm_start=True).fit(X[::2], Y[::2])
    before = model.module_.state_dict()["0.weight"].clone()
    model.set_params(training=Training(epochs=0)).fit(X, Y)
    assert torch.equal(model.module_.state_dict()["0.weight"], before)
    model.set_params(warm_start=False).fit(X, Y)
    assert not torch.equal(model.module_.state_dict()["0.weight"], before)


def test_warm_start_begins_anew_with_other_classes():
    model = network(warm_start=True).fit(X[:100], Y[:100])
    model.fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 2]


def test_warm_snapshots_are_kept_apart():
    reference = pb.online_reference(network(warm_start=True), X, Y, keep=2, **OPTIONS)
    weights = [snapshot.module_.state_dict()["0.weight"] for _, snapshot in reference.snapshots]
    assert not torch.equal(*weights)
    short = Training(epochs=4, batch_size=25, learning_rate=0.02)
    cold = pb.online_reference(network(training=short), X, Y, **OPTIONS).losses
    warm = pb.online_reference(network(training=short, warm_start=True), X, Y, **OPTIONS).losses
    np.testing.assert_array_equal(cold[:100], warm[:100])  # the first snapshot has nothing to continue from
    assert warm[100:].mean() <= cold[100:].mean()


def test_a_killed_run_continues(tmp_path, monkeypatch):
    whole = pb.online_reference(network(), X, Y, **OPTIONS)
    fit, calls = NetworkClassifier.fit, []

    def interrupt(self, *rows):
        calls.append(len(rows[0]))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return fit(self, *rows)

    with monkeypatch.context() as patch:
        patch.setattr(NetworkClassifier, "fit", interrupt)
        with pytest.raises(KeyboardInterrupt):
            pb.online_reference(network(), X, Y, checkpoint=tmp_path, **OPTIONS)
    again = pb.online_reference(network(), X, Y, checkpoint=tmp_path, **OPTIONS)
    np.testing.assert_array_equal(again.losses, whole.losses)


def test_a_checkpoint_of_a_warm_network_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"cannot be written without pickle.*Set its warm_start to False"):
        pb.online_reference(network(warm_start=True), X, Y, checkpoint=tmp_path, **OPTIONS)


def test_a_trained_network_in_the_factory_is_refused():
    trained = network().fit(X, Y)
    model = NetworkClassifier(lambda: trained.module_)
    with pytest.raises(ValueError, match="must come unlearned"):
        pb.online_reference(model, X, Y, **OPTIONS)
