"""Networks that were trained elsewhere."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import pacbayes as pb
from pacbayes.torch import GivenNetwork, NetworkClassifier, Training, convolutional, fully_connected, train
from pacbayes.torch.outputs import seeded
from pacbayes.torch.states import state_digest
from pacbayes.verification import recheck

DIGITS, LABELS = load_digits(return_X_y=True)
IMAGES = (DIGITS / 16).astype(np.float32).reshape(-1, 1, 8, 8)
FRESH, TRUE = IMAGES[900:], LABELS[900:]
LOADED = TensorDataset(torch.from_numpy(FRESH), torch.from_numpy(TRUE))


@pytest.fixture(scope="module")
def module():
    with seeded(0):
        network = convolutional((1, 8, 8), (8,), 32, 10, batch_norm=True, dropout=0.2)
        return train(network, IMAGES[:900], LABELS[:900], Training(epochs=8, batch_size=64, learning_rate=1e-2))


@pytest.fixture(scope="module")
def certificate(module):
    return pb.certify(module, FRESH, TRUE)


def test_a_bare_module_is_certified(module, certificate):
    with torch.inference_mode():
        wrong = module(torch.from_numpy(FRESH)).argmax(1).numpy() != TRUE
    assert certificate.statements[0].observed == {"errors": int(wrong.sum())}  # no near-ties among them
    assert certificate.procedure == "given"
    assert certificate.digests["network"] == state_digest(module)
    assert certificate.verify()


SOURCES = {
    "tensors": lambda: (torch.from_numpy(FRESH), torch.from_numpy(TRUE)),
    "dataset": lambda: (LOADED, None),
    "loader": lambda: (DataLoader(LOADED, batch_size=64), None),
    "flat": lambda: (FRESH.reshape(-1, 64), TRUE),
}


@pytest.mark.parametrize("name", SOURCES)
def test_rows_in_other_containers(module, certificate, name):
    X, y = SOURCES[name]()
    found = pb.certify(module, X) if y is None else pb.certify(module, X, y)
    assert found.digests == certificate.digests
    assert recheck(found, X, y, module)
    shuffled = pb.certify(module, DataLoader(LOADED, batch_size=64, shuffle=True))
    assert shuffled.value == certificate.value


def test_the_module_is_left_as_it_was(module, certificate):
    module.train()
    module[0].eval()
    modes = [each.training for each in module.modules()]
    digest = state_digest(module)
    assert pb.certify(module, FRESH, TRUE).digests == certificate.digests
    assert [each.training for each in module.modules()] == modes
    assert state_digest(module) == digest
    assert all(each.requires_grad for each in module.parameters())
    module.eval()


def test_recheck_finds_another_network(module, certificate):
    assert recheck(certificate, FRESH, TRUE, module)
    with seeded(1):
        other = convolutional((1, 8, 8), (8,), 32, 10)
    failed = {each.code for each in recheck(certificate, FRESH, TRUE, other).checks if not each.held}
    assert "network" in failed
    assert not recheck(certificate, FRESH[:-1], TRUE[:-1], module)
    with pytest.raises(ValueError, match="must be the predictor"):
        recheck(certificate, FRESH.reshape(-1, 64), TRUE, object())


def test_labels_that_are_not_numbers_of_outputs(module):
    texts = np.array(list("abcdefghij"))[TRUE]
    named = GivenNetwork(module, classes=list("abcdefghij"))
    assert pb.certify(named, FRESH, texts).value == pb.certify(module, FRESH, TRUE).value
    for labels in (texts, TRUE + 1):
        with pytest.raises(ValueError, match=r"must be numbers of outputs, from 0 to 9. Got .*GivenNetwork\(module"):
            pb.certify(module, FRESH, labels)
    backwards = GivenNetwork(module, classes=range(9, -1, -1))
    assert pb.certify(backwards, FRESH, 9 - TRUE).value == pb.certify(module, FRESH, TRUE).value


def test_statements_and_groups(module):
    dark = FRESH.mean(axis=(1, 2, 3)) > 0.3
    found = pb.certify(module, FRESH, TRUE, metrics=("error", "recall:3", "log-loss"), groups={"dark": dark})
    assert len(found.statements) == 9
    assert found.verify()


def test_an_output_whose_class_no_row_is_of_counts(module):
    few = TRUE < 8
    found = pb.certify(module, FRESH[few], TRUE[few], metrics=("balanced-error", "brier"))
    assert found.statements[0].observed["rows"] == [*np.bincount(TRUE[few]), 0, 0]
    with torch.inference_mode():
        chances = module(torch.from_numpy(FRESH[few])).softmax(1).numpy()
    told = {"probabilities": chances, "metrics": ("balanced-error", "brier"), "classes": range(10)}
    again = pb.certify_predictions(TRUE[few], chances.argmax(1), **told)
    assert [each.value for each in again.statements] == pytest.approx([each.value for each in found.statements])
    assert recheck(found, FRESH[few], TRUE[few], module)


def test_comparison(module):
    bayes = GaussianNB().fit(IMAGES[:900].reshape(-1, 64), LABELS[:900])
    models = {"network": module}, {"Bayes": bayes}
    found = pb.compare(*models, FRESH, TRUE)
    assert found.value < 0
    assert recheck(found, FRESH, TRUE, {"network": module, "Bayes": bayes})
    assert pb.compare(*models, DataLoader(LOADED, batch_size=64)).value == found.value
    same = pb.compare(module, module, FRESH, TRUE)
    assert same.statements[0].lower < 0 < same.value


def test_a_fitted_classifier_of_ours_is_a_network(module):
    model = NetworkClassifier(lambda: fully_connected(64, 16, 10), training=Training(epochs=2), random_state=0)
    model.fit(IMAGES[:900], LABELS[:900])
    found = pb.certify(model, FRESH, TRUE)
    assert found.digests["network"] == model.network_digest
    assert recheck(found, FRESH, TRUE, model)


def test_other_precisions():
    network = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
    plain = pb.certify(network, FRESH, TRUE).value
    assert pb.certify(network.double(), FRESH, TRUE).value == plain


SECONDS = 1.7e9 + np.random.default_rng(0).uniform(-30, 30, size=(400, 1))  # of which single precision tells 128


class After(nn.Module):
    """Whether a time is after another one, which is a weight, a buffer or neither."""

    def __init__(self, kept):
        super().__init__()
        moment = torch.tensor(1.7e9 - 5, dtype=torch.float64)
        if kept == "weight":
            self.moment = nn.Parameter(moment)
        elif kept == "buffer":
            self.register_buffer("moment", moment)
        else:
            self.moment = float(moment)

    def forward(self, rows):
        late = rows[:, 0] - self.moment
        return torch.stack([-late, late], 1)


@pytest.mark.parametrize("kept", ["weight", "buffer", "neither"])
@pytest.mark.parametrize("source", ["array", "tensors", "loader"])
def test_rows_in_double_precision_are_judged_as_they_are(kept, source):
    truth = np.ones(len(SECONDS), dtype=int)
    wrong = int((SECONDS[:, 0] < 1.7e9 - 5).sum())
    data = TensorDataset(torch.from_numpy(SECONDS), torch.from_numpy(truth))
    given = {"array": (SECONDS, truth), "tensors": (data, None), "loader": (DataLoader(data, batch_size=64), None)}
    found = pb.certify(GivenNetwork(After(kept)), *given[source])
    assert found.statements[0].observed == {"errors": wrong}


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (nn.Sequential(nn.Flatten(), nn.Linear(32, 10)), "fails for rows of shape"),
        (nn.Flatten(0), "must return a number per class"),
        (nn.Sequential(nn.Flatten(), nn.Linear(64, 10), nn.Flatten(0)), "must return a number per class"),
        (nn.LSTM(8, 10), "fails for rows of shape|must return a number per class"),
        (nn.Embedding(3, 4), "fails for rows of shape|must return a number per class"),
    ],
)
def test_modules_that_do_not_classify(model, words):
    with pytest.raises(ValueError, match=words):
        pb.certify(model, FRESH, TRUE)


def test_junk_is_refused(module):
    with pytest.raises(ValueError, match="must be a torch module"):
        GivenNetwork(3)
    with pytest.raises(ValueError, match="must be different labels"):
        GivenNetwork(module, classes=[1, 1])
    with pytest.raises(ValueError, match="must name each output of the module, 10 of them"):
        pb.certify(GivenNetwork(module, classes=range(11)), FRESH, TRUE)
    with pytest.raises(ValueError, match="requires y to be passed"):
        pb.certify(module, FRESH)
    with pytest.raises(ValueError, match="must be a fitted classifier or regressor"):
        pb.certify(torch, FRESH.reshape(-1, 64), TRUE)


def test_a_single_output_for_two_classes():
    with pytest.raises(ValueError, match=r"a number per class, two for two classes\. Got a single one"):
        pb.certify(nn.Sequential(nn.Flatten(), nn.Linear(64, 1)), FRESH, (TRUE > 4).astype(int))
