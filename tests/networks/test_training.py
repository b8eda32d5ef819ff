"""The training loop: it learns, the same seed learns the same, and what it is told happens."""

import time

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy

from pacbayes.torch import Augmentation, PosteriorTraining, Training, convolutional, fully_connected, train
from pacbayes.torch.augmentation import AUGMENTATIONS
from pacbayes.torch.outputs import seeded
from pacbayes.torch.schedules import WeightAverage, rate_factor
from pacbayes.torch.states import state_digest

DIGITS, LABELS = load_digits(return_X_y=True)
IMAGES = (DIGITS / 16).astype(np.float32).reshape(-1, 1, 8, 8)


def make(seed=0, **options):
    with seeded(seed):
        return convolutional((1, 8, 8), (8,), 16, 10, **options)


def accuracy(network, rows=IMAGES):
    with torch.inference_mode():
        return float((network(torch.from_numpy(rows)).argmax(1).numpy() == LABELS).mean())


FULL = Training(
    epochs=8, batch_size=64, learning_rate=1e-2, label_smoothing=0.05, average=0.9, augment="affine", plain_epochs=2
)


def test_it_learns_and_the_same_seed_learns_the_same():
    before = torch.random.get_rng_state()
    one = train(make(dropout=0.2, batch_norm=True, standardize=True), IMAGES, LABELS, FULL, seed=3)
    assert torch.equal(torch.random.get_rng_state(), before)  # nobody else's numbers change
    torch.rand(5)
    two = train(make(dropout=0.2, batch_norm=True, standardize=True), IMAGES, LABELS, FULL, seed=3)
    other = train(make(dropout=0.2, batch_norm=True, standardize=True), IMAGES, LABELS, FULL, seed=4)
    assert accuracy(one) > 0.93
    assert not one.training
    assert state_digest(one) == state_digest(two) != state_digest(other)


def test_pixels_of_eight_bits_are_shares():
    pixels = (IMAGES * 255).astype(np.uint8)
    one = train(make(), pixels, LABELS, Training(epochs=1))
    two = train(make(), torch.from_numpy(pixels).float() / 255, LABELS, Training(epochs=1))
    assert state_digest(one) == state_digest(two)


def test_inputs_are_standardised_by_the_learning_rows():
    for rows in (IMAGES, (IMAGES * 255).astype(np.uint8)):
        network = train(make(standardize=True), rows, LABELS, Training(epochs=0))
        shares = rows / (255 if rows.dtype == np.uint8 else 1)
        assert float(network[0].mean) == pytest.approx(shares.mean(), rel=1e-6)
        assert float(network[0].deviation) == pytest.approx(shares.std(), rel=1e-6)


def test_no_epochs_change_nothing():
    network = make()
    digest = state_digest(network)
    assert state_digest(train(network, IMAGES, LABELS, Training(epochs=0))) == digest


