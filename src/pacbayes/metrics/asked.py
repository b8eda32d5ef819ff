"""What a run is asked for beyond the error: metrics, groups and costs, from settings to what an estimator takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pacbayes._core.types import Labels
from pacbayes.certificate import QUANTITIES, SEPARATOR, Certificate, Check
from pacbayes.metrics.questions import METRICS, Questions, get, instead_of, metric_forms, read_questions
from pacbayes.metrics.statements import questions_of
from pacbayes.metrics.texts import find_class, parse_costs, parse_metrics

__all__ = ["Asked", "check_asked", "needs_probabilities", "parse_asked"]

_ERROR = ("error",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked, in plain settings: everything that a folder stores of it.

    Attributes
    ----------
    metrics : tuple of str
        As :func:`pacbayes.metrics.get` takes them.
    weights : tuple of float
        How much of delta each has, relative to the others; none for even parts.
    groups : tuple of str
        Columns that rows are grouped by.
    differences : bool
        Whether differences between groups are stated, too.
    cost : str or None
        Costs as :func:`pacbayes.metrics.parse_costs` reads them.

    Examples
    --------
    >>> from pacbayes.metrics.asked import Asked
    >>> Asked(metrics=("error", "recall:yes")).is_error, Asked().is_error
    (False, True)
    >>> Asked(metrics=("error", "recal:yes"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    ValueError: --metric must be one of error, recall:CLASS, ... Got 'recal:yes' instead.
    """

    metrics: tuple[str, ...] = _ERROR
    weights: tuple[float, ...] = ()
    groups: tuple[str, ...] = ()
    differences: bool = False
    cost: str | None = None

    def __post_init__(self) -> None:
        for name in self.metrics:
            _check_name(name)
        has_cost = "cost" in self.metrics
        complaints = {
            "--metric must name at least one metric. Got none.": not self.metrics,
            f"--metric must name each metric once. Got {', '.join(self.metrics)[:80]} instead.": (
                len(set(self.metrics)) != len(self.metrics)
            ),
            f"--group must name each column once. Got {', '.join(self.groups)[:80]} instead.": (
                len(set(self.groups)) != len(self.groups)
            ),
            "The weights of metrics must be positive numbers, one for each.": bool(self.weights)
            and (len(self.weights) != len(self.metrics) or not all(0.0 < each < 1e300 for each in self.weights)),
            "--difference is between groups: give --group, too.": self.differences and not self.groups,
            "--cost goes with --metric cost: give both.": self.cost is not None and not has_cost,
            "--metric cost needs the costs, such as --cost yes:no=5,no:yes=1.": has_cost and self.cost is None,
        }
        for words, wrong in complaints.items():
            if wrong:
                raise ValueError(words)
        graded = next((name for name in self.metrics if self.differences and not _is_share(name)), None)
        if graded is not None:
            raise ValueError(f"--difference is stated of rates. Leave it out, or --metric {graded}.")

    @property
    def is_error(self) -> bool:
        """Whether nothing but the error on all rows is asked for."""
        return self == Asked()

    def options(self, classes: Labels) -> dict[str, Any]:
        """Return the parameters that a certified classifier takes for it; groups are given beside the rows."""
        names = tuple(find_class(each, classes) for each in self.metrics)
        if len(set(names)) != len(names):
            raise ValueError(f"--metric must name each metric once. Got {', '.join(names)[:80]} instead.")
        weighted = dict(zip(names, self.weights, strict=True)) if self.weights else names
        cost = None if self.cost is None else parse_costs("--cost", self.cost, classes)
        return {"metrics": weighted, "differences": self.differences, "cost": cost}

    def questions(self, columns: Sequence[str], classes: Labels) -> Questions:
        """Return the same for a procedure, with the columns as the table has them."""
        given = self.options(classes)
        return read_questions("--metric", given.pop("metrics"), list(columns) or None, **given, classes=classes)


def _check_name(name: str) -> None:
    try:
        get(name)
    except ValueError as error:
        if name == "cost":  # which is known, and needs its costs
            return
        plain = name.partition(":")[0]
        if plain in METRICS:
            raise ValueError(f"--metric: {error}") from None
        known = ", ".join(metric_forms())
        words = f"--metric must be one of {known}. Got {name!r:.60} instead.{instead_of(name)}"
        raise ValueError(words) from None


def needs_probabilities(name: str) -> bool:
    """Return whether a metric is about predicted probabilities."""
    return METRICS[name.partition(":")[0]].needs_probabilities


def _is_share(name: str) -> bool:
    kind = METRICS[name.partition(":")[0]].quantity
    return isinstance(kind, str) and QUANTITIES[kind].is_share


def parse_asked(
    metric: Sequence[str] | None, group: Sequence[str] | None, cost: str | None, *, difference: bool
) -> dict[str, Any]:
    """Return options of a command as the settings of a run have them.

    Examples
    --------
    >>> from pacbayes.metrics.asked import parse_asked
    >>> parse_asked(["error=3", "recall:yes=1"], None, None, difference=False)["weights"]
    (3.0, 1.0)
    """
    names, weights = parse_metrics("--metric", metric or _ERROR)
    groups = tuple(group or ())
    return {"metrics": names, "weights": weights, "groups": groups, "differences": difference, "cost": cost}


def check_asked(certificate: Certificate, asked: Asked, classes: Labels) -> Check:
    """Check that a certificate states what the settings beside it ask for, and nothing else."""
    try:
        wanted, stated = asked.questions(sorted(asked.groups), classes), questions_of(certificate)
        return Check("asked", _plain(wanted) == _plain(stated))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # settings that no run has
        return Check("asked", held=False)


def _plain(questions: Questions) -> Mapping[str, object]:
    costs = questions.costs
    return {
        "metrics": questions.keys,
        "differences": questions.differences,
        "columns": SEPARATOR.join(map(str, questions.columns)),
        "weights": questions.weights,
        "cost": None if costs is None else tuple(sorted(costs.entries)),
    }
