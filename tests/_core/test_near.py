"""Names that are close: what is suggested, and that looking for it never fails."""

from pathlib import Path

import pytest

from pacbayes._core.near import absent_words, did_you_mean, near_file, require_files


def test_the_closest_name_is_suggested_whatever_its_capitals(tmp_path):
    for name in ("Cells.csv", "other.csv", ".cells.csv"):
        (tmp_path / name).touch()
    assert near_file(tmp_path / "CELLS.CVS") == f" Did you mean {str(tmp_path / 'Cells.csv')!r}?"
    assert near_file(tmp_path / "something") == ""
    assert did_you_mean("hist_gradient_boosting", ["logistic", "hist-gradient-boosting"]).endswith("-boosting'?")


def test_a_long_folder_makes_no_name_close(tmp_path):
    folder = tmp_path / ("a" * 100)
    folder.mkdir()
    (folder / "zzz").touch()
    assert near_file(folder / "cells.csv") == ""


def test_a_link_that_leads_nowhere_is_not_suggested_for_itself(tmp_path):
    (tmp_path / "cells.csv").symlink_to(tmp_path / "nowhere.csv")
    assert absent_words(tmp_path / "cells.csv") == f"There is no file {str(tmp_path / 'cells.csv')!r}."


@pytest.mark.parametrize("name", ["", ".", "..", "/", "no/such", "nul\0"])
def test_odd_paths_are_not_suggested_for(name):
    assert near_file(Path(name), ("-certificate",)) == ""


def test_a_folder_that_there_is_not_is_named(tmp_path):
    assert absent_words(tmp_path / "no" / "a.csv") == f"There is no folder {str(tmp_path / 'no')!r}."


def test_files_that_are_there_are_not_refused_nor_are_patterns(tmp_path):
    (tmp_path / "a.csv").touch()
    require_files(tmp_path, tmp_path / "a.csv", None, tmp_path / "*.parquet")
    with pytest.raises(ValueError, match=r"Did you mean '.*a.csv'\?$"):
        require_files(tmp_path / "a.csv", tmp_path / "a.cvs")
