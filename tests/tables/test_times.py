"""Rows in the order of time: which texts are dates, what stays as it came, what is refused."""

import numpy as np
import pandas as pd
import pytest

from pacbayes.tables import TableError, prepare_table, show_time

ROWS = 40
DAYS = pd.date_range("2023-11-20", periods=ROWS)
SHUFFLED = np.random.default_rng(0).permutation(ROWS)


def make_frame(times):
    generator = np.random.default_rng(1)
    labels = np.where(np.arange(ROWS) % 3 == 0, "yes", "no")
    return pd.DataFrame({"a": np.arange(ROWS) + 0.5, "b": generator.normal(size=ROWS), "t": labels, "when": times})


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y",
     "%Y/%m/%d", "%d-%m-%Y", "%d %b %Y", "%B %d, %Y", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M:%S"],
)  # fmt: skip
def test_dates_in_usual_formats_order_the_rows(form):
    table = prepare_table(make_frame(DAYS[SHUFFLED].strftime(form)), "t", time="when")
    assert np.array_equal(table.numbers, np.argsort(SHUFFLED))
    assert np.array_equal(table.X["a"], np.argsort(SHUFFLED) + 0.5)
    assert list(table.y) == list(make_frame(DAYS)["t"].to_numpy()[np.argsort(SHUFFLED)])
    assert [column.name for column in table.columns] == ["a", "b"]
    assert (show_time(table.times, 0), show_time(table.times, -1)) == ("2023-11-20", "2023-12-29")
    assert table.row_number(0) == 1 + int(np.argsort(SHUFFLED)[0])


@pytest.mark.parametrize(
    "times",
    [
        SHUFFLED,
        SHUFFLED / 7.0,
        DAYS[SHUFFLED],
        DAYS[SHUFFLED].tz_localize("Europe/Berlin"),
        (DAYS - DAYS[0])[SHUFFLED],
        [day.date() for day in DAYS[SHUFFLED]],
    ],
    ids=["whole", "numbers", "moments", "zone", "spans", "dates"],
)
def test_numbers_and_moments_are_taken_as_they_are(times):
    table = prepare_table(make_frame(times), "t", time="when")
    assert np.array_equal(table.numbers, np.argsort(SHUFFLED))


def test_rows_of_the_same_time_stay_as_they_came():
    table = prepare_table(make_frame(2000 + np.arange(ROWS)[::-1] // 10), "t", time="when")
    expected = [row for first in (30, 20, 10, 0) for row in range(first, first + 10)]
    assert list(table.numbers) == expected


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (["01/02/2023", "03/04/2023"] * 20, "with the day or the month first, as '01/02/2023' shows"),
        (["Q1 2020"] * 40, r"must hold numbers or dates, such as 2024-12-31\. Got 'Q1 2020' instead"),
        (["12:30:00"] * 40, "must hold numbers or dates"),
        (["2023-01-01"] * 39 + ["soon"], "must hold numbers or dates"),
        (["2023-01-01"] * 38 + [None] * 2, "must be known in every row. It is missing in 2"),
        ([1.0] * 39 + [np.inf], "holds infinite values"),
    ],
)
def test_other_columns_are_refused(times, words):
    with pytest.raises(TableError, match=words):
        prepare_table(make_frame(times), "t", time="when")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"time": "wen"}, "There is no column 'wen'. Did you mean 'when'?"),
        ({"time": "t"}, "cannot be the target or dropped"),
        ({"time": "when", "drop": ["when"]}, "cannot be the target or dropped"),
    ],
)
def test_other_names_are_refused(options, words):
    with pytest.raises(TableError) as caught:
        prepare_table(make_frame(DAYS), "t", **options)
    assert words in str(caught.value)


def test_columns_are_dropped_one_by_one_or_in_a_list():
    frame = make_frame(np.random.default_rng(2).normal(size=ROWS)).rename(columns={"b": "b,c"}).assign(d=1.5, e=2.5)
    for drop, left in {
        ("when", "d"): ["a", "b,c", "e"],
        ("when,d, e",): ["a", "b,c"],
        ("when", "b,c"): ["a", "d", "e"],  # a name as a whole comes first
    }.items():
        assert [column.name for column in prepare_table(frame, "t", drop=drop).columns] == left
    with pytest.raises(TableError, match=r"There is no column 'x'"):
        prepare_table(frame, "t", drop=["a,x"])


def test_columns_of_nothing_are_left_out():
    frame = make_frame(np.random.default_rng(2).normal(size=ROWS)).assign(empty=None, gone=np.nan)
    table = prepare_table(frame, "t")
    assert [column.name for column in table.columns] == ["a", "b", "when"]
    with pytest.raises(TableError, match="No column besides the target 't' holds a value"):
        prepare_table(frame[["t", "empty", "gone"]], "t")
