"""Tables: text, packed text, Parquet and Arrow, read and prepared for a classifier."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from pacbayes.tables import prepare_table, read_table

from fuzz.mutations import mutate_binary, mutate_bytes
from fuzz.readers import Reader

LIMIT = 256 << 20
VIEW = pa.string_view if int(pa.__version__.partition(".")[0]) >= 21 else pa.string  # that Parquet can hold
TEXTS = [
    b"age,job,label\n" + b"31,cook,yes\n44,,no\n1e3,clerk,yes\n-7.25,cook,no\n" * 8,
    b'"a";"b ""c""";label\n' + b'1;"x\ny";0\n2;NA;1\n3;z;0\n' * 10,
    b"\xef\xbb\xbfa\tb\tlabel\r\n" + b"1\t2\t\xc3\xa4\r\n3\t4\tb\r\n" * 12,
    b"x|y|label\n" + b"".join(b"%d|%d.5|%d\n" % (k, k * k, k % 2) for k in range(200)),
    b"a,b\n" + b"2020-01-01,1\n2021-01-01,0\n9007199254740993,1\n" * 9,
]


def read_and_prepare(path: Path, rng: random.Random) -> None:
    """Read a table, then make rows and labels of it as the command does."""
    header = rng.random() < 0.9
    frame = read_table(path, header=header, missing_values=["?"], max_memory=LIMIT)
    if not all(isinstance(name, str) for name in frame.columns):
        raise AssertionError(f"columns {list(frame.columns)[:3]}")
    target = frame.columns[-1] if rng.random() < 0.7 else rng.choice(list(frame.columns))
    prepare_table(frame, target, missing=rng.choice(["refuse", "category"]))


def write_and_read(name: str):
    def read(content: bytes, folder: Path, rng: random.Random) -> None:
        path = folder / (name if isinstance(name, str) else rng.choice(name))
        path.write_bytes(content)
        try:
            read_and_prepare(path, rng)
        finally:
            path.unlink()

    return read


def make_csv(place: Path) -> Reader:
    return Reader("csv", TEXTS, write_and_read(["t.csv", "t.data"]))


def make_svmlight(place: Path) -> Reader:
    lines = [b"1 1:0.5 3:-2e3 # a note\n0 2:1\n", b"-1 qid:1 1:nan 2:7\n1\n", b"2 0:1 5:1e-300\n0 1:3 40:1\n"]
    return Reader("svmlight", [each * 12 for each in lines], write_and_read(["t.svm", "t.libsvm"]))


def pack_zip(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("table.csv", (2020, 1, 1, 0, 0, 0)), content)
    return buffer.getvalue()


PACKERS = {
    b"gz ": lambda content: gzip.compress(content, mtime=0),
    b"bz2": bz2.compress,
    b"xz ": lzma.compress,
    b"zst": lambda content: pa.compress(content, codec="zstd", asbytes=True),
    b"zip": pack_zip,
}


def mutate_packed(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Mutate what is packed, or the text inside; the first three bytes say which packing it is, and stay."""
    kind = content[:3]
    if rng.random() < 0.3:
        inside = mutate_bytes(rng, rng.choice(TEXTS), rng.choice(TEXTS))
        return kind + PACKERS[kind](inside)
    return kind + mutate_binary(rng, content[3:], other[3:])


def read_packed(content: bytes, folder: Path, rng: random.Random) -> None:
    name = f"t.csv.{content[:3].decode().strip()}"
    write_and_read(name)(content[3:], folder, rng)


def make_packed(place: Path) -> Reader:
    seeds = [kind + pack(text) for kind, pack in PACKERS.items() for text in TEXTS]
    return Reader("packed", seeds, read_packed, mutate_packed)


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        "number": rng.normal(size=40),
        "whole": rng.integers(0, 5, 40),
        "flag": rng.integers(0, 2, 40).astype(bool),
        "text": rng.choice(["cook", "clerk", "ä"], 40),
        "kind": pd.Categorical(rng.choice(["a", "b"], 40)),
        "gaps": np.where(rng.random(40) < 0.2, None, "x"),
        "label": rng.integers(0, 2, 40),
    })  # fmt: skip


def arrow_tables() -> list[pa.Table]:
    plain = pa.Table.from_pandas(frame())
    odd = pa.table({
        "list": [[1], [2, 3], None] * 9,
        "when": pa.array([1, 2, 3] * 9, pa.timestamp("ms", "UTC")),
        "decimal": pa.array(["1.5", "2", None] * 9).cast(pa.decimal128(10, 2)),
        "bytes": pa.array([b"a", b"\xff", b""] * 9),
        "struct": [{"a": 1}, {"a": None}, None] * 9,
        "nothing": pa.nulls(27),
        "runs": pa.compute.run_end_encode(pa.array([1.0, 1.0, 2.0] * 9)),
        "view": pa.array(["long enough not to be stored inline", "b", "c"] * 9, VIEW()),
        "label": ["a", "b", "a"] * 9,
    })  # fmt: skip
    return [plain, odd, plain.slice(0, 25).select(["number", "label"]).replace_schema_metadata(None)]


def make_parquet(place: Path) -> Reader:
    options = [
        {"compression": "snappy"},
        {"compression": "zstd", "data_page_version": "2.0"},
        {"compression": "none", "use_dictionary": False},
        {"compression": "gzip", "row_group_size": 10, "write_page_index": True},
    ]
    seeds = []
    for table in arrow_tables():
        stored = table.drop_columns(["runs"]) if "runs" in table.column_names else table
        for option in options:
            buffer = io.BytesIO()
            pq.write_table(stored, buffer, **option)
            seeds.append(buffer.getvalue())
    return Reader("parquet", seeds, write_and_read("t.parquet"), mutate_binary)


def make_arrow(place: Path) -> Reader:
    seeds = []
    for table in arrow_tables():
        for compression in (None, "lz4", "zstd"):
            buffer = io.BytesIO()
            options = pa.ipc.IpcWriteOptions(compression=compression)
            with pa.ipc.new_file(buffer, table.schema, options=options) as writer:
                writer.write_table(table, max_chunksize=20)
            seeds.append(buffer.getvalue())
    return Reader("arrow", seeds, write_and_read("t.arrow"), mutate_binary)
