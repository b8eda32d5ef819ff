"""The options of certified logistic regression: which there are, and which go together."""

from __future__ import annotations

import numbers
from inspect import isclass
from typing import Protocol

import numpy as np

from pacbayes import bounds
from pacbayes.estimators.base import check_candidates, check_delta, check_fraction
from pacbayes.procedures.references import REFERENCES

__all__ = ["Options", "check_bound", "check_parameters", "check_preprocessing", "resolve_references"]

_LARGEST = 1e300  # of a penalty
_KNOWN = [each for each in bounds.catalogue() if each.reads_summary and each.targets & {"risk", "excess"}]
_CHOICES = {
    "posterior": ("laplace", "isotropic"),
    "prior": ("informed", "zero"),
    "derandomize": ("vote", "draw"),
    "bound": tuple(each.name for each in _KNOWN if each.uses_kl),
}
_EXACT = tuple(each.name for each in _KNOWN if not each.uses_kl)  # bounds for a single predictor
_DRAWN = tuple(name for name in _CHOICES["bound"] if f"{name}_draw" in {each.name for each in bounds.catalogue()})
_PORTFOLIO = {"informed": ("fixed",), "zero": ("learned",)}  # tightest in our benchmarks, by prior


class Options(Protocol):
    """What :class:`pacbayes.CertifiedLogisticRegression` was given."""

    delta: float
    alpha: float | str
    prior_fraction: float
    preprocessing: object
    prior: str
    bound: str
    reference: str | tuple[str, ...]
    strength: float | str
    derandomize: str
    candidates: int


def check_parameters(model: Options) -> None:
    """Refuse parameters that have no meaning."""
    owner = type(model).__name__
    check_delta(owner, model.delta)
    check_candidates(owner, model.candidates)
    check_fraction(owner, "prior_fraction", model.prior_fraction)
    if isinstance(model.bound, str) and model.bound in _EXACT:
        raise ValueError(
            f"The 'bound' parameter of {owner} must be a bound for posteriors; the exact limit for one predictor "
            f"is that of CertifiedClassifier(split={model.prior_fraction!r}). Got {model.bound!r} instead."
        )
    for name, allowed in _CHOICES.items():
        if not isinstance(getattr(model, name), str) or getattr(model, name) not in allowed:
            raise ValueError(
                f"The {name!r} parameter of {owner} must be one of {', '.join(map(repr, allowed))}. "
                f"Got {getattr(model, name)!r} instead."
            )
    check_preprocessing(owner, model.preprocessing)
    for name, top in (("alpha", _LARGEST), ("strength", 1.0)):
        given = getattr(model, name)
        number = isinstance(given, numbers.Real) and not isinstance(given, bool)
        if not (isinstance(given, str) and given == "auto") and not (number and 0.0 < given <= top < np.inf):
            raise ValueError(
                f"The {name!r} parameter of {owner} must be 'auto' or a positive float"
                f"{' of at most 1' if top == 1.0 else ''}. Got {given!r} instead."
            )


def check_preprocessing(owner: str, given: object) -> None:
    """Refuse what is no transformer."""
    known = given is None or (isinstance(given, str) and given == "passthrough")
    if not known and (isclass(given) or not (hasattr(given, "fit") and hasattr(given, "transform"))):
        raise ValueError(
            f"The 'preprocessing' parameter of {owner} must be a transformer, None or 'passthrough'. "
            f"Got {given!r:.60} instead."
        )


def resolve_references(model: Options) -> tuple[str, ...]:
    """Resolve "auto" and "none", and refuse what is not a reference."""
    given = model.reference
    if isinstance(given, str) and given in ("auto", "none"):
        return _PORTFOLIO[model.prior] if given == "auto" and model.bound == "portfolio" else ()
    names = (given,) if isinstance(given, str) else given
    known = isinstance(names, tuple | list) and all(isinstance(each, str) and each in REFERENCES for each in names)
    if not known or not names or len(set(names)) < len(names):
        raise ValueError(
            f"The 'reference' parameter of {type(model).__name__} must be 'auto', 'none', one of "
            f"{', '.join(map(repr, REFERENCES))}, or several of these in a tuple. Got {given!r} instead."
        )
    return tuple(names)


def check_bound(model: Options, references: tuple[str, ...]) -> None:
    """Refuse combinations that no theorem covers."""
    name, owner = model.bound, type(model).__name__
    record = bounds.get(name)
    takes_several = "strengths" in record.statistics
    if model.derandomize == "draw" and (name not in _DRAWN or (references and not takes_several)):
        raise ValueError(
            f"{owner} with derandomize='draw' takes the bounds {', '.join(map(repr, _DRAWN))}, and references with "
            f"'portfolio' alone. Got bound={name!r} and reference={model.reference!r} instead."
        )
    if references and "excess" not in record.targets and not takes_several:
        raise ValueError(
            f"{owner} with bound={name!r}, which is not for an excess, takes no reference. "
            f"Got reference={model.reference!r} instead."
        )
    if len(references) > 1 and not takes_several:
        raise ValueError(
            f"{owner} with bound={name!r} takes one reference; several need bound='portfolio'. "
            f"Got reference={model.reference!r} instead."
        )
    if takes_several and not isinstance(model.strength, str):
        raise ValueError(
            f"{owner} with bound={name!r}, which bets on all strengths, takes none. "
            f"Got strength={model.strength!r} instead."
        )
    for each in references:
        bounds.require_sound(owner, record, REFERENCES[each].kind, None)
