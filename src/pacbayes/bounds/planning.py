"""Bounds from plain numbers, and the number of examples that a target needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import single
from pacbayes._core.types import FloatOrArray
from pacbayes.bounds.betting import betting_rates
from pacbayes.bounds.catalogue import Entry, evaluate, get
from pacbayes.statistics import from_frequencies

__all__ = ["arguments_of", "examples_needed", "from_numbers"]

_MOST = 10**9


def arguments_of(record: Entry) -> tuple[str, ...]:
    """Return the names of the numbers that a bound takes.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.bounds.arguments_of(pb.bounds.get("excess_kl"))
    ('plus', 'minus', 'kl', 'n', 'delta')
    """
    return (*record.statistics, *(("kl",) if record.uses_kl else ()), "n", "delta")


def from_numbers(bound: Entry | str, given: Mapping[str, ArrayLike]) -> float:
    """Evaluate a bound on given numbers; statistics that are not given follow from "risk" as for a 0-1 loss.

    For a loss between 0 and 1 what follows from the risk is on the safe side too: its second moment, variance and
    growth are bounded by those of the 0-1 loss with the same mean.

    Parameters
    ----------
    bound : Entry or str
        A bound of the catalogue.
    given : mapping
        Numbers by name: "n", "delta", "kl" if the bound uses it, and either "risk" or what the bound needs.

    Examples
    --------
    >>> import pacbayes as pb
    >>> numbers = {"risk": 0.05, "kl": 10.0, "n": 1000, "delta": 0.05}
    >>> [round(pb.bounds.from_numbers(name, numbers), 6) for name in ("maurer", "betting")]
    [0.099974, 0.098033]
    """
    record = get(bound) if isinstance(bound, str) else bound
    _require(record, ("n", "delta"), given)
    n, delta = int(single(record.name, "n", given["n"])), float(single(record.name, "delta", given["delta"]))
    derived = _from_risk(given, n, delta) if "risk" in given else {}
    numbers = {**derived, **given}
    if "growths" in given and "rates" in numbers:  # a list, row by row, where a matrix cannot be written
        numbers["growths"] = np.asarray(given["growths"], dtype=float).reshape(-1, np.size(numbers["rates"]))
    _require(record, record.statistics, numbers)
    kl = float(single(record.name, "kl", given.get("kl", 0.0)))
    if kl > 0.0 and not record.uses_kl:
        raise ValueError(f"The bound {record.name!r} is for one fixed predictor and takes no kl. Got {kl:g}.")
    return float(evaluate(record, numbers, n, delta, kl))


def _require(record: Entry, names: Iterable[str], numbers: Mapping[str, ArrayLike]) -> None:
    lacking = [name for name in names if name not in numbers]
    if lacking:
        needs = ", ".join(arguments_of(record))
        raise ValueError(f"The bound {record.name!r} needs {needs}. {lacking[0]!r} is missing.")


def _from_risk(given: Mapping[str, ArrayLike], n: int, delta: float) -> dict[str, FloatOrArray]:
    risk = float(single("bound", "risk", given["risk"]))
    rates, weights = betting_rates(n=n, delta=delta)
    if "rates" in given:
        rates = np.atleast_1d(np.asarray(given["rates"], dtype=float))
        weights = np.full(rates.size, 1.0 / rates.size)
    # a bound on a reference takes the risk for the reference's
    return from_frequencies(n, risk, rates=rates, weights=weights) | {"reference": risk}


def examples_needed(
    name: str, *, target: float, risk: float, kl: float = 0.0, delta: float = 0.05
) -> tuple[int, float]:
    """Return a number of examples with which a bound is at most ``target``, and the bound there.

    Found by doubling and bisection: at one example fewer the bound is above the target, and with more it stays below.
    For clopper_pearson, which jumps up with every further error, the search goes over the jumps first.

    Parameters
    ----------
    name : str
        A bound of the catalogue.
    target : float
        The guarantee that is wanted.
    risk, kl, delta : float
        The observed risk and the divergence that are expected, and the allowed probability of failure.

    Examples
    --------
    >>> import pacbayes as pb
    >>> n, value = pb.bounds.examples_needed("maurer", target=0.05, risk=0.02, kl=10.0)
    >>> n, value <= 0.05
    (1388, True)
    """
    record = get(name)
    single("plan", "risk", risk)
    if not risk < target <= 1.0:
        raise ValueError(f"The target must lie above the expected risk {risk:g} and be at most 1. Got {target:g}.")

    def value(n: int) -> float:
        return from_numbers(record, {"risk": risk, "kl": kl, "n": n, "delta": delta})

    if "errors" in record.statistics and risk > 0.0:

        def after(errors: int) -> int:
            """Return the first number of examples with more errors than that: the bound's next jump."""
            return math.floor(errors / risk + 1e-9) + 1

        last = _first(lambda errors: value(after(errors)), target)
        before = after(last - 1) - 1
        high = before + _first(lambda more: value(before + more), target)
    else:
        high = _first(value, target)
    return high, value(high)


def _first(value: Callable[[int], float], target: float) -> int:
    """Return a number from which a falling function is at most the target."""
    high = _doubled(value, target)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if value(middle) <= target else (middle, high)
    return high


def _doubled(value: Callable[[int], float], target: float) -> int:
    n = 1
    while value(n) > target:
        n *= 2
        if n > _MOST:
            raise ValueError(f"More than 10^9 examples would be needed to bring the bound down to {target:g}.")
    return n
