"""What a method of the grid is: a pure function of a split, with what its number means and what it assumes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pacbayes.reproduction.random_split import Split

__all__ = ["GROUPS", "Method", "MethodFunction"]

GROUPS = ("as published", "corrected arithmetic", "ours", "baselines")

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
