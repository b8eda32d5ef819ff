"""The one error of this room."""

from __future__ import annotations

__all__ = ["SizeError", "TableError", "one_line"]


class TableError(ValueError):
    """A file that is not a table that can be used; the message says what was expected and what came."""


class SizeError(TableError):
    """A table that needs more memory than is allowed."""


def one_line(error: BaseException | str) -> str:
    """Return an error's message on one line, of characters that can be shown, without its last full stop."""
    text = " ".join(str(error).split())[:200].rstrip(".")
    return "".join(each if each.isprintable() else "?" for each in text) or type(error).__name__
