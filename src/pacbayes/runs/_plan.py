"""Bounds from plain numbers, and the number of examples that a target needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pacbayes._core.arguments import single
from pacbayes.bounds import Entry, betting_rates, catalogue
from pacbayes.bounds._catalogue import evaluate

__all__ = ["arguments_of", "bound_named", "bound_of", "examples_needed"]

_MOST = 10**9


def bound_named(name: str) -> Entry:
    """Return a bound of the catalogue by its name; a hyphen stands for an underscore."""
    records = {record.name: record for record in catalogue()}
    found = records.get(name.replace("-", "_"))
    if found is None:
        raise ValueError(f"The bound must be one of {', '.join(records)}. Got {name!r} instead.")
    return found


def arguments_of(record: Entry) -> tuple[str, ...]:
    """Return the names of the numbers that a bound takes."""
    return (*record.statistics, *(("kl",) if record.uses_kl else ()), "n", "delta")


def bound_of(record: Entry, given: Mapping[str, Any]) -> float:
    """Evaluate a bound on given numbers; statistics that are not given follow from "risk" as for a 0-1 loss.

    For a loss between 0 and 1 what follows from the risk is on the safe side too: its second moment, variance and
    growth are bounded by those of the 0-1 loss with the same mean.
    """
    for name in ("n", "delta"):
        if name not in given:
            raise ValueError(f"The bound {record.name!r} needs {_listed(arguments_of(record))}. {name!r} is missing.")
    n, delta = int(single(record.name, "n", given["n"])), float(single(record.name, "delta", given["delta"]))
    derived = _from_risk(given, n, delta) if "risk" in given else {}
    numbers = {**derived, **given}
    lacking = [name for name in record.statistics if name not in numbers]
    if lacking:
        raise ValueError(f"The bound {record.name!r} needs {_listed(arguments_of(record))}. {lacking[0]!r} is missing.")
    kl = float(single(record.name, "kl", given.get("kl", 0.0)))
    if kl > 0.0 and not record.uses_kl:
        raise ValueError(f"The bound {record.name!r} is for one fixed predictor and takes no kl. Got {kl:g}.")
    return float(evaluate(record, numbers, n, delta, kl))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)


def _from_risk(given: Mapping[str, Any], n: int, delta: float) -> dict[str, Any]:
    risk = float(single("bound", "risk", given["risk"]))
    rates, weights = betting_rates(n=n, delta=delta)
    if "rates" in given:
        rates = np.atleast_1d(np.asarray(given["rates"], dtype=float))
        weights = np.full(rates.size, 1.0 / rates.size)
    return {
        "errors": math.ceil(risk * n - 1e-9),
        "reference": risk,
        "plus": risk,
        "minus": 0.0,
        "excess": risk,
        "second": risk,
        "variance": min(risk * (1.0 - risk) * n / max(n - 1, 1), 0.5),
        "frequencies": np.array([risk, 1.0 - risk]),
        "values": np.array([1.0, 0.0]),
        "log_growth": risk * np.log1p(-rates),
        "rates": rates,
        "weights": weights,
    }


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
    >>> from pacbayes.runs._plan import examples_needed
    >>> n, value = examples_needed("maurer", target=0.05, risk=0.02, kl=10.0)
    >>> n, value <= 0.05
    (1388, True)
    """
    record = bound_named(name)
    single("plan", "risk", risk)
    if not risk < target <= 1.0:
        raise ValueError(f"The target must lie above the expected risk {risk:g} and be at most 1. Got {target:g}.")

    def value(n: int) -> float:
        return bound_of(record, {"risk": risk, "kl": kl, "n": n, "delta": delta})

    if record.name == "clopper_pearson" and risk > 0.0:

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
