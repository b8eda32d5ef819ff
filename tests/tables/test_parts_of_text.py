"""A long file of text is parsed in parts, with few of its rows as text at a time, and is the same table."""

import numpy as np
import pandas as pd
import pytest

from pacbayes.tables import TableError, _read_text, read_table

ROWS = 120
LATE = ROWS - 1  # in the last part
WHOLE = [str(place) for place in range(ROWS)]


def change(values, place, text):
    return [text if row == place else value for row, value in enumerate(values)]


COLUMNS = {
    "doubles": [repr(value) for value in np.random.default_rng(0).normal(size=ROWS)],
    "whole": WHOLE,
    "whole, then a double": change(WHOLE, LATE, "0.5"),
    "large, then a double": change([str(2**53 + 1)] * ROWS, LATE, "0.5"),
    "whole, then text": change(WHOLE, LATE, "none"),
    "leading zeros, then text": change([f"0{place}" for place in range(ROWS)], LATE, "x"),
    "whole, then missing": change(WHOLE, LATE, ""),
    "negative, then beyond 2^63": change(["-1"] * ROWS, LATE, str(2**63 + 1)),
    "whole, then beyond 2^64": change(WHOLE, LATE, str(2**70)),
    "truth": ["True", "False"] * (ROWS // 2),
    "truth, then missing": change(["True"] * ROWS, LATE, ""),
    "truth, then text": change(["True"] * ROWS, 0, "maybe"),
    "truth beside gaps, then text": ["True", ""] * 40 + ["True", "maybe"] * 20,
    "texts": [f"é {place % 7}" for place in range(ROWS)],
    "texts, then missing": ["a"] * 80 + [""] * 40,
    "missing, then texts": [""] * 80 + ["b"] * 40,
    "nothing": [""] * ROWS,
    "lines in a text": change(["a"] * ROWS, 60, '"two\nlines, and, commas"'),
}


def write(path, columns):
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def in_parts(monkeypatch):
    monkeypatch.setattr(_read_text, "_PART_ROWS", 50)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # which simulates pandas 2
@pytest.mark.parametrize("infer", [True, False])
@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_what_they_are_at_once(tmp_path, monkeypatch, name, infer):
    """Also where texts are objects, as before pandas 3, and so are truth values beside gaps."""
    path = tmp_path / "table.csv"
    write(path, {"first": WHOLE, "column": COLUMNS[name]})
    with pd.option_context("future.infer_string", infer):
        expected = read_table(path)
        monkeypatch.setattr(_read_text, "_PART_ROWS", 50)
        pd.testing.assert_frame_equal(read_table(path), expected, check_exact=True)


@pytest.mark.usefixtures("in_parts")
def test_parts_are_used_where_they_agree(monkeypatch, tmp_path):
    path, found = tmp_path / "table.csv", []
    inner = _read_text._read_parts
    monkeypatch.setattr(_read_text, "_read_parts", lambda *given: found.append(inner(*given)) or found[-1])
    for name in ("doubles", "whole, then a double", "texts", "whole, then text"):
        write(path, {"first": WHOLE, "column": COLUMNS[name]})
        read_table(path)
    assert [frame is not None for frame in found] == [True, True, True, False]


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("line", ["1,2,3", '1,"2'])
def test_what_is_no_table_is_refused_as_it_is_at_once(tmp_path, monkeypatch, line):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["a,b", *["1,2"] * 110, line, *["1,2"] * 9]), encoding="utf-8")
    with pytest.raises(TableError) as found:
        read_table(path)
    monkeypatch.setattr(_read_text, "_PART_ROWS", 1 << 17)
    with pytest.raises(TableError) as expected:
        read_table(path)
    assert str(found.value) == str(expected.value)


@pytest.mark.usefixtures("in_parts")
def test_a_packed_file_is_read_from_its_start_again(tmp_path):
    path = tmp_path / "table.csv.gz"
    frame = pd.DataFrame({"a": range(ROWS), "b": change(WHOLE, LATE, "none")})
    frame.to_csv(path, index=False)
    assert read_table(path)["b"].tolist() == frame["b"].tolist()
