"""One cluster of two processes for all tests of a process of pytest; it is closed at the end."""

import dask
import pytest

from pacbayes._core import digests, rows

# no dashboard, a port that is free, and no lines about workers that are killed on purpose
QUIETLY = {
    "processes": True,
    "threads_per_worker": 1,
    "dashboard_address": "127.0.0.1:0",
    "scheduler_kwargs": {"dashboard": False},
    "silence_logs": 50,
}


@pytest.fixture(scope="session")
def cluster():
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, **QUIETLY) as started:
        yield started


@pytest.fixture(scope="session")
def client(cluster):
    from distributed import Client

    with Client(cluster, set_as_default=False) as connected:
        connected.wait_for_workers(2)
        yield connected


@pytest.fixture
def on_cluster(client):
    """What is computed in the test is computed by the cluster."""
    with client.as_current():
        yield client


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(digests, "DIGEST_ROWS", 90)
    monkeypatch.setattr(rows, "BLOCK_ROWS", 110)


@pytest.fixture
def here():
    """What is computed is computed in this process."""
    with dask.config.set(scheduler="synchronous"):
        yield
