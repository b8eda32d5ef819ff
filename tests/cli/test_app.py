"""The table of commands: complete, in order, and loaded one by one."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pacbayes import cli
from pacbayes.cli._app import COMMANDS


def test_every_command_is_listed_and_can_be_loaded():
    modules = {path.stem for path in Path(cli.__file__).parent.glob("*.py") if not path.stem.startswith("_")}
    assert modules == {row.module for row in COMMANDS.values()}
    for row in COMMANDS.values():
        assert callable(getattr(import_module(f"pacbayes.cli.{row.module}"), row.function))


def test_help_lists_the_commands_in_order_with_their_lines(run):
    lines = run("--help").stdout.partition("Commands:\n")[2].splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [[name, row.short_help] for name, row in COMMANDS.items()]


def test_a_command_loads_its_own_module_alone():
    code = "import sys; sys.argv[1:] = ['plan', '--help']; from pacbayes.cli import main\ntry: main()\nfinally: "
    code += "print('loaded', *(name for name in sys.modules if name.startswith('pacbayes.cli.')))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = {name.rpartition(".")[2] for name in done.stdout.splitlines()[-1].split()[1:]}
    assert {name for name in loaded if not name.startswith("_")} == {"plan"}


@pytest.mark.parametrize(("typo", "hint"), [("boundz", "Did you mean 'bound', 'bounds'?"), ("zzz", "'zzz'.")])
def test_an_unknown_command_is_refused_with_the_closest(run, typo, hint):
    result = run(typo)
    assert result.exit_code == 2
    assert hint in result.stderr
