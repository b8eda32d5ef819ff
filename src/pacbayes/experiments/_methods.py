"""The methods of the grid: each a pure function of a split, with what its number means and what it assumes.

To add one, write a function from a :class:`Split` to a dict of numbers with at least "value" (the bound) and "test" (an
error rate on the test rows), and register it with :func:`method`; tables, figure and page pick it up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pacbayes.bounds import betting_rates, debiased
from pacbayes.estimators import CertifiedLogisticRegression
from pacbayes.experiments._baselines import holdout, progressive
from pacbayes.experiments._paper import PaperFit, paper_bound
from pacbayes.experiments._published import AFFECTS, AS_PUBLISHED, CORRECTED, Departures
from pacbayes.experiments._sound import informed, laplace, split_kl
from pacbayes.experiments._split import Split

__all__ = ["BUILT_IN", "DELTA", "GROUPS", "METHODS", "Method", "checked_methods", "method"]

DELTA = 0.05

GROUPS = ("as published", "corrected arithmetic", "ours", "baselines")
_NOT_SOUND = "not a certificate: the printed arithmetic departs from the theorems"
_E7 = "assumes the published theorem for online references, whose proof fails (erratum E7)"
_E11 = "holds, but for features scaled with all rows (erratum E11)"
_SOUND = "sound"


@dataclass(frozen=True, slots=True)
class Method:
    """One column of the table.

    Attributes
    ----------
    name, title, group : str
        How it is asked for, printed and ordered.
    function : callable
        From a :class:`Split` to a dict of numbers.
    about, guarantee : str
        What it computes, and what its number is worth.
    """

    name: str
    title: str
    group: str
    function: Callable[[Split], dict[str, float]]
    about: str
    guarantee: str


METHODS: dict[str, Method] = {}


def method(
    name: str, title: str, group: str, about: str, guarantee: str
) -> Callable[[Callable[[Split], dict[str, float]]], Callable[[Split], dict[str, float]]]:
    """Register a function as a method; the name must be new.

    Parameters
    ----------
    name, title : str
        How it is asked for, and how it is printed.
    group : {"as published", "corrected arithmetic", "ours", "baselines"}
        Where it stands in the figure.
    about, guarantee : str
        What it computes, and what its number is worth: "sound", or what it assumes.

    Examples
    --------
    >>> from pacbayes.experiments import METHODS, method
    >>> @method("vacuous", "vacuous", "baselines", "one, whatever the data", "sound")
    ... def vacuous(split):
    ...     return {"value": 1.0, "test": float(split.test[1].mean())}
    >>> METHODS.pop("vacuous").guarantee
    'sound'
    """

    def register(function: Callable[[Split], dict[str, float]]) -> Callable[[Split], dict[str, float]]:
        if name in METHODS or group not in GROUPS:
            raise ValueError(
                f"The 'name' argument of method must be new and 'group' one of {GROUPS}. "
                f"Got {name!r} and {group!r} instead."
            )
        METHODS[name] = Method(name, title, group, function, about, guarantee)
        return function

    return register


def checked_methods(names: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names asked for in the order of the table; by default all."""
    wanted = tuple(METHODS) if names is None else tuple(names)
    for name in wanted:
        if name not in METHODS:
            raise ValueError(f"The 'methods' argument of run must be among {list(METHODS)}. Got {name!r} instead.")
    if not wanted:
        raise ValueError("The 'methods' argument of run must name at least one method. Got none instead.")
    return tuple(name for name in METHODS if name in wanted)


def _at_scale(fit: PaperFit, value: float, scale: int) -> dict[str, float]:
    index = scale - 1
    return {
        "value": min(value, 1.0),
        "test": fit.test,
        "test_gibbs": float(fit.test_gibbs[index]),
        "risk": float(fit.risk[index]),
        "kl": float(fit.kl[index]),
        "scale": float(scale),
        "reference": float(fit.reference.losses.mean()),
    }


