"""What is read while something runs: lines to watch, checkpoints, and the cells of a reproduction."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from fuzz.mutations import mutate_bytes, mutate_json
from fuzz.outcomes import WronglyAcceptedError
from fuzz.readers import Reader
from pacbayes.procedures import LossMonitor
from pacbayes.reproduction.cell_store import FILE, CellStore
from pacbayes.reproduction.cells import Record

LINES = [
    b"0", b"0.25", b" 1 ", b"1e-3", b'{"label": "yes", "prediction": "no"}', b'{"prediction": 3, "label": 3, "at": [1, {}]}',
    b'{"label": true, "prediction": false}', b"[" * 2000, b'{"label": ' + b"[" * 1500, b"",
]  # fmt: skip


def read_line(content: bytes, folder: Path, rng: random.Random) -> None:
    loss = LossMonitor.loss_of(content.decode("utf-8", errors=rng.choice(["replace", "surrogateescape"])))
    if not (isinstance(loss, float) and 0.0 <= loss <= 1.0):
        raise WronglyAcceptedError(f"loss {loss!r}")


def mutate_line(rng: random.Random, content: bytes, other: bytes) -> bytes:
    whole = content.startswith(b"{") and content.endswith(b"}")
    return mutate_json(rng, content, other) if whole and rng.random() < 0.5 else mutate_bytes(rng, content, other)


def make_watch(place: Path) -> Reader:
    return Reader("watch", LINES, read_line, mutate_line)


def checkpoint_runs():
    """Runs that are stored in different ways: a model that continues, one that is fitted again, three classes, text."""
    sample = pb.datasets.make_known_risk(120, d=2, random_state=0)
    words = np.where(sample.y > 0, "yes", "no").astype(object)
    three = np.digitize(sample.X[:, 0], [-0.5, 0.5])
    options = {"schedule": pb.Every(30), "random_state": 0}
    return [
        (pb.RefittedLogistic(), sample.y, {"keep": 2, **options}),
        (GaussianNB(), words, {"keep": 1, **options}),
        (LogisticRegression(warm_start=True, max_iter=50), three, options),
        (pb.StochasticReference(), sample.y, options),
    ], sample.X


def described(reference) -> list[bytes]:
    """Everything that a run gave, as bytes."""
    weights = [np.asarray(getattr(model, "coef_", 0.0), dtype=float).tobytes() for _, model in reference.snapshots]
    return [reference.losses.tobytes(), str([point for point, _ in reference.snapshots]).encode(), *weights]


def make_checkpoint(place: Path) -> Reader:
    runs, X = checkpoint_runs()
    seeds, expected = [], []
    for number, (estimator, y, options) in enumerate(runs):
        folder = place / f"checkpoint-{number}"
        expected.append(described(pb.online_reference(estimator, X, y, checkpoint=folder, **options)))
        seeds.append(bytes([number]) + (folder / "chain-0.checkpoint").read_bytes())

    def read(content: bytes, folder: Path, rng: random.Random) -> None:
        estimator, y, options = runs[content[0]]
        own = folder / "checkpoint"
        own.mkdir(exist_ok=True)
        try:
            (own / "chain-0.checkpoint").write_bytes(content[1:])
            found = described(pb.online_reference(estimator, X, y, checkpoint=own, **options))
        finally:
            shutil.rmtree(own)
        if found != expected[content[0]]:
            raise WronglyAcceptedError("the result changed")
        if content[1:] not in {seed[1:] for seed in seeds}:
            raise WronglyAcceptedError("the file changed")

    return Reader("checkpoint", seeds, read, lambda rng, one, two: one[:1] + mutate_bytes(rng, one[1:], two[1:]))


def make_cells(place: Path) -> Reader:
    configuration = {"seed": 0, "pacbayes": "1", "delta": 0.05}
    records, seeds = [], []
    for seed in (0, 1):  # lines of another run must not pass
        folder = place / f"cells-{seed}"
        store = CellStore(folder, {**configuration, "seed": seed})
        made = [
            Record("haberman", k, "betting", {"value": (k + 1 + seed) / 7, "test": 0.1, "index": k}) for k in range(4)
        ]
        store.append(made)
        store.close()
        records.append(made)
        seeds.append((folder / FILE).read_bytes())

    def read(content: bytes, folder: Path, rng: random.Random) -> None:
        try:
            (folder / FILE).write_bytes(content)
            store = CellStore(folder, configuration, resume=True)
            found = store.records
            store.close()
        finally:
            (folder / FILE).unlink(missing_ok=True)
        if any(record not in records[0] for record in found) or len({each.cell for each in found}) != len(found):
            raise WronglyAcceptedError(f"records {found}")

    return Reader("cells", [seeds[0], *seeds], read)