def test_one_step_is_adamw():
    network, twin = fully_connected(64, 8, 10), fully_connected(64, 8, 10)
    twin.load_state_dict(network.state_dict())
    rows, labels = torch.from_numpy(IMAGES[:32]).flatten(1), torch.from_numpy(LABELS[:32])
    options = Training(epochs=1, batch_size=32, learning_rate=0.1, weight_decay=0.5, warmup=0, schedule="constant")
    train(network, rows, labels, options)
    groups = [
        {"params": [each for each in twin.parameters() if each.ndim > 1], "weight_decay": 0.5},
        {"params": [each for each in twin.parameters() if each.ndim <= 1], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=0.1)
    cross_entropy(twin(rows), labels).backward()
    optimiser.step()
    for one, two in zip(network.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-4)


def test_the_average_is_of_weights_and_of_batch_normalisation():
    module = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    average = WeightAverage(module, 0.5)
    first = {name: each.clone() for name, each in module.state_dict().items()}
    with torch.no_grad():
        for each in module.state_dict().values():
            each.add_(1)
    last = {name: each.clone() for name, each in module.state_dict().items()}
    average.update(1000)
    average.swap()
    for name, each in module.state_dict().items():
        wanted = last[name] if not each.is_floating_point() else first[name] * 0.5**4 + last[name] * (1 - 0.5**4)
        torch.testing.assert_close(each, wanted)
    average.swap()
    assert torch.equal(module[0].weight, last["0.weight"])


def test_the_average_is_what_stays():
    plain = train(make(), IMAGES, LABELS, Training(epochs=2, learning_rate=1e-2))
    averaged = train(make(), IMAGES, LABELS, Training(epochs=2, learning_rate=1e-2, average=0.99))
    assert state_digest(plain) != state_digest(averaged)


def test_schedules():
    for name, middle in (("cosine", 0.5), ("linear", 0.5), ("constant", 1.0)):
        along = [rate_factor(name, step, 100, 0.1) for step in range(100)]
        assert along[0] == 1e-3
        assert along[5] == pytest.approx(0.5)
        assert along[10] == 1.0
        assert along[55] == pytest.approx(middle)
        assert all(0 < each <= 1 for each in along)


def test_early_stopping_returns_to_the_best_weights():
    noise = np.random.default_rng(0).integers(10, size=300)
    options = Training(epochs=60, learning_rate=3e-2, patience=3, validation=0.3, schedule="constant", average=0.5)
    seen = []
    network = make()
    network.register_forward_hook(lambda module, *_: seen.append(module.training))
    train(network, IMAGES[:300], noise, options)
    assert seen.count(False) < 20  # labels that mean nothing are soon at their end
    with pytest.raises(ValueError, match="at least two learning rows"):
        train(make(), IMAGES[:1], LABELS[:1], options)


def test_batches_that_are_too_large_are_one():
    train(make(), IMAGES[:5], LABELS[:5], Training(epochs=1, batch_size=1000))


def test_frozen_parameters_stay():
    network = make()
    network[0].requires_grad_(requires_grad=False)
    kept = network[0].weight.clone()
    train(network, IMAGES, LABELS, Training(epochs=1, learning_rate=1e-2))
    assert torch.equal(network[0].weight, kept)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"X": np.zeros((3, 64))}, "needs rows and one whole number per row"),
        ({"y": LABELS.astype(float)}, "one whole number per row"),
        ({"y": LABELS - 1}, "labels from 0 on"),
        ({"classes": 5}, "below the number of classes"),
        ({"module": lambda rows: rows}, "a torch module and a Training"),
        ({"training": {"epochs": 3}}, "a torch module and a Training"),
        ({"module": nn.Flatten(0)}, "must return a number per class for each of 128 rows"),
        ({"device": "no"}, "'device' argument of train must be 'cpu', 'auto'"),
        ({"training": Training(epochs=1, learning_rate=1e30, schedule="constant", warmup=0)}, "diverged"),
    ],
)
def test_junk_is_refused(given, words):
    module = given.pop("module", None) or make()
    if isinstance(module, nn.Flatten):
        module = nn.Sequential(nn.Conv2d(1, 1, 1), module)
    rows, labels = given.pop("X", IMAGES), given.pop("y", LABELS)
    with pytest.raises(ValueError, match=words):
        train(module, rows, labels, given.pop("training", Training(epochs=1)), **given)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"epochs": -1}, "'epochs' argument of Training must be a whole number, at least 0"),
        ({"batch_size": 0}, "'batch_size'"),
        ({"learning_rate": 0}, "finite number above 0"),
        ({"weight_decay": float("nan")}, "finite number of at least 0"),
        ({"momenta": 0.9}, "'momenta' argument of Training must be two numbers"),
        ({"schedule": "step"}, "must be one of 'cosine', 'linear', 'constant'"),
        ({"label_smoothing": 1}, r"in \[0, 1\)"),
        ({"validation": 0}, r"in \(0, 1\)"),
        ({"patience": 0}, "'patience'"),
        ({"augment": "blur"}, "must be one of 'shift', 'affine', 'shift-flip'"),
        ({"augment": 3}, "'augment'"),
    ],
)
def test_options_are_checked(options, words):
    with pytest.raises(ValueError, match=words):
        Training(**options)


def test_a_training_is_plain_data():
    given = Training(epochs=3, augment=Augmentation(shift=1, erase=3), patience=2)
    assert Training.from_dict(given.to_dict()) == given
    with pytest.raises(ValueError, match="cannot be written down"):
        Training(augment=lambda batch, generator: batch).to_dict()
    with pytest.raises(ValueError, match="must have the fields of Training"):
        Training.from_dict({"epochs": 3, "os": 1})
    with pytest.raises(ValueError, match="must have the fields of Augmentation"):
        Training.from_dict({"augment": {"blur": 1}})


def test_a_function_of_ones_own_augments():
    seen = []

    def augment(batch, generator):
        seen.append(batch.shape)
        return batch + 0.01 * torch.randn(batch.shape, generator=generator)

    train(make(), IMAGES[:128], LABELS[:128], Training(epochs=2, plain_epochs=1, augment=augment))
    assert seen == [(128, 1, 8, 8)]


