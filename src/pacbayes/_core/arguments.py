"""Arguments: one table of domains, one shape of message, and the checks that turn bad input into one sentence."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacbayes._core.types import FloatArray

__all__ = [
    "DOMAINS",
    "WEIGHT_TOLERANCE",
    "Domain",
    "broadcast",
    "check_range",
    "check_shapes",
    "checked",
    "checked_weights",
    "finite_double",
    "is_scalar",
    "refuse_masked",
    "show_number",
    "single",
    "single_number",
    "to_floats",
]

_LARGEST_N = 2.0**53
_ROUNDING = 1e-9  # statistics are sums of millions of terms; this much beyond their range is rounding, not a mistake
WEIGHT_TOLERANCE = 1e-6  # single-precision weights pass; a forgotten atom does not
_FLOATS = (float, np.float64)
_BEYOND = 2**1023  # larger whole numbers may be no doubles


@dataclass(frozen=True, slots=True)
class Domain:
    """The numbers that an argument may be, and the words that say so."""

    low: float
    high: float
    words: str
    open_ends: bool = False
    whole: bool = False


_UNIT = Domain(0.0, 1.0, "lie in [0, 1]")
_COUNT = Domain(1.0, _LARGEST_N, "be a whole number between 1 and 2**53", whole=True)
_DIVERGENCE = Domain(0.0, math.inf, "be non-negative (it may be infinite)")
# below 1e-290 a share of delta may have lost digits
_SHARE = Domain(1e-290, 1.0, "be a number strictly between 0 and 1 (and above 1e-290)", open_ends=True)
_GROWTH = Domain(-math.inf, math.log(2.0), "lie between log(1 - rate) and log(1 + rate)")
DOMAINS = {
    "risk": _UNIT,
    "plus": _UNIT,
    "minus": _UNIT,
    "second": _UNIT,
    "reference": _UNIT,
    "gibbs": _UNIT,
    "tandem": _UNIT,
    "disagreement": _UNIT,
    "value": _UNIT,
    "strength": _UNIT,
    "variance": Domain(0.0, 0.5, "lie in [0, 1/2]"),
    "excess": Domain(-1.0, 1.0, "lie in [-1, 1]"),
    "kl": _DIVERGENCE,
    "log_ratio": Domain(-math.inf, math.inf, "be a number (it may be negative or infinite)"),
    "delta": _SHARE,
    "n": _COUNT,
    "n_pairs": _COUNT,
    "draws": _COUNT,
    "errors": Domain(0.0, _LARGEST_N, "be a whole number between 0 and 2**53", whole=True),
    "looks": _COUNT,
    "size": Domain(0.0, _LARGEST_N, "be a whole number between 0 and 2**53", whole=True),
    "rates": Domain(0.0, 1.0, "lie strictly between 0 and 1", open_ends=True),
    "weights": Domain(0.0, 1.0, "be positive and at most 1"),
    "frequencies": _UNIT,
    "values": Domain(-math.inf, math.inf, "be finite"),
    "log_growth": _GROWTH,
    "growths": _GROWTH,
    "strengths": _UNIT,
    "risk_second": _UNIT,
    "reference_second": _UNIT,
    "reference_log_growth": _GROWTH,
    "previous": _UNIT,
    "gamma": _UNIT,
    "first_risk": _UNIT,
    "worse": _UNIT,
    "better": _UNIT,
    "step_risk": _UNIT,
    "step_worse": _UNIT,
    "step_better": _UNIT,
    "step_kl": _DIVERGENCE,
    "step_n": _COUNT,
    "delta_mc": _SHARE,
}


def checked(owner: str, **arguments: ArrayLike) -> list[FloatArray]:
    """Return the arguments as float64 arrays that broadcast, each in the domain its name stands for."""
    arrays = {name: single(owner, name, value) for name, value in arguments.items()}
    return broadcast(owner, **arrays)


def single(owner: str, name: str, value: ArrayLike) -> FloatArray:
    """Return one argument as a float64 array in the domain its name stands for."""
    array, domain = to_floats(owner, name, value), DOMAINS[name]
    tolerance = _ROUNDING if domain.high <= 1.0 and not domain.open_ends else 0.0
    check_range(owner, name, array, domain.low - tolerance, domain.high + tolerance, domain.words)
    if domain.open_ends:
        _refuse_where(owner, name, array, (array == domain.low) | (array == domain.high), domain.words)
    if domain.whole:
        _refuse_where(owner, name, array, array != np.floor(array), domain.words)
    return np.clip(array, domain.low, domain.high) if tolerance else array


def single_number(owner: str, name: str, value: object) -> float:
    """Return one argument as a number in the domain its name stands for; an array of numbers is refused."""
    array = single(owner, name, value)  # type: ignore[arg-type]
    if array.ndim:
        raise ValueError(f"The {name!r} argument of {owner} must be one number. Got shape {array.shape} instead.")
    return float(array)


def _refuse_where(owner: str, name: str, array: FloatArray, bad: NDArray[np.bool_], words: str) -> None:
    if np.any(bad):
        worst = float(np.ravel(array)[np.ravel(bad)][0])
        raise ValueError(f"The {name!r} argument of {owner} must {words}. Got {worst!r} instead.")


def is_scalar(*arguments: object) -> bool:
    """Return whether every argument is a single number, for which :mod:`math` beats numpy."""
    return all(type(a) in _FLOATS or (type(a) is int and abs(a) < _BEYOND) for a in arguments)


def finite_double(value: object) -> float | None:
    """Return a real number as a finite double; None of anything else, such as a truth value or 10**400.

    Examples
    --------
    >>> from pacbayes._core.arguments import finite_double
    >>> [finite_double(each) for each in (2, 0.5, True, "2", float("inf"), 10**400)]
    [2.0, 0.5, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def show_number(value: object) -> str:
    """Return an argument that should be a number, for messages: of whole numbers beyond all doubles not the digits.

    Examples
    --------
    >>> from pacbayes._core.arguments import show_number
    >>> show_number("5"), show_number(10**400)
    ("'5'", 'a whole number beyond all doubles')
    """
    beyond = isinstance(value, int) and abs(value) >= _BEYOND
    return "a whole number beyond all doubles" if beyond else f"{value!r:.60}"


def to_floats(owner: str, name: str, argument: ArrayLike) -> FloatArray:
    """Return the argument as a float64 array, or say that it is not numeric."""
    refuse_masked(f"The {name!r} argument of {owner}", argument)
    try:
        array = np.asarray(argument)
    except ValueError:  # lists of different lengths
        array = np.asarray(argument, dtype=object)
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"The {name!r} argument of {owner} must be a real number or an array of them. "
            f"Got {_show_odd(argument, array)} instead."
        )
    return array.astype(np.float64, copy=False)


