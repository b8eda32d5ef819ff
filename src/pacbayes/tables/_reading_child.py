"""The program that reads a Parquet, Arrow or Excel file for :mod:`pacbayes.tables`, in a process of its own.

Run by its path with a request in JSON; it imports nothing of this package, so that it starts within a tenth of a
second. The table goes to standard output as an Arrow stream, a sheet of Excel as CSV, and a failure to standard error
as one line of JSON. Several files are one table, one after the other. Where batches are asked for, each is written as
soon as it is read and checked, so that no more than one is in memory.
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
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

try:
    import resource
except ImportError:  # not on Windows, where the limits below rest on what the file declares
    resource = None  # type: ignore[assignment]

__all__: list[str] = []

# addresses that threads and allocators reserve without using them
_RESERVED = 3 << 29
_TOLD_APART = 15  # digits of decimals; of more, two that differ may be the same double, and would be one class
_CELL = 8  # bytes of a number, or of a reference to anything else
_BATCH = 1 << 15  # rows


_FILE: list[str] = []  # names of the files that were begun


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
        several = len(request["sources"] or ()) > 1
        return _tell(code, f"{error}" or type(error).__name__, _FILE[-1] if several and _FILE else None)
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
    if request.get("counts"):
        sys.stdout.write(json.dumps([_count_rows(request["kind"], source) for source in request["sources"]]))
        return
    if request.get("batches"):
        _serve_batches(request)
        return
    table = _read_whole(request, limit)
    _check_size(table.num_rows, table.num_columns, table.nbytes, limit)
    table.validate(full=True)
    table = _as_plain(table)
    with pa.PythonFile(sys.stdout.buffer, mode="w") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def _read_whole(request: dict[str, Any], limit: int) -> Any:
    """Return one file, or several as one table."""
    import pyarrow as pa  # noqa: PLC0415

    read = _read_parquet if request["kind"] == "parquet" else _read_arrow
    if request["sources"] is None:
        return read(pa.BufferReader(sys.stdin.buffer.read()), limit)
    tables: list[Any] = []
    for source in request["sources"]:
        _FILE.append(os.path.basename(source))  # noqa: PTH119
        table = read(source, limit - sum(each.nbytes for each in tables))
        if tables:
            _check_schema(tables[0].schema, table.schema)
            table = pa.Table.from_arrays(table.select(tables[0].column_names).columns, schema=tables[0].schema)
        tables.append(table)
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables)


def _serve_batches(request: dict[str, Any]) -> None:
    """Write files batch by batch, each checked and with the columns that were asked for."""
    import pyarrow as pa  # noqa: PLC0415

    first = writer = None
    skip, wanted = request.get("window") or (0, None)
    with pa.PythonFile(sys.stdout.buffer, mode="w") as sink:
        for source in request["sources"]:
            _FILE.append(os.path.basename(source))  # noqa: PTH119
            opened = (_open_parquet if request["kind"] == "parquet" else _open_arrow)(source, request["columns"], skip)
            whole, batches, skip = opened
            if first is None or writer is None:
                first, names = whole, request["columns"] or whole.names
                schema = pa.schema([whole.field(name) for name in names], metadata=whole.metadata)
                plain = _as_plain(schema.empty_table()).schema
                writer = pa.ipc.new_stream(sink, plain)
            _check_schema(first, whole)
            for given in batches:
                batch = given.slice(skip, wanted)
                skip = max(skip - given.num_rows, 0)
                wanted = None if wanted is None else wanted - batch.num_rows
                table = pa.Table.from_batches([batch]).select(schema.names)
                table.validate(full=True)
                columns = _as_plain(pa.Table.from_arrays(table.columns, schema=schema)).columns
                writer.write_table(pa.Table.from_arrays(columns, schema=plain), max_chunksize=_BATCH)
                if wanted == 0:
                    break
        if writer is not None:
            writer.close()


def _open_parquet(source: str, columns: list[str] | None, skip: int) -> tuple[Any, Iterator[Any], int]:
    """Return the schema, batches from the row group on that holds the row after some, and how many it has before."""
    from pyarrow import parquet  # noqa: PLC0415

    # what is read ahead of the batches would stay in memory to the end of the file
    file = parquet.ParquetFile(source, pre_buffer=False)
    _refuse_repeated(file.schema_arrow)
    group = 0
    while group < file.num_row_groups and skip >= file.metadata.row_group(group).num_rows:
        skip -= file.metadata.row_group(group).num_rows
        group += 1
    groups = list(range(group, file.num_row_groups))
    # without any, older versions of Arrow look for a group before the first
    rest = file.iter_batches(batch_size=_BATCH, row_groups=groups, columns=columns) if groups else iter(())
    return file.schema_arrow, rest, skip


def _open_arrow(source: str, columns: list[str] | None, skip: int) -> tuple[Any, Iterator[Any], int]:
    """Return the same of an Arrow file, whose batches each say how many rows they have."""
    import pyarrow as pa  # noqa: PLC0415

    del columns  # those that are not asked for are left out of the batch
    file, number = pa.ipc.open_file(pa.OSFile(source)), 0
    _refuse_repeated(file.schema)
    for rows in _count_batches(source) if skip else ():
        if skip < rows:
            break
        skip, number = skip - rows, number + 1
    return file.schema, (file.get_batch(each) for each in range(number, file.num_record_batches)), skip


def _count_rows(kind: str, source: str) -> int:
    from pyarrow import parquet  # noqa: PLC0415

    _FILE.append(os.path.basename(source))  # noqa: PTH119
    return parquet.ParquetFile(source).metadata.num_rows if kind == "parquet" else sum(_count_batches(source))


def _count_batches(source: str) -> Iterator[int]:
    """Yield how many rows each batch of an Arrow file has, without reading them."""
    import pyarrow as pa  # noqa: PLC0415

    file = pa.ipc.open_file(pa.OSFile(source), options=pa.ipc.IpcReadOptions(included_fields=[]))
    yield from (file.get_batch(number).num_rows for number in range(file.num_record_batches))


def _refuse_repeated(schema: Any) -> None:
    names = schema.names
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise RefusalError("names", twice[0])


def _check_schema(first: Any, other: Any) -> None:
    """Refuse a file that is not of the table that the first one begins."""
    for name in [*first.names, *other.names]:
        if name not in first.names or name not in other.names:
            which = _FILE[-1] if name in first.names else _FILE[0]
            raise RefusalError("schema", f"{which} has no column {name!r:.60}")
        if first.field(name).type != other.field(name).type:
            types = f"{other.field(name).type} in {_FILE[-1]} and {first.field(name).type} in {_FILE[0]}"
            raise RefusalError("schema", f"The column {name!r:.60} is {types}")


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


def _as_plain(table: Any) -> Any:
    """Return the table with runs written out and decimals as numbers, while the limits of this process hold."""
    import pyarrow as pa  # noqa: PLC0415

    for index, field in enumerate(table.schema):
        if pa.types.is_run_end_encoded(field.type):
            import pyarrow.compute as pc  # noqa: PLC0415

            chunks = [pc.run_end_decode(each) for each in table.column(index).chunks]
            plain = pa.chunked_array(chunks, type=field.type.value_type)
            table = table.set_column(index, field.name, plain)
        if pa.types.is_decimal(field.type) and field.type.precision <= _TOLD_APART:
            # by way of texts, which become the nearest doubles, as those of text files do
            numbers = table.column(index).cast(pa.string()).cast(pa.float64())
            table = table.set_column(index, field.name, numbers)
    return table


def _serve_excel(request: dict[str, Any]) -> None:
    """Write the one sheet with cells as CSV, row by row, so that it is never in memory as a whole."""
    from openpyxl.reader.excel import ExcelReader  # noqa: PLC0415

    limit = request["limit"]
    _limit_process(limit, request["seconds"])
    source = io.BytesIO(sys.stdin.buffer.read()) if request["sources"] is None else request["sources"][0]
    with zipfile.ZipFile(source) as archive:  # which gives no more of a part than it declares here
        needed = sum(part.file_size for part in archive.infolist())
    if needed > limit:
        raise LimitError(str(needed))
    reader = ExcelReader(source, read_only=True, data_only=True, keep_links=False)
    reader.read()
    marked = _mark_sheets(reader)
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="", write_through=True)
    for sheet, marks in marked:
        _write_rows(_rows_of(sheet, marks.last), csv.writer(out, lineterminator="\n"), limit)
    out.detach()


def _mark_sheets(reader: Any) -> list[tuple[Any, Any]]:
    """Return the sheet with cells, if there is one, and what is said of its rows; refuse what leaves them in doubt."""
    place = os.path.join(os.path.dirname(__file__), "_reading_marks.py")  # noqa: PTH118, PTH120
    loader = SourceFileLoader("_reading_marks", place)
    reading = ModuleType(loader.name)
    loader.exec_module(reading)
    sheets = reader.wb.worksheets
    marked = [(sheet, reading.find_marks(sheet._get_source())) for sheet in sheets]  # noqa: SLF001
    marked = [(sheet, marks) for sheet, marks in marked if marks.last]
    if len(marked) > 1:
        raise RefusalError("sheets", ", ".join(repr(sheet.title) for sheet, _ in marked))
    for _, marks in marked:
        if hidden := marks.count_hidden():
            raise RefusalError("hidden", hidden)
        if marks.formulas and reading.is_out_of_date(reader.archive.open(reader.parser.workbook_part_name)):
            raise RefusalError("formulas", marks.formulas)
    return marked


def _rows_of(sheet: Any, last: int) -> Iterator[tuple[int, list[Any]]]:
    """Yield number and cells of each row up to the last, each up to its last cell that is not blank."""
    sheet.reset_dimensions()  # a file may say that it is of any size
    for number, row in enumerate(sheet.iter_rows(max_row=last), 1):
        cells = ["" if cell.data_type == "e" else cell.value for cell in row]
        while cells and cells[-1] is None:
            cells.pop()
        yield number, cells


def _write_rows(rows: Iterator[tuple[int, list[Any]]], writer: Any, limit: int) -> None:
    """Write rows from the first on that is not blank; blank ones that follow it are missing values."""
    width = written = 0
    for number, cells in rows:
        width = width or len(cells)
        written += width * _CELL
        if written > limit:
            raise LimitError(str(written))
        if len(cells) > width:
            raise RefusalError("wide", number)
        if width:
            writer.writerow([_text_of(cell) for cell in cells] + [""] * (width - len(cells)))


def _text_of(cell: object) -> str:
    """Return a cell as text that reads back as the same number or moment; nothing for a cell of blanks alone."""
    if cell is None:
        return ""
    if isinstance(cell, datetime) and (cell.hour, cell.minute, cell.second, cell.microsecond) == (0, 0, 0, 0):
        return cell.date().isoformat()
    if isinstance(cell, date | time):  # a datetime is a date too
        return cell.isoformat()
    text = repr(cell) if isinstance(cell, float) else str(cell)
    return text if text.strip(" \t") else ""


def _tell(code: str, detail: str, file: str | None = None) -> int:
    told = {"code": code, "detail": " ".join(detail.split())[:300], "file": file}
    sys.stderr.write("\n" + json.dumps(told) + "\n")
    return 3


if __name__ == "__main__":
    status = main()
    with suppress(ValueError):  # closed with the last of the table
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # old versions of pyarrow crash when their threads end under limits; all is written by then
