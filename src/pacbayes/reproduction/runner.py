"""Run the grid: joblib over tasks with any backend, results appended as they come."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from joblib import Parallel, delayed, parallel_config

from pacbayes._core.workers import WorkerCall
from pacbayes.datasets import load
from pacbayes.reproduction.cell_store import CellStore
from pacbayes.reproduction.cells import Grid, Record, Task, compute_cells
from pacbayes.reproduction.outputs import check_outputs
from pacbayes.reproduction.progress import Progress
from pacbayes.reproduction.results import Results

__all__ = ["Workers", "compute_tasks", "reproduce", "run"]


def run(
    datasets: Iterable[str] | None = None,
    repeats: int | None = None,
    methods: Iterable[str] | None = None,
    *,
    study: str = "paper",
    quick: bool = False,
    seed: int = 0,
    folder: str | os.PathLike[str] | None = None,
    resume: bool = False,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: bool = False,
) -> Results:
    """Run the paper's experiment: as published, with corrected arithmetic, and with what this library adds.

    Or run its rivals: the certificates of the field, from the same rows and with the same learner.

    Parameters
    ----------
    datasets : list of str, optional
        Among :func:`pacbayes.datasets.names`; by default all eight.
    repeats : int, optional
        Random splits per data set, by default 20 for the paper and 10 for its rivals; the first ones are the same
        whatever the number.
    methods : list of str, optional
        Names of methods; by default all of the study.
    study : {"paper", "rivals"}, default="paper"
        Which table: ``METHODS`` are the methods of the first, ``RIVALS`` those of the second.
    quick : bool, default=False
        Whether the defaults are 3 repeats and all data sets but Adult.
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
        Whether to print progress and time left on stderr.

    Returns
    -------
    Results
        With ``table()``, ``claims()`` and ``save(folder)``.

    Raises
    ------
    ValueError
        If an argument makes no sense; then nothing is written.
    ResultsFileError
        If the folder cannot be written, or has results of another configuration; what was there stays intact.

    Examples
    --------
    >>> from pacbayes import reproduction
    >>> results = reproduction.run(["haberman"], repeats=2, methods=["corrected-maurer"])  # doctest: +SKIP
    >>> print(results.table())  # doctest: +SKIP
    """
    grid = Grid.from_arguments(datasets, repeats, methods, seed, quick=quick, study=study)
    return _run_grid(grid, folder, Workers(n_jobs, backend, progress), resume=resume)


def reproduce(
    folder: str | os.PathLike[str],
    *,
    study: str = "paper",
    datasets: Iterable[str] | None = None,
    repeats: int | None = None,
    methods: Iterable[str] | None = None,
    quick: bool = False,
    seed: int = 0,
    resume: bool = False,
    n_jobs: int = -1,
    backend: str | None = None,
    progress: bool = True,
) -> tuple[Results, list[Path]]:
    """Do what the command ``pacbayes reproduce`` does: run, and write cells, tables, figure and page into a folder.

    Data files are looked for first, so that a missing one is noticed before hours of work and not after them; not on a
    Dask cluster, whose workers have their own.

    Parameters
    ----------
    folder : path
        Where everything is written.
    study, datasets, repeats, methods, quick, seed, resume, n_jobs, backend, progress
        As in :func:`run`; by default one process per core, with progress.

    Returns
    -------
    results : Results
        What :func:`run` returns.
    paths : list of Path
        The files that were written.

    Raises
    ------
    ValueError, ResultsFileError
        As in :func:`run`.
    DataFileError
        If a data file is missing and cannot be fetched.

    Examples
    --------
    >>> from pacbayes import reproduction
    >>> results, paths = reproduction.reproduce("table", quick=True)  # doctest: +SKIP
    """
    grid = Grid.from_arguments(datasets, repeats, methods, seed, quick=quick, study=study)
    workers = Workers(n_jobs, backend, progress)
    check_outputs(Path(folder))
    if not resume and backend != "dask":
        for name in grid.datasets:
            load(name)
    results = _run_grid(grid, folder, workers, resume=resume)
    return results, results.save(folder)


@dataclass(frozen=True, slots=True)
class Workers:
    """How the work is distributed, in joblib's words, and whether progress is shown."""

    n_jobs: int | None
    backend: str | None
    progress: bool

    def __post_init__(self) -> None:
        if self.n_jobs == 0:
            raise ValueError(
                "The number of jobs must be a whole number from 1, or -1 for one process per core. Got 0 instead."
            )


def _run_grid(grid: Grid, folder: str | os.PathLike[str] | None, workers: Workers, *, resume: bool) -> Results:
    """Compute what is missing, in memory or appended to the folder's file as it comes."""
    begun = time.monotonic()
    if folder is None:
        records = [record for part in compute_tasks(grid.tasks(), workers) for record in part]
    else:
        with closing(CellStore(folder, grid.configuration, resume=resume)) as store:
            for part in compute_tasks(grid.tasks(record.cell for record in store.records), workers):
                store.append(part)
        records = store.records
    return Results.from_records(grid, records, time.monotonic() - begun)


def compute_tasks(tasks: list[Task], workers: Workers) -> Iterator[list[Record]]:
    """Yield the records of each task in order, so that a run that was killed leaves a beginning of the whole."""
    backend = workers.backend
    setting: AbstractContextManager[object] = nullcontext() if backend is None else parallel_config(backend)
    counter = Progress(tasks, shown=workers.progress)
    with setting:
        call = delayed(WorkerCall())
        parts = Parallel(n_jobs=workers.n_jobs, return_as="generator")(call(compute_cells, task) for task in tasks)
        for task, part in zip(tasks, parts, strict=True):
            yield part
            counter.advance(task)
