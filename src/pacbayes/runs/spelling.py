"""Numbers that are written in several ways, such as 1 and 1.0, in columns of text beside columns of numbers."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np

from pacbayes._core.types import Labels

__all__ = ["spell_numbers_alike"]

_NUMBER = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?)\s*", re.ASCII)


def spell_numbers_alike(labels: Labels, predictions: Labels, decimal: str = ".") -> tuple[Labels, Labels]:
    """Return texts in which each number is written in one way, the shortest of those that occur; others stay.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.runs.spelling import spell_numbers_alike
    >>> [each.tolist() for each in spell_numbers_alike(np.array(["1", "01"]), np.array(["1.0", "one"]))]
    [['1', '1'], ['1', 'one']]
    """
    texts, codes = np.unique(np.concatenate([labels, predictions]), return_inverse=True)
    found: dict[Decimal, str] = {}
    for text in sorted(texts.tolist(), key=lambda each: (len(each), each)):
        number = _as_number(text, decimal)
        if number is not None:
            found.setdefault(number, text)
    numbers = [_as_number(text, decimal) for text in texts.tolist()]
    spelled = [text if number is None else found[number] for text, number in zip(texts.tolist(), numbers, strict=True)]
    alike = np.array(spelled)[codes]
    return alike[: len(labels)], alike[len(labels) :]


def _as_number(text: str, decimal: str) -> Decimal | None:
    """Return the number that a text is, exactly, or None."""
    matched = _NUMBER.fullmatch(text if decimal == "." else text.replace(".", "x").replace(decimal, "."))
    return None if matched is None else Decimal(matched[1])