def _paper_method(bound: str, departures: Departures) -> Callable[[Split], dict[str, float]]:
    """Return one of the paper's bounds, with what putting each departure right alone would make of it."""

    def compute(split: Split) -> dict[str, float]:
        record = _at_scale(split.paper, *paper_bound(bound, split.paper, departures, DELTA))
        for name in AFFECTS[bound]:
            if getattr(departures, name):
                alone = paper_bound(bound, split.paper, departures.without(name), DELTA)[0]
                record[f"without_{name.partition('_')[0]}"] = min(alone, 1.0)
        return record

    return compute


for _name, _title in (("maurer", "Maurer"), ("ub", "UB"), ("ours", "Ours")):
    _errata = ", ".join(departure.partition("_")[0].upper() for departure in AFFECTS[_name])
    _words = f"the paper's {_title}, arithmetic as in the printed table ({_errata})"
    method(f"published-{_name}", f"{_title} (as published)", GROUPS[0], _words, _NOT_SOUND)(
        _paper_method(_name, AS_PUBLISHED)
    )
for _name, _title in (("maurer", "Maurer"), ("ub", "UB"), ("ours", "Ours")):
    _words = f"the paper's {_title}, arithmetic as its theorems have it"
    method(f"corrected-{_name}", f"{_title} (corrected)", GROUPS[1], _words, _E11 if _name == "maurer" else _E7)(
        _paper_method(_name, CORRECTED)
    )


@method("betting", "betting", GROUPS[2], "betting for excess and reference, on the paper's posterior", _E11)
def _betting(split: Split) -> dict[str, float]:
    """Bound the paper's posterior at each of its scales; no union is needed over posteriors."""
    fit = split.paper
    rates, weights = betting_rates(fit.n, DELTA / 2.0)
    values = []
    for expected, kl in zip(fit.expected, fit.kl, strict=True):
        summary = fit.reference.summary(expected, rates=rates, weights=weights)
        values.append(float(debiased(summary, kl, DELTA)))
    best = min(range(len(values)), key=values.__getitem__)
    return _at_scale(fit, values[best], best + 1)


@method("laplace", "laplace", GROUPS[2], "a Laplace-shaped posterior, prior N(0, I/2), betting, no reference", _SOUND)
def _laplace(split: Split) -> dict[str, float]:
    return laplace(split, DELTA)


@method("informed", "informed", GROUPS[2], "prior and scaling from one half, betting on the other", _SOUND)
def _informed(split: Split) -> dict[str, float]:
    return informed(split, DELTA)


@method("certificate", "certificate", GROUPS[2], "CertifiedLogisticRegression() as it comes", _SOUND)
def _certificate(split: Split) -> dict[str, float]:
    (X, y), (rows, labels) = split.train, split.test
    model = CertifiedLogisticRegression(random_state=split.seed_for("certificate")).fit(X, y)
    return {
        "value": model.certificate_.value,
        "vote_value": float(model.certificate_.vote_value or 1.0),
        "test": float((model.predict(rows) != labels).mean()),
        "risk": float(model.certificate_.statistics["risk"]),
        "kl": model.certificate_.kl,
    }


@method("split-kl", "split-kl", GROUPS[3], "split-kl over the informed prior's mean, on the same posteriors", _SOUND)
def _split_kl(split: Split) -> dict[str, float]:
    return split_kl(split, DELTA)


@method("holdout", "hold-out", GROUPS[3], "a model from 80 % of the training rows, Clopper-Pearson on the rest", _SOUND)
def _holdout(split: Split) -> dict[str, float]:
    return holdout(split, DELTA)


@method(
    "progressive",
    "progressive",
    GROUPS[3],
    "each example predicted, then learned: the mean error of all snapshots, by betting",
    _SOUND,
)
def _progressive(split: Split) -> dict[str, float]:
    return progressive(split, DELTA)


BUILT_IN = frozenset(METHODS)  # what every worker process knows; the rest is sent to it
