"""The one error of this room."""

from __future__ import annotations

__all__ = ["EngineError", "one_line"]


class EngineError(ValueError):
    """A cluster or a collection of Dask that cannot be used; the message says what was expected and what came."""


def one_line(error: BaseException) -> str:
    """Return an error's message on one line, without its last full stop."""
    text = " ".join(str(error).split())[:200].rstrip(".")
    return "".join(each if each.isprintable() else "?" for each in text) or type(error).__name__
