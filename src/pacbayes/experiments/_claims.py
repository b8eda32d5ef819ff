"""The paper's claims about its table, asked of the printed numbers, of the reproduced and of the corrected ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pacbayes.experiments._printed import PRINTED, TITLES

if TYPE_CHECKING:
    from pacbayes.experiments._results import Results

__all__ = ["Claim", "claims", "compared"]

_Means = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class Claim:
    """A question and its answers."""

    question: str
    printed: str
    reproduced: str
    corrected: str

    @property
    def changed(self) -> bool:
        """Whether the correction changes what the reproduction says."""
        return self.reproduced != self.corrected

    def __str__(self) -> str:
        word = "CHANGES" if self.changed else "stands"
        return (
            f"{self.question} Printed: {self.printed}. Reproduced: {self.reproduced}. "
            f"Corrected: {self.corrected} ({word})."
        )


def compared(results: Results) -> list[Claim]:
    """Return the claims, or none if the run lacks one of the paper's methods."""
    versions = ("published", "corrected")
    if not results.has(*(f"{version}-{name}" for version in versions for name in ("maurer", "ub", "ours"))):
        return []
    data = results.grid.datasets
    sources: list[_Means] = [
        lambda d, name: PRINTED[d][name].mean,
        lambda d, name: results.mean(d, f"published-{name}"),
        lambda d, name: results.mean(d, f"corrected-{name}"),
    ]
    return [
        Claim("Is Ours below UB on every data set?", *(_below(means, "ours", "ub", data) for means in sources)),
        Claim("On which is Maurer the smallest?", *(_smallest(means, "maurer", data) for means in sources)),
        Claim("On which is Ours the smallest?", *(_smallest(means, "ours", data) for means in sources)),
        Claim("On which is UB below Maurer?", *(_lower(means, "ub", "maurer", data) for means in sources)),
    ]


def claims(results: Results) -> list[str]:
    """Return the claims as sentences."""
    return [str(claim) for claim in compared(results)]


def _listed(data: list[str]) -> str:
    return ", ".join(TITLES[d] for d in data) or "none"


def _lower(means: _Means, one: str, other: str, data: tuple[str, ...]) -> str:
    return _listed([d for d in data if means(d, one) < means(d, other)])


def _below(means: _Means, one: str, other: str, data: tuple[str, ...]) -> str:
    exceptions = [d for d in data if not means(d, one) < means(d, other)]
    return f"no, not on {_listed(exceptions)}" if exceptions else "yes"


def _smallest(means: _Means, name: str, data: tuple[str, ...]) -> str:
    return _listed([d for d in data if means(d, name) == min(means(d, other) for other in ("maurer", "ub", "ours"))])
