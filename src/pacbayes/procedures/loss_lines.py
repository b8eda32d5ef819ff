"""Lines of a stream: a loss, an object or a row of CSV with label and prediction or a loss, and its stream's key."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NoReturn

from pacbayes._core.labels import MISSING_WORDS

__all__ = ["decode_line", "decode_row", "key_in", "loss_in"]

_CLASSES = (str, int, float)  # a truth value is an int
_PAIR = frozenset({"label", "prediction"})
_LONGEST_KEY = 200  # characters; a longer text is no name of a stream


def decode_line(line: str | bytes) -> object:
    """Return what a line of JSON says; refuse one that says nothing, or the same thing twice.

    Examples
    --------
    >>> from pacbayes.procedures import decode_line
    >>> decode_line(b'{"shop": "a", "loss": 0.5}')
    {'shop': 'a', 'loss': 0.5}
    """
    try:
        return _DECODER.decode(line.decode("utf-8") if isinstance(line, bytes) else line)
    except (ValueError, RecursionError):
        _refuse(line)


def decode_row(line: str | bytes, columns: Sequence[str]) -> dict[str, object] | None:
    """Return what a line of CSV says under each of its columns; None for a header, which says their names.

    Everything is text but a loss, which is a number as in JSON; None stands for an empty text, and for a label or a
    prediction that is one of the words for missing values.

    Examples
    --------
    >>> from pacbayes.procedures import decode_row
    >>> decode_row(b'"a, b",0.5', ["shop", "loss"]), decode_row("shop,loss", ["shop", "loss"])
    ({'shop': 'a, b', 'loss': 0.5}, None)
    >>> decode_row("NA,NA,yes", ["shop", "label", "prediction"])
    {'shop': 'NA', 'label': None, 'prediction': 'yes'}
    """
    try:
        text = line.decode("utf-8") if isinstance(line, bytes) else line
        (row,) = csv.reader([text.rstrip("\r\n")], strict=True)
    except (ValueError, csv.Error):
        row = []
    if len(row) != len(columns):
        start = line[:80].decode("utf-8", "backslashreplace") if isinstance(line, bytes) else line[:80]
        raise ValueError(f"expected a row of CSV with {len(columns)} columns. Got {start.strip()!r:.60}.")
    if row == list(columns):
        return None
    given: dict[str, object] = {
        name: None if not text or (name in _PAIR and text.strip(" \t") in MISSING_WORDS) else text
        for name, text in zip(columns, row, strict=True)
    }
    if "loss" in given and _NUMBER.fullmatch(text := row[list(columns).index("loss")].strip(" \t")):
        given["loss"] = _read_float(text)
    return given


def loss_in(given: object, line: str | bytes) -> float:
    """Return the loss that a line states: a number in [0, 1], or whether label and prediction differ.

    Examples
    --------
    >>> from pacbayes.procedures import loss_in
    >>> loss_in({"label": "yes", "prediction": "no"}, line=""), loss_in({"loss": 0.5}, line=""), loss_in(0, line="")
    (1.0, 0.5, 0.0)
    """
    if isinstance(given, dict):
        if "loss" in given:
            if "label" in given or "prediction" in given:  # which might say something else
                raise ValueError("an object must have 'loss', or 'label' and 'prediction', not both.")
            return _as_loss(given["loss"], line)
        if "label" not in given or "prediction" not in given:
            raise ValueError("an object must have 'label' and 'prediction'.")
        return _differ(given["label"], given["prediction"])
    return _as_loss(given, line)


def key_in(given: object, name: str) -> str:
    """Return the key of the stream that a line belongs to: the text or the whole number under a name.

    Examples
    --------
    >>> from pacbayes.procedures import key_in
    >>> key_in({"shop": 7, "loss": 0.5}, "shop")
    '7'
    """
    key = given.get(name) if isinstance(given, dict) else None
    if type(key) is int:
        key = str(key)
    if not isinstance(key, str) or not 0 < len(key) <= _LONGEST_KEY:
        raise ValueError(
            f"an object must have {name!r:.60}, a text of at most {_LONGEST_KEY} characters or a whole number."
        )
    return key


def _as_loss(value: object, line: str | bytes) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        _refuse(line)
    if isinstance(value, _Rounded) and not value:
        raise ValueError("the loss is too small to be told from 0.")
    return float(value)


def _differ(label: object, prediction: object) -> float:
    """Return whether two classes differ; refuse what is no class, or not of the same kind."""
    if label is None or prediction is None:
        raise ValueError("'label' and 'prediction' must be known. Got a missing value.")
    if any(not isinstance(each, _CLASSES) for each in (label, prediction)):
        raise ValueError("'label' and 'prediction' must be texts, numbers or truth values.")
    if any(isinstance(each, _Rounded) for each in (label, prediction)):
        raise ValueError("'label' and 'prediction' must not have more digits than doubles can tell apart.")
    if isinstance(prediction, float) and not prediction.is_integer() and not isinstance(label, str):
        raise ValueError(f"'prediction' must be a class, not a probability. Got {prediction!r}.")
    if isinstance(label, str) != isinstance(prediction, str):
        raise ValueError(f"'label' and 'prediction' must be of one kind. Got {label!r:.30} and {prediction!r:.30}.")
    return float(label != prediction)


class _Rounded(float):
    """A whole double, or an infinite one, that is another number than the one written, as others may be, too."""


def _read_float(text: str) -> float:
    """Return the double nearest to a number; what has a fraction is no class, and may be rounded as losses are."""
    value = float(text)
    if math.isinf(value) or (value.is_integer() and Decimal(text) != value):
        return _Rounded(value)
    return value


def _read_pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON; one that says the same thing twice says nothing."""
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a name occurs twice.")
    return record


def _refuse(line: str | bytes) -> NoReturn:
    start = line[:80].decode("utf-8", "backslashreplace") if isinstance(line, bytes) else line[:80]
    raise ValueError(
        f"expected a loss in [0, 1], or an object with 'label' and 'prediction'. Got {start.strip()!r:.60}."
    )


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# made once: json.loads would make a decoder for every line
_DECODER = json.JSONDecoder(object_pairs_hook=_read_pairs, parse_float=_read_float, parse_constant=_refuse)
