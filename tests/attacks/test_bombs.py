"""Small files that become large, and files without an end: refused before memory is full."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import threading
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from pacbayes.tables import TableError, read_table

SIZE = 160 << 20
LIMIT = "64MiB"
REFUSED = r"of memory when it is read, and the limit is 64 MiB\. .* raise the limit with --max-memory\."
posix = pytest.mark.skipif(os.name != "posix", reason="needs named pipes")

# A process with little memory of its own: a bomb that goes off ends it.
LIMITED = """
import resource, sys
import pandas, pyarrow.parquet, pyarrow.feather
from pacbayes.tables import TableError, read_table
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (600 << 20),) * 2)
try:
    read_table(sys.argv[1], **({"max_memory": "64MiB"} if sys.argv[2] == "limit" else {}))
except TableError as error:
    print(error)
"""


def bombs():  # noqa: C901
    line = b"1,2\n" * (1 << 18)

    def packed(pack):
        """Parts that were packed one by one, which unpack to the whole."""
        return lambda path: path.write_bytes(pack(b"a,b\n") + pack(line) * (SIZE // len(line)))

    def zstd(path):
        with pa.output_stream(str(path), compression="zstd") as file:
            file.write(b"a,b\n")
            for _ in range(SIZE // len(line)):
                file.write(line)

    def zipped(path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("t.csv", "w") as file:
            for _ in range(SIZE // len(line)):
                file.write(line)

    def parquet(path):
        """Rows of one value: a dictionary and a run."""
        pq.write_table(pa.table({"a": np.zeros(1 << 24), "b": np.zeros(1 << 24)}), path, row_group_size=1 << 24)

    def long_text(path):
        """One long text that every row points to."""
        column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000, np.int32)), ["x" * 100_000])
        pq.write_table(pa.table({"a": column, "b": np.zeros(20_000)}), path, store_schema=False)

    def arrow(path):
        pa.feather.write_feather(pa.table({"a": np.zeros(1 << 24)}), path, compression="zstd")

    def wide(path):
        """Short rows of a wide table."""
        path.write_bytes(b",".join(b"c%d" % k for k in range(5000)) + b"\n" + b"1\n" * 50_000)

    def wide_in_quotes(path):
        """The same, behind a first line that seems to be of one column."""
        path.write_bytes(b'"a\n",' + b",".join(b"c%d" % k for k in range(5000)) + b"\n" + b"1\n" * 50_000)

    def excel(path):
        """A sheet of which every cell is the same."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/s.xml", "w") as file:
            for _ in range(SIZE // len(line)):
                file.write(line)

    def svmlight(path):
        """Rows of one entry far to the right, which are short as long as they are sparse."""
        path.write_bytes(b"1 9000:1\n" * 20_000)

    def svmlight_rows(path):
        path.write_bytes(b"1\n" * (8 << 20))

    def sparse(path):
        with path.open("wb") as file:
            file.write(b"a,b\n1,2\n")
            file.truncate(SIZE)

    return {
        "t.csv.gz": packed(gzip.compress),
        "t.csv.bz2": packed(bz2.compress),
        "t.csv.xz": packed(lambda content: lzma.compress(content, preset=0)),
        "t.csv.zst": zstd,
        "t.csv.zip": zipped,
        "t.parquet": parquet,
        "text.parquet": long_text,
        "t.arrow": arrow,
        "wide.csv": wide,
        "quotes.csv": wide_in_quotes,
        "sparse.csv": sparse,
        "t.xlsx": excel,
        "wide.svm": svmlight,
        "rows.svm": svmlight_rows,
    }


@pytest.mark.parametrize("name", bombs())
def test_bombs_are_refused_before_memory_is_full(tmp_path, name):
    if name == "t.xlsx":
        pytest.importorskip("openpyxl")
    path = tmp_path / name
    bombs()[name](path)
    with pytest.raises(TableError, match=REFUSED) as caught:
        read_table(path, max_memory=LIMIT)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs the limits of Linux")  # noqa: PTH110
@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.zst", "t.parquet", "wide.csv"])
def test_memory_stays_free(tmp_path, name):
    path = tmp_path / name
    bombs()[name](path)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path), "limit"], capture_output=True, text=True, check=False
    )
    assert "the limit is 64 MiB" in done.stdout, done.stderr[-1000:]


def run_briefly(function):
    """Call in a thread, so that what waits for ever does not keep the test waiting."""
    found = []

    def call():
        try:
            found.append(function())
        except Exception as error:  # whatever it is, the test looks at it
            found.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(60)
    return found[0] if found else "still waiting"


@posix
def test_devices_and_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    (tmp_path / "zero.parquet").symlink_to("/dev/zero")
    (tmp_path / "stdin.csv").symlink_to("/dev/stdin")
    for name in ("pipe.csv", "zero.csv", "zero.parquet"):
        error = run_briefly(lambda name=name: read_table(tmp_path / name))
        assert isinstance(error, TableError), (name, error)
        assert "is a pipe or a device; write what comes from it into a file first" in str(error)
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from pacbayes.tables import read_table; read_table(sys.argv[1])",
         str(tmp_path / "stdin.csv")],
        stdin=subprocess.PIPE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "must be a regular file" in done.stderr


@posix
@pytest.mark.parametrize("read", ["read_certificate", "load_run"])
def test_certificates_and_predictors_without_an_end_are_refused(tmp_path, read):
    from pacbayes.runs import folder

    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(1 << 40)
    for name in ("pipe.json", "zero.json", "large.json"):
        if read == "read_certificate" or name == "large.json":
            error = run_briefly(lambda name=name: getattr(folder, read)(tmp_path / name))
            assert isinstance(error, ValueError), (name, error)
            assert "write what comes from it into a file first" in str(error) or "more than 64 MiB" in str(error)


@pytest.mark.parametrize(
    ("text", "size"), [("1", 1), ("2k", 2000), ("1.5 GiB", 3 << 29), ("500MB", 5 * 10**8), ("3gb", 3 * 10**9), (7, 7)]
)
def test_limits_as_people_write_them(text, size):
    from pacbayes.tables import to_bytes

    assert to_bytes(text) == size


@pytest.mark.parametrize("text", ["", "-1", "0", "much", "1e9", "1 GiBi", "٣", True, 0, "9" * 40])
def test_limits_that_make_no_sense(text):
    from pacbayes.tables import to_bytes

    with pytest.raises(ValueError, match=r"--max-memory must be a number of bytes, such as 500MB or 4GiB\. Got"):
        to_bytes(text)


def test_the_default_is_stated_and_finite():
    from pacbayes.tables import default_limit, to_bytes

    assert 0 < default_limit() <= 4 << 30
    assert to_bytes(None) == default_limit()
