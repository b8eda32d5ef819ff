"""What every command shares: one-line errors, progress on stderr, JSON for machines, colours only in a terminal."""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, ParamSpec, TypeVar

import typer
from typer.core import TyperCommand

__all__ = ["JSON", "QUIET", "Output", "TidyCommand", "tidy"]

JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines instead of words.")]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress, and results as briefly as can be.")]

P = ParamSpec("P")
R = TypeVar("R")

_INTERRUPTED, _TERMINATED = 130, 143  # 128 and the number of the signal
# what moves the cursor of a terminal; a name in a table that holds it must not
_CONTROLS = dict.fromkeys([7, 8, 11, 12, 13, 27])


def tidy(command: Callable[P, R]) -> Callable[P, R]:
    """Turn every failure of a command into one line on stderr and exit status 2; PACBAYES_TRACEBACK=1 shows more.

    A request to end (SIGTERM) cleans up like Ctrl-C, and exits with 143.
    """

    @functools.wraps(command)
    def wrapper(*arguments: P.args, **options: P.kwargs) -> R:
        with _treat_termination_as_interrupt() as signals:
            try:
                return _call_tidily(command, *arguments, **options)
            except typer.Exit as leave:
                if signals and leave.exit_code == _INTERRUPTED:
                    raise typer.Exit(_TERMINATED) from None
                raise

    return wrapper


@contextmanager
def _treat_termination_as_interrupt() -> Iterator[list[int]]:
    """Make SIGTERM raise KeyboardInterrupt meanwhile; the list then holds its number. A second one ends at once."""
    signals: list[int] = []
    if threading.current_thread() is not threading.main_thread():  # where signals cannot be handled
        yield signals
        return

    def interrupt(number: int, _: FrameType | None) -> None:
        signals.append(number)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield signals
    finally:
        signal.signal(signal.SIGTERM, before)


def _call_tidily(command: Callable[P, R], *arguments: P.args, **options: P.kwargs) -> R:
    try:
        return command(*arguments, **options)
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt:
        typer.echo("pacbayes: stopped.", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except Exception as error:
        if os.environ.get("PACBAYES_TRACEBACK"):
            raise
        typer.echo(f"pacbayes: {_describe(error)}", err=True)
        raise typer.Exit(2) from None


def _describe(error: Exception) -> str:
    """Return one sentence on what went wrong."""
    if isinstance(error, OSError) and error.errno is not None:
        return _describe_file_error(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this table."
    text = " ".join(str(error).split()) or type(error).__name__
    return text if isinstance(error, ValueError | ImportError | OSError) else f"{type(error).__name__}: {text}"


def _describe_file_error(error: OSError) -> str:
    """Say what is wrong with the file or folder that the user gave."""
    reason = (error.strerror or "it failed").rstrip(".")
    if error.filename is None:
        return f"Something could not be read or written: {reason}."
    # where one file was to replace another, the second is the one that the user knows
    path = Path(os.fsdecode(error.filename2 if error.filename2 is not None else error.filename))
    if isinstance(error, PermissionError):
        return f"There is no permission for {str(path)!r}."
    if isinstance(error, FileNotFoundError):
        lacking = not path.parent.exists()
        return f"There is no folder {str(path.parent)!r}." if lacking else f"There is no file {str(path)!r}."
    if isinstance(error, IsADirectoryError):
        return f"{str(path)!r} is a folder, and a file is needed."
    if isinstance(error, NotADirectoryError):
        return f"{str(path)!r} cannot be there: a part of its path is a file, not a folder."
    return f"{str(path)!r} cannot be read or written: {reason}."


class TidyCommand(TyperCommand):
    """Refuses bad options in one sentence, like any other bad input; the context is of a class typer keeps private."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            describe = getattr(error, "format_message", None)  # which a usage error has
            if describe is None:
                raise
            words = " ".join(describe().split()).rstrip(".")
            typer.echo(f"pacbayes: {words}. See {ctx.command_path} --help.", err=True)
            raise typer.Exit(2) from None


class Output:
    """Where a command's words go; rich is loaded for a table or a terminal alone."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self.as_json, self.quiet = as_json, quiet

    @contextmanager
    def progress(self, text: str) -> Iterator[None]:
        """Say on stderr what is being done; warnings raised meanwhile become notes there."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if self.quiet:
                yield
            elif sys.stderr.isatty():
                from rich.console import Console  # noqa: PLC0415
                from rich.text import Text  # noqa: PLC0415

                with Console(stderr=True, highlight=False).status(Text(text)):
                    yield
            else:
                _print(text, err=True)
                yield
        for message in dict.fromkeys(" ".join(str(each.message).split()) for each in caught):
            self.note(message)

    def note(self, text: str) -> None:
        """Say something on stderr."""
        if not self.quiet:
            _print(f"note: {text}", err=True)

    def say(self, text: str = "") -> None:
        """Print a line of the result; nothing where JSON is wanted."""
        if not self.as_json:
            _print(text)

    def table(self, headings: list[str], rows: list[list[str]], numbers: tuple[int, ...] = ()) -> None:
        """Print a table of the result."""
        if self.as_json:
            return
        from rich.console import Console  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        table = Table(box=None, pad_edge=False, header_style="bold")
        for position, heading in enumerate(headings):
            table.add_column(heading, justify="right" if position in numbers else "left", overflow="fold")
        for row in rows:
            table.add_row(*(Text(cell.translate(_CONTROLS)) for cell in row))
        console = Console(highlight=False)
        console.print(table, width=None if console.is_terminal else 200)

    def result(self, record: object) -> None:
        """Print the result for machines, where that is wanted."""
        if self.as_json:
            typer.echo(json.dumps(record, ensure_ascii=False, allow_nan=False))


def _print(text: str, *, err: bool = False) -> None:
    typer.echo(text.translate(_CONTROLS), err=err)
