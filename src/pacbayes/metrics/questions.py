"""What is asked of a predictor: metrics, for all rows and by group, and how much of delta each has."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pacbayes._core.labels import label_text
from pacbayes._core.types import Labels, Rows
from pacbayes.certificate import QUANTITIES, metric_name
from pacbayes.metrics.balanced import BalancedError
from pacbayes.metrics.base import Metric
from pacbayes.metrics.cost import Cost, CostTable
from pacbayes.metrics.error import Error
from pacbayes.metrics.grouping import GroupColumns, Grouping, group_rows, read_group_columns
from pacbayes.metrics.probabilities import Brier, LogLoss
from pacbayes.metrics.rates import FalseNegativeRate, FalsePositiveRate, Precision, Recall, Specificity
from pacbayes.metrics.regression import LOSSES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["METRICS", "Questions", "get", "instead_of", "metric_forms", "read_metrics", "read_questions"]

# of predicted labels and probabilities, by name; those of a class are named "NAME:CLASS"
METRICS: dict[str, type[Metric]] = {
    "error": Error,
    "recall": Recall,
    "fnr": FalseNegativeRate,
    "fpr": FalsePositiveRate,
    "specificity": Specificity,
    "precision": Precision,
    "balanced-error": BalancedError,
    "cost": Cost,
    "brier": Brier,
    "log-loss": LogLoss,
}

# what scikit-learn has and is asked for here, with what there is instead
_INSTEAD = {
    "accuracy": "An accuracy of at least 90 % is an 'error' of at most 10 %.",
    "balanced_accuracy": "Its complement is 'balanced-error'.",
    "sensitivity": "It is 'recall:CLASS' here.",
    "f1": "No limit on F1 is known here: ask for 'recall:CLASS' and 'precision:CLASS', which hold together.",
    "roc_auc": "No limit on a ranking is known here: ask for 'recall:CLASS' and 'fpr:CLASS', which hold together.",
}
_INSTEAD |= {"auc": _INSTEAD["roc_auc"], "tpr": _INSTEAD["sensitivity"]}


def instead_of(name: str) -> str:
    """Return what there is in place of a metric that is known elsewhere, after a blank; nothing for any other.

    Examples
    --------
    >>> from pacbayes.metrics.questions import instead_of
    >>> instead_of("accuracy"), instead_of("size")
    (" An accuracy of at least 90 % is an 'error' of at most 10 %.", '')
    """
    words = _INSTEAD.get(name.partition(":")[0].lower().replace("-", "_"))
    return "" if words is None else f" {words}"


def metric_forms(*, of_labels: bool = False) -> list[str]:
    """Return how metrics are written, with CLASS for the class that one is of; ``of_labels`` without probabilities.

    Examples
    --------
    >>> from pacbayes.metrics import metric_forms
    >>> metric_forms(of_labels=True)[:2]
    ['error', 'recall:CLASS']
    """
    kept = (item for item in METRICS.items() if not (of_labels and item[1].needs_probabilities))
    return [f"{name}:CLASS" if _is_of_class(kind) else name for name, kind in kept]


def _is_of_class(kind: type[Metric]) -> bool:
    return QUANTITIES[kind.quantity].has_label if isinstance(kind.quantity, str) else False


def get(name: str, costs: CostTable | None = None) -> Metric:
    """Return a metric by its name, or say which there are.

    Parameters
    ----------
    name : str
        Such as "error", "recall:yes" or, of predicted numbers, "absolute".
    costs : CostTable, optional
        For "cost".

    Examples
    --------
    >>> from pacbayes import metrics
    >>> metrics.get("error").quantity, metrics.get("recall:yes").label
    ('error', 'yes')
    """
    plain, colon, label = name.partition(":")
    known: dict[str, type[Metric]] = {**METRICS, **LOSSES}
    if plain not in known:
        forms = ", ".join([*metric_forms(), *LOSSES])
        raise ValueError(f"The metric must be one of {forms}. Got {name!r:.60} instead.{instead_of(name)}")
    kind = known[plain]
    of_class = _is_of_class(kind)
    if of_class != bool(colon and label):
        wanted = f"name a class, as in {plain + ':yes'!r}" if of_class else f"be {plain!r}, without a class"
        raise ValueError(f"The metric {plain!r} must {wanted}. Got {name!r:.60} instead.")
    if kind is Cost:
        if costs is None:
            raise ValueError("The metric 'cost' needs the costs: give cost= (on the command line --cost).")
        return Cost(costs)
    return kind(label) if of_class else kind()  # type: ignore[call-arg]


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked: each metric for all rows and, where there are columns to group by, for each group.

    Attributes
    ----------
    names : tuple of str
        Metrics, as :func:`get` takes them; the first gives the headline.
    columns : tuple of str or int
        Columns by whose values the rows are grouped, crossed if there are several.
    differences : bool
        Whether to state the largest difference between any two groups, too.
    weights : tuple of float or None
        How much of delta each metric has, relative to the others; None for even parts.
    costs : CostTable or None
        For the metric "cost".

    Examples
    --------
    >>> from pacbayes.metrics import Questions
    >>> Questions(("error", "recall:yes"), columns=("sex",)).needs_probabilities
    False
    """

    names: tuple[str, ...] = ("error",)
    columns: tuple[str | int, ...] = ()
    differences: bool = False
    weights: tuple[float, ...] | None = None
    costs: CostTable | None = None

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics themselves."""
        return tuple(get(name, self.costs) for name in self.names)

    @property
    def keys(self) -> tuple[str, ...]:
        """What statements call the metrics: :attr:`pacbayes.certificate.Statement.name`."""
        return tuple(metric_name(each.quantity, each.label) for each in self.metrics)

    @property
    def needs_probabilities(self) -> bool:
        """Whether a predictor is asked for probabilities, too."""
        return any(each.needs_probabilities for each in self.metrics)

    @property
    def families(self) -> int:
        """In how many ways each metric is stated: for all rows, by group, and as a difference."""
        return 1 + bool(self.columns) + (self.differences and bool(self.columns))

    @property
    def first_share(self) -> float:
        """The share of delta that the headline has."""
        weights = self.weights or (1.0,) * len(self.names)
        return weights[0] / sum(weights) / self.families

    def group(self, owner: str, X: Rows) -> Grouping | None:
        """Group rows by the columns; None where there are none."""
        return group_rows(owner, X, self.columns) if self.columns else None

    def check_classes(self, owner: str, classes: Labels) -> None:
        """Refuse metrics of classes that there are not."""
        texts = [label_text(each) for each in classes]
        for name, each in zip(self.names, self.metrics, strict=True):
            if each.label is not None and each.label not in texts:
                shown = ", ".join(texts[:8]) + (" ..." if len(texts) > 8 else "")
                raise ValueError(f"The metric {name!r} of {owner} must name a class. The classes are {shown}.")


def read_metrics(owner: str, metrics: str | Sequence[str] | Mapping[str, float]) -> Questions:
    """Return the metrics, with their weights if they have such, or say what is wrong with them.

    Examples
    --------
    >>> from pacbayes.metrics import read_metrics
    >>> read_metrics("me", {"error": 3, "recall:yes": 1}).first_share
    0.75
    """
    names = tuple(metrics) if isinstance(metrics, Iterable) and not isinstance(metrics, str) else (metrics,)
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"The 'metrics' of {owner} must be names such as 'error'. Got {metrics!r:.60} instead.")
    if len(set(names)) != len(names):
        raise ValueError(f"The 'metrics' of {owner} must name each metric once. Got {metrics!r:.80} instead.")
    if not isinstance(metrics, Mapping):
        return Questions(names)
    weights = tuple(metrics.values())
    for each in weights:
        if isinstance(each, bool) or not isinstance(each, numbers.Real) or not _is_weight(each):
            raise ValueError(
                f"The weights in 'metrics' of {owner} must be positive numbers below 1e300. Got {each!r:.40} instead."
            )
    return Questions(names, weights=tuple(map(float, weights)))


def _is_weight(number: numbers.Real) -> bool:
    """Return whether this is above 0 and so small that the weights of all metrics have a finite sum."""
    return number < 1e300 and float(number) > 0.0  # whole numbers may be too large for a double


def read_questions(
    owner: str,
    metrics: str | Sequence[str] | Mapping[str, float],
    groups: GroupColumns | None = None,
    *,
    differences: bool = False,
    cost: Mapping[tuple[object, object], float] | ArrayLike | None = None,
    classes: Labels,
) -> Questions:
    """Return what is asked of a classifier, or say what is wrong with it.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import read_questions
    >>> asked = read_questions("me", ("error", "cost"), "sex", cost=[[0, 1], [5, 0]], classes=np.array([0, 1]))
    >>> asked.columns, asked.costs.largest
    (('sex',), 5.0)
    """
    from pacbayes.metrics.cost import read_costs  # noqa: PLC0415

    asked = read_metrics(owner, metrics)
    columns = read_group_columns(owner, groups)
    if differences and not columns:
        raise ValueError(f"The differences of {owner} are between groups: give groups=, too.")
    if cost is not None and "cost" not in asked.names:
        raise ValueError(f"The 'cost' of {owner} goes with the metric 'cost'. It is not among the metrics.")
    table = None if cost is None else read_costs(owner, cost, classes)
    found = Questions(asked.names, columns, bool(differences), asked.weights, table)
    found.check_classes(owner, classes)
    return found
