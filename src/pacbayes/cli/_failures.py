"""Failures in one sentence each, and never as a verdict."""

from __future__ import annotations

import os
import traceback
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pacbayes._core.near import absent_words
from pacbayes.cli._streams import FAILED, OutputError, print_error, print_lines

__all__ = ["INTERRUPTED", "report_failure"]

INTERRUPTED = 130  # 128 and the number of the signal


# what options are called elsewhere, the one that there is here, and the words for it
_INSTEAD = (
    (
        {"--confidence", "--confidence-level", "--level", "--alpha", "--significance"},
        "--delta",
        "The confidence is set by --delta, the allowed probability of being wrong: --delta 0.05 stands for 95 %.",
    ),
    ({"--target", "--truth", "--y-true"}, "--label", "The column of true labels is named by --label."),
    ({"--y-pred", "--score"}, "--prediction", "The column of predicted labels is named by --prediction."),
    ({"--sep", "--separator"}, "--delimiter", "The separator of columns is set by --delimiter."),
)


# what typer says of a number that is none, and what it must be
_KINDS = (("Input should be a valid number", "a number"), ("Input should be a valid integer", "a whole number"))


def report_failure(
    error: BaseException, usage: str = "", options: Collection[str] = (), given: Sequence[str] = ()
) -> int:
    """Say on stderr what went wrong, and return the exit status; PACBAYES_TRACEBACK=1 shows where.

    Parameters
    ----------
    error : BaseException
        Whatever came: also a request to exit from code that has no business to decide the status.
    usage : str, optional
        The command whose help is named where its options were wrong.
    options : collection of str
        Those that it has.
    given : sequence of str
        What was passed to it.
    """
    if isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt):
        print_error("stopped.")
        return INTERRUPTED
    if os.environ.get("PACBAYES_TRACEBACK"):
        _show_traceback(error)
    elif not _is_gone(error):
        print_error(_describe_usage(error, usage, options, given) or _describe(error))
    return FAILED


def _show_traceback(error: BaseException) -> None:
    with suppress(OutputError):  # the exit status says it alone then
        print_lines("".join(traceback.format_exception(error)).rstrip("\n").split("\n"), err=True)


def _is_gone(error: BaseException) -> bool:
    """Whether the reader of a pipe has seen enough."""
    return isinstance(error, BrokenPipeError) or (isinstance(error, OutputError) and not error.reason)


def _describe_usage(error: BaseException, usage: str, options: Collection[str], given: Sequence[str]) -> str:
    """Return one sentence on wrong options; empty for all other errors."""
    describe = getattr(error, "format_message", None)  # which a usage error has
    if describe is None:
        return ""
    asked = getattr(error, "option_name", None)  # of an option that there is not
    for others, own, hint in _INSTEAD:
        if asked in others and own in options:
            return f"There is no option {asked}. {hint}"
    told, names = str(getattr(error, "message", "")), getattr(getattr(error, "param", None), "opts", ())
    kind = next((what for start, what in _KINDS if told.startswith(start)), None)
    if kind is not None and names:
        value = next(_values(names, given), "")
        example = ", such as 0.05" if "--delta" in names else ""
        return f"{names[0]} must be {kind}{example}. Got {value!r:.60} instead."
    words = " ".join(describe().split())
    end = "" if words.endswith(("?", ".")) else "."
    return f"{words}{end} See {usage or 'pacbayes'} --help."


def _values(names: Collection[str], given: Sequence[str]) -> Iterator[str]:
    """Yield what was passed to an option of these names, the last first: it is the one that counts."""
    for text, after in reversed(list(zip(given, [*given[1:], ""], strict=True))):
        name, equals, value = text.partition("=")
        if name in names:
            yield value if equals else after


def _describe(error: BaseException) -> str:
    """Return one sentence on what went wrong."""
    if isinstance(error, OSError) and error.errno is not None:
        return _describe_file_error(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this table."
    if isinstance(error, SystemExit):
        return "The work ended itself before it was done."
    text = " ".join(str(error).split()) or type(error).__name__
    plain = isinstance(error, ValueError | ImportError | OSError | OutputError)
    return text if plain else f"{type(error).__name__}: {text}"


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
        return absent_words(path)
    if isinstance(error, IsADirectoryError):
        return f"{str(path)!r} is a folder, and a file is needed."
    if isinstance(error, NotADirectoryError):
        return f"{str(path)!r} cannot be there: a part of its path is a file, not a folder."
    return f"{str(path)!r} cannot be read or written: {reason}."
