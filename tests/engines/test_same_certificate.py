"""The same table gives the same certificate in memory, in files, and on a cluster one of whose workers is killed."""

import os
import signal
import sys
import tempfile
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import cloudpickle
import numpy as np
import pandas as pd
import pytest

from pacbayes._core import digests, rows
from pacbayes.engines import DistributedRows, Runner
from pacbayes.runs import Settings, certify_file
from pacbayes.runs.predictors import as_linear
from pacbayes.tables import StoredRows, _open

from tables.test_batches import FRAME

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have this module
SETTINGS = Settings(
    target="label",
    missing="category",
    drop=("id",),
    groups=("sex",),
    metrics=("error", "recall:yes"),
    learning_fraction=0.4,
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One file of Parquet, one of text, and a folder of 64 that were written in another order than they are read in."""
    folder = tmp_path_factory.mktemp("tables")
    frame = FRAME.assign(job=FRAME["job"].fillna("clown"))
    frame.to_parquet(folder / "table.parquet", index=False, row_group_size=70)
    frame.to_csv(folder / "table.csv", index=False)
    (folder / "parts").mkdir()
    edges = [len(frame) * part // 64 for part in range(65)]
    for part in sorted(range(64), key=lambda number: number * 29 % 64):
        frame[edges[part] : edges[part + 1]].to_parquet(folder / "parts" / f"part-{part}.parquet", index=False)
    return folder


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(digests, "DIGEST_ROWS", 150)
    monkeypatch.setattr(rows, "BLOCK_ROWS", 100)


def content(run):
    """All of a certificate but when it was issued."""
    record = run.certificate.to_dict()
    return {name: value for name, value in record.items() if name not in {"digest", "created"}}


def wait_after_half(folder, half, function, block, task, common):
    """Work on a block, but for the later half not before a worker was killed; runs on the workers."""
    place = Path(folder)
    tempfile.mkstemp(dir=place / "begun")
    until = time.monotonic() + 60.0
    while len(list((place / "begun").iterdir())) > half and not (place / "killed").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    return function(block, task, common)


class Killer(Runner):
    """Has a worker killed that judges a block, when half of the blocks were begun before it; the others wait for that.

    Which blocks come first is the scheduler's business.
    """

    def __init__(self, client, folder, half):
        super().__init__(client)
        self._folder, self._half = folder, half
        (folder / "begun").mkdir()
        self._processes, self._watch = client.run(os.getpid), threading.Thread(target=self._kill)
        self.killed = None

    def share(self, function, common):
        if function.__name__ != "answer_block":
            return super().share(function, common)
        self._watch.start()
        return super().share(partial(wait_after_half, str(self._folder), self._half, function), common)

    def _kill(self):
        until = time.monotonic() + 60.0
        while len(list((self._folder / "begun").iterdir())) <= self._half and time.monotonic() < until:
            time.sleep(0.02)
        busy = [address for address, tasks in self.client.processing().items() if tasks]
        self.killed = self._processes[busy[0]]
        os.kill(self.killed, signal.SIGKILL)
        (self._folder / "killed").touch()


def test_in_memory_in_files_and_on_a_cluster_whose_worker_is_killed(files, client, tmp_path, monkeypatch):
    whole = certify_file(files / "table.parquet", SETTINGS, baseline=False)
    assert isinstance(whole.table.X, pd.DataFrame)
    with monkeypatch.context() as patch:
        patch.setattr(_open, "IN_MEMORY", 0)
        folder = certify_file(files / "parts", SETTINGS, baseline=False)
    assert isinstance(folder.table.X, StoredRows)
    assert content(folder) == content(whole)
    killer = Killer(client, tmp_path, half=2)
    spread = certify_file(files / "parts", SETTINGS, baseline=False, runner=killer)
    assert isinstance(spread.table.X, DistributedRows)
    assert killer.killed not in client.run(os.getpid).values()
    assert content(spread) == content(whole)


@pytest.mark.parametrize(
    ("name", "model"),
    [("table.csv", "hist-gradient-boosting"), pytest.param("table.parquet", "logistic", marks=pytest.mark.long)],
)
def test_models_and_formats_on_a_cluster(files, client, name, model):
    asked = ("error", "brier") if model == "logistic" else ("error",)
    settings = replace(SETTINGS, model=model, metrics=asked, groups=(), max_learning_rows=150)
    whole = certify_file(files / name, settings, baseline=False)
    spread = certify_file(files / name, settings, baseline=False, runner=Runner(client))
    assert content(spread) == content(whole)
    if model == "logistic":
        assert spread.hardest(3) == whole.hardest(3)
        one, two = (as_linear(each.model.issued_.stored, each.table)["linear"] for each in (spread, whole))
        np.testing.assert_array_equal(one.weights, two.weights)
        assert one.intercept == two.intercept


def test_what_is_noticed_of_a_changed_file(files, client, tmp_path):
    frame = pd.read_parquet(files / "table.parquet")
    frame.to_parquet(tmp_path / "table.parquet", index=False)
    settings = replace(SETTINGS, metrics=("error",), groups=())

    class Meddler(Runner):
        def share(self, function, common):
            if function.__name__ == "answer_block":
                frame[::-1].to_parquet(tmp_path / "table.parquet", index=False)
            return super().share(function, common)

    with pytest.raises(ValueError, match=r"table.parquet must not change while it is read"):
        certify_file(tmp_path / "table.parquet", settings, baseline=False, runner=Meddler(client))
