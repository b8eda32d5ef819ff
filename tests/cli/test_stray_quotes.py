"""Commands refuse tables of text in which stray quotation marks hide rows, in whichever column those are."""

import pytest

from cli.conftest import small_frame
from cli.test_bad_input import one_line

PAIRS = {"both begin cells": ('"x', '"x'), "one ends a cell": ('"great', 'bad"')}


@pytest.fixture(params=PAIRS)
def hidden(request):
    """A frame as text with a column more, and a hundred errors between two of its rows."""
    first, last = PAIRS[request.param]
    rows = ["1,1,x"] * 200 + [f"0,0,{first}"] + ["1,0,x"] * 100 + [f"0,0,{last}"] + ["0,0,x"] * 200
    return "\n".join(["y,p,c", *rows, ""])


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_check_certify_and_compare_refuse_them(run, tmp_path, hidden, suffix):
    file = tmp_path / f"t.{suffix}"
    file.write_text(hidden.replace(",", "\t") if suffix == "tsv" else hidden)
    assert "202" in one_line(run("check", file, "--label", "y", "--prediction", "p", "--out", "out"))
    assert "202" in one_line(run("certify", file, "--target", "y", "--drop", "c", "--out", "out"))
    assert "202" in one_line(run("compare", file, "--label", "y", "--prediction", "p", "--prediction", "c"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", PAIRS)
def test_predict_refuses_them(run, small, tmp_path, name):
    assert run("certify", small, "--target", "ill", "--out", "out", "--no-baseline").exit_code == 0
    lines = small_frame(seed=1).assign(note="x").to_csv(index=False).splitlines()
    for place, mark in zip((10, 30), PAIRS[name], strict=True):
        lines[place] = f"{lines[place].removesuffix('x')}{mark}"
    (tmp_path / "new.csv").write_text("\n".join(lines))
    assert " 11" in one_line(run("predict", "out", "new.csv", "--out", "p.csv"))
    assert not (tmp_path / "p.csv").exists()
