"""Metrics and costs as they are typed: "recall:yes", "error=3", "yes:no=5,no:yes=1"."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pacbayes._core.labels import label_text
from pacbayes._core.types import Labels

__all__ = ["find_class", "parse_costs", "parse_metrics"]


def parse_metrics(owner: str, texts: Sequence[str]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return the names of metrics, and their weights: none unless one was given, and 1 for those without.

    A number after the last "=" is a weight; a class whose name ends like that is given with a weight of its own.
    Blanks around a class stay, since they may be part of its name: :func:`find_class` tells.

    Examples
    --------
    >>> from pacbayes.metrics import parse_metrics
    >>> parse_metrics("me", ["error=3", "recall:yes"]), parse_metrics("me", ["recall:a=b"])
    ((('error', 'recall:yes'), (3.0, 1.0)), (('recall:a=b',), ()))
    """
    parsed = [_with_weight(text) for text in texts]
    names = tuple(name for name, _ in parsed)
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise ValueError(f"{owner} must name each metric once. Got {twice!r:.60} twice.")
    for text, (_, weight) in zip(texts, parsed, strict=True):
        if weight is not None and not 0.0 < weight < math.inf:
            raise ValueError(f"The weight of a metric of {owner} must be a positive number. Got {text!r:.60} instead.")
    if all(weight is None for _, weight in parsed):
        return names, ()
    return names, tuple(1.0 if weight is None else weight for _, weight in parsed)


def _with_weight(text: str) -> tuple[str, float | None]:
    name, equals, number = text.rpartition("=")
    weight = _number(number) if equals else None
    plain, colon, label = (text if weight is None else name).partition(":")
    return f"{plain.strip()}{colon}{label}", weight


def find_class(name: str, classes: Labels) -> str:
    """Return a metric with its class as it is called: without the blanks around it, unless these are of its name.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics.texts import find_class
    >>> find_class("recall:a ", np.array(["a", "b"])), find_class("recall:a ", np.array(["a", "a "]))
    ('recall:a', 'recall:a ')
    """
    plain, colon, label = name.partition(":")
    return name if label in [label_text(each) for each in classes] else f"{plain}{colon}{label.strip()}"


def parse_costs(owner: str, text: str, classes: Labels) -> dict[tuple[str, str], float]:
    """Return costs by pairs of true and predicted class, or say what is wrong with them.

    Classes are found by their names, so that these may have colons and commas in them.

    Parameters
    ----------
    owner : str
        For messages.
    text : str
        ``TRUE:PREDICTED=COST``, separated by commas.
    classes : ndarray
        The classes that there are.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import parse_costs
    >>> parse_costs("me", "yes:no=5, no:yes=1", np.array(["no", "yes"]))
    {('yes', 'no'): 5.0, ('no', 'yes'): 1.0}
    """
    names = [label_text(each) for each in classes]
    pairs = sorted(((true, to) for true in names for to in names), key=lambda pair: -len(pair[0]) - len(pair[1]))
    found: dict[tuple[str, str], float] = {}
    rest = text.strip()
    while rest:
        pair = next((each for each in pairs if rest.startswith(f"{each[0]}:{each[1]}=")), None)
        if pair is None:
            shown = ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")
            raise ValueError(
                f"{owner} must be TRUE:PREDICTED=COST with the classes {shown}, separated by commas. "
                f"Got {rest!r:.60} instead."
            )
        number, comma, after = rest[len(pair[0]) + len(pair[1]) + 2 :].partition(",")
        cost = _number(number)
        if cost is None or not 0.0 <= cost < math.inf:
            raise ValueError(f"{owner} must have finite costs of at least 0. Got {rest!r:.60} instead.")
        if pair in found:
            raise ValueError(f"{owner} must have one cost for each pair. Got {pair[0]}:{pair[1]} twice.")
        found[pair] = cost
        rest = after.strip()
        if comma and not rest:
            raise ValueError(f"{owner} must not end with a comma. Got {text!r:.60} instead.")
    return found


def _number(text: str) -> float | None:
    """Return the number that a text is, if it is one as it is usually written."""
    plain = text.strip()
    if not plain or plain[0] not in "0123456789.+-" or "_" in plain:  # "inf", "nan" and "1_0" are names
        return None
    try:
        return float(plain)
    except ValueError:
        return None
