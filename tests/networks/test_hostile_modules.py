"""Modules that would make a certificate about something else than it says: what is seen is refused."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional

import pacbayes as pb
from pacbayes.torch import (
    CertifiedNetwork,
    GaussianNetwork,
    NetworkClassifier,
    PosteriorTraining,
    Training,
    fully_connected,
    train,
)
from pacbayes.torch.layers import choose_layers

X, Y = load_digits(return_X_y=True)
X, Y = (X / 16.0).astype(np.float32)[:600], Y[:600]
TRAINING = Training(epochs=3, batch_size=64, learning_rate=1e-2)


class Two(nn.Module):
    """Two layers; what they are held by, and what happens between them, is for subclasses."""

    def __init__(self):
        super().__init__()
        self.inner, self.out = nn.Linear(64, 16), nn.Linear(16, 10)

    def features(self, rows):
        return functional.relu(self.inner(rows))

    def forward(self, rows):
        return self.out(self.features(rows))


class HeldInAList(Two):
    """Its layers are called from a list, where nothing would replace them by layers that draw."""

    def __init__(self):
        super().__init__()
        self.layers = [self.inner, self.out]

    def forward(self, rows):
        return self.layers[1](functional.relu(self.layers[0](rows)))


class TwoNames(Two):
    """It calls a layer by its second name."""

    def __init__(self):
        super().__init__()
        self.again = self.out

    def forward(self, rows):
        return self.again(self.features(rows))


class WeightsKept(Two):
    """It calls a layer, and uses its weights once more, where they would be the posterior's means and not drawn."""

    def __init__(self):
        super().__init__()
        self.kept = [self.out.weight]

    def forward(self, rows):
        features = self.features(rows)
        return self.out(features) + functional.linear(features, self.kept[0])


class Gated(Two):
    """It looks at the whole batch, with a weight that is 0 until it learns."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(()))

    def features(self, rows):
        features = super().features(rows)
        return features + self.gate * features.mean(0, keepdim=True)


class Counting(Two):
    """It learns a little from whatever it is asked."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(16))

    def features(self, rows):
        features = super().features(rows)
        self.mean = self.mean + 1e-6 * (features.detach().mean(0) - self.mean)
        return features - self.mean


class Negative(Two):
    """It changes its last layer's outputs in place, which stay the same object."""

    def forward(self, rows):
        found = super().forward(rows)
        return found if torch.is_grad_enabled() else found.neg_()


class InPlace(Two):
    """It changes the rows that it is given."""

    def features(self, rows):
        return super().features(rows.clamp_(0.0, 0.5))


def gaussian(module, layers, **options):
    options = {"training": TRAINING, "posterior_training": PosteriorTraining(epochs=2), "random_state": 0} | options
    return GaussianNetwork(module, layers, 0.1, **options).fit(X, Y)


@pytest.mark.parametrize("module", [HeldInAList, TwoNames, WeightsKept])
def test_layers_that_would_not_be_drawn_are_refused(module):
    """Their divergence would be that of a Gaussian, and their predictions those of its means."""
    with pytest.raises(ValueError, match="uses them otherwise"):
        choose_layers("me", module().eval(), "linear", torch.rand(3, 64))


def test_a_batch_that_matters_after_training_alone_is_refused():
    for layers in ("last", "linear"):
        choose_layers("me", Gated().eval(), layers, torch.rand(3, 64))  # nothing to be seen yet
        with pytest.raises(ValueError, match="same logits in every batch"):
            gaussian(Gated, layers)


def test_a_network_that_changes_where_it_is_evaluated_is_refused():
    with pytest.raises(ValueError, match="must not change its buffers"):
        gaussian(Counting, "last")
    with pytest.raises(ValueError, match="must not change its weights or buffers"):
        CertifiedNetwork(Counting, training=TRAINING, split=0.5, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="must not change its weights or buffers"):
        pb.certify(Counting(), X, Y)


def test_outputs_changed_in_place_are_not_those_of_the_last_layer():
    with pytest.raises(ValueError, match=r"must return what its last nn\.Linear returns"):
        choose_layers("me", Negative().eval(), "last", torch.rand(3, 64))


def test_rows_are_not_changed():
    before = X.copy()
    model = gaussian(InPlace, "last")
    model.predict(X)
    other = CertifiedNetwork(InPlace, training=TRAINING, split=0.5, random_state=0).fit(X, Y)
    other.predict(X)
    pb.certify(train(InPlace(), X[:300], Y[:300], TRAINING), X[300:], Y[300:])
    assert np.array_equal(X, before)
    assert pb.verification.recheck(model.certificate_, X, Y, model)


class Blank(nn.Module):
    """Has outputs that are no numbers for some rows; in batches of a certain parity alone, if asked to."""

    def __init__(self, *, by_batch):
        super().__init__()
        self.scale, self.by_batch = nn.Parameter(torch.ones(1)), by_batch

    def forward(self, rows):
        found = torch.stack([-rows[:, 0], rows[:, 0]], 1) * self.scale
        found[(rows[:, 0] > 1) & (not self.by_batch or len(rows) % 2 == 0)] = float("nan")
        return found