class TestAugmentation:
    images = torch.rand(400, 2, 9, 7, generator=torch.Generator().manual_seed(0)) + 0.5

    @pytest.mark.parametrize("name", AUGMENTATIONS)
    def test_the_same_seed_changes_the_same(self, name):
        one, two = (AUGMENTATIONS[name](self.images, torch.Generator().manual_seed(5)) for _ in range(2))
        assert torch.equal(one, two)
        assert one.shape == self.images.shape
        assert not torch.equal(one, self.images)

    def test_a_shift_is_by_whole_pixels_of_all_sizes(self):
        found = Augmentation(shift=2)(self.images, torch.Generator().manual_seed(0))
        padded, places = torch.nn.functional.pad(self.images, [2] * 4), set()
        for image, whole in zip(found, padded, strict=True):
            fits = [(i, j) for i in range(5) for j in range(5) if torch.equal(whole[:, i : i + 9, j : j + 7], image)]
            assert len(fits) == 1
            places.add(fits[0])
        assert len(places) == 25

    def test_nothing_is_the_identity(self):
        found = Augmentation(rotation=1e-9)(self.images, torch.Generator())
        torch.testing.assert_close(found, self.images, rtol=1e-4, atol=1e-4)

    def test_half_are_mirrored(self):
        found = Augmentation(flip=True)(self.images, torch.Generator().manual_seed(0))
        same = [torch.equal(one, two) for one, two in zip(found, self.images, strict=True)]
        mirrored = [torch.equal(one, two.flip(2)) for one, two in zip(found, self.images, strict=True)]
        assert sum(same) + sum(mirrored) == 400
        assert 150 < sum(same) < 250

    def test_a_rectangle_is_erased_in_half(self):
        found = Augmentation(erase=4)(self.images, torch.Generator().manual_seed(0))
        gone = (found == 0).sum(dim=(1, 2, 3)) / 2
        assert 0 < gone.max() <= 16
        assert 150 < int((gone > 0).sum()) < 250
        kept = found != 0
        assert torch.equal(found[kept], self.images[kept])

    def test_a_rotation_turns(self):
        bar = torch.zeros(200, 1, 21, 21)
        bar[:, :, 10, :] = 1.0
        found = Augmentation(rotation=45)(bar, torch.Generator().manual_seed(1))
        assert (found.sum(dim=(1, 2, 3)) > 15).all()  # still a bar
        assert found[:, 0, 2:5].amax() > 0.5  # that reaches far up in some
        assert float((found[:, 0, 10] - bar[:, 0, 10]).abs().mean()) > 0.2

    @pytest.mark.parametrize("options", [{"shift": -1}, {"scale": 1}, {"flip": 1}, {"erase": 1}, {"rotation": "x"}])
    def test_options_are_checked(self, options):
        with pytest.raises(ValueError, match="argument of Augmentation must"):
            Augmentation(**options)

    def test_rows_that_are_no_images_are_refused(self):
        with pytest.raises(ValueError, match="changes images of shape"):
            AUGMENTATIONS["shift"](torch.zeros(3, 64), torch.Generator())


@pytest.mark.long
def test_the_loop_takes_little_more_than_a_bare_one():
    """Ratios of CPU time in one run, the least of three each."""
    pixels = torch.rand(2560, 1, 28, 28)
    labels = torch.randint(10, (2560,))

    def bare():
        network = convolutional((1, 28, 28), (16, 32), 128, 10).to(memory_format=torch.channels_last)
        optimiser = torch.optim.AdamW(network.parameters(), lr=1e-3)
        for part in torch.randperm(2560).split(128):
            loss = cross_entropy(network(pixels[part]), labels[part])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()

    def ours():
        train(convolutional((1, 28, 28), (16, 32), 128, 10), pixels, labels, Training(epochs=1))

    def measure(run):
        start = time.process_time()
        run()
        return time.process_time() - start

    times = [(measure(bare), measure(ours)) for _ in range(3)]
    one, two = (min(each) for each in zip(*times, strict=True))
    assert two < 1.15 * one


@pytest.mark.parametrize(
    "options", [{"epochs": -1}, {"batch_size": 0}, {"learning_rate": 0.0}, {"epochs": 1.5}, {"learning_rate": "fast"}]
)
def test_posterior_training_is_checked(options):
    with pytest.raises(ValueError, match=f"'{next(iter(options))}' argument of PosteriorTraining"):
        PosteriorTraining(**options)


def test_posterior_training_as_plain_data():
    given = PosteriorTraining(epochs=4, batch_size=300, learning_rate=0.05)
    assert PosteriorTraining.from_dict(given.to_dict()) == given
    with pytest.raises(ValueError, match="must have the fields"):
        PosteriorTraining.from_dict({"speed": 3})
