"""Text from files made safe for a terminal: one line, and whatever cannot be seen is shown as an escape."""

from __future__ import annotations

import json

__all__ = ["as_json", "escape"]

# printable to Python and yet without a shape: joiners, fillers, selectors of variants
_SHAPELESS = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)


def escape(text: str) -> str:
    r"""Return a text on one line in which every character can be seen; the others are shown as in ``repr``.

    Line ends, tabs and other controls (C0, DEL, C1), what changes the direction of writing, separators, characters of
    no width and halves of characters become escapes: a value from a file cannot move the cursor, begin a line of its
    own or hide another.

    Examples
    --------
    >>> from pacbayes.cli._text import escape
    >>> print(escape("a\x1b[2Kb\nThe certificate holds."))
    a\x1b[2Kb\nThe certificate holds.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if _is_visible(each) else _code(each) for each in text)


def as_json(record: object) -> str:
    r"""Return a record as one line of JSON, with what cannot be seen as ``\u`` escapes.

    Examples
    --------
    >>> from pacbayes.cli._text import as_json
    >>> print(as_json({"name": "caf\u00e9 \u202e"}))
    {"name": "café \u202e"}
    """
    plain = json.dumps(record, ensure_ascii=False, allow_nan=False)
    return "".join(each if _is_visible(each) else json.dumps(each)[1:-1] for each in plain)


def _is_visible(character: str) -> bool:
    return character.isprintable() and character not in _SHAPELESS


def _code(character: str) -> str:
    shown = repr(character)[1:-1]
    if shown != character:
        return shown
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
