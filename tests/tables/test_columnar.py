"""What Parquet holds beside plain numbers and texts is the same in memory, in batches and in stretches of rows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pacbayes._core.rows import is_stored
from pacbayes.tables import FileRanges, TableError, open_table, prepare_table


def same_in_memory_and_in_batches(path, target):
    whole, stored = (open_table(path, target, in_memory=most) for most in (1 << 20, 0))
    assert (is_stored(whole.X), is_stored(stored.X)) == (False, True)
    assert (stored.columns, stored.classes, stored.counts) == (whole.columns, whole.classes, whole.counts)
    np.testing.assert_array_equal(stored.y, whole.y)
    pd.testing.assert_frame_equal(stored.X.take_all(), whole.X)
    ranges = FileRanges(stored.X.batches).part(0, len(whole.y)).read([(each.name, each.kind) for each in whole.columns])
    pd.testing.assert_frame_equal(ranges, whole.X)
    return whole


def test_numbers_of_16_bits_are_read(tmp_path):
    half = np.arange(40.0, dtype=np.float16)  # whole, as a number that counts the rows
    pq.write_table(pa.table({"half": half, "label": [0, 1] * 20}), tmp_path / "table.parquet")
    table = same_in_memory_and_in_batches(tmp_path / "table.parquet", "label")
    np.testing.assert_array_equal(table.X["half"], half.astype(float))
    assert prepare_table(pd.DataFrame({"half": half, "label": [0, 1] * 20}), "label").notes == table.notes


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        (pd.MultiIndex.from_tuples([("x", "1"), ("y", "1")]), ["('x', '1')", "('y', '1')"]),
        ([0, 1], ["0", "1"]),
        (pd.date_range("2024-01-01", periods=2), ["2024-01-01 00:00:00", "2024-01-02 00:00:00"]),
    ],
    ids=["levels", "numbers", "times"],
)
def test_columns_are_named_by_the_texts_in_the_file(tmp_path, names, texts):
    frame = pd.DataFrame(np.arange(80).reshape(40, 2) % 4, columns=names)
    frame.to_parquet(tmp_path / "table.parquet")
    table = same_in_memory_and_in_batches(tmp_path / "table.parquet", texts[1])
    assert [each.name for each in table.columns] == texts[:1]


def test_dates_are_categories_and_moments_are_refused(tmp_path):
    days = pd.date_range("2024-01-01", periods=40)
    columns = {"when": pa.array(days.date), "label": [0, 1] * 20}
    pq.write_table(pa.table(columns), tmp_path / "table.parquet")
    table = same_in_memory_and_in_batches(tmp_path / "table.parquet", "label")
    assert [(each.kind, each.distinct) for each in table.columns] == [("category", 40)]
    pq.write_table(pa.table(columns | {"when": days}), tmp_path / "table.parquet")
    for most in (0, 1 << 20):
        with pytest.raises(TableError, match="holds times, which are neither numbers nor categories"):
            open_table(tmp_path / "table.parquet", "label", in_memory=most)
