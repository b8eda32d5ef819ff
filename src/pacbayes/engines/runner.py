"""Calls that run on the workers of Dask, some blocks ahead of those that are waited for, and come back in order.

What is done with a block is sent as the function's name and plain values; a model is sent once and from worker to
worker. Every call is a function of what it is given, so that one whose worker died can be made again.
"""

from __future__ import annotations

import pickle
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from pacbayes.engines.errors import EngineError, one_line
from pacbayes.engines.workers import check_workers

__all__ = ["Report", "Runner", "call_shared"]

Report = Callable[[int, int], object]

_AHEAD = 4  # blocks for each thread of the cluster
_FEWEST, _MOST = 8, 256
_PAUSE = 2.0  # seconds between two looks at the cluster
_PATIENCE = 60.0  # seconds without any worker


class Runner:
    """Runs calls on a cluster, or where Dask runs things if there is none.

    Parameters
    ----------
    client : distributed.Client, optional
        Of the cluster; without one, calls are run by Dask's own scheduler in this process.
    report : callable, optional
        Called when a block is done, with the number of those that are, and of all.

    Examples
    --------
    >>> import dask
    >>> from pacbayes.engines import Runner
    >>> runner = Runner()
    >>> list(runner.run(None if k == 1 else dask.delayed(abs)(-k) for k in range(3)))
    [0, None, 2]
    """

    def __init__(self, client: Any = None, report: Report | None = None) -> None:
        self.client, self._report = client, report

    @classmethod
    def current(cls) -> Runner:
        """Return a runner on the cluster that a script is connected to, if it is."""
        try:
            from distributed import default_client  # noqa: PLC0415

            client = default_client()
        except (ImportError, ValueError):
            return cls()
        check_workers(client)
        return cls(client)

    def share(self, function: Callable[..., Any], common: object) -> Any:
        """Return a handle for a function and what is common to all its calls, which workers get once each."""
        import dask  # noqa: PLC0415

        content = _pack((function, common))
        if self.client is None:
            return dask.delayed(_same, pure=False)(content)
        with _quiet():  # a task, and not scattered data: it can be made again if all workers die
            return self.client.submit(_same, content, pure=False)

    def run(self, calls: Iterable[Any], total: int = 0) -> Iterator[Any]:
        """Yield the results of delayed calls in their order; None for those that are None. ``total`` is for reports."""
        waiting: deque[Any] = deque()
        source, done = iter(calls), 0
        ahead = min(max(_AHEAD * self._threads(), _FEWEST), _MOST)
        while True:
            if len(waiting) <= ahead // 2:
                waiting.extend(self._start(list(islice(source, ahead - len(waiting)))))
            if not waiting:
                return
            yield self._result(waiting.popleft())
            done += 1
            if self._report is not None and total:
                self._report(done, total)

    def compute(self, call: Any) -> Any:
        """Return the result of one delayed call."""
        return next(self.run([call]))

    def _threads(self) -> int:
        return 1 if self.client is None else sum(self.client.nthreads().values())

    def _start(self, calls: list[Any]) -> list[Any]:
        """Have calls computed together, so that what several of them need is computed once."""
        given = [call for call in calls if call is not None]
        if self.client is None:
            import dask  # noqa: PLC0415

            found = iter(dask.compute(*given))
        else:
            with _quiet(), self._told():
                found = iter(self.client.compute(given, retries=0))
        return [None if call is None else next(found) for call in calls]

    def _result(self, started: Any) -> Any:
        if started is None or self.client is None:
            return started
        with self._told():
            self._wait(started)
            return started.result()

    def _wait(self, started: Any) -> None:
        """Wait until a call is done, but not for ever where nobody is there to do it."""
        from distributed import TimeoutError as LateError  # noqa: PLC0415

        deserted = time.monotonic()
        while not started.done():
            try:
                started.exception(timeout=_PAUSE)  # which raises nothing of the call's own
            except LateError:
                if self._threads():
                    deserted = time.monotonic()
                elif time.monotonic() - deserted > _PATIENCE:
                    raise EngineError(
                        f"The Dask cluster has had no worker for {_PATIENCE:.0f} seconds. Start workers, and then the "
                        "run again."
                    ) from None

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in one sentence what went wrong with the cluster itself."""
        from distributed import CancelledError, KilledWorker  # noqa: PLC0415

        try:
            yield
        except KilledWorker as error:
            raise EngineError(
                "Several workers of the Dask cluster died at the same block of rows, which may be too large for their "
                f"memory ({one_line(error)})."
            ) from None
        except (CancelledError, OSError) as error:
            if isinstance(error, OSError) and self.client.status == "running":
                raise
            raise EngineError(f"The connection to the scheduler of Dask was lost ({one_line(error)}).") from None


def call_shared(shared: bytes, task: object, block: Any) -> Any:
    """Call a function that was shared on a block of rows, with what is to be done with it; on a worker."""
    function, common = pickle.loads(shared)  # noqa: S301  (from the process that the workers work for)
    return function(block, task, common)


def _same(content: bytes) -> bytes:
    return content


def _pack(content: object) -> bytes:
    import cloudpickle  # noqa: PLC0415

    try:
        return bytes(cloudpickle.dumps(content))
    except Exception as error:  # whatever an object of the user's raises
        raise EngineError(
            f"What is sent to the workers of Dask, such as the model, must be something that pickle stores. "
            f"It cannot ({one_line(error)})."
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from warning of large graphs: a model, or row numbers of some blocks, are meant to be in them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield
