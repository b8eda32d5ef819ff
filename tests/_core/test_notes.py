"""Notes: records that cannot change, travel through JSON and pickle, and can be put into sets."""

import copy
import json
import pickle

import pytest

from pacbayes._core.notes import Note

NOTE = Note("a_code", {"column": "age", "count": 3, "share": 0.5, "classes": ("no", "yes")})


def test_a_note_is_the_same_after_json_pickle_and_copy():
    assert Note.from_dict(json.loads(json.dumps(NOTE.to_dict()))) == NOTE
    assert pickle.loads(pickle.dumps(NOTE)) == NOTE
    assert copy.deepcopy(NOTE) == NOTE


def test_equal_notes_are_one_in_a_set_and_others_are_not():
    again = Note("a_code", dict(reversed(NOTE.numbers.items())))
    assert {NOTE, again} == {NOTE}
    assert len({NOTE, Note("a_code"), Note("b_code")}) == 3


def test_a_note_cannot_be_changed_from_outside():
    numbers = {"count": 3}
    note = Note("a_code", numbers)
    numbers["count"] = 4
    assert note.numbers["count"] == 3
    with pytest.raises(TypeError):
        note.numbers["count"] = 4
    with pytest.raises(AttributeError):
        note.code = "b_code"


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"code": "a_code"},
        {"code": 1, "numbers": {}},
        {"code": "a_code", "numbers": [1]},
        {"code": "a_code", "numbers": {"count": None}},
        {"code": "a_code", "numbers": {"classes": [1]}},
        {"code": "a_code", "numbers": {}, "more": 1},
    ],
)
def test_anything_else_is_refused(record):
    with pytest.raises(ValueError, match=r"note must be .* instead\."):
        Note.from_dict(record)