@pytest.mark.parametrize("metric", ["brier", "log-loss"])
def test_outputs_that_are_no_numbers_have_the_largest_loss(metric):
    rows = np.random.default_rng(0).normal(scale=2.0, size=(600, 1)).astype(np.float32)
    truth, blank = (rows[:, 0] > 0).astype(int), rows[:, 0] > 1
    found = pb.certify(Blank(by_batch=False), rows, truth, metrics=["error", metric])
    assert found.statements[0].observed == {"errors": int(blank.sum())}
    chance = 1 / (1 + np.exp(-2.0 * np.abs(rows[:, 0].astype(float))))
    loss = (1 - chance) ** 2 if metric == "brier" else np.minimum(-np.log(chance) / 7.0, 1.0)
    assert found.statements[1].observed["risk"] == pytest.approx(np.where(blank, 1.0, loss).mean(), rel=1e-5)
    with pytest.raises(ValueError, match="by itself"):
        pb.certify(Blank(by_batch=True), rows, truth, metrics=[metric])


class Kept(nn.Module):
    """Keeps the rows that it was given."""

    def __init__(self):
        super().__init__()
        self.line, self.seen = nn.Linear(1, 2).double(), []

    def forward(self, rows):
        self.seen.append(rows.detach().clone())
        return self.line(rows * 0.0)


@pytest.mark.parametrize("own", [False, True])
def test_a_network_of_doubles_learns_from_rows_that_are_not_rounded(own):
    fine = 2.0**30 + np.arange(40.0)[:, None]  # of which single precision tells one in 128
    seen = []

    def watch(module, rows, codes):
        seen.append(rows)

    options = {"fitter": watch} if own else {"training": TRAINING}
    model = NetworkClassifier(Kept, random_state=0, **options).fit(fine, np.arange(40) % 2)
    batches = seen if own else model.module_.seen
    assert {each.dtype for each in batches} == {torch.float64}
    assert set(torch.cat(batches)[:, 0].tolist()) == set(fine[:, 0])


def test_double_precision_is_trained():
    model = CertifiedNetwork(lambda: Two().double(), training=TRAINING, split=0.5, random_state=0).fit(X, Y)
    assert model.certificate_.value < 0.9


def test_layers_that_are_made_by_the_first_rows():
    factory = lambda: nn.Sequential(nn.LazyLinear(16), nn.ReLU(), nn.LazyLinear(10))  # noqa: E731
    model = CertifiedNetwork(factory, training=TRAINING, split=0.5, random_state=0).fit(X, Y)
    assert model.certificate_.value < 0.9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prior_scale": 1e-50}, "must lie between 1e-18 and 1e[+]18"),
        ({"prior_scale": 1e50}, "must lie between 1e-18 and 1e[+]18"),
        ({"posterior_training": PosteriorTraining(epochs=2, learning_rate=1e30)}, "training of the posterior diverged"),
        ({"device": "meta"}, "another device that torch has here"),
        ({"device": "cuda:99"}, "another device that torch has here"),
        ({"classes": 5}, "'classes' argument"),
        ({"classes": [None, 1]}, "'classes' argument"),
        ({"classes": [0, 0, 1]}, "'classes' argument"),
        ({"passes": 1001}, "from 1 to 1000"),
        ({"module": fully_connected}, "must need no arguments"),
        ({"module": lambda: Two().double()}, "must have weights of single precision"),
    ],
)
def test_junk_has_one_sentence(options, words):
    model = GaussianNetwork(Two, training=Training(epochs=1), random_state=0).set_params(**options)
    with pytest.raises(ValueError, match=words) as caught:
        model.fit(X, Y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "labels", "options", "words"),
    [
        (X, Y + 100, {}, "must have an output for each label"),
        ("rows", Y, {}, "numbers"),
        (None, None, {}, "numbers"),
        (X, ["a"] * len(X), {}, "numbers"),
        (X, Y, {"augment": lambda batch, _: None}, "must return a batch of 128 rows"),
        (X, Y, {"augment": lambda batch, _: batch[:3]}, "must return a batch of 128 rows"),
    ],
)
def test_junk_for_training_has_one_sentence(rows, labels, options, words):
    with pytest.raises(ValueError, match=words) as caught:
        train(Two(), rows, labels, Training(epochs=1, **options))
    assert "\n" not in str(caught.value)


def test_outputs_without_gradients_are_refused():
    class Cut(Two):
        def forward(self, rows):
            return super().forward(rows).detach()

    with pytest.raises(ValueError, match="outputs with gradients"):
        train(Cut(), X, Y, Training(epochs=1))


def test_images_are_rechecked():
    images = X.reshape(-1, 1, 8, 8)
    options = {"training": TRAINING, "posterior_training": PosteriorTraining(epochs=1), "random_state": 0}
    model = GaussianNetwork(lambda: nn.Sequential(nn.Flatten(), Two()), **options).fit(images, Y)
    for given in (images, torch.tensor(images), X):
        assert pb.verification.recheck(model.certificate_, given, Y, model)
    assert not pb.verification.recheck(model.certificate_, images[::-1], Y, model)
