"""Notes on tables: which codes come with which columns, and the sentence of each."""

import ast
import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacbayes._core import alike
from pacbayes._core.notes import Note
from pacbayes.tables import _leaks, _notes, _prepare, find_leaks, open_table, prepare_table
from pacbayes.tables._columns import Column
from pacbayes.tables.words import SENTENCES, sentence

ROWS = 200
LABELS = np.where(np.arange(ROWS) % 2, "yes", "no")
LONG = "x" * 60
DAYS = pd.date_range("2020-01-01", periods=ROWS)
SHUFFLED = np.random.default_rng(1).permutation(ROWS)
# about rows that are predicted, or judged in a table of their own: tests/runs/test_use.py and tests/cli have them; and
# about more rows than these: test_batches.py has it
OF_OTHER_ROWS = {"extra_columns", "unseen_categories", "unseen_classes", "noted_first_rows"}
# columns besides a number "a" and the target "t"; options; the last note on them; its sentence
CASES = {
    "time_orders_rows": (
        {"b": DAYS[SHUFFLED].strftime("%Y-%m-%d")},
        {"time": "b"},
        {"column": "b", "first": "2020-01-01", "last": "2020-07-18"},
        (
            "The rows are ordered by the column 'b', from 2020-01-01 to 2020-07-18; the column itself is not used to "
            "predict."
        ),
    ),
    "empty_columns": (
        {"b": [None] * ROWS, "c": [np.nan] * ROWS},
        {},
        {"columns": ("b", "c"), "count": 2},
        "Columns that hold nothing but missing values are left out (2): 'b', 'c'.",
    ),
    "has_decimal_commas": (
        {"b": ["1,5", "2,5"] * 50 + ["3,5"] * 100},
        {},
        {"column": "b"},
        "The column 'b' looks like numbers with a decimal comma, and is read as a category; pass --decimal ,",
    ),
    "has_decimal_points": (
        {"b": ["1.5", "2.345"] * 50 + ["3"] * 100},
        {},
        {"column": "b", "example": "1.5"},
        (
            "The column 'b' looks like numbers with a decimal point, such as '1.5', and is read as a category; write "
            "all numbers of the table alike, and pass --decimal , only for decimal commas."
        ),
    ),
    "has_thousands_separators": (
        {"b": ["12,345.50"] * 50 + ["1,000,000"] * 50 + ["999.5"] * 50 + ["-1,234"] * 50},
        {},
        {"column": "b", "example": "12,345.50"},
        (
            "The column 'b' looks like numbers with separators of thousands, such as '12,345.50', and is read as a "
            "category; write the numbers without them."
        ),
    ),
    "has_signs": (
        {"b": [f"${12.5 + k % 31:.2f}" for k in range(190)] + ["-1.5 %", "7%"] * 5},
        {},
        {"column": "b", "example": "$12.50"},
        (
            "The column 'b' looks like numbers with a sign, such as '$12.50', and is read as a category; write the "
            "numbers without it."
        ),
    ),
    "looks_like_numbers": (
        {"b": ["1.5"] * 190 + [LONG] * 10},
        {},
        {"column": "b", "count": 10, "example": LONG},
        (
            "The column 'b' is read as a category because some of its values (10) are not numbers, such as "
            f"'{LONG[:39]}. If they stand for missing values, pass --missing-value."
        ),
    ),
    "holds_dates": (
        {"b": DAYS[SHUFFLED].strftime("%d/%m/%Y")},
        {},
        {"column": "b"},
        (
            "The column 'b' holds dates, which are read as categories; those of new cases will be unknown. Leave it "
            "out with --drop, or order the rows by it with --time."
        ),
    ),
    "names_each_row": (
        {"b": [f"name {k}" for k in range(ROWS)]},
        {},
        {"column": "b"},
        "Every value of the column 'b' occurs once, as in an identifier; consider --drop.",
    ),
    "rows_may_belong_together": (
        {"b": [f"patient {k % 33}" for k in range(ROWS)]},
        {},
        {"column": "b", "values": 33, "rows": 6},
        (
            "The column 'b' has 33 values with about 6 rows each. If the rows of one value belong together, such as "
            "those of one patient, the number is too small for new patients: keep one row of each, or judge each as a "
            "whole (docs/guide.md, 'Several rows belong to one patient')."
        ),
    ),
    "numbers_each_row": (
        {"b": 10_000_019 * SHUFFLED % 99_999_989},
        {},
        {"column": "b"},
        "Every row has a different whole number in the column 'b', as in an identifier; consider --drop.",
    ),
    "counts_rows": (
        {"b": 3 * np.arange(ROWS, 0, -1)},
        {},
        {"column": "b"},
        (
            "The column 'b' changes in one direction from row to row, as a row number does; consider --drop, or --time "
            "if it is a time."
        ),
    ),
    "sorted_by_column": (
        {"b": np.arange(ROWS) // 4},
        {},
        {"column": "b"},
        (
            "The rows are sorted by the column 'b'. If it is a time, and things change with it, the rows are not "
            "i.i.d.: --time trains on the earlier rows and evaluates on the later ones."
        ),
    ),
    "hardly_varies": (
        {"b": ["x"] * (ROWS - 2) + ["y"] * 2, "c": [1.0] * ROWS},
        {},
        {"columns": ("b", "c"), "count": 2},
        "Almost all rows have the same value in some columns (2): 'b', 'c'.",
    ),
    "copies_target": (
        {"b": ["x", "y"] * 100},
        {},
        {"column": "b"},
        "The column 'b' is a copy of the target under other names. Will it be known for new cases?",
    ),
    "gives_target_away": (
        {"b": ["x", "y", "z", "y"] * 50},
        {},
        {"column": "b"},
        "The column 'b' determines the target. Will it be known for new cases?",
    ),
    "almost_gives_target_away": (
        {
            "b": np.where(np.arange(ROWS) == 7, -1.0, 1.0) * np.where(LABELS == "yes", 5.0, -5.0)
            + np.sin(np.arange(ROWS))
        },
        {},
        {"column": "b", "percent": 0.5},
        "The column 'b' alone predicts the target with 0.50 % errors. Will it be known for new cases?",
    ),
    "classes_differ_in_blanks": (
        {"t": ["yes", "no", "Yes ", "no"] * 50},
        {},
        {"classes": ("Yes ", "yes")},
        (
            "Some classes differ in blanks, capitals or Unicode form alone: 'Yes ', 'yes'. They count as different "
            "classes; is each class written the same way?"
        ),
    ),
    "rare_classes": (
        {"t": ["yes"] * 190 + ["no"] * 10},
        {},
        {"classes": ("no",), "count": 1, "least": 20},
        "Some classes have fewer than 20 rows (1): 'no'. The number says next to nothing about these classes alone.",
    ),
    "more_notes": (
        {f"b{k}": ["x", "y"] * 100 for k in range(11)},
        {},
        {"count": 3},
        "There are 3 more notes of this kind.",
    ),
}


def codes_in_source():
    """The codes that the room's notes are made with."""
    trees = [ast.parse(inspect.getsource(module)) for module in (_notes, _leaks, _prepare, alike)]
    calls = [each for tree in trees for each in ast.walk(tree) if isinstance(each, ast.Call)]
    return {call.args[0].value for call in calls if getattr(call.func, "id", "") == "Note"}


def notes_on(frame, target="t", **options):
    """All notes on a table, every row of which learns."""
    table = prepare_table(frame, target, **options)
    return (*table.notes, *find_leaks(table, np.arange(len(table.y))))


def test_every_note_has_a_sentence():
    assert codes_in_source() | OF_OTHER_ROWS == set(SENTENCES), "add its sentence to pacbayes/_core/note_words.py"


def test_every_code_has_a_case():
    assert set(CASES) | OF_OTHER_ROWS == set(SENTENCES)


@pytest.mark.parametrize("code", CASES)
def test_a_note_has_its_numbers_and_its_sentence(code):
    columns, options, numbers, words = CASES[code]
    frame = pd.DataFrame({"a": np.random.default_rng(0).normal(size=ROWS), "t": LABELS} | columns)
    notes = notes_on(frame, **options)
    assert [note.code for note in notes if note.code not in {code, "copies_target"}] == []
    assert notes[-1] == Note(code, numbers)
    assert sentence(notes[-1]) == words


def test_an_unknown_code_is_refused():
    with pytest.raises(ValueError, match=r"must be one of time_orders_rows, .* Got 'other' instead\."):
        sentence(Note("other"))


@pytest.mark.parametrize("seed", range(6))
def test_ordinary_tables_get_no_note(seed):
    """Measurements, amounts, counts, categories of many kinds: nothing of it is out of the ordinary."""
    generator = np.random.default_rng(seed)
    n = 400
    frame = pd.DataFrame({
        "measured": generator.normal(size=n),
        "rounded": generator.normal(size=n).round(1),
        "amount": generator.integers(0, 5000, n),
        "count": generator.poisson(2.0, n),
        "flag": generator.integers(0, 2, n),
        "gaps": np.where(generator.random(n) < 0.3, np.nan, generator.normal(size=n)),
        "kind": generator.choice(["x", "y", "z"], n),
        "town": generator.choice([f"town {k}" for k in range(15)], n),
        "year": generator.integers(1990, 2020, n),
    })  # fmt: skip
    frame["t"] = np.where(frame["measured"] + generator.normal(size=n) > 0.5, "yes", "no")
    assert notes_on(frame, missing="category") == ()


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y"])
def test_rows_sorted_by_a_date_are_noticed(form):
    """In the order of time, which is not that of the text."""
    frame = pd.DataFrame({"a": np.random.default_rng(0).normal(size=ROWS), "t": LABELS, "b": DAYS.strftime(form)})
    assert [note.code for note in notes_on(frame)] == ["holds_dates", "sorted_by_column"]
    assert [note.code for note in notes_on(frame, time="b")] == ["time_orders_rows"]


def test_leaks_are_looked_for_on_learning_rows_alone():
    """A column that tells the target on all other rows is none of our business before these are judged."""
    generator = np.random.default_rng(0)
    labels = np.where(generator.random(400) < 0.5, "yes", "no")
    told = np.where(np.arange(400) < 200, generator.choice(["yes", "no"], 400), labels)
    table = prepare_table(pd.DataFrame({"b": told, "t": labels}), "t")
    assert find_leaks(table, np.arange(200)) == ()
    assert [note.code for note in find_leaks(table, np.arange(200, 400))] == ["copies_target"]
    assert find_leaks(table, np.arange(200, 210)) == ()  # too few to tell


@pytest.mark.parametrize("seed", range(6))
def test_chance_is_no_leak(seed):
    """Hundreds of columns of noise, few rows, a rare class: none of them predicts anything."""
    generator = np.random.default_rng(seed)
    n = 60
    noise = {f"n{k}": generator.normal(size=n) for k in range(50)}
    kinds = {f"k{k}": generator.choice(list("abcdefghij"), n) for k in range(50)}
    labels = np.where(np.arange(n) % 12 == 0, "rare", "common")
    table = prepare_table(pd.DataFrame(noise | kinds | {"t": labels}), "t")
    assert find_leaks(table, generator.permutation(n)[:40]) == ()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(20, 200), st.sampled_from([3, 20, 10**6]))
