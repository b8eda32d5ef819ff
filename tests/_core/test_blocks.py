"""Rows that are asked block by block are judged as strictly as in one block."""

import numpy as np
import pytest

from pacbayes._core.rows import count_labels, distinct_labels, locate_blocks, map_blocks, rows_of, take
from pacbayes._core.steadiness import ask_in_blocks, ask_row_by_row

ROWS = np.random.default_rng(0).normal(size=1000)
TRUTH = (ROWS > 0.0).astype(int)
ORDER = np.random.default_rng(1).permutation(1000)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("pacbayes._core.rows.BLOCK_ROWS", 130)


def ask(answer, seed=7):
    def ask_rows(model, block, part):
        return answer(model, block[part, 0])

    return ask_in_blocks("model", ask_rows, ROWS[:, None], ORDER, [seed], truth=TRUTH[ORDER])


def test_who_answers_row_by_row_gives_the_same_answers_in_blocks():
    found = ask(lambda _, rows: (rows > 0.1).astype(int))
    whole = ask_row_by_row("model", lambda _, part: (ROWS[ORDER[part]] > 0.1).astype(int), 1000, [7])
    np.testing.assert_array_equal(found.together, whole.together)
    assert not found.different(0.0).any()


@pytest.mark.parametrize(
    "answer",
    [
        lambda _, rows: (rows > rows.mean()).astype(int),  # by the batch
        lambda _, rows: (rows > 0.0).astype(int) if len(rows) > 1 else np.zeros(1, dtype=int),  # otherwise if alone
        lambda _, rows: (rows > 0.0).astype(int) if len(rows) > 100 else np.zeros(len(rows), dtype=int),
    ],
)
def test_who_answers_by_the_batch_is_refused(answer):
    with pytest.raises(ValueError, match="must answer for each row by itself"):
        ask(answer)


def test_a_few_rows_that_depend_on_the_batch_are_errors():
    """If one of the sample differs alone, all rows are asked alone, and each that differs counts."""
    shaky = np.isin(ROWS, np.sort(ROWS)[-4:])

    def answer(_, rows):
        wrong = np.isin(rows, ROWS[shaky]) & (len(rows) == 1)
        return np.where(wrong, 0, (rows > 0.0).astype(int))

    found = [ask(answer, seed) for seed in range(40)]
    counts = {int((each.wrong_where_different(TRUTH[ORDER]) != TRUTH[ORDER]).sum()) for each in found}
    assert counts == {0, 4}  # none of the four was in the sample, or all of them are found


def test_who_fails_on_a_few_rows_is_refused():
    def answer(_, rows):
        if len(rows) < 3:
            raise KeyError("too few")
        return np.zeros(len(rows), dtype=int)

    with pytest.raises(ValueError, match="It fails for a few rows"):
        ask(answer)


def test_places_come_once_and_in_their_order():
    places = ORDER[300:]
    located = list(locate_blocks(ROWS[:, None], places))
    found = map_blocks(ROWS[:, None], lambda rows, inside, _: take(rows, inside), [each for _, each in located], None)
    assert len(located) == 8
    np.testing.assert_array_equal(np.sort(np.concatenate([which for which, _ in located])), np.arange(700))
    for number, ((which, _), rows) in enumerate(zip(located, found, strict=True)):
        assert (np.diff(which) > 0).all()
        assert (places[which] // 130 == number).all()
        np.testing.assert_array_equal(rows[:, 0], ROWS[places[which]])


def test_all_rows_of_a_block_need_no_names():
    assert [inside for _, inside in locate_blocks(ROWS[:, None], np.arange(1000))] == [None] * 8
    assert [inside for _, inside in locate_blocks(ROWS[:100, None], np.arange(100))] == [None]


def test_blocks_without_rows_to_ask_about_are_left_out():
    read = []

    def answer(_, rows):
        read.append(rows)
        return (rows > 0.0).astype(int)

    def ask_rows(model, block, part):
        return answer(model, block[part, 0])

    some = ORDER[ORDER < 130]
    found = ask_in_blocks("model", ask_rows, ROWS[:, None], some, [7], truth=TRUTH[some])
    np.testing.assert_array_equal(found.together, TRUTH[some])
    assert np.isin(np.concatenate(read), ROWS[:130]).all()


@pytest.mark.parametrize("labels", [ORDER % 3, ORDER % 40, np.array(["b", "a", "ccc"])[ORDER % 3], ORDER / 7.0])
def test_labels_are_counted_as_numpy_does(monkeypatch, labels):
    monkeypatch.setattr("pacbayes._core.rows._LABELS", 90)
    for found, expected in zip(count_labels(labels), np.unique(labels, return_counts=True), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert distinct_labels(np.append(labels, labels[:1])).dtype == labels.dtype


@pytest.mark.parametrize(
    "texts", [["a good film", "a bad one"], np.array(["good", "bad"]), np.array(["good"], dtype=object)]
)
def test_texts_without_a_column_are_told_where_they_go(texts):
    with pytest.raises(ValueError, match=r"got 1 dimensions instead\. Texts go into a column of a data frame"):
        rows_of(texts)


def test_other_rows_without_columns_are_to_be_reshaped():
    with pytest.raises(ValueError, match=r"got 1 dimensions instead\. Reshape your data"):
        rows_of(np.arange(3.0))
