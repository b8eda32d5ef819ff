"""Statements about the judged rows of one fixed predictor: each metric for all rows, by group, and as a difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pacbayes._core.types import FloatArray, IntArray
from pacbayes.certificate import (
    GROUP_COLUMNS,
    METRIC_WEIGHTS,
    QUANTITIES,
    SEPARATOR,
    Certificate,
    Choice,
    Statement,
    check_count_bound,
    compared_groups,
    recorded_weights,
    share_among,
    write_weights,
)
from pacbayes.metrics.base import Judged, Metric, Observation
from pacbayes.metrics.blocks import observe_blocks
from pacbayes.metrics.by_group import observe_groups
from pacbayes.metrics.coded import CodedJudged, observe_parts
from pacbayes.metrics.cost import CostTable
from pacbayes.metrics.grouping import Grouping
from pacbayes.metrics.probabilities import LARGEST_LOG_LOSS
from pacbayes.metrics.questions import Questions

__all__ = ["ASKED", "Judgement", "arrange", "choices_of", "questions_of"]

ASKED = frozenset(
    {GROUP_COLUMNS, METRIC_WEIGHTS, "costs", "largest_cost", "largest_log_loss"}
)  # choices of what is asked
_OF_LOSSES = "sequential"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """How the judged rows become statements.

    Attributes
    ----------
    questions : Questions
        What is asked.
    about : str
        Whose predictions they are: a code of :data:`pacbayes.certificate.SUBJECTS`.
    delta : float
        The certificate's, over its candidates.
    assumptions : tuple of str
        Codes of what has to be true.
    bound : {"clopper_pearson", "chernoff", "sequential"}
        For counts; losses between 0 and 1 are bounded by bets that adapt, "sequential", and a count is not.
    order : callable or None
        From a number of rows to the order in which bets are made on them, if they did not come in an order that was
        drawn before: files are often sorted, by label for example.
    """

    questions: Questions
    about: str
    delta: float
    assumptions: tuple[str, ...]
    bound: str = "clopper_pearson"
    order: Callable[[int], IntArray] | None = None

    def __post_init__(self) -> None:
        if self.bound != _OF_LOSSES:
            check_count_bound(self.bound)

    def state(self, judged: Judged | CodedJudged, grouping: Grouping | None = None) -> list[Statement]:
        """Return all statements, with their shares of delta: the first metric for all rows comes first."""
        metrics = self.questions.metrics
        assumptions = (*self.assumptions, *judged.assumptions)
        found = [self._statement(each, observe_parts(each, judged), assumptions) for each in metrics]
        if grouping is not None:
            groups, doubted = [], []
            for name, seen in zip(grouping.names, observe_groups(metrics, judged, grouping), strict=True):
                pairs = zip(metrics, seen, strict=True)
                groups += [self._statement(each, part, assumptions, dict(name)) for each, part in pairs]
                doubted += [part.doubted for part in seen]
            found += groups
            if self.questions.differences:
                found += self._differences(groups, doubted)
        return arrange(found, self.questions)

    def _statement(
        self, metric: Metric, seen: Observation, assumptions: tuple[str, ...], group: Mapping[str, str] | None = None
    ) -> Statement:
        losses = seen.losses
        parameter = QUANTITIES[metric.quantity].parameter
        stated = ("scale_before",) if parameter in ("largest_cost", "largest_log_loss") else ()
        return Statement(
            about=self.about,
            quantity=metric.quantity,
            side=QUANTITIES[metric.quantity].side,
            label=metric.label,
            scale=seen.scale,
            n=seen.n,
            observed=seen.observed if losses is None else observe_blocks(self._arranged(losses), self.delta),
            bound=self._bound(losses),
            rates=None if losses is None else "one_n",
            assumptions=(*assumptions, *stated),
            group=group,
        )

    def _bound(self, losses: FloatArray | None) -> str:
        return _OF_LOSSES if losses is not None else check_count_bound(self.bound)

    def _arranged(self, losses: FloatArray) -> FloatArray:
        return losses if self.order is None else losses[self.order(losses.size)]

    def _differences(self, found: Sequence[Statement], doubted: Sequence[int]) -> list[Statement]:
        """Return the largest difference of each metric between groups that have rows enough to tell them apart."""
        made, doubts = [], {id(each): count for each, count in zip(found, doubted, strict=True)}
        for name in dict.fromkeys(each.name for each in found):
            groups = [each for each in found if each.name == name]
            if len(groups) < 2:  # to give its share of delta to the others would be a choice by these rows
                raise ValueError("Differences are between groups. Among the judged rows there is one group alone.")
            if not QUANTITIES[groups[0].quantity].is_share:
                raise ValueError(f"Differences between groups are stated of rates. Got the metric {name!r} instead.")
            share = self.delta * self._part_of(name) / self.questions.families
            compared = compared_groups(groups, share)
            made.append(_difference(compared, [doubts[id(each)] for each in compared]))
        return made

    def _part_of(self, name: str) -> float:
        weights = self.questions.weights or (1.0,) * len(self.questions.names)
        return weights[self.questions.keys.index(name)] / sum(weights)


def _difference(groups: Sequence[Statement], doubted: Sequence[int]) -> Statement:
    errors, rows = [each.observed["errors"] for each in groups], [each.n for each in groups]
    unsteady = {"unsteady": list(doubted)} if any(doubted) else {}
    return replace(
        groups[0],
        side="both",
        group=None,
        groups=tuple(dict(each.group or {}) for each in groups),
        n=sum(each.n for each in groups),
        observed={"errors": errors, "rows": rows, **unsteady},
    )


def arrange(found: Sequence[Statement], questions: Questions) -> list[Statement]:
    """Return statements in the order of a certificate, each with its share of delta."""
    if len(found) == 1 and questions.weights is None:
        return list(found)
    ordered, weights = _in_order(found), questions.weights
    named = None if weights is None else dict(zip(questions.keys, weights, strict=True))
    return [replace(each, share=share) for each, share in zip(ordered, share_among(ordered, named), strict=True)]


def _in_order(found: Sequence[Statement]) -> list[Statement]:
    """Return what is about all rows first, then metric by metric the groups, each followed by its difference."""
    names = list(dict.fromkeys(each.name for each in found))
    parts = [each for each in found if each.group is not None or each.groups]
    whole = [each for each in found if each.group is None and not each.groups]
    return [*whole, *(each for name in names for each in parts if each.name == name)]


def choices_of(questions: Questions, grouping: Grouping | None) -> list[Choice]:
    """Return what was asked, as a certificate records it beside its statements."""
    names = [each.quantity for each in questions.metrics]
    made = [] if grouping is None else [Choice(GROUP_COLUMNS, SEPARATOR.join(grouping.columns), "given")]
    if questions.weights is not None:
        weights = dict(zip(questions.keys, questions.weights, strict=True))
        made.append(Choice(METRIC_WEIGHTS, write_weights(weights), "given"))
    if questions.costs is not None:
        made.append(Choice("costs", questions.costs.to_text(), "given"))
        made.append(Choice("largest_cost", questions.costs.largest, "given"))
    if "log_loss" in names:
        made.append(Choice("largest_log_loss", LARGEST_LOG_LOSS, "given"))
    return made


def questions_of(certificate: Certificate) -> Questions:
    """Return what was asked of a predictor, as its certificate tells.

    Columns are as the certificate calls them, which :func:`pacbayes.metrics.grouping.group_again` finds in rows.
    """
    found = {each.what: each.value for each in certificate.choices}
    names = tuple(dict.fromkeys(each.name for each in certificate.statements))
    columns = str(found[GROUP_COLUMNS]).split(SEPARATOR) if GROUP_COLUMNS in found else []
    costs = CostTable.from_text(str(found["costs"])) if "costs" in found else None
    return Questions(names, tuple(columns), bool(certificate.differences), _weights(certificate, names), costs)


def _weights(certificate: Certificate, names: Sequence[str]) -> tuple[float, ...] | None:
    if all(each.what != METRIC_WEIGHTS for each in certificate.choices):
        return None
    found = recorded_weights(certificate)
    return None if found is None else tuple(found[name] for name in names)
