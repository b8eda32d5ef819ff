"""A run replaces a run of its own kind alone: a check never removes the model that certify wrote."""

import pytest

from cli.conftest import small_frame
from cli.test_bad_input import one_line

COLUMNS = ("--label", "ill", "--prediction", "p")
RUNS = {
    "certify": ("certify", "small.csv", "--target", "ill", "--no-baseline", "--out", "small-certificate"),
    "check": ("check", "small.csv", *COLUMNS, "--out", "small-certificate"),
    "compare": ("compare", "small.csv", *COLUMNS, "--prediction", "q", "--out", "small-certificate"),
}
HOLDS = {
    "certify": "holds a certified model (model.json), which would be lost. Choose another with --out.",
    "check": "holds the certificate of checked predictions (predictions.json), which would be lost.",
    "compare": "holds the comparison of models by their predictions (predictions.json), which would be lost.",
}


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def runs(small):
    """The three commands on one table, to one folder."""
    small_frame().assign(p="yes", q=["yes", "no"] * 30).to_csv(small, index=False)
    return RUNS


@pytest.mark.parametrize("first", RUNS)
def test_a_run_of_another_kind_is_not_replaced(run, runs, tmp_path, first):
    made = run(*runs[first], "--quiet")
    assert made.exit_code == 0, made.output
    before = content(tmp_path / "small-certificate")
    for then in runs.keys() - {first}:
        for options in ((), ("--force",), ("--force", "--quiet")):
            assert f"The folder 'small-certificate' {HOLDS[first]}" in one_line(run(*runs[then], *options))
            assert content(tmp_path / "small-certificate") == before
    assert "pass --force" in one_line(run(*runs[first]))
    assert run(*runs[first], "--force").exit_code == 0
    assert content(tmp_path / "small-certificate").keys() == before.keys()


def test_certify_and_check_of_one_table_go_to_the_same_folder_and_say_so(run, runs, tmp_path):
    assert run("certify", "small.csv", "--target", "ill", "--no-baseline").exit_code == 0
    assert HOLDS["certify"] in one_line(run("check", "small.csv", *COLUMNS, "--force", "-q"))
    assert (tmp_path / "small-certificate" / "model.json").is_file()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("model.json", '{"learner": {"gradient_booster": 1}}'),
        ("certificate.json", '{"mine": 1}'),
        ("certificate.json", "[]"),
        ("predictions.json", "not json"),
        ("predictions.json", '{"row 1": 0.3}'),
    ],
)
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "in a run"])
def test_files_of_other_tools_that_have_our_names_are_not_replaced(run, runs, tmp_path, name, text, beside):
    folder = tmp_path / "small-certificate"
    folder.mkdir()
    if beside:
        assert run(*runs["check"]).exit_code == 0
    (folder / name).write_text(text)
    (folder / "README.txt").write_text("my notes")
    before = content(folder)
    for command in runs.values():
        said = one_line(run(*command, "--force"))
        assert "which would be lost" in said or "which is not of a run and would be lost" in said
        assert content(folder) == before
