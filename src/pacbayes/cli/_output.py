"""What every command shares: one-line errors, progress on stderr, JSON for machines, colours only in a terminal."""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

__all__ = ["JSON", "QUIET", "Output", "tidy"]

JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines instead of words.")]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress, and results as briefly as can be.")]


_INTERRUPTED, _TERMINATED = 130, 143  # 128 and the number of the signal


def tidy(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn every failure of a command into one line on stderr and exit status 2; PACBAYES_TRACEBACK=1 shows more.

    A request to end (SIGTERM) cleans up like Ctrl-C, and exits with 143.
    """
    told = _one_line(command)

    @functools.wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        with _ended_like_interrupted() as asked:
            try:
                return told(*arguments, **options)
            except typer.Exit as left:
                if asked and left.exit_code == _INTERRUPTED:
                    raise typer.Exit(_TERMINATED) from None
                raise

    return wrapped


@contextmanager
def _ended_like_interrupted() -> Iterator[list[int]]:
    """Make SIGTERM raise KeyboardInterrupt meanwhile; the list then holds its number. A second one ends at once."""
    asked: list[int] = []
    if threading.current_thread() is not threading.main_thread():  # where signals cannot be handled
        yield asked
        return

    def interrupt(number: int, _: Any) -> None:
        asked.append(number)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGTERM, before)


def _one_line(command: Callable[..., Any]) -> Callable[..., Any]:
    def wrapped(*arguments: Any, **options: Any) -> Any:
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
            typer.echo(f"pacbayes: {_sentence(error)}", err=True)
            raise typer.Exit(2) from None

    return wrapped


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return _file_sentence(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this table."
    text = " ".join(str(error).split()) or type(error).__name__
    return text if isinstance(error, ValueError | ImportError | OSError) else f"{type(error).__name__}: {text}"


def _file_sentence(error: OSError) -> str:
    """Say what is wrong with the file or folder that the user gave."""
    reason = (error.strerror or "it failed").rstrip(".")
    if error.filename is None:
        return f"Something could not be read or written: {reason}."
    path = _given(error)
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


def _given(error: OSError) -> Path:
    """Return the path that the user gave, not the draft beside it that is renamed when it is whole."""
    path = Path(os.fsdecode(error.filename2 if error.filename2 is not None else error.filename))
    draft = re.fullmatch(r"\.(.+)\.\d+\.draft", path.name)
    return path.with_name(draft[1]) if draft else path


class Output:
    """Where a command's words go."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self.as_json, self.quiet = as_json, quiet
        self._err = Console(stderr=True, highlight=False)
        self._out = Console(highlight=False, soft_wrap=True)

    @contextmanager
    def progress(self, text: str) -> Iterator[None]:
        """Say on stderr what is being done; warnings raised meanwhile become notes there."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if self.quiet:
                yield
            elif self._err.is_terminal:
                with self._err.status(text):
                    yield
            else:
                self._err.print(text, markup=False, soft_wrap=True)
                yield
        for said in dict.fromkeys(" ".join(str(each.message).split()) for each in caught):
            self.note(said)

    def note(self, text: str) -> None:
        """Say something on stderr."""
        if not self.quiet:
            self._err.print(f"note: {text}", markup=False, soft_wrap=True)

    def say(self, text: str = "") -> None:
        """Print a line of the result; nothing where JSON is wanted."""
        if not self.as_json:
            self._out.print(text, markup=False)

    def table(self, headings: list[str], rows: list[list[str]], numbers: tuple[int, ...] = ()) -> None:
        """Print a table of the result."""
        if self.as_json:
            return
        shown = Table(box=None, pad_edge=False, header_style="bold")
        for position, heading in enumerate(headings):
            shown.add_column(heading, justify="right" if position in numbers else "left", overflow="fold")
        for row in rows:
            shown.add_row(*map(_plain, row))
        width = None if self._out.is_terminal else 200
        Console(highlight=False, width=width).print(shown)

    def result(self, record: Any) -> None:
        """Print the result for machines, where that is wanted."""
        if self.as_json:
            typer.echo(json.dumps(record, ensure_ascii=False, allow_nan=False))


def _plain(text: str) -> Any:
    from rich.text import Text  # noqa: PLC0415

    return Text(text)
