"""The one table of file formats: what reads it, and what was forgotten when a row was added."""

import bz2
import gzip
import inspect
import io
import lzma
import zipfile
from decimal import Decimal
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from pacbayes import tables
from pacbayes.tables import COMPRESSIONS, FORMATS, TableError, list_columns, read_table
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


CELL = {str: '<c t="inlineStr"><is><t>{}</t></is></c>', float: "<c><v>{}</v></c>"}


def excel(frame):
    """The parts that Excel needs, and no more; written here, as openpyxl may not be installed."""
    rows = [list(frame.columns), *(list(row) for row in frame.itertuples(index=False))]
    cells = "".join("<row>" + "".join(CELL[type(v)].format(v) for v in row) + "</row>" for row in rows)
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    kinds, office = (
        "http://schemas.openxmlformats.org/package/2006",
        "http://schemas.openxmlformats.org/officeDocument/2006",
    )
    spreadsheet = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{kinds}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{spreadsheet}.sheet.main+xml"/>'
        f'<Override PartName="/xl/s.xml" ContentType="{spreadsheet}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{kinds}/relationships"><Relationship Id="r1" '
        f'Type="{office}/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{office}/relationships"><sheets>'
        '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{kinds}/relationships"><Relationship Id="r1" '
        f'Type="{office}/relationships/worksheet" Target="s.xml"/></Relationships>',
        "xl/s.xml": f"<worksheet {main}><sheetData>{cells}</sheetData></worksheet>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def svmlight(frame):
    """The numbers alone, after a label."""
    return "".join(f"{k % 2} 1:{age!r}\n" for k, age in enumerate(frame["age"])).encode()


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
    ".xlsx": excel,
    ".xlsm": excel,
    ".svm": svmlight,
    ".svmlight": svmlight,
    ".libsvm": svmlight,
}
LABELLED = pd.DataFrame({"label": [0.0, 1.0, 0.0], "f1": FRAME["age"]})  # what svmlight has a place for


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
    if SAMPLES[suffix] is excel:
        pytest.importorskip("openpyxl")
    content = SAMPLES[suffix](FRAME)
    path = tmp_path / f"T{suffix.upper()}{packing}"
    path.write_bytes(PACKERS[packing](content) if packing else content)
    frame = read_table(path)
    expected = LABELLED if SAMPLES[suffix] is svmlight else FRAME
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)
    assert list_columns(path) == list(expected.columns)


def test_messages_and_help_name_every_format(tmp_path):
    (tmp_path / "t.ods").write_text("a")
    with pytest.raises(TableError) as caught:
        read_table(tmp_path / "t.ods")
    shown = inspect.signature(import_module("pacbayes.cli.certify").certify, eval_str=True).parameters["data"]
    for words in (str(caught.value), list_formats(), shown.annotation.__metadata__[0].help):
        assert [suffix for suffix in FORMATS if suffix not in words] == []
    assert [suffix for suffix in COMPRESSIONS if suffix not in str(caught.value)] == []


def test_decimals_are_numbers_where_doubles_tell_them_apart(tmp_path):
    texts = ["0.10", "-2.30", None, "70.00", "123456.78"]
    given = [None if each is None else Decimal(each) for each in texts]
    columns = {"few": pa.array(given, pa.decimal128(15, 2)), "many": pa.array(given, pa.decimal128(38, 2))}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    feather.write_feather(pa.table(columns), tmp_path / "t.arrow", compression="uncompressed")
    expected = np.array([np.nan if each is None else float(each) for each in texts])
    for suffix in ("parquet", "arrow"):
        frame = read_table(tmp_path / f"t.{suffix}")
        assert frame["few"].dtype == np.float64
        np.testing.assert_array_equal(frame["few"], expected)
        assert frame["many"].tolist() == given
