"""What can be run: the paper's table, and that of its rivals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pacbayes.reproduction.built_in_methods import DELTA
from pacbayes.reproduction.method_role import Method
from pacbayes.reproduction.methods import BUILT_IN, METHODS
from pacbayes.reproduction.paper import ALPHA, PERIOD
from pacbayes.reproduction.rivals import RIVALS

__all__ = ["STUDIES", "Study", "find_study"]


@dataclass(frozen=True, slots=True)
class Study:
    """A table by its methods.

    Attributes
    ----------
    name : str
        How it is asked for.
    methods : mapping
        From names to methods, in the order of the table.
    built_in : set of str
        What every worker process knows; the rest is sent to it.
    repeats, quick_repeats : int
        Random splits per data set.
    timed : bool
        Whether each cell is computed by itself, and its time is taken.
    configuration : mapping
        What the numbers depend on, beside the seed and the versions of packages; "revision" is raised when a cell's
        numbers change, so that old files are refused.
    seconds : mapping
        What one repeat of a data set took when it was measured: only for the order of work and the time left.
    """

    name: str
    methods: Mapping[str, Method]
    built_in: frozenset[str]
    repeats: int
    quick_repeats: int
    timed: bool
    configuration: Mapping[str, int | float | str]
    seconds: Mapping[str, float]

    def order(self, names: Iterable[str] | None) -> tuple[str, ...]:
        """Return the names asked for in the order of the table; by default all."""
        wanted = tuple(self.methods) if names is None else tuple(names)
        for name in wanted:
            if name not in self.methods:
                known = list(self.methods)
                raise ValueError(f"The 'methods' argument of run must be among {known}. Got {name!r} instead.")
        if not wanted:
            raise ValueError("The 'methods' argument of run must name at least one method. Got none instead.")
        return tuple(name for name in self.methods if name in wanted)


def find_study(name: str) -> Study:
    """Return a study by its name."""
    if name not in STUDIES:
        raise ValueError(f"The 'study' argument of run must be among {list(STUDIES)}. Got {name!r} instead.")
    return STUDIES[name]


_PAPER = Study(
    name="paper",
    methods=METHODS,
    built_in=BUILT_IN,
    repeats=20,
    quick_repeats=3,
    timed=False,
    configuration={"revision": 2, "delta": DELTA, "alpha": ALPHA, "period": PERIOD},
    seconds={
        "haberman": 0.12,
        "breast-cancer": 0.14,
        "tictactoe": 0.14,
        "banknote": 0.15,
        "kr-vs-kp": 0.25,
        "spambase": 0.3,
        "mushroom": 0.7,
        "adult": 2.7,
    },
)

_RIVALS = Study(
    name="rivals",
    methods=RIVALS,
    built_in=frozenset(RIVALS),
    repeats=10,
    quick_repeats=3,
    timed=True,
    configuration={"study": "rivals", "revision": 1, "delta": DELTA},
    seconds={
        "haberman": 7.3,
        "breast-cancer": 7.4,
        "tictactoe": 8.6,
        "banknote": 8.5,
        "kr-vs-kp": 11.9,
        "spambase": 14.1,
        "mushroom": 16.3,
        "adult": 58.8,
    },
)

STUDIES = {study.name: study for study in (_PAPER, _RIVALS)}
