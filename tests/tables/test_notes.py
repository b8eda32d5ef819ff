"""Notes on tables: which codes come with which columns, and the sentence of each."""

import ast
import inspect

import numpy as np
import pandas as pd
import pytest

from pacbayes._core.notes import Note
from pacbayes.tables import _notes, prepare_table
from pacbayes.tables.words import SENTENCES, sentence

LABELS = np.where(np.arange(200) % 2, "yes", "no")
LONG = "x" * 60
CASES = {
    "has_decimal_commas": (
        {"b": ["1,5", "2,5"] * 50 + ["3,5"] * 100},
        {"column": "b"},
        "The column 'b' looks like numbers with a decimal comma, and is taken as a category.",
    ),
    "looks_like_numbers": (
        {"b": ["1.5"] * 197 + [LONG] * 3},
        {"column": "b", "count": 3, "example": LONG},
        (
            "The column 'b' is taken as a category because of 3 values that are no numbers, such as "
            f"'{LONG[:39]}. If they stand for missing values, give --missing-value."
        ),
    ),
    "names_each_row": (
        {"b": [f"name {k}" for k in range(200)]},
        {"column": "b"},
        "Every value of the column 'b' occurs once, as in an identifier; consider --drop.",
    ),
    "gives_target_away": (
        {"b": ["x", "y"] * 100},
        {"column": "b"},
        "The column 'b' determines the target. Will it be known for new cases?",
    ),
    "classes_differ_in_blanks": (
        {"t": ["yes", "no", "Yes ", "no"] * 50},
        {"classes": ("Yes ", "no", "yes")},
        "Some classes differ in blanks or capitals alone: 'Yes ', 'no', 'yes'.",
    ),
    "more_notes": (
        {f"b{k}": ["x", "y"] * 100 for k in range(11)},
        {"count": 3},
        "There are 3 more notes of this kind.",
    ),
}


def codes_in_source():
    """The codes that the room's notes are made with."""
    calls = [each for each in ast.walk(ast.parse(inspect.getsource(_notes))) if isinstance(each, ast.Call)]
    return {call.args[0].value for call in calls if getattr(call.func, "id", "") == "Note"}


def test_every_note_has_a_sentence():
    assert codes_in_source() == set(SENTENCES), "add its sentence to pacbayes/tables/words.py"


def test_every_code_has_a_case():
    assert set(CASES) == set(SENTENCES)


@pytest.mark.parametrize("code", CASES)
def test_a_note_has_its_numbers_and_its_sentence(code):
    columns, numbers, words = CASES[code]
    frame = pd.DataFrame({"a": np.random.default_rng(0).normal(size=200), "t": LABELS} | columns)
    notes = prepare_table(frame, "t").notes
    assert notes[-1] == Note(code, numbers)
    assert sentence(notes[-1]) == words


def test_an_unknown_code_is_refused():
    with pytest.raises(ValueError, match=r"must be one of has_decimal_commas, .* Got 'other' instead\."):
        sentence(Note("other"))
