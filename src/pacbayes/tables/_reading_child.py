"""The program that reads a Parquet, Arrow or Excel file for :mod:`pacbayes.tables`, in a process of its own.

Run by its path with a request in JSON; it imports nothing of this package, so that it starts within a tenth of a
second. The table goes to standard output as an Arrow stream, a sheet of Excel as CSV, and a failure to standard error
as one line of JSON.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time
from typing import Any

try:
    import resource
except ImportError:  # not on Windows, where the limits below rest on what the file declares
    resource = None  # type: ignore[assignment]

__all__: list[str] = []

# addresses that threads and allocators reserve without using them
_RESERVED = 3 << 29
_CELL = 8  # bytes of a number, or of a reference to anything else


class LimitError(Exception):
    """The table needs more memory than is allowed."""


class RefusalError(Exception):
    """The file is whole and cannot be used; the code says why."""

    def __init__(self, code: str, detail: object) -> None:
        super().__init__(str(detail))
        self.code = code


def main() -> int:
    """Read the file of the request, check all of it, and write it out."""
    request = json.loads(sys.argv[1])
    sys.path[:] = request["sys_path"]
    try:
        _serve(request)
    except Exception as error:
        memory = isinstance(error, LimitError | MemoryError)
        code = error.code if isinstance(error, RefusalError) else "limit" if memory else "broken"
        return _tell(code, f"{error}" or type(error).__name__)
    return 0


def _serve(request: dict[str, Any]) -> None:
    if not request["numpy"]:
        sys.modules["numpy"] = None  # type: ignore[assignment]  # pyarrow then starts in half the time
    if request["kind"] == "excel":
        _serve_excel(request)
        return
    import pyarrow as pa  # noqa: PLC0415

    limit = request["limit"]
    _limit_process(limit, request["seconds"])
    pa.set_cpu_count(min(pa.cpu_count(), 8))
    source = request["source"]
    opened = pa.BufferReader(sys.stdin.buffer.read()) if source is None else source
    table = (_read_parquet if request["kind"] == "parquet" else _read_arrow)(opened, limit)
    _check_size(table.num_rows, table.num_columns, table.nbytes, limit)
    table.validate(full=True)
    table = _decode_runs(table)
    with pa.PythonFile(sys.stdout.buffer, mode="w") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def _limit_process(memory: int, seconds: int) -> None:
    if resource is None:
        return
    held = 1 << 30
    with suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        held = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    wanted = {"RLIMIT_AS": held + _RESERVED + memory, "RLIMIT_CPU": seconds, "RLIMIT_CORE": 0}
    for name, value in wanted.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        with suppress(OSError, ValueError):  # a system that has no such limit, or a lower one already
            resource.setrlimit(kind, (value, value))


def _read_parquet(source: Any, limit: int) -> Any:
    from pyarrow import parquet  # noqa: PLC0415

    file = parquet.ParquetFile(source)
    about = file.metadata
    declared = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
    _check_size(about.num_rows, about.num_columns, declared, limit)
    return file.read()


def _read_arrow(source: Any, limit: int) -> Any:
    from pyarrow import feather  # noqa: PLC0415

    del limit  # an Arrow file does not say beforehand what it unpacks to
    return feather.read_table(source)


def _check_size(rows: int, columns: int, size: int, limit: int) -> None:
    needed = max(size, rows * columns * _CELL)
    if needed > limit:
        raise LimitError(str(needed))


def _decode_runs(table: Any) -> Any:
    """Return the table with runs written out, while the limits of this process hold."""
    import pyarrow as pa  # noqa: PLC0415

    for index, field in enumerate(table.schema):
        if pa.types.is_run_end_encoded(field.type):
            import pyarrow.compute as pc  # noqa: PLC0415

            plain = pa.chunked_array([pc.run_end_decode(each) for each in table.column(index).chunks])
            table = table.set_column(index, field.name, plain)
    return table


def _serve_excel(request: dict[str, Any]) -> None:
    """Write the one sheet with cells as CSV, row by row, so that it is never in memory as a whole."""
    import openpyxl  # noqa: PLC0415

    limit = request["limit"]
    _limit_process(limit, request["seconds"])
    source = io.BytesIO(sys.stdin.buffer.read()) if request["source"] is None else request["source"]
    with zipfile.ZipFile(source) as archive:  # which gives no more of a part than it declares here
        needed = sum(part.file_size for part in archive.infolist())
    if needed > limit:
        raise LimitError(str(needed))
    book = openpyxl.load_workbook(source, read_only=True, data_only=True, keep_links=False)
    sheets = [sheet for sheet in book.worksheets if next(_rows_of(sheet), None) is not None]
    if len(sheets) > 1:
        raise RefusalError("sheets", len(sheets))
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="", write_through=True)
    for sheet in sheets:
        _write_rows(_rows_of(sheet), csv.writer(out, lineterminator="\n"), limit)
    out.detach()


def _rows_of(sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    """Yield number and cells of each row that is not blank, up to its last cell that is not."""
    sheet.reset_dimensions()  # a file may say that it is of any size
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = list(row)
        while cells and cells[-1] is None:
            cells.pop()
        if cells:
            yield number, cells


def _write_rows(rows: Iterator[tuple[int, list[Any]]], writer: Any, limit: int) -> None:
    width = written = 0
    for number, cells in rows:
        width = width or len(cells)
        written += width * _CELL
        if written > limit:
            raise LimitError(str(written))
        if len(cells) > width:
            raise RefusalError("wide", number)
        writer.writerow([_text_of(cell) for cell in cells] + [""] * (width - len(cells)))


def _text_of(cell: object) -> str:
    """Return a cell as text that reads back as the same number or moment."""
    if cell is None:
        return ""
    if isinstance(cell, datetime) and (cell.hour, cell.minute, cell.second, cell.microsecond) == (0, 0, 0, 0):
        return cell.date().isoformat()
    if isinstance(cell, date | time):  # a datetime is a date too
        return cell.isoformat()
    return repr(cell) if isinstance(cell, float) else str(cell)


def _tell(code: str, detail: str) -> int:
    sys.stderr.write("\n" + json.dumps({"code": code, "detail": " ".join(detail.split())[:300]}) + "\n")
    return 3


if __name__ == "__main__":
    status = main()
    with suppress(ValueError):  # closed with the last of the table
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # old versions of pyarrow crash when their threads end under limits; all is written by then
