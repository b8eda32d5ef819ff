"""Sentences of the notes on a table, and the list of its formats in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pacbayes._core.notes import Note, NoteValue
from pacbayes.tables.formats import FORMATS

__all__ = ["SENTENCES", "class_counts", "list_formats", "sentence"]

SENTENCES: Mapping[str, str] = {
    "has_decimal_commas": "The column {column!r} looks like numbers with a decimal comma, and is taken as a category.",
    "looks_like_numbers": (
        "The column {column!r} is taken as a category because of {count} values that are no numbers, such as "
        "{example!r:.40}. If they stand for missing values, give --missing-value."
    ),
    "names_each_row": "Every value of the column {column!r} occurs once, as in an identifier; consider --drop.",
    "gives_target_away": "The column {column!r} determines the target. Will it be known for new cases?",
    "classes_differ_in_blanks": "Some classes differ in blanks or capitals alone: {classes}.",
    "extra_columns": "Columns of this table that the model does not use ({count}): {columns}.",
    "unseen_categories": (
        "The column {column!r} has {count} rows with a text that the model was not learned with, such as "
        "{example!r:.40}; they are treated like rare ones."
    ),
    "unseen_classes": "{count} rows have a label that does not occur in the first table; they count as errors.",
    "more_notes": "There are {count} more notes of this kind.",
}


def sentence(note: Note) -> str:
    """Say a note on a table in words.

    Parameters
    ----------
    note : Note
        One of :attr:`pacbayes.tables.Table.notes`.

    Examples
    --------
    >>> from pacbayes._core.notes import Note
    >>> from pacbayes.tables.words import sentence
    >>> sentence(Note("names_each_row", {"column": "id"}))
    "Every value of the column 'id' occurs once, as in an identifier; consider --drop."
    """
    if note.code not in SENTENCES:
        raise ValueError(f"The code of a note must be one of {', '.join(SENTENCES)}. Got {note.code!r} instead.")
    return SENTENCES[note.code].format(**{name: _list_texts(value) for name, value in note.numbers.items()})


def _list_texts(value: NoteValue) -> str | int | float:
    return ", ".join(map(repr, value)) if isinstance(value, tuple) else value


def list_formats() -> str:
    """Return the endings of names that tables may have, in words.

    Examples
    --------
    >>> from pacbayes.tables.words import list_formats
    >>> list_formats()
    '.csv, .tsv, .txt, .data, .parquet, .pq, .arrow, .feather or .ipc'
    """
    *others, last = FORMATS
    return f"{', '.join(others)} or {last}"


def class_counts(classes: Sequence[str], counts: Sequence[int], most: int) -> str:
    """Return the classes and how often each occurs, at most so many of them."""
    shown = [f"{label}: {count}" for label, count in zip(classes, counts, strict=True)]
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")
