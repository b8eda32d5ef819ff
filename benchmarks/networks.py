"""Certificates of networks on MNIST and Fashion-MNIST, each against a target that was fixed before any run.

Learning and judging use the 60,000 training rows alone, delta is .05 for each certificate, and the 10,000 test rows are
looked at once it is issued. Recipes were chosen on other seeds. Two processes with one thread each:

    PACBAYES_IMAGES=folder/of/images python benchmarks/networks.py [--quick] [--out results.json]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from pacbayes.torch import (
    Augmentation,
    CertifiedNetwork,
    GaussianNetwork,
    PosteriorTraining,
    Training,
    convolutional,
    fully_connected,
)

from _tables import decimal, print_table
from _timing import verdict

LEARNING, TEST = 60_000, 10_000
WRITING = Augmentation(shift=2, rotation=10.0, scale=0.1, shear=0.1)
CLOTHES = Augmentation(shift=1, scale=0.05, flip=True, erase=10)
COMMON = {"momenta": (0.9, 0.99), "warmup": 0.15, "label_smoothing": 0.05, "average": 0.99}


class RandomFeatures(nn.Module):
    """Local contrasts of images by random smooth filters, which have seen no data, and a linear layer.

    The rectified absolute responses are averaged over blocks of five by five pixels; their mean over the filters is
    subtracted, and each row has norm 1.
    """

    filters: Tensor

    def __init__(self, count: int = 64, seed: int = 0, classes: int = 10) -> None:
        super().__init__()
        self.register_buffer("filters", smooth_filters(count, 7, torch.Generator().manual_seed(seed)))
        self.last = nn.Linear(count * 25, classes, bias=False)

    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs of the linear layer."""
        contrasts = functional.relu(functional.conv2d(rows, self.filters, padding=3).abs() - 0.25)
        blocks = functional.avg_pool2d(contrasts, 5, 5)
        features = (blocks - blocks.mean(dim=1, keepdim=True)).flatten(1)
        return self.last(functional.normalize(features))


