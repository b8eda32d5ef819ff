"""Sentences of the notes on a table, which certificates carry too."""

from __future__ import annotations

from collections.abc import Mapping

from pacbayes._core.notes import Note, NoteValue

__all__ = ["TABLE_NOTES", "fill_sentence"]

TABLE_NOTES: Mapping[str, str] = {
    "time_orders_rows": "The rows are ordered by the column {column!r}, from {first} to {last}; the column itself is "
    "not used to predict.",
    "noted_first_rows": "What is noted of columns was found in the first {first} of {rows} rows.",
    "empty_columns": "Columns that hold nothing but missing values are left out ({count}): {columns}.",
    "has_decimal_commas": "The column {column!r} looks like numbers with a decimal comma, and is read as a category; "
    "pass --decimal ,",
    "has_decimal_points": "The column {column!r} looks like numbers with a decimal point, such as {example!r:.40}, and "
    "is read as a category; write all numbers of the table alike, and pass --decimal , only for decimal commas.",
    "has_thousands_separators": "The column {column!r} looks like numbers with separators of thousands, such as "
    "{example!r:.40}, and is read as a category; write the numbers without them.",
    "has_signs": "The column {column!r} looks like numbers with a sign, such as {example!r:.40}, and is read as a "
    "category; write the numbers without it.",
    "looks_like_numbers": "The column {column!r} is read as a category because some of its values ({count}) are not "
    "numbers, such as {example!r:.40}. If they stand for missing values, pass --missing-value.",
    "holds_dates": "The column {column!r} holds dates, which are read as categories; those of new cases will be "
    "unknown. Leave it out with --drop, or order the rows by it with --time.",
    "names_each_row": "Every value of the column {column!r} occurs once, as in an identifier; consider --drop.",
    "rows_may_belong_together": "The column {column!r} has {values} values with about {rows} rows each. If the rows of "
    "one value belong together, such as those of one patient, the number is too small for new patients: keep one row "
    "of each, or judge each as a whole (docs/guide.md, 'Several rows belong to one patient').",
    "numbers_each_row": "Every row has a different whole number in the column {column!r}, as in an identifier; "
    "consider --drop.",
    "counts_rows": "The column {column!r} changes in one direction from row to row, as a row number does; consider "
    "--drop, or --time if it is a time.",
    "sorted_by_column": "The rows are sorted by the column {column!r}. If it is a time, and things change with it, the "
    "rows are not i.i.d.: --time trains on the earlier rows and evaluates on the later ones.",
    "hardly_varies": "Almost all rows have the same value in some columns ({count}): {columns}.",
    "copies_target": "The column {column!r} is a copy of the target under other names. Will it be known for new cases?",
    "gives_target_away": "The column {column!r} determines the target. Will it be known for new cases?",
    "almost_gives_target_away": "The column {column!r} alone predicts the target with {percent:.2f} % errors. Will it "
    "be known for new cases?",
    "classes_differ_in_blanks": "Some classes differ in blanks, capitals or Unicode form alone: {classes}. They count "
    "as different classes; is each class written the same way?",
    "rare_classes": "Some classes have fewer than {least} rows ({count}): {classes}. The number says next to "
    "nothing about these classes alone.",
    "extra_columns": "Columns of this table that the model does not use ({count}): {columns}.",
    "unseen_categories": (
        "The column {column!r} has {count} rows with a text that the model was not trained on, such as "
        "{example!r:.40}; they are treated like rare ones."
    ),
    "unseen_classes": "Rows with a label that does not occur in the first table: {count}; they count as errors.",
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
