"""Checks of the arguments of this room: whole numbers, shares and names, each refused in one sentence."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.exact import exact_array

__all__ = [
    "call_factory",
    "check_classes",
    "check_name",
    "check_positive",
    "check_share",
    "check_whole",
    "check_wholes",
]


def call_factory(owner: str, factory: Callable[[], object]) -> object:
    """Return what a factory of modules makes, or say that it must need no arguments.

    Examples
    --------
    >>> from pacbayes.torch.checks import call_factory
    >>> call_factory("me", dict)
    {}
    """
    try:
        inspect.signature(factory).bind()
    except TypeError as error:
        raise ValueError(
            f"What makes the module of {owner} must need no arguments, as functools.partial(...) or lambda: ... does. "
            f"Got one with a {error}."
        ) from None
    except ValueError:  # of something built in, which has no signature
        pass
    return factory()


def check_whole(owner: str, name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number, or say what it must be.

    Examples
    --------
    >>> from pacbayes.torch.checks import check_whole
    >>> check_whole("me", "epochs", 3, 1)
    3
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not least <= int(value) <= (math.inf if most is None else most):  # type: ignore[call-overload]
        span = f"at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"The {name!r} argument of {owner} must be a whole number, {span}. Got {value!r:.40} instead.")
    return int(value)  # type: ignore[call-overload]


def check_wholes(
    owner: str,
    name: str,
    values: object,
    least: int,
    largest: int,
    *,
    count: int | None = None,
    most: int | None = None,
    odd: bool = False,
) -> tuple[int, ...]:
    """Return whole numbers, one for all of ``count`` if a single one is given, or say what they must be.

    Examples
    --------
    >>> from pacbayes.torch.checks import check_wholes
    >>> check_wholes("me", "kernel", 5, 1, 100, count=2, odd=True)
    (5, 5)
    """
    if isinstance(values, numbers.Integral) and not isinstance(values, bool):
        values = (values,) * (1 if count is None else count)
    listed = tuple(values) if isinstance(values, Sequence) and not isinstance(values, str) else None
    fits = listed is not None and (count is None or len(listed) == count) and (most is None or len(listed) <= most)
    if not fits or listed is None:
        many = f"{count} whole numbers" if count is not None else f"at most {most} whole numbers"
        raise ValueError(f"The {name!r} argument of {owner} must be {many}. Got {values!r:.60} instead.")
    found = tuple(check_whole(owner, name, each, least, largest) for each in listed)
    if odd and any(each % 2 == 0 for each in found):
        raise ValueError(f"The {name!r} argument of {owner} must be odd. Got {values!r:.60} instead.")
    return found


def check_share(owner: str, name: str, value: object, *, zero: bool = True) -> float:
    """Return a number in [0, 1), or say that it must be one; with ``zero=False`` in (0, 1)."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not 0.0 <= float(value) < 1.0 or (not zero and value == 0):  # type: ignore[arg-type]
        raise ValueError(
            f"The {name!r} argument of {owner} must be a number in {'[' if zero else '('}0, 1). Got {value!r:.40} "
            "instead."
        )
    return float(value)  # type: ignore[arg-type]


def check_positive(
    owner: str, name: str, value: object, *, zero: bool = False, least: float = 0.0, most: float = math.inf
) -> float:
    """Return a finite number above zero, or say that it must be one; with ``zero=True`` it may be zero."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if real and 0.0 < float(value) < math.inf and not least <= float(value) <= most:  # type: ignore[arg-type]
        raise ValueError(
            f"The {name!r} argument of {owner} must lie between {least:g} and {most:g}. Got {value!r:.40} instead."
        )
    if not real or not 0.0 <= float(value) < math.inf or (not zero and value == 0):  # type: ignore[arg-type]
        above = "of at least" if zero else "above"
        raise ValueError(
            f"The {name!r} argument of {owner} must be a finite number {above} 0. Got {value!r:.40} instead."
        )
    return float(value)  # type: ignore[arg-type]


def check_classes(owner: str, classes: ArrayLike | None) -> None:
    """Refuse classes that are not different labels of one kind; None is none, and fine."""
    if classes is None:
        return
    found = exact_array(classes)
    if found.ndim != 1 or not found.size or found.dtype.kind not in "biufUS" or np.unique(found).size != found.size:
        raise ValueError(
            f"The 'classes' argument of {owner} must be different labels, all numbers or all text. "
            f"Got {classes!r:.60} instead."
        )


def check_name(owner: str, name: str, value: object, known: Collection[str]) -> str:
    """Return one of some names, or say which there are."""
    if not isinstance(value, str) or value not in known:
        listed = ", ".join(map(repr, known))
        raise ValueError(f"The {name!r} argument of {owner} must be one of {listed}. Got {value!r:.40} instead.")
    return value