def smooth_filters(count: int, size: int, generator: torch.Generator) -> Tensor:
    """Return random filters of mean 0 and norm 1, blurred over a pixel and fading towards their edges."""
    places = torch.arange(size) - (size - 1) / 2
    blur, fade = (torch.exp(-(places**2) / (2.0 * width**2)) for width in (1.0, size / 3.0))
    noise = functional.pad(torch.randn(count, 1, size, size, generator=generator), (size // 2,) * 4)
    drawn = functional.conv2d(noise, torch.outer(blur, blur)[None, None]) * torch.outer(fade, fade)
    drawn -= drawn.mean(dim=(2, 3), keepdim=True)
    return drawn / drawn.flatten(1).norm(dim=1)[:, None, None, None]


def small_images() -> nn.Module:
    options = {"kernel": (5, 3, 3), "batch_norm": True, "standardize": True}
    return convolutional((1, 28, 28), (16, 32, 64), 128, 10, **options)


def larger_images() -> nn.Module:
    options = {"kernel": (5, 3, 3), "batch_norm": True, "dropout": 0.2, "standardize": True}
    return convolutional((1, 28, 28), (24, 48, 96), 256, 10, **options)


def three_hidden() -> nn.Module:
    return fully_connected(784, (600, 600, 600), 10, dropout=0.2, standardize=True)


CONVOLUTIONAL = Training(epochs=8, learning_rate=3e-3, weight_decay=0.05, augment=WRITING, **COMMON)
CONNECTED = Training(epochs=20, learning_rate=1e-3, weight_decay=0.05, augment=WRITING, **COMMON)
FASHION = Training(epochs=10, learning_rate=3e-3, weight_decay=0.05, augment=CLOTHES, **COMMON)


@dataclass(frozen=True)
class Cell:
    """A kind of network on a set, and what its certificate must not exceed.

    Attributes
    ----------
    name, data, predictor : str
        What is certified: one network, or one drawn for each row.
    target, aim : float
        Fixed before any run.
    make : callable
        From a seed to an estimator that is not fitted.
    seeds : int
        How many runs there are.
    """

    name: str
    data: str
    predictor: str
    target: float
    aim: float
    make: Callable[[int], CertifiedNetwork | GaussianNetwork]
    seeds: int = 1


def deterministic(factory: Callable[[], nn.Module], training: Training, split: float = 0.7) -> Callable[..., object]:
    return lambda seed: CertifiedNetwork(factory, training=training, split=split, random_state=seed)


def gaussian(factory: Callable[[], nn.Module], training: Training, split: float = 0.7) -> Callable[..., object]:
    posterior = PosteriorTraining(epochs=10)
    return lambda seed: GaussianNetwork(
        factory, prior_scale=0.03, training=training, posterior_training=posterior, split=split, random_state=seed
    )


def data_free(seed: int) -> GaussianNetwork:
    return GaussianNetwork(
        lambda: RandomFeatures(seed=seed),
        prior_scale=1.0,
        prior_mean="zero",
        split=0.0,
        classes=list(range(10)),
        posterior_training=PosteriorTraining(epochs=8, batch_size=500, learning_rate=0.1),
        random_state=seed,
    )


ONE, DRAWN = "one network", "one drawn per row"
CELLS = (
    Cell("MNIST, convolutional", "mnist", ONE, 0.0070, 0.0070, deterministic(small_images, CONVOLUTIONAL), 3),
    Cell("MNIST, convolutional", "mnist", DRAWN, 0.0085, 0.0085, gaussian(small_images, CONVOLUTIONAL), 3),
    Cell("MNIST, 600-600-600", "mnist", ONE, 0.0215, 0.0215, deterministic(three_hidden, CONNECTED)),
    Cell("MNIST, 600-600-600", "mnist", DRAWN, 0.0245, 0.0245, gaussian(three_hidden, CONNECTED)),
    Cell("Fashion-MNIST, convolutional", "fashion", ONE, 0.092, 0.085, deterministic(larger_images, FASHION)),
    Cell("MNIST, prior without data", "mnist", DRAWN, 0.23, 0.18, data_free),
)


@dataclass(frozen=True)
class Outcome:
    """What one run gave."""

    name: str
    predictor: str
    seed: int
    learned: int
    judged: int
    observed: float
    kl: float
    certificate: float
    test_error: float
    seconds: float


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return images as rows of one channel, and labels."""
    folder = os.environ.get("PACBAYES_IMAGES") or os.environ.get("PACBAYES_DATA", ".")
    file = np.load(Path(folder) / f"{name}.npz")
    return file["x"][:, None], file["y"].astype(np.int64)


def run(job: tuple[int, int, int]) -> Outcome:
    """Certify one network, then look at the test rows."""
    place, seed, rows = job
    torch.set_num_threads(1)
    cell = CELLS[place]
    X, y = load(cell.data)
    start = time.perf_counter()
    model = cell.make(seed).fit(X[:rows], y[:rows])
    seconds = time.perf_counter() - start
    statement = model.certificate_.statements[0]
    wrong = np.mean(model.predict(X[LEARNING:]) != y[LEARNING:])
    return Outcome(
        cell.name,
        cell.predictor,
        seed,
        model.n_learning_,
        statement.n,
        statement.risk,
        statement.kl,
        statement.value,
        float(wrong),
        seconds,
    )


HEADS = (
    *("network", "the limit is about", "seed", "judged rows", "error on them", "KL", "limit", "target", "test error"),
    "s",
)


def line(found: Outcome, target: float) -> tuple[object, ...]:
    """Return a row of the page."""
    kl = decimal(found.kl, 1) if found.kl else "0"
    numbers = (decimal(found.observed, 5), kl, decimal(found.certificate, 5), f"{target:g}".removeprefix("0"))
    first = (found.name, found.predictor, found.seed, f"{found.judged:,}")
    return *first, *numbers, decimal(found.test_error), f"{found.seconds:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="2,000 rows: does everything run?")
    parser.add_argument("--cell", type=int, help="only this row of the table, from 0")
    parser.add_argument("--first-seed", type=int, default=0, help="recipes were chosen on seeds from 100 on")
    parser.add_argument("--out", type=Path, help="write the outcomes as JSON")
    options = parser.parse_args()
    rows = 2000 if options.quick else LEARNING
    places = range(len(CELLS)) if options.cell is None else [options.cell]
    jobs = [(place, options.first_seed + seed, rows) for place in places for seed in range(CELLS[place].seeds)]
    start = time.perf_counter()
    print(f"{'network':<30}{'predictor':<19}{'seed':>4}{'learned':>9}{'judged':>8}{'observed':>10}{'KL':>9}"
          f"{'certificate':>13}{'target':>8}{'test':>8}{'s':>6}")  # fmt: skip
    outcomes, lines, missed = [], [], 0
    with ProcessPoolExecutor(2) as pool:
        for (place, *_), found in zip(jobs, pool.map(run, jobs), strict=True):
            cell, met = CELLS[place], found.certificate <= CELLS[place].target
            outcomes.append(asdict(found) | {"target": cell.target, "aim": cell.aim})
            lines.append(line(found, cell.target))
            missed += not met
            print(
                f"{found.name:<30}{found.predictor:<19}{found.seed:>4}{found.learned:>9,}{found.judged:>8,}"
                f"{found.observed:>10.5f}{found.kl:>9.1f}{found.certificate:>13.5f}{cell.target:>8.4f}"
                f"{found.test_error:>8.4f}{found.seconds:>6.0f}  {verdict(met)}"
                + ("" if cell.aim == cell.target else f"; the aim {cell.aim} {verdict(found.certificate <= cell.aim)}"),
                flush=True,
            )
    if options.cell is None and not options.quick:
        print_table("networks", HEADS, lines)
    minutes = (time.perf_counter() - start) / 60.0
    print(f"\nall in {minutes:.1f} minutes on two processes of one thread (at most 20: {verdict(minutes <= 20.0)})")
    if options.out is not None:
        options.out.write_text(json.dumps({"minutes": minutes, "outcomes": outcomes}, indent=1) + "\n")
    if missed and not options.quick:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