def test_thresholds_err_at_least_as_often_as_is_known_before_they_are_looked_for(seed, classes, rows, values):
    rng = np.random.default_rng(seed)
    labels = np.unique(rng.integers(0, classes, rows), return_inverse=True)[1]
    series = pd.Series(np.sort(rng.integers(0, values, rows)).astype(float))
    labels = np.where(rng.random(rows) < 0.9, np.sort(labels), labels)
    series[rng.random(rows) < rng.choice([0.0, 0.3])] = np.nan
    assert _leaks._least_by_threshold(series, labels) <= _leaks._count_by_threshold(series, labels)


def test_thousands_are_seen_among_decimal_commas():
    notes = _notes._find_numbers(Column("b", "category", 2, 0), pd.Series(["999,5", "12.345,50"] * 20))
    assert notes == [Note("has_thousands_separators", {"column": "b", "example": "12.345,50"})]
    assert _notes._find_numbers(Column("b", "category", 2, 0), pd.Series(["31.12.2024", "1 234 men"] * 20)) == []


@pytest.mark.parametrize("others", [["12"], ["1.234.567"], ["0,5"], ["0,5", "12"]])
def test_points_before_three_digits_are_not_silent_where_commas_are_decimal(tmp_path, others):
    values = ["1.234", *others] * 20
    lines = [f"{value};{'ab'[row % 3 == 0]}" for row, value in enumerate(values)]
    (tmp_path / "t.csv").write_text("\n".join(["b;t", *lines]) + "\n")
    table = open_table(tmp_path / "t.csv", "t", decimal=",")
    assert [column.kind for column in table.columns] == ["category"]
    (note,) = [note for note in table.notes if note.code == "has_thousands_separators"]
    assert note.numbers["example"] in {"1.234", "1.234.567"}


