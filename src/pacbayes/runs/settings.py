"""What was asked for: enough, together with the data, to run everything again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from pacbayes._core.records import check_fields
from pacbayes.metrics.asked import Asked
from pacbayes.runs.methods import METHODS

__all__ = ["Settings"]

_OPTIONAL = {
    "learning_fraction": float,
    "positive": str,
    "delimiter": str,
    "time": str,
    "encoding": str,
    "cost": str,
    "max_error": float,
    "max_false_negative_rate": float,
}
_DECIMALS = (".", ",")
_MISSING = ("refuse", "category")
_MOST_CANDIDATES = 2**53  # delta is divided by a double, which holds all whole numbers up to here


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one run; all of them are chosen before the rows are looked at.

    Attributes
    ----------
    target, drop, positive, missing, time
        As :func:`pacbayes.tables.prepare_table` takes them.
    delimiter, header, missing_values, encoding, decimal
        As :func:`pacbayes.tables.read_table` takes them.
    model : str
        Name or dotted path of the classifier.
    method : str
        How the guarantee is made: a name of :data:`pacbayes.runs.METHODS`, or "auto".
    delta : float
        Allowed probability of failure.
    learning_fraction : float or None
        Share of the rows that training has to itself before the judged rows begin; None is the method's own, which
        "split" finds on the way.
    candidates : int
        How many settings are compared by their certificates on these rows.
    seed : int
        Of the shuffle and of everything random.
    max_learning_rows : int
        Of the method "split": how many rows are learned from at most, whatever their share is.
    refit : bool
        Whether a second model is trained on all rows, which is not certified.
    metrics, weights, groups, differences, cost
        What is certified, as :class:`pacbayes.runs.Asked` has it.
    max_error : float or None
        Of the method "selective": the error to certify among the rows that are answered.
    max_false_negative_rate : float or None
        Of the same in place of it: the share of the rows of ``positive`` that may be missed.

    Examples
    --------
    >>> from pacbayes.runs import Settings
    >>> Settings(target="label", delta=0.01).delta
    0.01
    >>> Settings(target="label", delta=2.0)
    Traceback (most recent call last):
      ...
    ValueError: --delta must lie between 0 and 1, such as 0.05. Got 2 instead.
    """

    target: str
    model: str = "logistic"
    method: str = "auto"
    delta: float = 0.05
    learning_fraction: float | None = None
    candidates: int = 1
    seed: int = 0
    missing: str = "refuse"
    positive: str | None = None
    drop: tuple[str, ...] = ()
    delimiter: str | None = None
    header: bool = True
    missing_values: tuple[str, ...] = ()
    time: str | None = None
    encoding: str | None = None
    decimal: str = "."
    refit: bool = False
    metrics: tuple[str, ...] = ("error",)
    weights: tuple[float, ...] = ()
    groups: tuple[str, ...] = ()
    differences: bool = False
    cost: str | None = None
    max_error: float | None = None
    max_false_negative_rate: float | None = None
    max_learning_rows: int = 1_000_000

    def __post_init__(self) -> None:
        methods = ("auto", *METHODS)
        complaints = {
            f"--delta must lie between 0 and 1, such as 0.05. Got {self.delta:g} instead.": not 0.0 < self.delta < 1.0,
            f"--method must be {', '.join(methods)}. Got {self.method!r} instead.": self.method not in methods,
            f"--candidates must be a whole number of at least 1. Got {self.candidates} instead.": self.candidates < 1,
            f"--candidates must be at most 2**53. Got {self.candidates} instead.": self.candidates > _MOST_CANDIDATES,
            f"--missing must be refuse or category. Got {self.missing!r} instead.": self.missing not in _MISSING,
            f"--delimiter must be a single character. Got {self.delimiter!r} instead.": self.delimiter is not None
            and len(self.delimiter) != 1,
            f"--decimal must be '.' or ','. Got {self.decimal!r} instead.": self.decimal not in _DECIMALS,
            f"--decimal and --delimiter must differ. Got {self.decimal!r} for both.": self.decimal == self.delimiter,
            f"--learning-fraction must lie strictly between 0 and 1. Got {self.learning_fraction} instead.": (
                self.learning_fraction is not None and not 0.0 < self.learning_fraction < 1.0
            ),
            f"--seed must be a whole number between 0 and 2**32 - 1. Got {self.seed} instead.": (
                not 0 <= self.seed < 2**32
            ),
        }
        few = f"--max-learning-rows must be a whole number of at least 1. Got {self.max_learning_rows} instead."
        complaints |= self._target_complaints() | {few: self.max_learning_rows < 1}
        for words, wrong in complaints.items():
            if wrong:
                raise ValueError(words)
        _ = self.asked  # which refuses what cannot be asked

    @property
    def asked(self) -> Asked:
        """What is certified."""
        return Asked(**{each.name: getattr(self, each.name) for each in fields(Asked)})

    @property
    def selects(self) -> bool:
        """Whether a threshold is to be certified: which rows are answered, or from where on a class is given."""
        return self.max_error is not None or self.max_false_negative_rate is not None

    @property
    def judges_blocks(self) -> bool:
        """Whether rows need not be in memory: learning takes some of them, and the others are judged in blocks."""
        whole = self.selects or self.refit or self.time is not None
        return self.method in {"auto", "split"} and not whole

    def _target_complaints(self) -> dict[str, bool]:
        """Return what may be wrong with an error or a rate that is to be certified, and whether it is."""
        given = {"--max-error": self.max_error, "--max-false-negative-rate": self.max_false_negative_rate}
        names = " or ".join(given)
        return {
            f"{name} must lie strictly between 0 and 1. Got {value} instead.": value is not None
            and not 0.0 < value < 1.0
            for name, value in given.items()
        } | {
            f"Give {names}, not both.": None not in given.values(),
            "--max-false-negative-rate is about one class: name it with --positive.": (
                self.max_false_negative_rate is not None and self.positive is None
            ),
            f"{names} goes with --method selective. Got {self.method!r} instead.": (
                self.selects and self.method not in {"auto", "selective"}
            ),
            f"--method selective needs {names}.": self.method == "selective" and not self.selects,
        }

    @property
    def basis(self) -> dict[str, tuple[str, ...]]:
        """What a table is read for, by what each is: which number it is that a certificate limits follows from it."""
        optional = {"positive": self.positive, "time": self.time}
        given = {what: (name,) for what, name in optional.items() if name is not None}
        lists = {"drop": self.drop, "missing_value": self.missing_values}
        listed = {what: names for what, names in lists.items() if names}
        return {"target": (self.target,), **given, "model": (self.model,), **listed}

    @property
    def not_used(self) -> tuple[str, ...]:
        """Names of columns that are not predicted from: target, time, and what is left out, alone or in a list."""
        dropped = [name.strip() for each in self.drop for name in (each, *each.split(","))]
        return (self.target, *(() if self.time is None else (self.time,)), *dict.fromkeys(dropped))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, numbers and text."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Settings:
        """Read what :meth:`to_dict` gave, of this version or an earlier one; anything else is refused."""
        defaults = cls(target="").to_dict()
        check_fields("The settings of a model", record, cls)
        for name, value in record.items():
            _check_type(name, value, defaults[name])
        changed: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in record.items()}
        return cls(**changed)


def _check_type(name: str, value: object, default: object) -> None:
    expected = _OPTIONAL.get(name, type(default))
    if (value is None and name in _OPTIONAL) or (type(value) is expected):
        member = float if name == "weights" else str
        if not isinstance(value, list) or all(type(each) is member for each in value):
            return
    raise ValueError(f"The setting {name!r} of a model must be {expected.__name__}. Got {value!r:.60} instead.")
