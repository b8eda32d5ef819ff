"""What was asked for: enough, together with the data, to run everything again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

__all__ = ["METHODS", "Settings", "chosen_method"]

MANY_ROWS = 10_000
METHODS = ("posterior", "online", "holdout")
_SHARES = {"posterior": 0.4, "online": 0.2, "holdout": 0.8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one run; all of them are chosen before the rows are looked at.

    Attributes
    ----------
    target, drop, positive, missing
        As :func:`pacbayes.tables.prepare_table` takes them.
    delimiter, header, missing_values
        As :func:`pacbayes.tables.read_table` takes them.
    model : str
        Name or dotted path of the classifier.
    method : {"posterior", "online", "holdout"}
        How the guarantee is made.
    delta : float
        Allowed probability of failure.
    prior_fraction : float or None
        Share of the rows that training has to itself before the bound's rows begin; None is the method's own.
    candidates : int
        How many settings are compared by their certificates on these rows.
    seed : int
        Of the shuffle and of everything random.
    """

    target: str
    model: str = "logistic"
    method: str = "posterior"
    delta: float = 0.05
    prior_fraction: float | None = None
    candidates: int = 1
    seed: int = 0
    missing: str = "refuse"
    positive: str | None = None
    drop: tuple[str, ...] = ()
    delimiter: str | None = None
    header: bool = True
    missing_values: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of the rows for training before the bound's rows begin."""
        return _SHARES[self.method] if self.prior_fraction is None else self.prior_fraction

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, numbers and text."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Settings:
        """Read what :meth:`to_dict` gave; anything else is refused."""
        defaults = cls(target="").to_dict()
        if set(record) != {each.name for each in fields(cls)}:
            raise ValueError("The settings of a model must have exactly the fields of this version.")
        for name, value in record.items():
            _check_type(name, value, defaults[name])
        changed: dict[str, Any] = {name: tuple(map(str, v)) if isinstance(v, list) else v for name, v in record.items()}
        return cls(**changed)


def _check_type(name: str, value: Any, default: Any) -> None:
    optional = {"prior_fraction": float, "positive": str, "delimiter": str}
    expected = optional.get(name, type(default))
    if (value is None and name in optional) or (type(value) is expected):
        return
    raise ValueError(f"The setting {name!r} of a model must be {expected.__name__}. Got {value!r:.60} instead.")


def chosen_method(method: str, model: str, classes: int, rows: int) -> tuple[str, str]:
    """Resolve "auto" from the model and the numbers of classes and rows, never from anything computed; say why.

    Logistic regression of two classes has a posterior. Other models are certified online while rows are few, since
    every row then both judges and teaches; where there are many, a fifth of them judges well enough, and the number
    is about one model and not about a choice of snapshots.

    Examples
    --------
    >>> from pacbayes.runs import chosen_method
    >>> chosen_method("auto", "random-forest", classes=2, rows=900)
    ('online', 'online, because random-forest has no posterior and there are fewer than 10000 rows')
    """
    if method != "auto":
        if method not in METHODS:
            raise ValueError(f"The method must be auto, {', '.join(METHODS)}. Got {method!r} instead.")
        if method == "posterior" and (model != "logistic" or classes != 2):
            raise ValueError(
                f"The method 'posterior' is for --model logistic and two classes. Got {model!r} and {classes} classes; "
                "use --method online or holdout, or set one class against the rest with --positive."
            )
        return method, f"{method}, as asked for"
    if model == "logistic" and classes == 2:
        return "posterior", "posterior, because the model is logistic and there are two classes"
    what = model if model != "logistic" else f"a target of {classes} classes"
    if rows < MANY_ROWS:
        return "online", f"online, because {what} has no posterior and there are fewer than {MANY_ROWS} rows"
    return "holdout", f"holdout, because {what} has no posterior and there are at least {MANY_ROWS} rows"
