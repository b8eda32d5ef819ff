"""The package as a whole: what it exports, what it loads, and that the built wheel is what is tested."""

import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import pacbayes as pb
from pacbayes import reproduction

ROOT = Path(__file__).resolve().parent.parent


def test_the_built_wheel_is_tested_not_the_source_tree():
    assert not Path(pb.__file__).resolve().is_relative_to(ROOT / "src")
    assert (Path(pb.__file__).parent / "py.typed").exists()


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
