"""The one table of file formats: what reads it, and what was forgotten when a row was added."""

import bz2
import gzip
import inspect
import io
import lzma
import zipfile
from importlib import import_module
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from pacbayes import tables
from pacbayes.tables import COMPRESSIONS, FORMATS, TableError, read_table
from pacbayes.tables.words import list_formats

FRAME = pd.DataFrame({"age": [0.1, 2.0, 3.5], "job": ["cook", "clerk", "cook"]})


def text(separator=","):
    return lambda frame: frame.to_csv(index=False, sep=separator).encode()


def arrow(frame):
    buffer = io.BytesIO()
    frame.to_feather(buffer)
    return buffer.getvalue()


def parquet(frame):
    return frame.to_parquet()


# a new format or compression gets a line here: how to write a file that it reads
SAMPLES = {
    ".csv": text(),
    ".tsv": text("\t"),
    ".txt": text(";"),
    ".data": text("|"),
    ".parquet": parquet,
    ".pq": parquet,
    ".arrow": arrow,
    ".feather": arrow,
    ".ipc": arrow,
}


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def zipped(content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("table", content)
    return buffer.getvalue()


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd, ".zip": zipped}


def test_every_format_and_compression_has_a_sample():
    assert set(FORMATS) == set(SAMPLES)
    assert set(COMPRESSIONS) == set(PACKERS)


def functions(prefix):
    """The functions of that prefix in the modules that hold readers and unpackers."""
    modules = [path.stem for path in Path(tables.__file__).parent.glob(f"_{prefix}*.py")]
    members = [inspect.getmembers(import_module(f"pacbayes.tables.{name}"), inspect.isfunction) for name in modules]
    return {function for each in members for name, function in each if name.startswith(f"{prefix}_")}


def test_every_reader_and_unpacker_has_a_row():
    assert functions("read") - {read_table} == set(FORMATS.values())
    assert functions("unpack") == set(COMPRESSIONS.values())


@pytest.mark.parametrize("packing", ["", *COMPRESSIONS])
@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_gives_the_same_frame_in_every_compression(tmp_path, suffix, packing):
    content = SAMPLES[suffix](FRAME)
    path = tmp_path / f"T{suffix.upper()}{packing}"
    path.write_bytes(PACKERS[packing](content) if packing else content)
    frame = read_table(path)
    pd.testing.assert_frame_equal(frame, FRAME, check_dtype=False)


def test_messages_and_help_name_every_format(tmp_path):
    (tmp_path / "t.xlsx").write_text("a")
    with pytest.raises(TableError) as caught:
        read_table(tmp_path / "t.xlsx")
    shown = inspect.signature(import_module("pacbayes.cli.certify").certify, eval_str=True).parameters["data"]
    for words in (str(caught.value), list_formats(), shown.annotation.__metadata__[0].help):
        assert [suffix for suffix in FORMATS if suffix not in words] == []
    assert [suffix for suffix in COMPRESSIONS if suffix not in str(caught.value)] == []
