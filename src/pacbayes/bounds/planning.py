"""Bounds from plain numbers, and the number of examples that a target needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincc

from pacbayes._core.arguments import finite_double, show_number, single, single_number
from pacbayes._core.types import FloatOrArray
from pacbayes.bounds.betting import betting_rates
from pacbayes.bounds.catalogue import Entry, evaluate, get
from pacbayes.bounds.holdout import chernoff, clopper_pearson
from pacbayes.statistics import from_frequencies

__all__ = ["MAY_RISE", "arguments_of", "errors_within", "examples_needed", "from_numbers"]

# their grid of rates is made for n, and where it gains a rate they rise a little as n grows
MAY_RISE = frozenset({"betting", "portfolio", "tolstikhin_seldin", "unexpected_bernstein"})
_MOST = 10**9
_TAIL_SLACK = 2e-9  # twice that of clopper_pearson, whose limit is then at most the target too


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
    n, delta = int(single(record.name, "n", given["n"])), single_number(record.name, "delta", given["delta"])
    derived = _from_risk(given, n, delta) if "risk" in given else {}
    numbers = {**derived, **given}
    if "growths" in given and "rates" in numbers:  # a list, row by row, where a matrix cannot be written
        numbers["growths"] = np.asarray(given["growths"], dtype=float).reshape(-1, np.size(numbers["rates"]))
    _require(record, record.statistics, numbers)
    kl = single_number(record.name, "kl", given.get("kl", 0.0))
    if kl > 0.0 and not record.uses_kl:
        raise ValueError(f"The bound {record.name!r} is for one fixed predictor and takes no kl. Got {kl:g}.")
    return float(evaluate(record, numbers, n, delta, kl))


def _require(record: Entry, names: Iterable[str], numbers: Mapping[str, ArrayLike]) -> None:
    lacking = [name for name in names if name not in numbers]
    if lacking:
        needs = ", ".join(arguments_of(record))
        raise ValueError(f"The bound {record.name!r} needs {needs}. {lacking[0]!r} is missing.")


def _from_risk(given: Mapping[str, ArrayLike], n: int, delta: float) -> dict[str, FloatOrArray]:
    risk = single_number("bound", "risk", given["risk"])
    rates, weights = betting_rates(n=n, delta=delta)
    if "rates" in given:
        rates = np.atleast_1d(np.asarray(given["rates"], dtype=float))
        weights = np.full(rates.size, 1.0 / rates.size)
    # a bound on a reference takes the risk for the reference's
    return from_frequencies(n, risk, rates=rates, weights=weights) | {"reference": risk}


def examples_needed(
    name: str, *, target: float, risk: float, kl: float = 0.0, delta: float = 0.05
) -> tuple[int, float]:
    """Return the smallest number of examples from which on a bound is at most ``target``, and the bound there.

    With that many examples or more it is at most the target if at most the share ``risk`` of them are errors; with one
    fewer it is not. For clopper_pearson, which jumps up with every further error, "at most that share" is the largest
    whole number of errors, and all jumps are looked at. For the bounds with a grid of rates that is made for n
    (betting, portfolio, tolstikhin_seldin, unexpected_bernstein) that many are enough, and somewhat larger numbers may
    not be: such a bound rises a little where its grid gains a rate.

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
    >>> pb.bounds.examples_needed("clopper_pearson", target=0.05, risk=0.02)[0]
    153
    """
    record = get(name)
    risk, wanted = single_number("plan", "risk", risk), finite_double(target)
    if wanted is None or not risk < wanted <= 1.0:
        raise ValueError(
            f"The target must lie above the expected risk {risk:g} and be at most 1. Got {show_number(target)}."
        )
    if record.name == "clopper_pearson":
        from_numbers(record, {"errors": 0, "n": 1, "kl": kl, "delta": delta})  # which refuses what it does not take
        return _counts_needed(target, Fraction(repr(float(risk))), delta)

    def value(n: int) -> float:
        return from_numbers(record, {"risk": risk, "kl": kl, "n": n, "delta": delta})

    high = _first(value, target)
    return high, value(high)


def errors_within(risk: float, n: int) -> int:
    """Return the most errors that are at most a share of ``n`` examples, the share as it is written.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.bounds.errors_within(0.29, 100), int(0.29 * 100)
    (29, 28)
    """
    return math.floor(Fraction(repr(float(risk))) * n)


def _counts_needed(target: float, risk: Fraction, delta: float) -> tuple[int, float]:
    """Return the smallest number of examples such that for it and all larger ones the bound is at most the target.

    Chernoff's bound at ``risk`` is above the exact one at every smaller share of errors and falls with the number of
    examples, so that from where it meets the target on all is well. From there ranges of numbers are passed
    downwards: the bound with the errors of the largest and the examples of the smallest is above all of a range. Where
    a range is a single number its bound is exact, and the first that is above the target is the last of all.
    """
    allowed = delta * (1.0 - _TAIL_SLACK)

    def is_enough(errors: int, n: int) -> bool:
        """Return whether so few errors would be improbable at the target: the limit is then at most that."""
        return errors < n and bool(betaincc(errors + 1.0, float(n - errors), target) <= allowed)

    good, step = _first(lambda n: chernoff(float(risk), float(n), delta), target), 1
    while good > 1 and target < 1.0:
        low = max(good - step, 1)
        if is_enough((good - 1) * risk.numerator // risk.denominator, low):
            good, step = low, 3 * step // 2 + 1
        elif step == 1:
            break
        else:
            step = min(step, good - 1) // 2 or 1
    return good, clopper_pearson(float(math.floor(risk * good)), float(good), delta)


def _first(value: Callable[[int], float], target: float) -> int:
    """Return a number from which a falling function is at most the target; of another one, where it begins to be."""
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
