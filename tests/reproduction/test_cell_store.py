"""The file of results: what a kill, a full disk, damage, another run or another configuration does to it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from pacbayes.reproduction import ResultsFileError
from pacbayes.reproduction.cell_store import FILE, CellStore
from pacbayes.reproduction.cells import Record

CONFIGURATION = {"seed": 0, "pacbayes": "1"}


def record(repeat, value=1 / 3):
    return Record("haberman", repeat, "betting", {"value": value, "test": 0.1})


@pytest.fixture
def filled(tmp_path):
    store = CellStore(tmp_path, CONFIGURATION)
    store.append([record(0), record(1, 5e-324)])
    store.append([record(2, 0.1 + 0.2)])
    store.close()
    return tmp_path


def reopened(folder, configuration=CONFIGURATION):
    store = CellStore(folder, configuration, resume=True)
    store.close()
    return store.records


def test_round_trip_is_bit_for_bit(filled):
    assert reopened(filled) == [record(0), record(1, 5e-324), record(2, 0.1 + 0.2)]


def test_a_file_torn_at_any_byte_loses_only_what_was_torn(filled):
    path = filled / FILE
    content = path.read_bytes()
    ends = [k + 1 for k, byte in enumerate(content) if byte == ord("\n")]
    for length in range(len(content) + 1):
        path.write_bytes(content[:length])
        whole = sum(end <= length for end in ends)
        assert len(reopened(filled)) == max(0, whole - 1)
        store = CellStore(filled, CONFIGURATION, resume=True)
        store.append([record(9)])
        store.close()
        assert reopened(filled)[-1] == record(9)


def test_a_tail_of_zeros_is_cut_off(filled):
    path = filled / FILE
    content = path.read_bytes()
    path.write_bytes(content + b"\0" * 500)
    assert len(reopened(filled)) == 3
    assert path.read_bytes() == content


def test_damage_before_the_end_is_refused_and_left_alone(filled):
    path = filled / FILE
    content = path.read_bytes().replace(b"0.3333", b"0.3334", 1)
    path.write_bytes(content)
    with pytest.raises(ResultsFileError, match=r"Line 2 of .* is damaged, and not because a write was cut short"):
        reopened(filled)
    assert path.read_bytes() == content


@pytest.mark.parametrize("content", [b"my notes\n", b"my notes", b'{"check": 1}\n{"check": 2}\nmore\n{"a"'])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    if content.startswith(b"{"):
        content = content.replace(b'{"check": 1}', b'{"note": 1}')
        (tmp_path / FILE).write_bytes(content)
    with pytest.raises(ResultsFileError, match=r"Line 1 of .* is damaged"):
        reopened(tmp_path)
    assert (tmp_path / FILE).read_bytes() == content


def test_another_configuration_is_refused(filled):
    with pytest.raises(ResultsFileError, match=r"another configuration \(seed 0 there and 1 here\)"):
        reopened(filled, {**CONFIGURATION, "seed": 1})
    assert len(reopened(filled)) == 3


def test_results_are_not_continued_unasked(filled):
    with pytest.raises(ResultsFileError, match=r"has 3 cells already. Pass --resume, or another folder with --out\."):
        CellStore(filled, CONFIGURATION)


def test_a_new_file_without_records_goes_with_its_new_folders(tmp_path):
    CellStore(tmp_path / "a" / "b", CONFIGURATION).close()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_there_stays(tmp_path):
    (tmp_path / FILE).write_bytes(b"")
    CellStore(tmp_path, CONFIGURATION).close()
    assert (tmp_path / FILE).exists()


def test_two_runs_do_not_share_a_file(filled):
    pytest.importorskip("fcntl")
    store = CellStore(filled, CONFIGURATION, resume=True)
    with pytest.raises(ResultsFileError, match="in use by another run"):
        CellStore(filled, CONFIGURATION, resume=True)
    store.close()
    assert len(reopened(filled)) == 3


def test_unwritable_folder(tmp_path):
    """A folder below a file cannot be made by anyone, root included."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsFileError, match=r"The folder .* cannot be written to \(Not a directory\)"):
        CellStore(tmp_path / "file" / "folder", CONFIGURATION)


@pytest.mark.parametrize("written", [0, 7])
def test_full_disk(filled, monkeypatch, written):
    """A write that fails half-way leaves the file as it was, and the run can go on once there is room."""
    before = (filled / FILE).read_bytes()
    store = CellStore(filled, CONFIGURATION, resume=True)

    def full(_):
        os.write(store._file.fileno(), b"x" * written)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        message = r"cannot be written \(No space left on device\). Its 3 cells are safe: make room and resume"
        with pytest.raises(ResultsFileError, match=message):
            store.append([record(3)])
    assert (filled / FILE).read_bytes() == before
    store.append([record(3)])
    store.close()
    assert len(reopened(filled)) == 4


LIMITED = """
import resource, signal, sys
from pacbayes.reproduction import ResultsFileError
from pacbayes.reproduction.cells import Record
from pacbayes.reproduction.cell_store import CellStore

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
store, done = CellStore(sys.argv[1], {"seed": 0, "pacbayes": "1"}), 0
try:
    while True:
        store.append([Record("haberman", done, "betting", {"value": 0.5})])
        done += 1
except ResultsFileError as error:
    print(done, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_limit_enforced_by_the_system(tmp_path):
    """The kernel cuts the write short; every record that was acknowledged is there."""
    shown = subprocess.run([sys.executable, "-c", LIMITED, str(tmp_path)], check=True, capture_output=True, text=True)
    done = int(shown.stdout.split()[0])
    assert "cells are safe" in shown.stdout
    assert done > 5
    assert len(reopened(tmp_path)) == done
