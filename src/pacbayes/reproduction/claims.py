"""The paper's claims about its table, asked of the printed numbers, of the reproduced and of the corrected ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.printed_table import BOUNDS, PRINTED

__all__ = ["Claim", "compare_claims"]

_Means: TypeAlias = Callable[[str, str], float]
_Question: TypeAlias = Callable[[_Means, str], bool]


@dataclass(frozen=True, slots=True)
class Claim:
    """A question about single data sets, by its code, and the data sets for which the answer is yes."""

    code: str
    datasets: tuple[str, ...]
    printed: tuple[str, ...]
    reproduced: tuple[str, ...]
    corrected: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the correction changes what the reproduction says."""
        return self.reproduced != self.corrected


def compare_claims(results: CellMeans) -> list[Claim]:
    """Return the claims, or none if the run lacks one of the paper's methods."""
    if not results.has(*(f"{version}-{name}" for version in ("published", "corrected") for name in BOUNDS)):
        return []
    data = results.grid.datasets
    sources: list[_Means] = [
        lambda d, name: PRINTED[d][name].mean,
        lambda d, name: results.mean(d, f"published-{name}"),
        lambda d, name: results.mean(d, f"corrected-{name}"),
    ]
    return [
        Claim(code, data, *(tuple(d for d in data if question(means, d)) for means in sources))
        for code, question in _QUESTIONS.items()
    ]


def _is_below(one: str, other: str) -> _Question:
    return lambda means, data: means(data, one) < means(data, other)


def _is_smallest(one: str) -> _Question:
    return lambda means, data: means(data, one) == min(means(data, other) for other in BOUNDS)


_QUESTIONS = {
    "ours-below-ub": _is_below("ours", "ub"),
    "maurer-smallest": _is_smallest("maurer"),
    "ours-smallest": _is_smallest("ours"),
    "ub-below-maurer": _is_below("ub", "maurer"),
}
