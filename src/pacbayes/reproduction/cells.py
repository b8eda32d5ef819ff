"""The declared grid: data set x repeat x method, each cell a pure function of its place and the run's seed."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import TypeAlias

from joblib import parallel_config
from threadpoolctl import threadpool_limits

from pacbayes.datasets import names
from pacbayes.reproduction.built_in_methods import DELTA
from pacbayes.reproduction.method_role import Method
from pacbayes.reproduction.methods import BUILT_IN, METHODS, order_methods
from pacbayes.reproduction.paper import ALPHA, PERIOD
from pacbayes.reproduction.random_split import Split

__all__ = ["Cell", "Configuration", "Grid", "Record", "Task", "compute_cells"]

REPEATS, QUICK_REPEATS = 20, 3
_LONGEST = "adult"  # what a quick run leaves out

_REVISION = 2  # raised when a cell's numbers change, so that old files are refused

# Seconds that one repeat took when it was measured: only for the order of work and the time left.
_SECONDS = {
    "haberman": 0.12,
    "breast-cancer": 0.14,
    "tictactoe": 0.14,
    "banknote": 0.15,
    "kr-vs-kp": 0.25,
    "spambase": 0.3,
    "mushroom": 0.7,
    "adult": 2.7,
}

Cell: TypeAlias = tuple[str, int, str]
Configuration: TypeAlias = dict[str, int | float | str]


@dataclass(frozen=True, slots=True)
class Record:
    """The numbers of one cell."""

    data: str
    repeat: int
    method: str
    values: dict[str, float]

    @property
    def cell(self) -> Cell:
        """Its place in the grid."""
        return self.data, self.repeat, self.method


@dataclass(frozen=True, slots=True)
class Task:
    """The cells of one repeat of one data set, which share a split, a fit and a reference."""

    data: str
    repeat: int
    seed: int
    methods: tuple[str, ...]
    added: tuple[Method, ...] = ()  # those that a worker process does not know by name

    @property
    def cost(self) -> float:
        """Roughly how many seconds it takes."""
        return _SECONDS.get(self.data, 1.0)


@dataclass(frozen=True, slots=True)
class Grid:
    """What to run."""

    datasets: tuple[str, ...]
    repeats: int
    methods: tuple[str, ...]
    seed: int = 0

    @classmethod
    def from_arguments(
        cls,
        datasets: Iterable[str] | None,
        repeats: int | None,
        methods: Iterable[str] | None,
        seed: int = 0,
        *,
        quick: bool = False,
    ) -> Grid:
        """Return a grid in the order of the table; refuse names and numbers that make no sense."""
        if repeats is None:
            repeats = QUICK_REPEATS if quick else REPEATS
        if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
            raise ValueError(f"The 'repeats' argument of run must be a whole number from 1. Got {repeats!r} instead.")
        return cls(_order_datasets(datasets, quick=quick), repeats, order_methods(methods), int(seed))

    @property
    def cells(self) -> list[Cell]:
        """All cells, in the order of the table."""
        return [(d, r, m) for d in self.datasets for r in range(self.repeats) for m in self.methods]

    def tasks(self, done: Iterable[Cell] = ()) -> list[Task]:
        """Return what is left to do, the longest first so that no core idles at the end."""
        known = set(done)
        tasks = []
        for data in sorted(self.datasets, key=lambda name: -_SECONDS.get(name, 1.0)):
            for repeat in range(self.repeats):
                left = tuple(m for m in self.methods if (data, repeat, m) not in known)
                if left:
                    added = tuple(METHODS[m] for m in left if m not in BUILT_IN)
                    tasks.append(Task(data, repeat, self.seed, left, added))
        return tasks

    @property
    def configuration(self) -> Configuration:
        """Everything but its place that a cell's numbers depend on."""
        packages = {name: version(name) for name in ("pacbayes", "numpy", "scipy", "scikit-learn")}
        paper = {"delta": DELTA, "alpha": ALPHA, "period": PERIOD}
        return {"revision": _REVISION, "seed": self.seed, **paper, **packages}


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
        split = Split(task.data, task.repeat, task.seed)
        known = METHODS | {method.name: method for method in task.added}
        return [Record(task.data, task.repeat, name, known[name].function(split)) for name in task.methods]


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
