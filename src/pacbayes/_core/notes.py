"""Notes that travel as codes with numbers; a module of words makes sentences of them at the edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self, TypeAlias

__all__ = ["Note", "NoteValue"]

NoteValue: TypeAlias = "str | int | float | tuple[str, ...]"


@dataclass(frozen=True, slots=True, repr=False)
class Note:
    """Something that a user should know: a code, and the numbers and names that belong to it.

    Attributes
    ----------
    code : str
        What is noted, such as "names_each_row".
    numbers : mapping
        What the sentence says besides: numbers, texts, or tuples of texts, by name. It cannot be changed.

    Examples
    --------
    >>> from pacbayes._core.notes import Note
    >>> note = Note("names_each_row", {"column": "id"})
    >>> note
    Note('names_each_row', {'column': 'id'})
    >>> Note.from_dict(note.to_dict()) == note
    True
    """

    code: str
    numbers: Mapping[str, NoteValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", MappingProxyType(dict(self.numbers)))

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.numbers.items())))

    def __repr__(self) -> str:
        return f"Note({self.code!r}, {dict(self.numbers)!r})"

    def __reduce__(self) -> tuple[type[Self], tuple[str, dict[str, NoteValue]]]:
        return type(self), (self.code, dict(self.numbers))  # a read-only view cannot be pickled

    def to_dict(self) -> dict[str, object]:
        """Return plain values, as JSON takes them."""
        numbers = {name: list(value) if isinstance(value, tuple) else value for name, value in self.numbers.items()}
        return {"code": self.code, "numbers": numbers}

    @classmethod
    def from_dict(cls, record: Mapping[str, object]) -> Self:
        """Read what :meth:`to_dict` returned; anything else is refused with a ValueError."""
        code, numbers = record.get("code"), record.get("numbers")
        if set(record) != {"code", "numbers"} or not isinstance(code, str) or not isinstance(numbers, Mapping):
            raise ValueError(f"A note must be a code and its numbers. Got {record!r:.200} instead.")
        return cls(code, {str(name): _read_value(value) for name, value in numbers.items()})


def _read_value(value: object) -> NoteValue:
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise ValueError(f"A value of a note must be a number, a text or texts. Got {value!r:.200} instead.")
