"""A process of its own for a file whose reader may crash: started with limits, waited for, its failure in words."""

from __future__ import annotations

import io
import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._limits import refuse_size
from pacbayes.tables._source import Description, Source

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Child", "count_rows", "stream_batches"]

SECONDS = 60  # of processor time, and more for a large file
_BYTES_PER_SECOND = {"parquet": 1 << 20, "arrow": 1 << 20, "excel": 1 << 16}
_TOLD = {
    "sheets": "it has more than one sheet with cells in it: {}. Save the one that you mean as CSV, or by itself.",
    "wide": "its row {} has more cells than its first row, which names the columns.",
    "hidden": "its rows must not be hidden, by a filter or by hand. Got {} hidden instead: show them, or delete them.",
    "formulas": "the values of its formulas must be up to date. Got {} in a workbook that is to be calculated anew "
    "when it is opened: open and save it in Excel or LibreOffice, or paste values in place of the formulas.",
    "names": "column names must differ. {!r:.60} occurs more than once.",
    "schema": "its files must have the same columns, of the same types. {}.",
}
_PATIENCE = 5  # times as much for everything, as the machine may be busy and the disk slow
_PROGRAM = Path(__file__).with_name("_reading_child.py")
_NUMPY_OPTIONAL = 18  # the first pyarrow that starts without numpy, in half the time


class Child:
    """The process that reads one file, or several one after the other.

    Parameters
    ----------
    kind : {"parquet", "arrow", "excel"}
    source : path or bytes, or a sequence of paths
    description : Description
        With the limit on memory.
    output : file, optional
        Where the process writes to; by default what :meth:`result` returns.
    further : mapping, optional
        More of the request.
    """

    def __init__(
        self,
        kind: str,
        source: Source | Sequence[Path],
        description: Description,
        *,
        output: BinaryIO | int | None = None,
        **further: Any,
    ) -> None:
        self._limit, self._suffix = description.limit, description.suffix[1:]
        self._content = source.getvalue() if isinstance(source, io.BytesIO) else None
        paths = () if isinstance(source, io.BytesIO) else (source,) if isinstance(source, Path) else tuple(source)
        size = len(self._content or b"") + sum(each.stat().st_size for each in paths)
        self._seconds = SECONDS + size // _BYTES_PER_SECOND[kind]
        request = {
            "kind": kind,
            "sources": None if self._content is not None else [str(each.absolute()) for each in paths],
            "limit": self._limit,
            "seconds": self._seconds,
            "sys_path": [os.path.abspath(each) for each in sys.path],  # noqa: PTH100
            "numpy": kind != "excel" and _needs_numpy(),
            **further,
        }
        self._output = _open_output() if output is None else output
        self._process = self._start(json.dumps(request))

    def _start(self, request: str) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603
                [_python(), "-I", "-S", str(_PROGRAM), request],
                stdin=subprocess.DEVNULL if self._content is None else subprocess.PIPE,
                stdout=self._output,
                stderr=subprocess.PIPE,
            )
        except (OSError, ValueError, TypeError) as error:
            if not isinstance(self._output, int):
                self._output.close()
            raise TableError(
                f"a {self._suffix} file is read in a process of its own, which cannot be started "
                f"({one_line(error)}); save the table as CSV."
            ) from None

    def result(self, meanwhile: Callable[[], object]) -> memoryview:
        """Do something, wait for the process, and return what it wrote; raise what it could not do in one sentence."""
        assert not isinstance(self._output, int)  # noqa: S101  (it is for stream_batches alone)
        try:
            with self._output:
                meanwhile()
                told = self._wait()
                if self._process.returncode != 0:
                    raise self._failure(told)
                return _content_of(self._output)
        finally:
            self._end()

    def pipe(self) -> IO[bytes]:
        """Return what the process writes to, if it was started with a pipe."""
        assert self._process.stdout is not None  # noqa: S101
        return self._process.stdout

    def finish(self) -> None:
        """Wait for a process whose output was read to its end; raise what it could not do in one sentence."""
        told = self._wait()
        if self._process.returncode != 0:
            raise self._failure(told)

    def end(self) -> None:
        """End the process if it is still at work, and leave no pipe open, whatever was read of them."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _wait(self) -> bytes:
        try:
            return self._process.communicate(self._content, timeout=self._seconds * _PATIENCE)[1]
        except subprocess.TimeoutExpired:
            raise self._refuse(f"reading it took more than {self._seconds * _PATIENCE} seconds") from None

    def _end(self) -> None:
        """End the process if it is still at work, and leave no pipe open."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def _failure(self, told: bytes) -> TableError:
        last = (told.decode("utf-8", errors="replace").splitlines() or [""])[-1]
        try:
            message = json.loads(last)
            code, detail = str(message["code"]), str(message["detail"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return self._crash(told)
        if code == "limit":
            return refuse_size(self._limit, int(detail) if detail.isascii() and detail.isdigit() else None)
        if code in _TOLD:
            return TableError(_TOLD[code].format(one_line(detail)))
        return self._refuse(one_line(detail), one_line(str(message["file"])) if message.get("file") else None)

    def _crash(self, told: bytes) -> TableError:
        status = self._process.returncode
        if status in {-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGKILL", 0)}:
            return self._refuse(f"reading it took more than {self._seconds} seconds, or too much memory")
        if b"bad_alloc" in told:
            return refuse_size(self._limit)
        return self._refuse("its reader crashed on it")

    def _refuse(self, reason: str, file: str | None = None) -> TableError:
        what = "it is" if file is None else f"{file} in it is"
        return TableError(f"{what} not a whole {self._suffix} file ({reason}).")


def count_rows(kind: str, files: Sequence[Path], description: Description) -> list[int]:
    """Return how many rows each file has, as it says itself."""
    told = Child(kind, files, description, counts=True).result(lambda: None)
    return [int(each) for each in json.loads(bytes(told))]


def stream_batches(
    kind: str,
    files: Sequence[Path],
    description: Description,
    columns: Sequence[str] | None = None,
    window: tuple[int, int] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of files in batches, as a process of its own reads them; only some columns if they are named.

    A window is how many rows are left out at the beginning, and how many are read then.
    """
    import pyarrow as pa  # noqa: PLC0415

    further = {"batches": True, "columns": None if columns is None else list(columns), "window": window}
    child = Child(kind, files, description, output=subprocess.PIPE, **further)
    try:
        try:
            with pa.ipc.open_stream(child.pipe()) as reader:
                yield from reader
        except (pa.ArrowException, OSError):
            child.finish()  # which knows better what went wrong
            raise
        child.finish()
    finally:
        child.end()


def _python() -> str:
    """Return the interpreter; an application that was frozen into one file has none that could be given a program."""
    if getattr(sys, "frozen", False) or not sys.executable:
        raise OSError("there is no Python to start")
    return sys.executable


def _needs_numpy() -> bool:
    try:
        return int(version("pyarrow").partition(".")[0]) < _NUMPY_OPTIONAL
    except (PackageNotFoundError, ValueError):
        return True


def _open_output() -> BinaryIO:
    """Return a file without a name: in memory where the system has such, else on disk."""
    if hasattr(os, "memfd_create"):
        return io.FileIO(os.memfd_create("pacbayes-table"), "w+")
    return tempfile.TemporaryFile()


def _content_of(file: BinaryIO) -> memoryview:
    """Return the content, without a copy where the system lets a mapped file be closed."""
    size = file.seek(0, os.SEEK_END)
    if size and os.name == "posix":
        return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
    file.seek(0)
    return memoryview(file.read())
