"""The commands under one name, in the order in which a newcomer meets them; each is loaded when it is called."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from pacbayes.cli._failures import report_failure
from pacbayes.cli._output import TidyCommand, show_warnings_as_notes
from pacbayes.cli._streams import FAILED, OutputError, print_lines

__all__ = ["COMMANDS", "Command", "app", "run"]

_HELP = """Certify how wrong a classifier can be: an upper limit on its error on new cases, with a stated confidence.

A certificate is a number computed from your data. With probability at least 1 - delta (95 % by default), the model's
error on new cases from the same source is at most this number.

Start with 'pacbayes demo', then run 'pacbayes certify table.csv --target column' on a table of your own.

Exit status: 0 success, 1 a certificate does not hold, 2 an input could not be read or a command could not be carried
out, 3 watch raised an alarm.
"""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: the module and the function that carry it out, and its line in ``pacbayes --help``."""

    module: str
    function: str
    short_help: str
    command_class: str = ""


# messages on one line, and help that reads the same in a terminal and in a file
_PLAIN: dict[str, Any] = {"rich_markup_mode": None, "pretty_exceptions_enable": False}

COMMANDS = {
    "demo": Command("demo", "demo", "Certify, report and verify on a bundled data set."),
    "certify": Command("certify", "certify", "Train and certify a model on a table."),
    "verify": Command("verify", "verify", "Check a certificate, alone or against its data."),
    "predict": Command("predict", "predict", "Predict new rows with a certified model."),
    "check": Command("check", "check", "Certify predictions that any tool wrote."),
    "compare": Command("compare", "compare", "Which of two models is better, by their predictions."),
    "bound": Command("bound", "bound", "Compute one bound from plain numbers."),
    "bounds": Command("bound", "bounds", "List all bounds and what they assume."),
    "plan": Command("plan", "plan", "How many rows a guarantee needs, or what yours give."),
    "watch": Command("watch", "watch", "Update a guarantee as losses come in."),
    "reproduce": Command(
        "reproduce", "reproduce", "Recompute the table of Biggs and Guedj (2023).", "ReproduceCommand"
    ),
}


class _LazyGroup(TyperGroup):
    """Lists the commands by what the table says of them, and loads the one that is called."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what comes before the command; help that cannot be written is a failure."""
        try:
            return super().parse_args(ctx, args)
        except (OSError, OutputError) as error:
            raise typer.Exit(report_failure(error)) from None

    # The class of a context is typer's own in new versions and click's in old ones, so that no one name is true.
    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else _load(name), rest


def _load(name: str) -> Any:
    """Return the command itself, with its arguments and its help."""
    row = COMMANDS[name]
    single = typer.Typer(add_completion=False, **_PLAIN)
    module = import_module(f"pacbayes.cli.{row.module}")
    kind = getattr(module, row.command_class) if row.command_class else TidyCommand
    single.command(name, cls=kind, short_help=row.short_help)(getattr(module, row.function))
    return typer.main.get_command(single)


def _show_version(asked: bool) -> None:
    if asked:
        from pacbayes import __version__  # noqa: PLC0415  (it is read from the metadata of the installed package)

        print_lines([f"pacbayes {__version__}"])
        raise typer.Exit


def _take_common_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None: ...


def _placeholder() -> None:
    """Take the place of a command whose module is not loaded."""


app = typer.Typer(
    name="pacbayes",
    help=_HELP,
    cls=_LazyGroup,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    **_PLAIN,
)
app.callback()(_take_common_options)
for _name, _row in COMMANDS.items():
    app.command(_name, short_help=_row.short_help)(_placeholder)


def run() -> int:
    """Run the command that was asked for, and return its exit status.

    Commands alone leave by returning a status through typer; an exit from anywhere else is typer's or a library's
    answer to a failure, and its 1 is not ours.
    """
    show_warnings_as_notes()
    try:
        status = app(standalone_mode=False)
    except SystemExit as left:
        return FAILED if left.code else 0
    except Exception as error:
        return _report_usage(error)
    return status if isinstance(status, int) else 0


def _report_usage(error: Exception) -> int:
    """Say what was wrong with the words before a command's own; without any, show the help."""
    if type(error).__name__ != "NoArgsIsHelpError":
        return report_failure(error)
    print_lines(str(error).split("\n"), err=True)
    return FAILED
