"""A table that stays in its files is the table that it is in memory, whatever batches it comes in."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pacbayes._core import digests, rows
from pacbayes._core.row_hashes import hash_rows
from pacbayes._core.rows import is_stored, locate_blocks, map_blocks, read_blocks, take
from pacbayes.certificate import data_digest
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.tables import (
    StoredRows,
    TableError,
    _files,
    _open,
    _prepare,
    _scan,
    _text_batches,
    open_table,
    prepare_table,
    read_table,
)
from pacbayes.tables.words import sentence

N = 400
OPTIONS = {"missing": "category", "groups": ("sex",), "drop": ("id",)}


def make_frame():
    """Texts, missing values, truth values of which one late one is missing, categories that come late, a constant."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=N),
            "count": np.arange(N) % 50,
            "gaps": np.where(rng.random(N) < 0.2, np.nan, rng.integers(0, 9, N)),
            "job": rng.choice(["cook", "clerk", None, "judge"], N),
            "late": np.where(np.arange(N) < N - 20, "old", "new"),
            "known": [None if row == N - 3 else bool(row % 3) for row in range(N)],
            "flag": rng.random(N) < 0.5,
            "empty": np.full(N, np.nan),
            "id": np.arange(N),
            "sex": rng.choice(["f", "m"], N),
        }
    )
    return frame.assign(label=np.where(frame["age"] + rng.normal(size=N) > 0.0, "yes", "no"))


FRAME = make_frame()


