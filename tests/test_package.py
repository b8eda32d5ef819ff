"""The package as a whole: what it exports, what it loads, and that the built wheel is what is tested."""

import ast
import doctest
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pacbayes as pb
from pacbayes import reproduction

ROOT = Path(__file__).resolve().parent.parent


def test_the_built_wheel_is_tested_not_the_source_tree():
    assert not Path(pb.__file__).resolve().is_relative_to(ROOT / "src")
    assert (Path(pb.__file__).parent / "py.typed").exists()


def test_a_release_is_dated_and_named_alike_everywhere():
    """Between releases the citation may name the last one, and changes wait in fragments."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.search(rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$", changelog, re.MULTILINE)
    if "dev" in version:
        assert dated is None
        assert "\n<!-- releases -->\n" in changelog
        return
    assert dated is not None
    assert f"\nversion: {version}\n" in citation
    assert f"\ndate-released: {dated.group(1)}\n" in citation
    assert "## Unreleased" not in changelog
    left = [path.name for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    assert left == [], "a released version has no fragments left: set the version to the next one with .dev0 first"


NO_EXAMPLE_NEEDED = {
    "CertificateWarning",
    "DataFileError",
    "DebiasedStatistics",
    "Entry",
    "ResultsFileError",
    "KnownRisk",
    "Loss",
    "Method",
    "OnlineReference",
    "Results",
    "Split",
}


@pytest.mark.parametrize(
    "module", [pb, pb.bounds, pb.datasets, pb.losses, reproduction], ids=lambda module: module.__name__
)
def test_every_public_function_has_a_docstring_with_an_example(module):
    finder = doctest.DocTestFinder()
    for name in set(module.__all__) - NO_EXAMPLE_NEEDED:
        member = getattr(module, name)
        if inspect.isfunction(member) or inspect.isclass(member):
            examples = [example for test in finder.find(member, name) for example in test.examples]
            assert examples, f"{module.__name__}.{name} has no example"


def loaded_by(statement):
    code = f"{statement}; import sys; print(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


def test_import_loads_only_the_core_dependencies():
    """Whatever scikit-learn itself finds and loads does not count."""
    core = loaded_by("import numpy, scipy.special, scipy.linalg, scipy.sparse, sklearn.linear_model, joblib")
    extra = loaded_by("import pacbayes") - core - {"pacbayes"}
    assert not {name for name in extra if name not in sys.stdlib_module_names}


def test_import_does_not_load_the_reproduction():
    code = "import pacbayes, sys; print(*(name for name in sys.modules if 'reproduction' in name))"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert not shown.strip()


SLOW = {"sklearn", "pandas", "scipy.stats", "rich"}


@pytest.mark.parametrize(
    "statement",
    [
        "import pacbayes",
        "import pacbayes; pacbayes.__version__; dir(pacbayes)",
        "import sys; sys.argv[1:] = ['--version']; from pacbayes.cli import main; main()",
        "import sys; sys.argv[1:] = ['--help']; from pacbayes.cli import main; main()",
        "import sys; sys.argv[1:] = ['bounds']; from pacbayes.cli import main; main()",
        "import sys; sys.argv[1:] = ['plan', '--target', '.1', '--risk', '0']; from pacbayes.cli import main; main()",
        "from pacbayes import Certificate",
    ],
)
def test_a_start_loads_nothing_slow(statement):
    code = f"import atexit, sys; atexit.register(lambda: print('loaded', *sys.modules)); {statement}"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    words = done.stdout.splitlines()[-1].split()
    assert words[0] == "loaded"
    assert not SLOW & set(words)


def imports_for_type_checkers():
    """The names that the package imports where nothing but a type checker looks, and their rooms."""
    tree = ast.parse(Path(pb.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module.removeprefix("pacbayes").lstrip(".") for node in imports for alias in node.names}


def test_type_checkers_see_what_is_loaded_lazily():
    assert imports_for_type_checkers() == pb._SOURCES
    assert sorted(pb.__all__) == pb.__all__ == sorted([*pb._SOURCES, "__version__"])


def test_public_names_and_rooms_are_found_when_asked_for():
    names = {}
    exec("from pacbayes import *", names)
    assert set(pb.__all__) <= set(names)
    assert set(pb.__all__) <= set(dir(pb))
    assert {"TYPE_CHECKING", "find_spec", "import_module"}.isdisjoint(dir(pb))
    code = "import pacbayes as pb; print(pb.runs.__name__, pb.report.__name__, pb.bounds.maurer.__name__)"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.split() == ["pacbayes.runs", "pacbayes.report", "maurer"]


@pytest.mark.parametrize("name", ["no_such_name", "_core_", "__wrapped__"])
def test_an_unknown_name_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=f"module 'pacbayes' has no attribute {name!r}"):
        getattr(pb, name)
