"""What a method of the grid is: a pure function of a split, with what its number means and what it assumes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pacbayes.bounds import get
from pacbayes.reproduction.random_split import Split

__all__ = ["GROUPS", "RIVAL_GROUPS", "Method", "MethodFunction", "Rival"]

GROUPS = ("as published", "corrected arithmetic", "ours", "baselines")
RIVAL_GROUPS = ("prior at zero", "learned prior", "compression", "out of bag", "held-out rows")

MethodFunction: TypeAlias = Callable[[Split], dict[str, float]]


@dataclass(frozen=True, slots=True)
class Method:
    """One column of the table.

    Attributes
    ----------
    name, title, group : str
        How it is asked for, printed and ordered.
    function : callable
        From a :class:`Split` to a dict of numbers.
    about : str
        What it computes.
    guarantee : str
        What its number is worth, as a key of ``GUARANTEES`` in `table_words.py`.
    """

    name: str
    title: str
    group: str
    function: MethodFunction
    about: str
    guarantee: str

    @property
    def is_sound(self) -> bool:
        """Whether its number is a certificate as it is."""
        return self.guarantee == "sound"


@dataclass(frozen=True, slots=True)
class Rival(Method):
    """One row of the rivals' table; its function also returns "rows", how many rows its predictor learned from.

    Attributes
    ----------
    learner : {"logistic", "forest"}
        What is trained.
    predictor : {"randomised", "deterministic"}
        What the number, and "test", are about: a model that is drawn for each row, or one that is kept.
    bounds : tuple of str
        Names in the catalogue: whose theorem the number is.

    Examples
    --------
    >>> from pacbayes.reproduction import RIVALS
    >>> RIVALS["holdout"].predictor, list(RIVALS["holdout"].citations)
    ('deterministic', ['clopper1934use'])
    """

    learner: str
    predictor: str
    bounds: tuple[str, ...]

    @property
    def is_deterministic(self) -> bool:
        """Whether the number is about one predictor that answers the same every time."""
        return self.predictor == "deterministic"

    @property
    def citations(self) -> dict[str, str]:
        """BibTeX entries of its bounds, by their keys."""
        entries = [get(name).citation for name in self.bounds]
        return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}
