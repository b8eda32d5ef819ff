"""Run the grid: joblib over tasks with any backend, results appended as they come, progress with time left."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any

from joblib import Parallel, delayed, parallel_config

from pacbayes.experiments._grid import Grid, Record, Task, compute
from pacbayes.experiments._results import Results
from pacbayes.experiments._store import Store

__all__ = ["run"]


def run(
    datasets: Iterable[str] | None = None,
    repeats: int = 20,
    methods: Iterable[str] | None = None,
    *,
    seed: int = 0,
    folder: str | os.PathLike[str] | None = None,
    resume: bool = False,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: bool = False,
) -> Results:
    """Run the paper's experiment: as published, with corrected arithmetic, and with what this library adds.

    Parameters
    ----------
    datasets : list of str, optional
        Among :func:`pacbayes.datasets.names`; by default all eight.
    repeats : int, default=20
        Random splits per data set; the first ones are the same whatever the number.
    methods : list of str, optional
        Names of methods; by default all.
    seed : int, default=0
        Each cell is a function of this seed, its data set, its repeat and its method, and of nothing else.
    folder : path, optional
        Where to keep the cells as they are computed; by default they are kept in memory only.
    resume : bool, default=False
        Whether to continue with the cells that the folder has already.
    n_jobs : int, optional
        Number of processes, -1 for one per core; by default what :func:`joblib.parallel_config` says, else one.
    backend : str, optional
        A backend of joblib ("loky", "threading", "dask", ...). The numbers do not depend on it.
    progress : bool, default=False
        Print progress and time left on stderr.

    Returns
    -------
    Results
        With ``table()``, ``claims()`` and ``save(folder)``.

    Raises
    ------
    ValueError
        If an argument makes no sense; then nothing is written.
    ExperimentFileError
        If the folder cannot be written, or has results of another configuration; what was there stays intact.

    Examples
    --------
    >>> import pacbayes.experiments
    >>> results = pacbayes.experiments.run(["haberman"], repeats=2, methods=["corrected-maurer"])  # doctest: +SKIP
    >>> print(results.table())  # doctest: +SKIP
    """
    grid = Grid.checked(datasets, repeats, methods, seed)
    if n_jobs == 0:
        raise ValueError(
            "The number of jobs must be a whole number from 1, or -1 for one process per core. Got 0 instead."
        )
    begun = time.monotonic()
    if folder is None:
        records = list(_computed(grid.tasks(), n_jobs, backend, progress))
        return Results.of(grid, [record for part in records for record in part], time.monotonic() - begun)
    store = Store(folder, grid.configuration, resume=resume)
    try:
        tasks = grid.tasks(record.cell for record in store.records)
        for part in _computed(tasks, n_jobs, backend, progress):
            store.append(part)
    finally:
        store.close()
    return Results.of(grid, store.records, time.monotonic() - begun)


def _computed(tasks: list[Task], n_jobs: int | None, backend: str | None, progress: bool) -> Iterator[list[Record]]:
    """Yield the records of each task in order, so that a run that was killed leaves a beginning of the whole."""
    setting: Any = nullcontext() if backend is None else parallel_config(backend)
    total, done, begun = sum(task.cost for task in tasks), 0.0, time.monotonic()
    terminal = sys.stderr.isatty()
    with setting:
        parts = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(compute)(task) for task in tasks)
        for number, (task, part) in enumerate(zip(tasks, parts, strict=True), start=1):
            yield part
            done += task.cost
            if progress and (terminal or _is_tenth(number, len(tasks))):
                left = (time.monotonic() - begun) / done * (total - done)
                _report(f"{number}/{len(tasks)} splits, {task.data}", left, "\r" * terminal * (number < len(tasks)))


def _is_tenth(number: int, count: int) -> bool:
    """Whether another tenth of the work is done with this one."""
    return 10 * number // count > 10 * (number - 1) // count


def _report(words: str, left: float, end: str) -> None:
    """Write a line; one that ends in a carriage return is padded, so that a shorter one covers a longer one."""
    time_left = f"{left / 60:.0f} min" if left >= 100 else f"{left:.0f} s"
    line = f"experiments: {words}, about {time_left} left"
    sys.stderr.write(line.ljust(78) + end if end else line + "\n")
    sys.stderr.flush()
