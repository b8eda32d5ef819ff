"""Sentences of the notes on a table, and the list of its formats in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pacbayes._core.note_words import TABLE_NOTES, fill_sentence
from pacbayes._core.notes import Note
from pacbayes.tables.formats import FORMATS

__all__ = ["SENTENCES", "class_counts", "list_formats", "sentence"]

SENTENCES: Mapping[str, str] = TABLE_NOTES


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
    return fill_sentence(SENTENCES[note.code], note)


def list_formats() -> str:
    """Return the endings of names that tables may have, in words.

    Examples
    --------
    >>> from pacbayes.tables.words import list_formats
    >>> list_formats()
    '.csv, .tsv, .txt, .data, .parquet, .pq, .arrow, .feather, .ipc, .xlsx, .xlsm, .svm, .svmlight or .libsvm'
    """
    *others, last = FORMATS
    return f"{', '.join(others)} or {last}"


def class_counts(classes: Sequence[str], counts: Sequence[int], most: int) -> str:
    """Return the classes and how often each occurs, at most so many of them."""
    shown = [f"{label}: {count}" for label, count in zip(classes, counts, strict=True)]
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")