def write_parts(folder, frame, count=16, seed=0):
    """Write a frame as files of uneven length, in another order than that of their names."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(seed)
    parts = np.split(np.arange(len(frame)), np.sort(rng.permutation(len(frame) - 1)[: count - 1] + 1))
    for place in rng.permutation(count):
        frame.iloc[parts[place]].to_parquet(folder / f"part-{place}.parquet", index=False)
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    FRAME.to_parquet(folder / "table.parquet", index=False, row_group_size=70)
    FRAME.to_feather(folder / "table.arrow", chunksize=64)
    FRAME.to_csv(folder / "table.csv", index=False)
    write_parts(folder / "parts", FRAME)
    return folder


@pytest.fixture
def in_batches(monkeypatch):
    monkeypatch.setattr(_open, "IN_MEMORY", 0)


def same_table(one, two):
    names = ("target", "columns", "classes", "counts", "notes")
    assert {name: getattr(one, name) for name in names} == {name: getattr(two, name) for name in names}
    np.testing.assert_array_equal(one.y, two.y)
    assert one.y.dtype == two.y.dtype
    for name, values in one.groups.items():
        assert np.asarray(values).tolist() == np.asarray(two.groups[name]).tolist()


@pytest.mark.parametrize("name", ["table.parquet", "table.arrow", "parts", "parts/*.parquet", "table.csv"])
def test_is_the_table_that_it_is_in_memory(files, in_batches, monkeypatch, name):
    monkeypatch.setattr(digests, "DIGEST_ROWS", 96)
    monkeypatch.setattr(rows, "BLOCK_ROWS", 130)
    whole = prepare_table(read_table(files / name), "label", **OPTIONS)
    table = open_table(files / name, "label", **OPTIONS)
    assert is_stored(table.X)
    assert not is_stored(whole.X)
    same_table(table, whole)
    pd.testing.assert_frame_equal(pd.concat(read_blocks(table.X, 77), ignore_index=True), whole.X)
    assert data_digest(table.X, table.y) == data_digest(whole.X, whole.y)
    np.testing.assert_array_equal(hash_rows(table.X), hash_rows(whole.X))
    order = np.random.default_rng(1).permutation(N)
    table.X.keep(order[:150])
    for some in (order[:150], order[40:90], order[140:160], np.arange(3)):
        pd.testing.assert_frame_equal(take(table.X, some), take(whole.X, some))
    located = list(locate_blocks(table.X, order[150:]))
    parts = [
        map_blocks(X, lambda block, inside, _: take(block, inside), [each for _, each in located], None)
        for X in (table.X, whole.X)
    ]
    for (which, _), one, two in zip(located, *parts, strict=True):
        pd.testing.assert_frame_equal(one, two)
        pd.testing.assert_frame_equal(one, take(whole.X, order[150:][which]))


def test_files_of_a_folder_are_one_table_in_memory_too(files):
    pd.testing.assert_frame_equal(read_table(files / "parts"), read_table(files / "table.parquet"))


@pytest.mark.parametrize("text", ["csv", "csv in batches"])
def test_columns_of_text_are_settled_on_all_rows(tmp_path, monkeypatch, text):
    """What reads like a number in one batch is text as it was written if it is so in another."""
    monkeypatch.setattr(_text_batches, "_ROWS", 16)
    monkeypatch.setattr(_open, "IN_MEMORY", 0 if "batches" in text else 1 << 28)
    lines = [
        f"{k:02d},{'TRUE' if k % 2 else 'False'},{'x' if k == 39 else k},{k if k < 30 else ''},{k % 2}"
        for k in range(40)
    ]
    (tmp_path / "table.csv").write_text("\n".join([" number,truth,late,gaps,label", *lines]))
    table = open_table(tmp_path / "table.csv", "label", missing="category")
    assert [(each.name, each.kind, each.missing) for each in table.columns] == [
        ("number", "number", 0),
        ("truth", "number", 0),
        ("late", "category", 0),
        ("gaps", "number", 10),
    ]
    assert take(table.X, np.array([7, 39]))["late"].tolist() == ["7", "x"]
    assert table.classes == ("0", "1")


def test_notes_are_of_the_first_rows_in_memory_too(files, in_batches, monkeypatch):
    for module in (_prepare, _scan):
        monkeypatch.setattr(module, "NOTED_ROWS", 100)
    table = open_table(files / "parts", "label", **OPTIONS)
    same_table(table, prepare_table(FRAME, "label", **OPTIONS))
    codes = [note.code for note in table.notes]
    assert codes[0] == "noted_first_rows"
    assert table.notes[0].numbers == {"first": 100, "rows": N}
    assert sentence(table.notes[0]) == "What is noted of columns was found in the first 100 of 400 rows."


def test_a_table_that_needs_more_than_memory_stays_in_its_file(files, monkeypatch):
    """Of a Parquet file what it unpacks to tells, not its size."""
    flat = pd.DataFrame({"a": np.zeros(40_000), "label": np.arange(40_000) % 2})
    flat.to_parquet(files / "flat.parquet", index=False)
    monkeypatch.setattr(_open, "IN_MEMORY", 300_000)
    assert (files / "flat.parquet").stat().st_size < 300_000 < 8 * len(flat)
    assert isinstance(open_table(files / "flat.parquet", "label").X, StoredRows)
    assert isinstance(open_table(files / "table.parquet", "label", **OPTIONS).X, pd.DataFrame)


def test_the_order_of_files_is_that_of_numbers_in_their_names(tmp_path):
    names = ["b-1.pq", "a-10.parquet", "a-2.parquet", "a-2b.parquet", "_SUCCESS", ".a-3.parquet", "a.csv"]
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    found = [path.name for path in _files.find_files(tmp_path)]
    assert found == ["a-2.parquet", "a-2b.parquet", "a-10.parquet", "b-1.pq"]
    assert [path.name for path in _files.find_files(tmp_path / "a*.parquet")] == found[:3]
    assert _files.find_files(tmp_path / "a-2.parquet") is None


def part(**columns):
    return lambda path: pq.write_table(pa.table({"a": [1.0] * 30, "label": [0, 1] * 15} | columns), path)


def cut(path):
    part()(path)
    path.write_bytes(path.read_bytes()[:-20])


JUNK = {
    "another column": ({"2.parquet": part(b=[1] * 30)}, "1.parquet has no column 'b'"),
    "a column too few": ({"2.parquet": lambda path: pq.write_table(pa.table({"a": [1.0]}), path)}, "no column 'label'"),
    "another type": (
        {"2.parquet": part(a=["x"] * 30)},
        "The column 'a' is string in 2.parquet and double in 1.parquet",
    ),
    "an empty file": ({"2.parquet": lambda path: path.write_bytes(b"")}, "2.parquet is empty"),
    "a truncated file": ({"2.parquet": cut}, "2.parquet in it is not a whole parquet file"),
    "no Parquet at all": ({"2.parquet": lambda path: path.write_bytes(b"hello")}, "2.parquet in it is not a whole"),
    "two formats": ({"2.arrow": FRAME.to_feather}, "files of one format"),
    "no files": ({"1.parquet": None}, "There is none"),
}


@pytest.mark.parametrize("batches", [False, True])
@pytest.mark.parametrize("case", JUNK)
def test_junk_gets_one_sentence(tmp_path, monkeypatch, case, batches):
    monkeypatch.setattr(_open, "IN_MEMORY", 0 if batches else 1 << 28)
    changes, words = JUNK[case]
    for name, write in ({"1.parquet": part()} | changes).items():
        if write is not None:
            write(tmp_path / name)
    with pytest.raises(TableError) as refusal:
        open_table(tmp_path, "label")
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_files_without_rows_are_no_obstacle(tmp_path, in_batches):
    part()(tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [1.0], "label": [1]})[:0], tmp_path / "2.parquet")
    part()(tmp_path / "3.parquet")
    assert len(open_table(tmp_path, "label").y) == 60
    for name in ("1", "3"):
        (tmp_path / f"{name}.parquet").unlink()
    with pytest.raises(TableError, match="has no rows"):
        open_table(tmp_path, "label")


def test_a_file_that_changes_is_noticed(tmp_path, in_batches):
    path = write_parts(tmp_path / "parts", FRAME) / "part-3.parquet"
    table = open_table(tmp_path / "parts", "label", **OPTIONS)
    FRAME[:5].to_parquet(path, index=False)
    with pytest.raises(TableError, match="must not change"):
        list(read_blocks(table.X))


def grow(path):
    with path.open("a") as file:
        file.write("oops,1,2,0\n" * 3)


def swap(path):
    frame = pd.read_csv(path)
    frame[["b", "a", "x", "label"]].to_csv(path, index=False)


CHANGES = {
    "other values": lambda path: path.write_text(path.read_text().replace("0.5", "0.25")),
    "text among numbers": grow,
    "columns in another order": swap,
    "no table": lambda path: path.write_text("\0"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_file_of_text_that_changes_between_its_passes_is_noticed(tmp_path, in_batches, monkeypatch, case):
    path, inner, passes = tmp_path / "table.csv", _text_batches._read_chunks, []
    path.write_text("a,b,x,label\n" + "0.5,3,4,0\n1,5,6,1\n" * 20)

    def read_chunks(place, *given):
        passes.append(place)
        if len(passes) == 2:
            CHANGES[case](place)
        yield from inner(place, *given)

    monkeypatch.setattr(_text_batches, "_read_chunks", read_chunks)
    with pytest.raises(TableError, match=r"^table\.csv must not change while it is read\. It did\.$"):
        open_table(path, "label")


def test_large_whole_numbers_beside_a_fraction_are_rounded_as_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(_text_batches, "_ROWS", 16)
    rows = [f"{2**53 + 1 + 2 * k},{-(2**60) - k},{k % 2}" for k in range(40)]
    (tmp_path / "table.csv").write_text("\n".join(["odd,gap,label", *rows, "0.5,,1"]) + "\n")
    whole, stored = (open_table(tmp_path / "table.csv", "label", missing="category", in_memory=n) for n in (1 << 20, 0))
    assert is_stored(stored.X)
    same_table(stored, whole)
    pd.testing.assert_frame_equal(take(stored.X, np.arange(41)), whole.X, check_exact=True)


def test_a_file_of_endless_rows_is_refused(tmp_path):
    """Rows that take no room in a file would take some in memory."""
    table = pa.table({"a": pa.array(np.zeros(400_000)), "label": pa.array(np.arange(400_000) % 2)})
    pq.write_table(table, tmp_path / "table.parquet")
    with pytest.raises(TableError, match="raise the limit with --max-memory"):
        open_table(tmp_path / "table.parquet", "label", max_memory="5MB")


def test_the_temporary_file_of_text_is_removed(files, in_batches, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    table = open_table(files / "table.csv", "label", **OPTIONS)
    assert len(list(tmp_path.iterdir())) == 1
    del table
    assert not list(tmp_path.iterdir())


def test_repeated_rows_are_found_in_files(tmp_path, in_batches):
    twice = pd.concat([FRAME, FRAME[:100]], ignore_index=True)
    twice.to_parquet(tmp_path / "table.parquet", index=False)
    table = open_table(tmp_path / "table.parquet", "label", **OPTIONS)
    whole = prepare_table(twice, "label", **OPTIONS)
    notes = [find_repetitions(each.X, each.y, np.arange(300)) for each in (table, whole)]
    assert notes[0] == notes[1]
    assert notes[0][0].code == "judged_rows_learned"


def test_decimals_are_numbers_in_batches_too(tmp_path, in_batches):
    amounts = pa.array([Decimal(k).scaleb(-2) for k in range(len(FRAME))])
    pq.write_table(pa.table({"amount": amounts, "label": FRAME["label"].to_numpy()}), tmp_path / "table.parquet")
    table = open_table(tmp_path / "table.parquet", "label")
    whole = prepare_table(read_table(tmp_path / "table.parquet"), "label")
    assert table.columns == whole.columns
    assert [each.kind for each in table.columns] == ["number"]
