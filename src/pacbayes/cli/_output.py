"""What every command shares: one-line errors, progress on stderr, JSON for machines, colours only in a terminal."""

from __future__ import annotations

import functools
import logging
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated, Any, Literal, ParamSpec, TypeVar

import typer
from typer.core import TyperCommand

from pacbayes.cli._failures import INTERRUPTED, report_failure
from pacbayes.cli._streams import divert_stdout, print_lines, print_shaped
from pacbayes.cli._text import as_json as to_json
from pacbayes.cli._text import escape

__all__ = ["JSON", "QUIET", "Output", "TidyCommand", "show_warnings_as_notes", "tidy"]

JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines instead of words.")]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress, and only the essential results.")]

P = ParamSpec("P")
R = TypeVar("R")

_TERMINATED = 143  # 128 and the number of the signal
_SEVERAL = {("check", "--prediction"): " To compare several columns of predictions, use pacbayes compare."}


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
                if signals and leave.exit_code == INTERRUPTED:
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
    except typer.Exit:
        raise
    except BaseException as error:  # sys.exit in somebody's model is a failure like any other
        raise typer.Exit(report_failure(error)) from None


class TidyCommand(TyperCommand):
    """Refuses bad options in one sentence, like any other bad input; the context is of a class typer keeps private."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options."""
        given = list(args)  # parsing takes from it
        try:
            if "--help" not in given:
                self._refuse_repeated(ctx, given)
            return super().parse_args(ctx, args)
        except typer.Exit:
            raise
        except Exception as error:
            own = {name for each in self.params for name in each.opts}
            raise typer.Exit(report_failure(error, ctx.command_path, own, given)) from None

    def _refuse_repeated(self, ctx: Any, given: list[str]) -> None:
        """Refuse an option that is given twice and takes one value: the first would be dropped without a word."""
        order = self.make_parser(ctx).parse_args(args=list(given))[2]
        for each in dict.fromkeys(order):
            is_single = not getattr(each, "multiple", True) and not getattr(each, "is_flag", True)
            if is_single and order.count(each) > 1:
                hint = _SEVERAL.get((str(self.name), each.opts[0]), "")
                raise ValueError(f"{each.opts[0]} takes one value. Got {order.count(each)}.{hint}")


def show_warnings_as_notes() -> None:
    """Let warnings and logs of libraries, which may quote files, pass the same door as everything else."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print_lines([f"note: {' '.join(str(message).split())}"], err=True)

    warnings.showwarning = show
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_OneLine())


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return escape(super().format(record))


class Output:
    """Where a command's words go: everything is escaped here, so that no command can forget it.

    What is printed is given as lines; a line that has a line end in it has it from a file, and shows it as an escape.
    Rich is loaded for a table or a terminal alone.
    """

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self.as_json, self.quiet = as_json, quiet
        self._renew: Callable[[str], None] | None = None  # the line on a terminal that says what is being done

    @contextmanager
    def progress(self, text: str) -> Iterator[None]:
        """Say on stderr what is being done; warnings become notes there, and what a model prints stays off stdout."""
        with warnings.catch_warnings(record=True) as caught, divert_stdout(quiet=self.quiet):
            warnings.simplefilter("always")
            if self.quiet:
                yield
            elif sys.stderr.isatty():
                from rich.console import Console  # noqa: PLC0415
                from rich.text import Text  # noqa: PLC0415

                with Console(stderr=True, highlight=False).status(Text(escape(text))) as status:
                    self._renew = lambda added: status.update(Text(escape(f"{text} {added}")))
                    yield
                    self._renew = None
            else:
                print_lines([text], err=True)
                yield
        for message in dict.fromkeys(" ".join(str(each.message).split()) for each in caught):
            self.note(message)

    def advance(self, done: int, total: int) -> None:
        """Say on a terminal how many blocks of rows are done of what is being done."""
        if self._renew is not None:
            self._renew(f"{done} of {total} blocks")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Keep what a model prints meanwhile away from stdout."""
        with divert_stdout(quiet=self.quiet):
            yield

    def note(self, text: str, *, always: bool = False) -> None:
        """Say something on stderr, where little is wanted only what puts the result in doubt."""
        if always or not self.quiet:
            print_lines([f"note: {text}"], err=True)

    def warn(self, text: str) -> None:
        """Say on stderr what has to be said even where little is wanted."""
        print_lines([f"pacbayes: {text}"], err=True)

    def say(self, *lines: str) -> None:
        """Print lines of the result; nothing where JSON is wanted."""
        if not self.as_json:
            print_lines(lines)

    def table(self, headings: list[str], rows: list[list[str]], numbers: tuple[int, ...] = ()) -> None:
        """Print a table of the result."""
        if self.as_json:
            return
        from rich.console import Console  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        table = Table(box=None, pad_edge=False, header_style="bold")
        for position, heading in enumerate(headings):
            side: Literal["left", "right"] = "right" if position in numbers else "left"
            table.add_column(Text(escape(heading)), justify=side, overflow="fold")
        for row in rows:
            table.add_row(*(Text(escape(cell)) for cell in row))
        console = Console(highlight=False)
        with console.capture() as shaped:  # rich would end the process with status 1 at a closed pipe
            console.print(table, width=None if console.is_terminal else 200)
        print_shaped(shaped.get())

    def result(self, record: object) -> None:
        """Print the result for machines, where that is wanted."""
        if self.as_json:
            print_shaped(f"{to_json(record)}\n")
