"""The declared grid: data set x repeat x method, each cell a pure function of its place and the run's seed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TypeAlias

from joblib import parallel_config
from threadpoolctl import threadpool_limits

from pacbayes.datasets import names
from pacbayes.reproduction.method_role import Method
from pacbayes.reproduction.random_split import Split
from pacbayes.reproduction.studies import STUDIES, Study, find_study

__all__ = ["Cell", "Configuration", "Grid", "Record", "Task", "compute_cells"]

_LONGEST = "adult"  # what a quick run leaves out

Cell: TypeAlias = tuple[str, int, str]
Configuration: TypeAlias = dict[str, int | float | str]


@dataclass(frozen=True, slots=True)
class Record:
    """The numbers of one cell, and the seconds of one core that they took, which no two runs have the same."""

    data: str
    repeat: int
    method: str
    values: dict[str, float]
    seconds: float | None = field(default=None, compare=False)

    @property
    def cell(self) -> Cell:
        """Its place in the grid."""
        return self.data, self.repeat, self.method


@dataclass(frozen=True, slots=True)
class Task:
    """The cells of one repeat of one data set, which share a split."""

    data: str
    repeat: int
    seed: int
    methods: tuple[str, ...]
    added: tuple[Method, ...] = ()  # those that a worker process does not know by name
    study: str = "paper"

    @property
    def cost(self) -> float:
        """Roughly how many seconds it takes."""
        return STUDIES[self.study].seconds[self.data]


@dataclass(frozen=True, slots=True)
class Grid:
    """What to run."""

    datasets: tuple[str, ...]
    repeats: int
    methods: tuple[str, ...]
    seed: int = 0
    study: str = "paper"

    @classmethod
    def from_arguments(
        cls,
        datasets: Iterable[str] | None,
        repeats: int | None,
        methods: Iterable[str] | None,
        seed: int = 0,
        *,
        quick: bool = False,
        study: str = "paper",
    ) -> Grid:
        """Return a grid in the order of the table; refuse names and numbers that make no sense."""
        asked = find_study(study)
        if repeats is None:
            repeats = asked.quick_repeats if quick else asked.repeats
        if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
            raise ValueError(f"The 'repeats' argument of run must be a whole number from 1. Got {repeats!r} instead.")
        return cls(_order_datasets(datasets, quick=quick), repeats, asked.order(methods), int(seed), asked.name)

    @property
    def plan(self) -> Study:
        """What is run."""
        return STUDIES[self.study]

    @property
    def cells(self) -> list[Cell]:
        """All cells, in the order of the table."""
        return [(d, r, m) for d in self.datasets for r in range(self.repeats) for m in self.methods]

    def tasks(self, done: Iterable[Cell] = ()) -> list[Task]:
        """Return what is left to do, the longest first so that no core idles at the end."""
        known = set(done)
        tasks = []
        for data in sorted(self.datasets, key=lambda name: -self.plan.seconds[name]):
            for repeat in range(self.repeats):
                left = tuple(m for m in self.methods if (data, repeat, m) not in known)
                if left:
                    added = tuple(self.plan.methods[m] for m in left if m not in self.plan.built_in)
                    tasks.append(Task(data, repeat, self.seed, left, added, self.study))
        return tasks

    @property
    def configuration(self) -> Configuration:
        """Everything but its place that a cell's numbers depend on."""
        packages = {name: version(name) for name in ("pacbayes", "numpy", "scipy", "scikit-learn")}
        return {"seed": self.seed, **self.plan.configuration, **packages}


def _order_datasets(datasets: Iterable[str] | None, *, quick: bool) -> tuple[str, ...]:
    """Return the data sets asked for in the order of the table; by default all, or all but the longest."""
    if datasets is None:
        return tuple(name for name in names() if not (quick and name == _LONGEST))
    wanted = tuple(datasets)
    for name in wanted:
        if name not in names():
            raise ValueError(f"The 'datasets' argument of run must be among {names()}. Got {name!r} instead.")
    if not wanted:
        raise ValueError("The 'datasets' argument of run must name at least one data set. Got none instead.")
    return tuple(name for name in names() if name in wanted)


def compute_cells(task: Task) -> list[Record]:
    """Compute the cells of a task; the result depends on the task alone, not on threads, processes or machines."""
    # a cell is one unit of work: a nested call of joblib that went back to the same workers could wait for itself
    with _one_thread(), parallel_config("sequential"):
        study = STUDIES[task.study]
        known = {**study.methods, **{method.name: method for method in task.added}}
        if study.timed:
            return [_compute_timed(task, known[name]) for name in task.methods]
        split = Split(task.data, task.repeat, task.seed)
        return [Record(task.data, task.repeat, name, known[name].function(split)) for name in task.methods]


def _compute_timed(task: Task, method: Method) -> Record:
    """Compute one cell and nothing that another would share; the rows are read before the clock starts."""
    split = Split(task.data, task.repeat, task.seed)
    split.read_rows()
    begun = time.thread_time()
    values = method.function(split)
    return Record(task.data, task.repeat, method.name, values, time.thread_time() - begun)


_LOCK = threading.Lock()
_ACTIVE: list[threadpool_limits] = []


@contextmanager
def _one_thread() -> Iterator[None]:
    """Keep BLAS on one thread while any cell of this process is at work: its sums depend on the number of threads."""
    with _LOCK:
        _ACTIVE.append(_ACTIVE[0] if _ACTIVE else threadpool_limits(1))
    try:
        yield
    finally:
        with _LOCK:
            limits = _ACTIVE.pop()
            if not _ACTIVE:
                limits.restore_original_limits()