@pytest.mark.parametrize(("values", "noted"), [(19, False), (20, True), (200, True), (201, False)])
def test_rows_of_one_owner_are_suspected_among_many_values_of_few_rows(values, noted):
    frame = pd.DataFrame({"a": np.sin(np.arange(400)), "t": np.where(np.arange(400) % 7 < 3, "x", "y")})
    frame["b"] = [f"v{k * 7919 % values}" for k in range(400)]
    assert [note.code for note in notes_on(frame)] == ["rows_may_belong_together"] * noted
    assert [note.code for note in notes_on(frame, drop=["b"])] == ["rows_may_belong_together"] * noted


@pytest.mark.parametrize(("fractions", "code"), [(True, "has_thousands_separators"), (False, "has_decimal_commas")])
def test_thousands_are_told_from_decimal_commas_by_the_points_of_other_columns(fractions, code):
    values = [f"{k % 17 + 1},{k % 7 * 100 + 105}" for k in range(ROWS)]
    frame = pd.DataFrame({"a": SHUFFLED // 3 + 0.5 * fractions, "b": values, "t": LABELS})
    assert [note.code for note in notes_on(frame)] == [code]
    frame["b"] = [*values[:-1], "1,5"]
    assert [note.code for note in notes_on(frame)] == ["has_decimal_commas"]


@pytest.mark.parametrize(
    ("name", "noted"),
    [
        *[
            (each, True)
            for each in ("patient", "Patient", "patient_no", "customerID", "userid", "PatientId", "id", "ID", "userIDs")
        ],
        *[
            (each, False)
            for each in (
                "age",
                "client_age",
                "house_number",
                "paid",
                "solid",
                "n",
                "1",
                "patient visits",
                "num_customer",
                "employees",
            )
        ],
    ],
)
def test_numbers_name_owners_where_their_column_says_so(name, noted):
    frame = pd.DataFrame({"a": np.sin(np.arange(400)), "t": np.where(np.arange(400) % 7 < 3, "x", "y")})
    frame[name] = [k * 7919 % 80 for k in range(400)]
    for each in (frame, frame.astype({name: "float64"})):
        assert [note.code for note in notes_on(each)] == ["rows_may_belong_together"] * noted
        assert [note.code for note in notes_on(each, drop=[name])] == ["rows_may_belong_together"] * noted
    frame[name] += 0.5
    assert not notes_on(frame)
