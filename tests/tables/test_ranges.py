"""Stretches of the rows of files are read by themselves, wherever they begin and end."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pacbayes.tables import FileRanges, TableError, open_table

ROWS = 60
FRAME = pd.DataFrame(
    {"age": np.arange(ROWS) * 1.5, "job": ["cook", "clerk", None] * (ROWS // 3), "ill": ["no", "yes"] * (ROWS // 2)}
)
COLUMNS = (("job", "category"), ("age", "number"))


def write(folder, kind):
    place = folder / kind
    place.mkdir()
    if kind == "arrow":
        table = pa.Table.from_pandas(FRAME)
        with pa.OSFile(str(place / "table.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=17)
    else:
        for number, (start, stop) in enumerate([(0, 0), (0, 31), (31, 31), (31, ROWS)]):
            FRAME[start:stop].to_parquet(place / f"part-{number}.parquet", index=False, row_group_size=10)
    return place


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_stretch_holds_the_rows_between_its_ends(tmp_path, kind):
    ranges = FileRanges(open_table(write(tmp_path, kind), "ill", missing="category", in_memory=0).X.batches)
    expected = FRAME.assign(job=FRAME["job"].fillna("(missing)"))
    for start, stop in ((0, 60), (0, 1), (30, 32), (31, 60), (35, 50), (59, 60)):
        sent = pickle.loads(pickle.dumps(ranges.part(start, stop)))
        found = sent.read(COLUMNS)
        assert list(found.columns) == ["job", "age"]
        assert found["age"].tolist() == expected["age"][start:stop].tolist()
        assert found["job"].tolist() == expected["job"][start:stop].tolist()


def test_only_the_files_that_hold_the_rows_are_read(tmp_path):
    ranges = FileRanges(open_table(write(tmp_path, "parquet"), "ill", missing="category", in_memory=0).X.batches)
    assert [file.name for file in ranges.part(3, 20).files] == ["part-1.parquet"]
    assert [file.name for file in ranges.part(40, 50).files] == ["part-3.parquet"]


def test_a_file_that_is_not_there_or_another_is_named(tmp_path):
    place = write(tmp_path, "parquet")
    ranges = FileRanges(open_table(place, "ill", missing="category", in_memory=0).X.batches)
    FRAME[:30].to_parquet(place / "part-1.parquet", index=False)
    with pytest.raises(TableError, match="parquet must not change while it is read, and be the same everywhere"):
        ranges.part(0, 10).read(COLUMNS)
    (place / "part-1.parquet").unlink()
    with pytest.raises(TableError, match=r"must find its files under the same path. .*part-1.parquet cannot be read"):
        ranges.part(0, 10).read(COLUMNS)
