"""Texts that arrays or readers may take for another text: no two classes or groups become one without a word."""

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes.runs import ComparisonFile, PredictionFile, Settings, certify_file, check_file, compare_file
from pacbayes.tables import _open, append_rows, prepare_table

ROWS = 400
NUMBERS = np.random.default_rng(0).standard_normal(ROWS)
PLAIN = np.array(["a", "b"], dtype=object)[np.arange(ROWS) % 2]
NUL = "must not contain text with NUL in it"


def replace_fourth(text):
    """Return the plain texts, of which every fourth is another one."""
    return np.array([text if row % 4 == 0 else each for row, each in enumerate(PLAIN)], dtype=object)


@pytest.fixture(params=["a\0", "a\0c"])
def odd(request):
    return replace_fourth(request.param)


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_files_of_predictions_with_nul_are_refused(tmp_path, odd, kind):
    frame = pd.DataFrame({"y": odd, "p": PLAIN, "q": PLAIN})
    path = tmp_path / f"p.{kind}"
    getattr(frame, f"to_{kind}")(path)
    for label, prediction in (("y", "p"), ("p", "y")):
        with pytest.raises(ValueError, match=f"The column 'y' {NUL}"):
            check_file(path, PredictionFile(label=label, prediction=prediction))
    for columns in (("p", "q"), ("p", "y")):
        label = "y" if "y" not in columns else "q"
        with pytest.raises(ValueError, match=f"The column 'y' {NUL}"):
            compare_file(path, ComparisonFile(label=label, predictions=columns))


def test_groups_with_nul_are_refused_in_files(tmp_path, odd):
    pd.DataFrame({"y": PLAIN, "p": PLAIN, "g": odd}).to_parquet(tmp_path / "p.parquet")
    with pytest.raises(ValueError, match=f"The group 'g' {NUL}"):
        check_file(tmp_path / "p.parquet", PredictionFile(label="y", prediction="p", groups=("g",)))


@pytest.mark.parametrize("batches", [False, True])
@pytest.mark.parametrize("category", [False, True])
def test_tables_with_nul_in_labels_or_groups_are_refused(tmp_path, monkeypatch, odd, batches, category):
    monkeypatch.setattr(_open, "IN_MEMORY", 0 if batches else 1 << 28)
    frame = pd.DataFrame({"x": NUMBERS, "y": odd, "z": PLAIN})
    if category:
        frame = frame.assign(y=pd.Categorical(odd, categories=sorted(set(odd))))
    frame.to_parquet(tmp_path / "t.parquet")
    for settings in (Settings(target="y"), Settings(target="z", groups=("y",), drop=("y",))):
        with pytest.raises(ValueError, match=f"'y' {NUL}"):
            certify_file(tmp_path / "t.parquet", settings, baseline=False)


def test_further_rows_with_nul_are_refused(odd):
    table = prepare_table(pd.DataFrame({"x": NUMBERS, "y": PLAIN}), "y")
    with pytest.raises(ValueError, match=f"The target 'y' {NUL}"):
        append_rows(table, pd.DataFrame({"x": NUMBERS, "y": odd}))


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "objects": lambda each: np.array(list(each), dtype=object),
    "objects of pandas": lambda each: pd.Series(list(each), dtype=object),
    "texts of pandas": lambda each: pd.Series(list(each), dtype="string"),
    "python texts": lambda each: pd.Series(list(each), dtype="string[python]"),
    "categories": lambda each: pd.Categorical(list(each), categories=sorted(set(each))),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_groups_with_nul_are_refused_in_python(container, odd):
    with pytest.raises(ValueError, match=NUL):
        pb.certify_predictions(PLAIN, PLAIN, groups=container(odd))
    with pytest.raises(ValueError, match=NUL):
        pb.certify_predictions(PLAIN, PLAIN, groups={"g": container(odd)})


BOTH = "must not be called 'missing' where values are missing"


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("many", [False, True])
def test_a_group_called_missing_is_not_taken_for_missing_values(nothing, many):
    names = [nothing if row % 4 == 0 else "missing" if row % 4 == 1 else "b" for row in range(ROWS)]
    if many:  # texts that are objects of their own, more than are told apart by where they are
        names = ["".join(list(each)) if isinstance(each, str) else each for each in names * 100]
    y = np.arange(len(names)) % 2
    for groups in (names, np.array(names, dtype=object), pd.Series(names, dtype=object)):
        with pytest.raises(ValueError, match=BOTH):
            pb.certify_predictions(y, y, groups=groups)
    alone = [each for each in names if not isinstance(each, str) or each != "missing"]
    y = np.arange(len(alone)) % 2
    found = pb.certify_predictions(y, y, groups=np.array(alone, dtype=object))
    assert [each.group["group"] for each in found.statements if each.group] == ["b", "missing"]


def test_a_list_with_nan_is_not_text():
    names = [np.nan, "nan"] * 100
    found = pb.certify_predictions([0, 1] * 100, [0, 1] * 100, groups=names)
    assert [each.group["group"] for each in found.statements if each.group] == ["missing", "nan"]


@pytest.mark.parametrize("batches", [False, True])
def test_a_table_with_a_group_called_missing_beside_missing_values_is_refused(tmp_path, monkeypatch, batches):
    monkeypatch.setattr(_open, "IN_MEMORY", 0 if batches else 1 << 28)
    names = [None if row % 4 == 0 else "missing" if row % 4 == 1 else "b" for row in range(ROWS)]
    pd.DataFrame({"x": NUMBERS, "y": PLAIN, "g": names}).to_parquet(tmp_path / "t.parquet")
    settings = Settings(target="y", groups=("g",), drop=("g",), missing="category")
    with pytest.raises(ValueError, match=BOTH):
        certify_file(tmp_path / "t.parquet", settings, baseline=False)


def test_a_group_called_missing_in_one_of_two_tables_is_refused(tmp_path):
    frame = pd.DataFrame({"x": NUMBERS, "y": PLAIN, "g": ["b", "missing"] * (ROWS // 2)})
    frame.to_parquet(tmp_path / "one.parquet")
    frame.assign(x=NUMBERS + 1.0, g=["b", None] * (ROWS // 2)).to_parquet(tmp_path / "two.parquet")
    settings = Settings(target="y", groups=("g",), drop=("g",), missing="category")
    with pytest.raises(ValueError, match=BOTH):
        certify_file(tmp_path / "one.parquet", settings, test=tmp_path / "two.parquet", baseline=False)
