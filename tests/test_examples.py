"""The examples run, print what the README and `make demo` promise, and draw what the gallery shows."""

import subprocess
import sys
from pathlib import Path

import matplotlib.image
import pytest

from forks import run_forked

ROOT = Path(__file__).resolve().parent.parent
GALLERY = {
    "abstention.py": "among the rows that it answers is at most 1 %",
    "audit_by_group.py": "The error differs by at most ",
    "any_classifier.py": "the true error of `predict` is at most 2.",
    "certify_your_network.py": "from folder and rows, the certificate holds: True",
    "bound_of_your_own.py": "wrong at worst: pb.bounds.clopper_pearson 5.0 %",
    "choose_a_bound.py": "betting",
    "churn_table.py": "verified from the table: True",
    "dask_cluster.py": "The same as in memory: True",
    "compare_models.py": "naive Bayes was known to be worse after",
    "eight_sets.py": "certified at or below the hold-out",
    "example_difficulty.py": "of the digits were never misclassified",
    "forest_of_all_rows.py": "the true error of the weighted vote, which `predict` returns, is at most 4",
    "monitor_drift.py": "the error exceeds",
    "paper_bounds.py": "Portfolio 0.",
    "rare_disease.py": "Nothing is certified about the recall of class 1: all of its 166 judged rows",
    "train_on_a_bound.py": "the bound falls from",
    "watch_a_stream.py": "wrong at some time",
}
TEXTS = {
    "demo.py": "the true error is at most",
    "breast_cancer.py": "at most 0.0",
    "certificate.py": "ok     the predictor is what these rows give",
}
NEEDS_TORCH = {"certify_your_network.py"}
LARGEST = 80_000  # bytes of a stored picture


def run(name, folder, *arguments, new=False):
    """Run an example in a process that has loaded the libraries, or in a new one."""
    command = [str(ROOT / "examples" / name), *arguments]
    if new:
        done = subprocess.run([sys.executable, *command], check=False, capture_output=True, text=True, cwd=folder)
    else:
        done = run_forked(command, folder)
    assert done.returncode == 0, done.stderr
    # a first import of matplotlib on a machine says that it looks at the fonts
    assert not [line for line in done.stderr.splitlines() if "font cache" not in line]
    return done.stdout


@pytest.mark.parametrize("name", TEXTS)
def test_example(name, tmp_path):
    assert TEXTS[name] in run(name, tmp_path, new=True)


@pytest.mark.parametrize("name", GALLERY)
def test_gallery(name, tmp_path):
    for needed in ("torch", "safetensors") if name in NEEDS_TORCH else ():
        pytest.importorskip(needed)
    printed = run(name, tmp_path)
    assert GALLERY[name] in printed
    assert len(printed.splitlines()) <= 2
    picture = tmp_path / Path(name).with_suffix(".png").name.replace("_", "-")
    assert [file.name for file in tmp_path.iterdir()] == [picture.name]
    assert matplotlib.image.imread(picture).std() > 0.01  # something is drawn


def test_a_picture_is_written_where_it_is_told(tmp_path):
    run("bound_of_your_own.py", tmp_path, "elsewhere.png")
    assert [file.name for file in tmp_path.iterdir()] == ["elsewhere.png"]


def test_the_gallery_shows_every_example():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    scripts = {file.name for file in (ROOT / "examples").glob("*.py")}
    assert scripts == {*GALLERY, *TEXTS}
    assert {name for name in scripts if f"(../examples/{name})" not in page} == set()
    stored = {file.name for file in (ROOT / "docs" / "figures" / "gallery").iterdir()}
    drawn = {Path(name).with_suffix(".png").name.replace("_", "-") for name in GALLERY}
    assert stored == drawn - {"eight-sets.png"}
    assert {name for name in stored if f"(figures/gallery/{name})" not in page} == set()


def test_scripts_and_pictures_are_small():
    for name in GALLERY:
        assert len((ROOT / "examples" / name).read_text(encoding="utf-8").splitlines()) <= 80
    for file in (ROOT / "docs" / "figures" / "gallery").iterdir():
        assert file.stat().st_size < LARGEST
