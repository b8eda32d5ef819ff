"""Files of tables that were made or damaged to crash whoever reads them, and errors of libraries that leaked."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from pacbayes.reproduction import ResultsFileError
from pacbayes.reproduction.cell_store import FILE, CellStore
from pacbayes.reproduction.cells import Record
from pacbayes.tables import TableError, read_table

from fuzz.mutations import mutate_binary
from fuzz.tables import make_arrow, make_parquet

NUMBERS = {"arrow": [90, 438, 465, *range(20)], "parquet": range(20)}  # the first three crashed pyarrow 26
READ = """
import json, sys, warnings
from pathlib import Path
from pacbayes.tables import read_table
warnings.simplefilter("ignore")
for path in sorted(Path(sys.argv[1]).iterdir()):
    print(path.name, flush=True)
    try:
        read_table(path)
    except ValueError as error:
        assert "\\n" not in str(error), error
"""


@pytest.mark.parametrize(("make", "suffix"), [(make_arrow, "arrow"), (make_parquet, "parquet")])
def test_mutated_files_neither_crash_nor_leak(tmp_path, make, suffix):
    seeds = make(tmp_path).seeds
    for number in NUMBERS[suffix]:
        rng = random.Random(number)
        content = mutate_binary(rng, rng.choice(seeds), rng.choice(seeds))
        (tmp_path / f"{number:03}.{suffix}").write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path)], capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, len(done.stdout.split())) == (0, len(NUMBERS[suffix])), done.stderr[-2000:]


def test_offsets_far_outside_the_file(tmp_path):
    """Where the second text begins and ends is read from the file: a gigabyte behind it."""
    path = tmp_path / "t.arrow"
    pa.feather.write_feather(pa.table({"a": ["aa", "bb", "cc", "dd"]}), str(path), compression="uncompressed")
    content, offsets = path.read_bytes(), np.array([0, 2, 4, 6, 8], dtype="<i4").tobytes()
    assert content.count(offsets) == 1
    path.write_bytes(content.replace(offsets, np.array([0, 1 << 30, (1 << 30) + 2, 6, 8], dtype="<i4").tobytes()))
    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    with pytest.raises(TableError, match="not a whole arrow file"):
        read_table(path)


def crashing_child(monkeypatch, tmp_path, program):
    """Put another program in the place of the one that reads."""
    from pacbayes.tables import _child

    (tmp_path / "child.py").write_text(program)
    monkeypatch.setattr(_child, "_PROGRAM", tmp_path / "child.py")
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(path)
    return path


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os; os.abort()", "its reader crashed on it"),
        ("import ctypes; ctypes.string_at(0)", "its reader crashed on it"),
        ("import sys; sys.stderr.write('terminate called: std::bad_alloc'); sys.exit(9)", "the limit is"),
        ("print('no table')", "cannot be turned into a data frame"),
        ("pass", "cannot be turned into a data frame"),
        ("import sys; sys.stderr.write('{}'); sys.exit(3)", "its reader crashed on it"),
        ("import sys; sys.stderr.write('x' * 10**6); sys.exit(3)", "its reader crashed on it"),
    ],
)
def test_whatever_the_reading_process_does_is_one_sentence(tmp_path, monkeypatch, program, words):
    path = crashing_child(monkeypatch, tmp_path, program)
    with pytest.raises(TableError, match=words) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.skipif(os.name != "posix", reason="needs resource limits")
@pytest.mark.parametrize("program", ["import time; time.sleep(1000)", "while True: pass"])
def test_a_reader_that_hangs_is_ended(tmp_path, monkeypatch, program):
    from pacbayes.tables import _child

    path = crashing_child(monkeypatch, tmp_path, program)
    monkeypatch.setattr(_child, "SECONDS", 1)
    monkeypatch.setattr(_child, "_PATIENCE", 1)
    with pytest.raises(TableError, match="took more than 1 seconds"):
        read_table(path)


def test_without_a_process_of_its_own_the_file_is_refused(tmp_path, monkeypatch):
    path = crashing_child(monkeypatch, tmp_path, "pass")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(TableError, match=r"which cannot be started .*; save the table as CSV"):
        read_table(path)


def test_types_that_no_buffer_pays_for(tmp_path):
    """A column of nothing, or of runs, has any number of rows in a few bytes."""
    rows = 2**31 - 1
    for name, column in {
        "nothing": pa.Array.from_buffers(pa.null(), rows, [None]),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([rows], pa.int64()), pa.array([1.0])),
        "empty structs": pa.StructArray.from_buffers(pa.struct([]), rows, [None]),
    }.items():
        path = tmp_path / f"{name}.arrow"
        with pa.ipc.new_file(str(path), pa.schema([("a", column.type)])) as writer:
            writer.write_batch(pa.record_batch([column], names=["a"]))
        with pytest.raises(TableError, match=r"the limit is .* --max-memory"):
            read_table(path)


def test_what_a_file_says_of_itself_for_pandas_may_be_anything(tmp_path):
    table = pa.table({"a": [1, 2]}).replace_schema_metadata(
        {b"pandas": b'{"index_columns": [{"kind": 3}], "columns": 1}'}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(TableError, match=r"t\.parquet: it cannot be turned into a data frame"):
        read_table(tmp_path / "t.parquet")


def test_a_table_without_columns_is_refused(tmp_path):
    with pa.ipc.new_file(str(tmp_path / "t.arrow"), pa.schema([])) as writer:
        writer.write_table(pa.table({"a": [1, 2]}).select([]))
    with pytest.raises(TableError, match=r"t\.arrow has no "):
        read_table(tmp_path / "t.arrow")


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def bad_zip(flag=None, method=None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("t.csv", "a,b\n1,2\n")
    content = bytearray(buffer.getvalue())
    for start, offset in ((content.index(b"PK\3\4"), 6), (content.index(b"PK\1\2"), 8)):
        if flag is not None:
            content[start + offset] |= flag
        if method is not None:
            content[start + offset + 2] = method
    return bytes(content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("encrypted.csv.zip", bad_zip(flag=1)),
        ("unknown.csv.zip", bad_zip(method=99)),
        ("strange.csv.xz", b"\xfd7zXZ\0\0\x04" + bytes(30)),
        ("strange.csv.bz2", b"BZh9" + bytes(30)),
        ("strange.csv.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 30),
        ("surrogates.csv", b"a,b\n" + b"1,2\n" * 40_000 + b"\xff\xfe,1\n"),
        ("zeros.csv", b"a,b\n" + b"1,2\n" * 40_000 + b"\0" * 99),
        ("digits.csv", b"a,b\n" + b"9" * 400_000 + b",1\n"),
        ("quote.csv", b'a,"b\n1,2\n'),
        ("long field.csv", b"a," + b"b" * 200_000 + b"\n1,2\n"),
        ("more fields.csv", b"a,b\n1,2\n1,2,3\n"),
    ],
)
def test_errors_of_libraries_do_not_leak(tmp_path, name, content):
    path = write(tmp_path / name, content)
    try:
        read_table(path)
    except TableError as error:
        assert "\n" not in str(error)  # noqa: PT017
        assert len(str(error)) < 500  # noqa: PT017
    else:
        assert name == "digits.csv"


def test_fields_beyond_the_header_are_never_left_out(tmp_path):
    path = write(tmp_path / "t.csv", b"a,b\n1,2,3\n1,2,3\n")
    done = subprocess.run(
        [sys.executable, "-c", f"from pacbayes.tables import read_table; read_table({str(path)!r})"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "its rows have more fields than its first line" in done.stderr


CONFIGURATION = {"seed": 0, "pacbayes": "1"}


def cells(folder, configuration=CONFIGURATION, shift=0.0):
    store = CellStore(folder, configuration)
    store.append([Record("haberman", k, "betting", {"value": 0.25 + shift, "test": 0.1}) for k in range(3)])
    store.close()
    return folder / FILE


def opened(folder):
    store = CellStore(folder, CONFIGURATION, resume=True)
    store.close()
    return store.records


def test_every_single_bit_of_the_cells_is_noticed_or_recomputed(tmp_path):
    path = cells(tmp_path)
    content, before = path.read_bytes(), opened(tmp_path)
    rng = np.random.default_rng(0)
    for place in rng.choice(8 * len(content), 400, replace=False):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << (place % 8)
        path.write_bytes(flipped)
        try:
            assert [record for record in opened(tmp_path) if record not in before] == []
        except ResultsFileError as error:
            assert "\n" not in str(error)  # noqa: PT017


def sealed(content: object, header: bytes = b"") -> bytes:
    """A line with a right checksum, as somebody who forges would write it."""
    from pacbayes.reproduction import cell_lines

    return cell_lines._make_line(content, header)


GOOD = {"data": "haberman", "repeat": 7, "method": "betting", "values": {"value": 0.5}}


@pytest.mark.parametrize(
    "content",
    [
        {**GOOD, "data": "nowhere"},
        {**GOOD, "repeat": "7"},
        {**GOOD, "repeat": True},
        {**GOOD, "repeat": -1},
        {**GOOD, "method": 3},
        {**GOOD, "values": [0.5]},
        {**GOOD, "values": {"value": "0.5"}},
        {**GOOD, "values": {"value": float("nan")}},
        {**GOOD, "values": {"value": 10**400}},
        {**GOOD, "more": 1},
        {"data": "haberman"},
        {**GOOD, "repeat": 0},
    ],
)
def test_cells_of_the_wrong_kind_are_refused(tmp_path, content):
    path = cells(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + sealed(content, whole.splitlines(keepends=True)[0]))
    with pytest.raises(ResultsFileError, match=r"Line 5 of .* is damaged"):
        opened(tmp_path)


def test_cells_of_another_run_are_not_taken_over(tmp_path):
    (tmp_path / "other").mkdir()
    other = cells(tmp_path / "other", {**CONFIGURATION, "seed": 1}, shift=0.5).read_bytes().splitlines(keepends=True)
    path = cells(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], other[2], *lines[3:]]))
    with pytest.raises(ResultsFileError, match=r"Line 3 of .* is damaged"):
        opened(tmp_path)


@pytest.mark.parametrize("line", [None, {"format": "pacbayes reproduction 2"}, [], {}])
def test_a_first_line_of_another_kind_is_refused_and_left_alone(tmp_path, line):
    content = (b"[" * 100_000 + b"\n" if line is None else sealed(line)) + b"x\n"
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(ResultsFileError, match=r"Line 1 of .* is damaged"):
        opened(tmp_path)
    assert (tmp_path / FILE).read_bytes() == content


def test_a_damaged_first_line_does_not_cost_the_rest(tmp_path):
    path = cells(tmp_path)
    content = path.read_bytes().replace(b'"seed": 0', b'"seed": 1', 1)
    path.write_bytes(content)
    with pytest.raises(ResultsFileError, match=r"Line 1 of .* is damaged"):
        opened(tmp_path)
    assert path.read_bytes() == content


def test_numbers_that_are_none_are_not_stored(tmp_path):
    store = CellStore(tmp_path, CONFIGURATION)
    with pytest.raises(ResultsFileError, match=r"'betting' gave no finite number for 'value' on 'haberman'"):
        store.append([Record("haberman", 0, "betting", {"value": float("nan")})])
    store.close()
    assert json.dumps(store.records) == "[]"
