"""Rows for a network from an npz file that someone else wrote: nothing is unpickled, and no header is believed."""

import io
import os
import struct
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from pacbayes.runs.networks import read_arrays

from networks.tampering import X, Y


def write_npy(archive, name, descr, shape, data):
    head = str({"descr": descr, "fortran_order": False, "shape": shape}).encode() + b"\n"
    archive.writestr(name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data)


def test_rows_that_would_run_something(tmp_path):
    class Run:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    np.savez(tmp_path / "rows.npz", x=np.array([[Run()]], dtype=object), y=np.zeros(1))
    with pytest.raises(ValueError, match="must hold numbers"):
        read_arrays(tmp_path / "rows.npz", 1 << 20)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("descr", "shape"),
    [
        ("<f8", (1 << 50,)),
        ("<f8", (-4, -4)),
        ("<f8", (3, 3)),
        ("<f8", (10**30,)),
        ("|O", (4,)),
        ("[('a', 'f8')]", (4,)),
    ],
)
def test_rows_whose_header_lies(tmp_path, descr, shape):
    with zipfile.ZipFile(tmp_path / "rows.npz", "w") as archive:
        write_npy(archive, "x.npy", descr, shape, bytes(32))
        write_npy(archive, "y.npy", "<f8", (4,), bytes(32))
    with pytest.raises(ValueError, match="array 'x'"):
        read_arrays(tmp_path / "rows.npz", 1 << 20)


def test_rows_that_unpack_to_more_than_allowed(tmp_path):
    np.savez_compressed(tmp_path / "rows.npz", x=np.zeros((1 << 18, 8)), y=np.zeros(1 << 18))
    assert (tmp_path / "rows.npz").stat().st_size < 1 << 16
    with pytest.raises(ValueError, match="raise the limit with --max-memory"):
        read_arrays(tmp_path / "rows.npz", 1 << 20)


@pytest.mark.parametrize("arrays", [{"x": np.zeros((2, 2))}, {"x": np.zeros(2), "X": np.zeros(2), "y": np.zeros(2)}])
def test_rows_that_are_not_there(tmp_path, arrays):
    np.savez(tmp_path / "rows.npz", **arrays)
    with pytest.raises(ValueError, match="must hold an array"):
        read_arrays(tmp_path / "rows.npz", 1 << 20)


def test_a_damaged_file_of_rows(tmp_path):
    np.savez_compressed(tmp_path / "rows.npz", x=X, y=Y)
    data = (tmp_path / "rows.npz").read_bytes()
    for size in (0, 10, len(data) // 2, len(data) - 10):
        (tmp_path / "part.npz").write_bytes(data[:size])
        with pytest.raises(ValueError, match="must be an npz file"):
            read_arrays(tmp_path / "part.npz", 1 << 30)
    broken = bytearray(data)
    broken[2000:2010] = bytes(10)
    (tmp_path / "part.npz").write_bytes(broken)
    with pytest.raises(ValueError, match="must be an npz file"):
        read_arrays(tmp_path / "part.npz", 1 << 30)


@pytest.mark.parametrize(
    "packed", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=str
)
def test_files_with_bytes_changed_at_random(tmp_path, packed):
    """Whatever is wrong with a file of rows, however it is packed, is one sentence."""
    path, random = tmp_path / "rows.npz", np.random.RandomState(0)
    with zipfile.ZipFile(path, "w", packed) as archive:
        for name, values in (("x", random.rand(20, 4)), ("y", np.arange(20) % 3)):
            stream = io.BytesIO()
            np.save(stream, values)
            archive.writestr(f"{name}.npy", stream.getvalue())
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    for _ in range(300):
        damaged = whole.copy()
        damaged[random.randint(len(whole), size=3)] = random.randint(256, size=3)
        path.write_bytes(damaged.tobytes())
        with suppress(ValueError):  # and nothing else
            read_arrays(path, 10**6)
