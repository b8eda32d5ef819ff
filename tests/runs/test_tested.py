"""Rows of another table to judge on: copies of the learning rows are no test."""

import numpy as np
import pandas as pd
import pytest

from pacbayes.runs import Settings, certify_file
from pacbayes.tables import prepare_table

GENERATOR = np.random.default_rng(0)
FRAME = pd.DataFrame({"x": GENERATOR.standard_normal(300), "z": GENERATOR.standard_normal(300)})
FRAME["ill"] = np.where(GENERATOR.random(300) < 0.5, "yes", "no")
FRESH = FRAME.assign(x=FRAME["x"] + 0.01)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (FRAME, {"repeated": 300, "rows": 300}),
        (pd.concat([FRAME[:100], FRESH[100:]]), {"repeated": 100, "rows": 300}),
        (FRESH, None),
    ],
    ids=["all", "some", "none"],
)
def test_judged_rows_that_were_learned_are_cautioned_about(tmp_path, test, expected):
    FRAME.to_csv(tmp_path / "table.csv", index=False)
    test.to_csv(tmp_path / "test.csv", index=False)
    settings, test = Settings(target="ill", model="random-forest"), tmp_path / "test.csv"
    notes = certify_file(tmp_path / "table.csv", settings, test=test, baseline=False).certificate.notes
    found = {note.code: dict(note.numbers) for note in notes}
    assert found.get("judged_rows_learned") == expected
    assert "repeated_rows" not in found


def test_spellings_of_a_class_that_is_set_against_the_rest_are_noted():
    frame = FRAME.assign(ill=np.array(["Yes", "yes", "no", "unknown"])[np.arange(300) % 4])
    notes = {note.code: dict(note.numbers) for note in prepare_table(frame, "ill", positive="Yes").notes}
    assert notes["classes_differ_in_blanks"] == {"classes": ("Yes", "yes")}
    other = {note.code for note in prepare_table(frame, "ill", positive="no").notes}
    assert "classes_differ_in_blanks" not in other


def test_two_spellings_that_are_not_merged_are_noted_once():
    frame = FRAME.assign(ill=np.array(["Yes", "yes"])[np.arange(300) % 2])
    notes = [note.code for note in prepare_table(frame, "ill", positive="Yes").notes]
    assert notes.count("classes_differ_in_blanks") == 1
