"""Clusters are started, reached and left, and what is wrong with one is said in one sentence."""

import gc
import os
import signal
import socket
import sys
import time
from importlib.util import find_spec

import cloudpickle
import pytest
from typer.testing import CliRunner

from engines.conftest import QUIETLY
from engines.test_same_certificate import SETTINGS, content, files  # noqa: F401
from pacbayes.cli._app import app
from pacbayes.engines import EngineError, check_engine, clusters, open_runner, runner, workers

from tables.test_batches import FRAME

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have this module


def invoke(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_line_on_a_cluster(files, client, tmp_path):  # noqa: F811
    """The folder that it writes is verified on the cluster, from the same table in another form."""
    address = client.scheduler.address
    options = ("--target", "label", "--drop", "id", "--missing", "category", "--learning-fraction", "0.4")
    options = (*options, "--quiet", "--no-baseline")
    spread = ("--engine", "dask", "--scheduler", address)
    found = invoke("certify", files / "parts", *options, *spread, "--out", tmp_path / "a")
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.startswith("With probability at least 95 %")
    assert invoke("verify", tmp_path / "a", "--data", files / "table.parquet", *spread).exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--engine", "spark"), "--engine must be local or dask. Got 'spark' instead."),
        (("--scheduler", "tcp://127.0.0.1:1"), "Pass --engine dask with it."),
        (("--engine", "dask", "--scheduler", "nowhere://1"), "a Dask scheduler that can be reached"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(files, words, message):  # noqa: F811
    found = invoke("certify", files / "table.csv", "--target", "label", *words)
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("address", ["nowhere://1", "nonsense", "inproc://x"])
def test_a_client_of_no_address_is_closed(monkeypatch, address):
    """Else it is waited for when it is given up, at the end of the process, which then prints a traceback."""
    from distributed import Client

    gc.collect()  # clients of other tests
    found = []
    monkeypatch.setattr(Client, "__del__", lambda client: found.append(client.status))
    with pytest.raises(EngineError, match="a Dask scheduler that can be reached"), clusters.open_runner(address):
        pass
    gc.collect()
    assert set(found) == {"closed"}


def test_a_scheduler_that_is_not_there_is_noticed_soon(monkeypatch):
    monkeypatch.setattr(clusters, "_SECONDS", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"  # where nobody listens
        begun = time.monotonic()
        with pytest.raises(EngineError, match="that can be reached") as found, open_runner(address):
            pass
        assert time.monotonic() - begun < 20.0
    assert "\n" not in str(found.value)


def test_a_cluster_without_workers_is_noticed_soon(monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr(clusters, "_SECONDS", 1)
    missing = pytest.raises(EngineError, match="must have a worker")
    with LocalCluster(n_workers=0, **QUIETLY) as bare, missing, open_runner(bare.scheduler_address):
        pass


def test_dask_is_an_extra(monkeypatch):
    monkeypatch.setattr(clusters, "find_spec", lambda name: None if name == "distributed" else find_spec(name))
    with pytest.raises(EngineError, match=r"^--engine dask needs distributed. Install pacbayes\[dask\].$"):
        check_engine("dask")
    check_engine("local")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({**workers._find_versions(), "numpy": "1.0"}, "must have the versions that are here. .* has numpy 1.0"),
        (ModuleNotFoundError("No module named 'pacbayes'"), "must have pacbayes installed, as it is here. .*No module"),
    ],
)
def test_workers_of_other_versions_are_refused(answer, words):
    class Client:
        def run(self, *_, **__):
            return {"tcp://10.0.0.1:1": answer}

    with pytest.raises(EngineError, match=words):
        workers.check_workers(Client())


def test_methods_that_need_all_rows_are_refused(files, client):  # noqa: F811
    address = client.scheduler.address
    words = ("--target", "label", "--engine", "dask", "--scheduler", address)
    for further in (("--method", "online"), ("--refit",), ("--test", files / "table.csv")):
        found = invoke("certify", files / "table.parquet", *words, *further)
        assert found.exit_code == 2
        assert "--engine dask goes with the method split alone" in found.stderr
    FRAME.to_csv(files / "table.csv.gz", index=False)
    found = invoke("certify", files / "table.csv.gz", *words, "--missing", "category")
    assert "must be of Parquet, of Arrow or of text, and not compressed" in found.stderr


def test_a_cluster_of_processes_is_started_and_closed():
    with open_runner(workers=1) as started:
        processes = started.client.run(os.getpid)
        assert list(started.run([None])) == [None]
    assert processes
    until = time.monotonic() + 10.0
    while any(map(_is_alive, processes.values())) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(_is_alive, processes.values()))


def _is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.long
def test_a_run_goes_on_when_all_workers_were_killed(files, client, monkeypatch):  # noqa: F811
    from pacbayes.runs import certify_file

    killed = []

    def kill(done, total):
        if not killed:
            killed.extend(client.run(os.getpid).values())
            for process in killed:
                os.kill(process, signal.SIGKILL)

    spread = certify_file(files / "parts", SETTINGS, baseline=False, runner=runner.Runner(client, kill))
    assert len(killed) == 2
    assert content(spread) == content(certify_file(files / "table.parquet", SETTINGS, baseline=False))


@pytest.mark.long
def test_a_block_that_kills_each_worker_is_named():
    """And a cluster that has no worker any more is not waited for for ever."""
    import dask

    died = pytest.raises(EngineError, match="Several workers of the Dask cluster died at the same block")
    with open_runner(workers=1) as started, died:
        started.compute(dask.delayed(_die)())


def _die():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.long
def test_a_cluster_that_loses_all_workers_is_given_up(monkeypatch):
    import dask
    from distributed import Client, LocalCluster

    monkeypatch.setattr(runner, "_PATIENCE", 3.0)
    with LocalCluster(n_workers=1, **QUIETLY) as small, Client(small, set_as_default=False) as connected:
        call = runner.Runner(connected).run([dask.delayed(time.sleep)(60)])
        small.scale(0)
        with pytest.raises(EngineError, match="has had no worker for 3 seconds"):
            next(call)
