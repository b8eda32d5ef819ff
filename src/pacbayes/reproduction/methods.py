"""The methods of the grid, to which others can be added.

To add one, write a function from a :class:`Split` to a dict of numbers with at least "value" (the bound) and "test" (an
error rate on the test rows), and register it with :func:`method`; tables, figure and page pick it up.
"""

from __future__ import annotations

from collections.abc import Callable

from pacbayes.reproduction.built_in_methods import BUILT_IN_METHODS
from pacbayes.reproduction.method_role import GROUPS, Method, MethodFunction
from pacbayes.reproduction.table_words import GUARANTEES

__all__ = ["BUILT_IN", "METHODS", "method"]

METHODS: dict[str, Method] = {each.name: each for each in BUILT_IN_METHODS}
BUILT_IN = frozenset(METHODS)  # what every worker process knows; the rest is sent to it


def method(name: str, title: str, group: str, about: str, guarantee: str) -> Callable[[MethodFunction], MethodFunction]:
    """Register a function as a method; the name must be new.

    Parameters
    ----------
    name, title : str
        How it is asked for, and how it is printed.
    group : {"as published", "corrected arithmetic", "ours", "baselines"}
        Its colour in the figure.
    about : str
        What it computes.
    guarantee : {"sound", "all-rows-scaled", "reference-theorem", "departs", "none"}
        What its number is worth: "sound" for a certificate; "all-rows-scaled" for one given that all rows scaled the
        features; "reference-theorem" if it assumes the published theorem for online references; "departs" if it
        departs from its theorem; "none" otherwise.

    Examples
    --------
    >>> from pacbayes.reproduction import METHODS, method
    >>> @method("vacuous", "vacuous", "baselines", "one, whatever the data", "sound")
    ... def vacuous(split):
    ...     return {"value": 1.0, "test": float(split.test[1].mean())}
    >>> METHODS.pop("vacuous").guarantee
    'sound'
    """

    def register(function: MethodFunction) -> MethodFunction:
        if name in METHODS or group not in GROUPS:
            raise ValueError(
                f"The 'name' argument of method must be new and 'group' one of {GROUPS}. "
                f"Got {name!r} and {group!r} instead."
            )
        if guarantee not in GUARANTEES:
            raise ValueError(
                f"The 'guarantee' argument of method must be among {list(GUARANTEES)}. Got {guarantee!r} instead."
            )
        METHODS[name] = Method(name, title, group, function, about, guarantee)
        return function

    return register
