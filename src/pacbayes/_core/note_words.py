"""Sentences of the notes on a table, which certificates carry too."""

from __future__ import annotations

from collections.abc import Mapping

from pacbayes._core.notes import Note, NoteValue

__all__ = ["TABLE_NOTES", "fill_sentence"]

TABLE_NOTES: Mapping[str, str] = {
    "has_decimal_commas": "The column {column!r} looks like numbers with a decimal comma, and is taken as a category; "
    "give --decimal ','.",
    "looks_like_numbers": "The column {column!r} is taken as a category because of {count} values that are no numbers, "
    "such as {example!r:.40}. If they stand for missing values, give --missing-value.",
    "names_each_row": "Every value of the column {column!r} occurs once, as in an identifier; consider --drop.",
    "gives_target_away": "The column {column!r} determines the target. Will it be known for new cases?",
    "classes_differ_in_blanks": "Some classes differ in blanks or capitals alone: {classes}.",
    "more_notes": "There are {count} more notes of this kind.",
}


def fill_sentence(template: str, note: Note) -> str:
    """Return a sentence with the numbers and names of a note in it.

    Examples
    --------
    >>> from pacbayes._core.note_words import fill_sentence
    >>> from pacbayes._core.notes import Note
    >>> fill_sentence("There are {count} of {names}.", Note("few", {"count": 2, "names": ("a", "b")}))
    "There are 2 of 'a', 'b'."
    """
    return template.format(**{name: _list_texts(value) for name, value in note.numbers.items()})


def _list_texts(value: NoteValue) -> str | int | float:
    return ", ".join(map(repr, value)) if isinstance(value, tuple) else value
