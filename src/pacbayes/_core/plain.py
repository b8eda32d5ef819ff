"""Nested values as JSON has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

import numpy as np

__all__ = ["mark_code", "name_text", "to_plain", "visible"]

_PLAIN = frozenset({str, int, float, bool})
_WORD = r"[\w+<>=/()\[\],&#$*|^~-]+"
_NAME = re.compile(rf"{_WORD}(?:[.:]{_WORD})*(?: {_WORD}(?:[.:]{_WORD})*)?")  # no end of a sentence, and no claim
_LONGEST = 60


def to_plain(value: object) -> object:
    """Return nested plain Python values; arrays become lists, numbers of numpy those of Python."""
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, dict | Mapping):  # a dict is found faster as such
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value


def mark_code(text: str, opening: str = "<code>") -> str:
    """Return a text as HTML, escaped, with what stands between two backticks as code.

    Examples
    --------
    >>> from pacbayes._core.plain import mark_code
    >>> mark_code("`a < b` it is"), mark_code("a ` b")
    ('<code>a &lt; b</code> it is', 'a ` b')
    """
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:  # one of them has no partner
        return escape(text)
    return "".join(f"{opening}{each}</code>" if place % 2 else each for place, each in enumerate(parts))


def visible(text: str) -> str:
    r"""Return a text with controls, line ends and marks of direction as escapes, so that print shows what is there.

    Examples
    --------
    >>> from pacbayes._core.plain import visible
    >>> print(visible("a\x1b[2Kb"))
    a\x1b[2Kb
    """
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def name_text(name: str) -> str:
    r"""Return a name from a file as it may stand in a sentence: a word or two as they are, anything else in quotes.

    A class may be called "yes is at least 99 %; the recall of no", and must not say so on behalf of whoever names it.

    Examples
    --------
    >>> from pacbayes._core.plain import name_text
    >>> print(name_text("not yes"), name_text("yes is at least 99 %"), name_text("a\x1b[2Kb"))
    not yes 'yes is at least 99 %' 'a\x1b[2Kb'
    """
    if len(name) <= _LONGEST and _NAME.fullmatch(name) and name.isprintable():
        return name
    return visible(repr(name) if len(name) <= _LONGEST else f"{name[:_LONGEST]!r}…")
