"""What `pacbayes.torch` says where PyTorch is missing, and that nothing else imports it."""

import importlib
import subprocess
import sys

import pytest

import pacbayes.torch


def test_missing_torch_is_one_sentence():
    code = (
        "import importlib.util as u\n"
        "real = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'torch' else real(name, *rest)\n"
        "import pacbayes.torch\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    last = run.stderr.strip().splitlines()[-1]
    assert last == (
        "ModuleNotFoundError: pacbayes.torch needs torch, which is not installed: pip install 'pacbayes[torch]'."
    )


@pytest.mark.parametrize("module", ["pacbayes", "pacbayes.cli", "pacbayes.runs", "pacbayes.estimators"])
def test_nothing_else_imports_torch(module):
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_name_has_a_home_and_is_loaded_from_there():
    assert sorted(pacbayes.torch.__all__) == sorted(pacbayes.torch._HOMES)
    for name, home in pacbayes.torch._HOMES.items():
        assert getattr(pacbayes.torch, name) is getattr(importlib.import_module(home), name)
        assert name in dir(pacbayes.torch)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        pacbayes.torch.nothing  # noqa: B018