def refuse_masked(what: str, values: object) -> None:
    """Refuse values of which some are masked: a plain array of them would hold what the mask hides.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.arguments import refuse_masked
    >>> refuse_masked("The 'losses'", np.ma.array([0.5, 0.5], mask=[False, True]))
    Traceback (most recent call last):
      ...
    ValueError: The 'losses' must not contain masked values.
    """
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        raise ValueError(f"{what} must not contain masked values.")


def _show_odd(argument: object, array: NDArray[Any]) -> str:
    """Return what is no number in an argument, on one line: a table or a series is not shown as a whole."""
    odd = [each for each in array.flat[:1000] if not isinstance(each, numbers.Real)] if array.ndim else [argument]
    shown = " ".join(repr(odd[0]).split())[:60] if odd else str(array.dtype)
    return shown if array.ndim == 0 else f"{array.size} values such as {shown}"


def check_range(
    owner: str,
    name: str,
    values: float | FloatArray,
    low: float,
    high: float,
    requirement: str,
    *,
    finite: bool = False,
) -> None:
    """Raise a ValueError that names the first value outside ``[low, high]`` (a NaN is outside)."""
    if isinstance(values, float):
        if low <= values <= high and (not finite or math.isfinite(values)):
            return
        worst = float(values)
    else:
        inside = (values >= low) & (values <= high)
        if finite:
            inside &= np.isfinite(values)
        if inside.all():
            return
        worst = float(values[~inside].flat[0])
    raise ValueError(f"The {name!r} argument of {owner} must {requirement}. Got {worst!r} instead.")


def check_shapes(owner: str, **shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common broadcast shape, or say which shapes do not fit together."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listing = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"The arguments of {owner} must have shapes that broadcast. Got {listing} instead.") from None


def broadcast(owner: str, **arrays: FloatArray) -> list[FloatArray]:
    """Broadcast arrays against each other, or say which shapes do not fit together."""
    shape = check_shapes(owner, **{name: array.shape for name, array in arrays.items()})
    return [np.broadcast_to(array, shape) for array in arrays.values()]


def checked_weights(owner: str, name: str, weights: ArrayLike) -> FloatArray:
    """Return weights as float64 after checking sign and sum along the last axis."""
    array = to_floats(owner, name, weights)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(
            f"The {name!r} argument of {owner} must have at least one atom on its last axis. "
            f"Got shape {array.shape} instead."
        )
    check_range(owner, name, array, 0.0, np.inf, "be non-negative and finite", finite=True)
    requirement = f"sum to 1 within {WEIGHT_TOLERANCE:g} along the last axis"
    check_range(owner, name, array.sum(axis=-1), 1.0 - WEIGHT_TOLERANCE, 1.0 + WEIGHT_TOLERANCE, requirement)
    return array
