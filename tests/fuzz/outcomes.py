"""How an input may end, and what counts against the reader."""

from __future__ import annotations

LONGEST = 500


class WronglyAcceptedError(Exception):
    """Something that was changed passed as if it had not been."""


def judge(function, *arguments) -> tuple[str, str]:
    """Call a reader on an input; return a code of how it ended, and the reason where it should not have."""
    try:
        function(*arguments)
    except WronglyAcceptedError as error:
        return "accepted", str(error)[:200]
    except (ValueError, OSError) as error:
        wrong = fault_of(error)
        return ("foreign", f"{wrong}: {type(error).__name__} {str(error)!r:.300}") if wrong else ("refused", "")
    except BaseException as error:  # whatever else it is, nobody promised it
        return "foreign", f"{type(error).__name__}: {str(error)!r:.300}"
    return "read", ""


def fault_of(error: Exception) -> str:
    """What is wrong with an error's message, or nothing: it must be one sentence on one line."""
    text = str(error)
    if isinstance(error, UnicodeError):
        return "an error of a library"
    if not text.strip():
        return "no message"
    if "\n" in text or "\r" in text:
        return "several lines"
    return f"{len(text)} characters" if len(text) >= LONGEST else ""
