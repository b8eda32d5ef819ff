"""The cluster that a run works on: one that is there, by the address of its scheduler, or one of processes for a while.

Workers run what they are sent, and so must trust whoever sends it; and what they send back is unpickled here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from importlib.util import find_spec
from typing import Any

from pacbayes.engines.errors import EngineError, one_line
from pacbayes.engines.runner import Report, Runner
from pacbayes.engines.workers import check_workers

__all__ = ["ENGINES", "check_engine", "open_engine", "open_runner"]

ENGINES = ("local", "dask")
_SECONDS = 5  # to reach a scheduler, and to find a worker there


def check_engine(engine: str, scheduler: str | None = None) -> None:
    """Refuse what is no engine, an address without one, and Dask where it is not installed.

    Examples
    --------
    >>> from pacbayes.engines import check_engine
    >>> check_engine("local", "tcp://10.0.0.1:8786")
    Traceback (most recent call last):
    ...
    pacbayes.engines.errors.EngineError: --scheduler is the address of a Dask cluster. Pass --engine dask with it.
    """
    if engine not in ENGINES:
        raise EngineError(f"--engine must be {' or '.join(ENGINES)}. Got {engine!r:.60} instead.")
    if engine == "local" and scheduler is not None:
        raise EngineError("--scheduler is the address of a Dask cluster. Pass --engine dask with it.")
    lacking = [name for name in ("dask", "distributed") if find_spec(name) is None]
    if engine == "dask" and lacking:
        raise EngineError(f"--engine dask needs {' and '.join(lacking)}. Install pacbayes[dask].")


def open_engine(
    engine: str, scheduler: str | None = None, report: Report | None = None
) -> AbstractContextManager[Runner | None]:
    """Return a context with the runner of an engine by its name; there is none where rows are judged in this process.

    Examples
    --------
    >>> from pacbayes.engines import open_engine
    >>> with open_engine("local") as runner:
    ...     print(runner)
    None
    """
    check_engine(engine, scheduler)
    return nullcontext() if engine == "local" else open_runner(scheduler, report=report)


@contextmanager
def open_runner(
    scheduler: str | None = None, *, workers: int | None = None, report: Report | None = None
) -> Iterator[Runner]:
    """Connect to a Dask cluster, or start one of processes on this machine, and leave or close it at the end.

    Parameters
    ----------
    scheduler : str, optional
        Address of the scheduler of a cluster, such as ``tcp://10.0.0.1:8786``. By default a cluster of processes, one
        thread each, is started here.
    workers : int, optional
        How many processes are started; by default one for each core.
    report : callable, optional
        Called when a block is done, with the number of those that are, and of all.

    Examples
    --------
    >>> from pacbayes.engines import open_runner
    >>> with open_runner(workers=2) as runner:  # doctest: +SKIP
    ...     run = certify_file("parts", Settings(target="clicked"), runner=runner)
    """
    check_engine("dask")
    with _start(workers) if scheduler is None else _connect(scheduler) as client:
        check_workers(client)
        yield Runner(client, report)


@contextmanager
def _start(workers: int | None) -> Iterator[Any]:
    from distributed import Client, LocalCluster  # noqa: PLC0415

    options = {
        "processes": True,
        "threads_per_worker": 1,
        "dashboard_address": "127.0.0.1:0",  # any port that is free, since a fixed one may be taken
        "scheduler_kwargs": {"dashboard": False},
        "silence_logs": logging.CRITICAL,
    }
    with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


@contextmanager
def _connect(scheduler: str) -> Iterator[Any]:
    from distributed import Client  # noqa: PLC0415

    client: Any = object.__new__(Client)  # so that it can be closed where its constructor fails half-way
    try:
        client.__init__(scheduler, timeout=_SECONDS, set_as_default=False)
    except Exception as error:  # what an address may raise is of many kinds
        with suppress(Exception):
            client.close(timeout=_SECONDS)
        raise EngineError(
            f"--scheduler must be the address of a Dask scheduler that can be reached, such as tcp://10.0.0.1:8786. "
            f"Got {scheduler!r:.80} ({one_line(error)})."
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_SECONDS)
        except Exception as error:
            raise EngineError(
                f"The Dask cluster at {scheduler!r:.80} must have a worker. It has none ({one_line(error)})."
            ) from None
        yield client
