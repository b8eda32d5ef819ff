"""Notes: what was found about data, as a code and the numbers that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Note"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a user should know, to be put into words at the edge.

    Attributes
    ----------
    code : str
        Which note it is.
    numbers : mapping
        What its sentence speaks of: counts, names of columns.
    """

    code: str
    numbers: Mapping[str, str | int | float] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.code, tuple(sorted(self.numbers.items()))))

    def to_dict(self) -> dict[str, object]:
        """Return plain values, as JSON has them."""
        return {"code": self.code, "numbers": dict(self.numbers)}

    @classmethod
    def from_dict(cls, record: Mapping[str, object]) -> Note:
        """Read what :meth:`to_dict` gave."""
        numbers = record["numbers"]
        if not isinstance(numbers, Mapping):
            raise ValueError(f"The numbers of a note must be an object. Got {numbers!r:.60} instead.")  # noqa: TRY004
        return cls(str(record["code"]), dict(numbers))
