"""The network that predicts is the one that was judged, and it is asked about rows as they were judged."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import pacbayes as pb
from pacbayes.torch import (
    CertifiedNetwork,
    GaussianNetwork,
    GivenNetwork,
    PosteriorTraining,
    Training,
    describe,
    fully_connected,
    load,
    train,
    verify,
)

X, Y = load_digits(return_X_y=True)
X = X / 16
FACTORY = partial(fully_connected, 64, 16, 10)
TRAINING = Training(epochs=3, learning_rate=1e-2)
KINDS = {
    "deterministic": lambda made: CertifiedNetwork(made, training=TRAINING, split=0.5, random_state=0),
    "gaussian": lambda made: GaussianNetwork(
        made, training=TRAINING, posterior_training=PosteriorTraining(epochs=1), random_state=0
    ),
}
kinds = pytest.mark.parametrize("kind", KINDS)


class Turned(TensorDataset):
    """Gives other rows than its tensors are."""

    def __getitem__(self, place):
        row, label = super().__getitem__(place)
        return row.flip(0), label


def test_a_dataset_of_ones_own_is_asked_for_its_rows():
    rows, labels = torch.tensor(X).float(), torch.tensor(Y)
    module = train(fully_connected(64, 32, 10), rows[:900], labels[:900], Training(epochs=20, learning_rate=1e-2))
    turned = Turned(rows[900:], labels[900:])
    certificate = pb.certify(module, turned, None)
    assert certificate.statements == pb.certify(module, DataLoader(turned, batch_size=100), None).statements
    assert certificate.value > 0.5 > pb.certify(module, TensorDataset(*turned.tensors), None).value


@kinds
def test_columns_in_another_order_are_refused(kind, tmp_path):
    frame = pd.DataFrame(X, columns=[f"pixel{place}" for place in range(64)])
    model = KINDS[kind](FACTORY).fit(frame, Y)
    assert list(model.feature_names_in_) == list(frame.columns)
    model.save(tmp_path / "out")
    for asked in (model, load(tmp_path / "out")):
        asked.predict(frame[:5])
        asked.predict(X[:5])
        with pytest.raises(ValueError, match=r"columns of fit, in their order. Got 'pixel63' in place of 'pixel0'"):
            asked.predict(frame[frame.columns[::-1]])
        with pytest.raises(ValueError, match="X' argument of"):
            asked.predict(frame.iloc[:, :63])
    assert verify(tmp_path / "out", frame, Y)
    with pytest.raises(ValueError, match="must have the columns of fit"):
        verify(tmp_path / "out", frame[frame.columns[::-1]], Y)


@kinds
@pytest.mark.parametrize(("fitted", "asked"), [(np.uint8, np.float32), (np.float32, np.uint8), (np.uint8, np.int64)])
def test_pixels_of_another_type_are_refused(kind, fitted, asked, tmp_path):
    pixels = (X * 255).astype(np.uint8)
    model = KINDS[kind](FACTORY).fit(pixels.astype(fitted), Y)
    model.save(tmp_path / "out")
    for each in (model, load(tmp_path / "out")):
        with pytest.raises(ValueError, match="eight bits"):
            each.predict(pixels.astype(asked))
    assert verify(tmp_path / "out", pixels.astype(fitted), Y)


@kinds
def test_pixels_as_shares_are_the_same_rows(kind):
    pixels = (X * 255).astype(np.uint8)
    whole, shares = (KINDS[kind](FACTORY).fit(rows, Y) for rows in (pixels, np.float32(pixels) / np.float32(255)))
    assert whole.certificate_.value == shares.certificate_.value
    for model in (whole, shares):
        for rows in (pixels, np.float32(pixels) / np.float32(255)):
            assert (
                model.predict(rows).shape == Y.shape
                if kind == "gaussian"
                else (model.predict(rows) == whole.predict(pixels)).all()
            )


def test_images_in_another_layout_are_refused():
    images = np.stack([X.reshape(-1, 8, 8)] * 3, axis=1)
    model = KINDS["gaussian"](lambda: nn.Sequential(nn.Flatten(), nn.Linear(192, 10))).fit(images, Y)
    with pytest.raises(ValueError, match=r"must have rows of shape \(3, 8, 8\). Got \(8, 8, 3\)"):
        model.predict(images.transpose(0, 2, 3, 1))


def hooked():
    module = FACTORY()
    module.register_forward_pre_hook(lambda layer, rows: (1.0 - rows[0],))
    return module


def replaced():
    module = FACTORY()
    forward = module.forward
    module.forward = lambda rows: forward(1.0 - rows)
    return module


@kinds
def test_a_network_of_ours_that_was_changed_is_not_rebuilt_from_its_description(kind, tmp_path):
    KINDS[kind](hooked).fit(X, Y).save(tmp_path / "out")
    assert describe(hooked()) is describe(replaced()) is None
    with pytest.raises(ValueError, match="pass module="):
        load(tmp_path / "out")
    assert verify(tmp_path / "out", X, Y, module=hooked)


class Shifted(nn.Module):
    """Answers by a number that no folder holds."""

    def __init__(self, persistent):
        super().__init__()
        self.layer = nn.Linear(64, 10)
        if persistent is None:
            self.shift = torch.zeros(())
        else:
            self.register_buffer("shift", torch.zeros(()), persistent=persistent)

    def forward(self, rows):
        return self.layer(rows - self.shift)


@pytest.mark.parametrize("persistent", [True, False, None])
def test_what_no_folder_holds_is_not_saved(persistent, tmp_path):
    def learn(module, rows, labels):
        module.shift.fill_(rows.mean())
        optimiser = torch.optim.Adam(module.parameters(), lr=0.05)
        for _ in range(50):
            optimiser.zero_grad()
            nn.functional.cross_entropy(module(rows), labels).backward()
            optimiser.step()

    model = CertifiedNetwork(partial(Shifted, persistent), fitter=learn, split=0.5, random_state=0).fit(X, Y)
    if persistent:
        model.save(tmp_path / "out")
        assert (load(tmp_path / "out", partial(Shifted, True)).predict(X) == model.predict(X)).all()
        return
    with pytest.raises(ValueError, match="made again from its architecture and its numbers it answers otherwise"):
        model.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_every_output_of_a_given_network_has_a_label():
    module = nn.Linear(64, 3)
    with pytest.raises(ValueError, match=r"must name each output of the module, 3 of them. Got 2 instead"):
        pb.certify(GivenNetwork(module, classes=[0, 1]), X[Y < 2], Y[Y < 2])


class Noting(nn.Module):
    """Keeps the rows that it was asked about before it is trained."""

    def __init__(self):
        super().__init__()
        self.layer, self.seen = nn.Linear(64, 10), []

    def forward(self, rows):
        if not self.training:
            self.seen.append(rows.detach().clone())
        return self.layer(rows)


@pytest.mark.parametrize("split", [0.5, 0.0])
def test_no_judged_row_is_shown_before_the_prior_is_there(split):
    model = GaussianNetwork(
        Noting(),
        split=split,
        training=TRAINING,
        posterior_training=PosteriorTraining(epochs=0),
        classes=range(10),
        random_state=0,
    ).fit(X, Y)
    before = model.predictor_.module.seen[0]
    judged = torch.tensor(X[model.order_[model.n_learning_ :]]).float()
    assert not (before[:, None] == judged[None]).all(-1).any()
