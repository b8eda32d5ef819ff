"""docs/architecture.md is true: its tree names every room, its arrows are checked, its paths name what runs."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

import pacbayes as pb
from pacbayes.certificate import Certificate
from pacbayes.cli import main
from pacbayes.estimators.base import CertifiedEstimator
from pacbayes.report import page

PACKAGE = Path(pb.__file__).parent
ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SAMPLE = pb.datasets.make_known_risk(300, d=2, random_state=0)
ROOMS = {
    "fit": {"estimators", "procedures", "certificate"},
    "certify": {"cli", "runs", "report"},
    "verify": {"cli", "runs", "certificate", "procedures"},
}
# procedures.get and the quantities, which are tables; and what Output prints through
LEAVES = {
    "procedures/__init__.py",
    "certificate/quantities.py",
    "cli/_streams.py",
    "cli/_text.py",
    "cli/_failures.py",
}
# Adaptive.times, a public function of another room, which runs asks where a rule may stop at the earliest
LEAVES_OF = {"verify": {"procedures/split.py", "procedures/stopping.py"}}
FIT = CertifiedEstimator.fit.__code__


def listed(path):
    """The numbered files under a heading of the page."""
    block = TEXT.partition(f"Files opened by `{path}`:\n\n")[2].partition("\n\n")[0]
    files = re.findall(r"^(\d+)\. `(.*)`$", block, flags=re.MULTILINE)
    assert [int(number) for number, _ in files] == list(range(1, len(files) + 1))
    return [name for _, name in files]


def opened(call, *, inside_fit):
    """The files of the package of which a function runs; what an estimator's fit calls counts only if asked for."""
    codes, fits = {}, [0]

    def watch(frame, event, _):  # called millions of times
        code = frame.f_code
        if code is FIT:
            fits[0] += {"call": 1, "return": -1}.get(event, 0)
        if event == "call" and (inside_fit or not fits[0]):
            codes[id(code)] = code

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    files = {Path(code.co_filename) for code in codes.values() if code.co_name != "<module>"}
    ours = (file for file in files if file.suffix == ".py" and file.is_relative_to(PACKAGE))
    return {file.relative_to(PACKAGE).as_posix() for file in ours}


def of_rooms(path, files):
    return {file for file in files if file.partition("/")[0] in ROOMS[path]} - LEAVES - LEAVES_OF.get(path, set())


def arrows():
    return TEXT.partition("## Arrows\n")[2].partition("\n\nRows")[0]


def definitions():
    """The names of functions and classes in the package, methods also as Class.method, inherited ones included."""
    names, bases, methods = set(), {}, {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, []).extend(base.id for base in node.bases if isinstance(base, ast.Name))
                own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
                methods.setdefault(node.name, set()).update(own)  # a private class may have the name of another room's
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names.add(node.name)

    def of_class(name):
        above = [base for base in bases.get(name, ()) if base != name]  # that of another room
        return methods.get(name, set()).union(*map(of_class, above))

    return names | {f"{name}.{method}" for name in methods for method in of_class(name)}


def run_command(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["pacbayes", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table and its certificate; whatever is loaded late has been loaded then."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(SAMPLE.X, columns=["a", "b"]).assign(label=SAMPLE.y).to_csv("table.csv", index=False)
    run_command(monkeypatch, "certify", "table.csv", "--target", "label", "--out", "first", "-q")
    return tmp_path


def test_the_tree_names_every_room():
    tree = TEXT.partition("    src/pacbayes/\n")[2].partition("\n\n")[0]
    named = re.findall(r"^      (\S+)  +\S", tree, flags=re.MULTILINE)
    rooms = [path for path in PACKAGE.iterdir() if path.name != "__pycache__"]
    assert sorted(named) == sorted(f"{path.name}/" if path.is_dir() else path.name for path in rooms)


def test_the_arrows_are_those_that_are_checked():
    """What import-linter checks, and every room is in it."""
    shown = [line.split(" | ") for line in re.findall(r"^    ([a-z_]+(?: \| [a-z_]+)*)$", arrows(), flags=re.MULTILINE)]
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    assert shown == [layer.split(" | ") for layer in contract[0]["layers"]]
    rooms = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert {room for layer in shown for room in layer} == rooms - {"__pycache__", "__init__", "__main__"}
    inner = {each for layer in contract[1]["layers"] for each in layer.split(" | ")}
    assert inner == {path.stem for path in (PACKAGE / "_core").glob("[!_]*.py")}, "add it to the layers inside _core"


def test_the_paths_name_functions_that_exist():
    """A name may stand in any file; a method must be one of its class, or of a class that it derives from."""
    known = definitions()
    for line in "\n".join(re.findall(r"```text\n(.*?)```", TEXT, flags=re.DOTALL)).splitlines():
        called = re.split(r"\s{2,}|→", re.sub(r"^[│├└─\s]*", "", line))[0]
        for name in re.findall(r"[A-Za-z_]+\.[a-z_]+|_[a-z_]+|[a-z]+_[a-z_]+", called):
            assert name in known, f"{name} of the line {line.strip()!r} is not in src"


def test_the_path_of_fit():
    pb.CertifiedClassifier(split=0.4, random_state=0).fit(SAMPLE.X, SAMPLE.y)
    model = pb.CertifiedClassifier(split=0.4, random_state=0)
    files = opened(lambda: model.fit(SAMPLE.X, SAMPLE.y), inside_fit=True)
    assert of_rooms("fit", files) == set(listed("fit"))
    assert len(listed("fit")) <= 12


def test_the_path_of_certify(folder, monkeypatch):
    arguments = ("certify", "table.csv", "--target", "label", "--out", "second")
    files = opened(lambda: run_command(monkeypatch, *arguments), inside_fit=False)
    assert of_rooms("certify", files) == set(listed("certify"))
    assert len(listed("certify")) <= 20


def test_the_path_of_verify(folder, monkeypatch):
    arguments = ("verify", "first", "--data", "table.csv")
    files = opened(lambda: run_command(monkeypatch, *arguments), inside_fit=False)
    assert of_rooms("verify", files) == set(listed("verify"))
    assert len(listed("verify")) <= 20


@pytest.mark.parametrize(
    ("owner", "name", "arguments"),
    [
        (page, "delta_values", ("certify", "table.csv", "--target", "label", "--out", "second", "-q")),
        (Certificate, "verify", ("verify", "first", "--data", "table.csv", "-q")),
    ],
)
def test_is_computed_once(folder, monkeypatch, owner, name, arguments):
    calls, compute = [], getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *given: calls.append(name) or compute(*given))
    run_command(monkeypatch, *arguments)
    assert calls == [name]


def test_the_digest_of_a_stream_is_computed_once_per_update(monkeypatch):
    from sklearn.naive_bayes import GaussianNB

    from pacbayes.procedures import online

    calls, compute = [], online.data_digest
    monkeypatch.setattr(online, "data_digest", lambda *given: calls.append(len(given[1])) or compute(*given))
    model = pb.OnlineCertifiedClassifier(GaussianNB(), certify_last=True, random_state=0)
    model.fit(SAMPLE.X[:200], SAMPLE.y[:200]).update(SAMPLE.X[200:], SAMPLE.y[200:])
    assert calls == [200, 300]
