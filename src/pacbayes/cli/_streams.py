"""The one door to stdout and stderr: what cannot be written is noticed, said where that is possible, and status 2."""

from __future__ import annotations

import ctypes
import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import NoReturn, TextIO

from pacbayes.cli._text import escape

__all__ = ["FAILED", "OutputError", "divert_stdout", "finish", "prepare", "print_error", "print_lines", "print_shaped"]

FAILED = 2
_STDOUT, _STDERR = 1, 2


class OutputError(Exception):
    """What a command had to say could not be written.

    Attributes
    ----------
    stream : str
        "stdout" or "stderr".
    reason : str
        Why; empty where the reader has gone, which is no failure that one would report.
    """

    def __init__(self, stream: str, reason: str) -> None:
        super().__init__(f"The output could not be written to {stream}: {reason}." if reason else "")
        self.stream, self.reason = stream, reason


class _Closed(io.TextIOBase):
    """Stands for a stream that was closed before the command began, which Python would pass over in silence."""

    def write(self, _: str, /) -> NoReturn:
        raise OSError(errno.EBADF, "it is closed")


def prepare() -> None:
    """Make sure that no file can take the place of a closed stream, and that every character can be written."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest free number, which is this one
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, _Closed())
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def divert_stdout(*, quiet: bool) -> Iterator[None]:
    """Send what is printed meanwhile, also by compiled code, to stderr or nowhere: stdout has results alone."""
    with _open_sink(quiet=quiet) as sink, redirect_stdout(sink):
        try:
            kept = os.dup(_STDOUT)
        except OSError:  # closed before the command began, and not by it
            yield
            return
        try:
            os.dup2(sink.fileno() if quiet else _STDERR, _STDOUT)
            yield
        finally:
            _flush_compiled()
            os.dup2(kept, _STDOUT)
            os.close(kept)


def _flush_compiled() -> None:
    """Let go what compiled code has printed and still holds, before stdout is ours again."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).fflush(None)


@contextmanager
def _open_sink(*, quiet: bool) -> Iterator[TextIO]:
    """Give where Python's own print goes meanwhile."""
    if not quiet:
        yield sys.stderr
        return
    with Path(os.devnull).open("w", encoding="utf-8") as sink:
        yield sink


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines, each escaped as a whole."""
    _write("".join(f"{escape(line)}\n" for line in lines), err=err)


def print_shaped(text: str) -> None:
    """Print what rich made of texts that were escaped before."""
    _write(text, err=False)


def print_error(text: str) -> None:
    """Say on stderr why a command ends; where that is impossible its exit status says it alone."""
    try:
        print_lines([f"pacbayes: {text}"], err=True)
    except OutputError:
        _silence(sys.stderr)


def _write(text: str, *, err: bool) -> None:
    stream = sys.stderr if err else sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError) as error:  # a ValueError is a stream that was closed meanwhile
        _silence(stream)
        gone = isinstance(error, BrokenPipeError)
        reason = error.strerror if isinstance(error, OSError) else "it is closed"
        raise OutputError("stderr" if err else "stdout", "" if gone else str(reason)) from None


def _silence(stream: TextIO) -> None:
    """Let go what is left in the buffers, which would fail again when Python ends."""
    try:
        number = stream.fileno()
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, number)
        os.close(sink)
    except (OSError, ValueError):
        pass  # a stream without a file has no buffer that outlives it


def finish(status: int) -> int:
    """Write what is left; return the exit status, which is 2 where that failed."""
    heeded = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    if heeded and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # from here on an interrupt ends at once and in silence
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            _silence(stream)
            status = FAILED
    return status
