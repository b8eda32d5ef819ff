"""A stored deterministic network judged again: the same procedure on the same rows, but for learning.

Sums in single precision differ from machine to machine in their last digits, so that rows whose two largest outputs are
nearly equal count as errors. Near the edge of that tolerance a row may count here and not there. Whoever judges again
therefore counts with half and with twice the tolerance, too, and what is recorded must lie between what these give.
That is sound: with half of it still every error of the network is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pacbayes.certificate import LEARNING_CURVE, Certificate, Check, compare, restrict_to_later
from pacbayes.metrics import Questions
from pacbayes.metrics.statements import questions_of
from pacbayes.procedures import Sample, Split, Stop
from pacbayes.procedures.base import FITTED
from pacbayes.procedures.classifier_learner import LearnedClassifier
from pacbayes.torch.stored_networks import StoredNetwork

__all__ = ["judge_network"]

_FEWER_TIES, _MORE_TIES = 0.5, 2.0
_JUDGED = 1e-4  # sums of losses that another machine's single precision gives agree to this, relative
_LEARNED = frozenset({"learning_rows", LEARNING_CURVE})  # choices that learning again alone can tell
_SAME = ("procedure", "delta", "candidates", "seed", "notes")


@dataclass(frozen=True, slots=True)
class _Recorded(Stop):
    """Stop where the certificate says that learning stopped."""

    count: int

    where = "given"

    def times(self, rows: int) -> tuple[int, ...]:
        """Return the recorded number of rows."""
        del rows
        return (self.count,)


@dataclass(frozen=True, slots=True)
class _Keeper:
    """A learner that has learned already."""

    network: StoredNetwork
    probabilities: bool

    def learn(self, sample: Sample, count: int) -> LearnedClassifier:
        """Return the stored network."""
        del sample, count
        digests = {"network": self.network.network_digest}  # what else makes the predictor was compared on reading
        return LearnedClassifier(self.network, probabilities=self.probabilities, digests=digests)


def judge_network(
    certificate: Certificate, sample: Sample, network: StoredNetwork, groups: Sequence[str | int] | None = None
) -> list[Check]:
    """Judge a stored network again, and compare everything that a certificate says but how it was learned.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    sample : Sample
        The rows in the recorded order.
    network : StoredNetwork
    groups : sequence of str or int, optional
        Columns of X that rows are grouped by.
    """
    told = [each.value for each in certificate.choices if each.what == "learning_rows"]
    count, rows = told[0] if len(told) == 1 else None, len(sample.y)
    if type(count) is not int or not 0 < count < rows:
        return [Check("rows", held=False, claimed=count, found=rows)]
    asked = questions_of(certificate)
    if groups is not None:
        asked = replace(asked, columns=tuple(groups))
    found = _judge(certificate, sample, network, asked, count)
    checks = [
        *(compare(name, certificate.digests.get(name), each) for name, each in found.digests.items()),
        *(compare(name, _plain(certificate)[name], _plain(found)[name], within=FITTED) for name in _SAME),
        compare("choices", _asked_choices(certificate), _asked_choices(found), within=FITTED),
    ]
    if not all(check.held for check in checks):
        return checks
    others = [found]
    if not _agree(certificate, found):
        others += [
            _judge(certificate, sample, network.with_ties(each), asked, count) for each in (_FEWER_TIES, _MORE_TIES)
        ]
    return [*checks, *_compare_statements(certificate, others)]


def _judge(
    certificate: Certificate, sample: Sample, network: StoredNetwork, asked: Questions, count: int
) -> Certificate:
    procedure = Split(
        learner=_Keeper(network, asked.needs_probabilities),
        stop=_Recorded(count),
        delta=certificate.delta,
        candidates=certificate.candidates,
        questions=asked,
    )
    again = procedure.run(sample).certificate
    return restrict_to_later(again) if sample.in_order else again


def _plain(certificate: Certificate) -> dict[str, Any]:
    return certificate.to_dict()


def _asked_choices(certificate: Certificate) -> list[Any]:
    return [each for each in _plain(certificate)["choices"] if each["what"] not in _LEARNED]


def _statements(certificate: Certificate) -> list[Mapping[str, Any]]:
    return list(_plain(certificate)["statements"])


def _agree(claimed: Certificate, found: Certificate) -> bool:
    return compare("statement", _statements(claimed), _statements(found), within=FITTED).held


def _compare_statements(claimed: Certificate, found: Sequence[Certificate]) -> list[Check]:
    """Compare each statement with what was found; several findings have to enclose it."""
    stated, listed = _statements(claimed), [_statements(each) for each in found]
    if any(len(each) != len(stated) for each in listed):
        return [Check("statement", held=False, claimed=len(stated), found=len(listed[0]))]
    return [
        Check("statement", _lies_between(one, several), one["value"], several[0]["value"])
        for one, *several in zip(stated, *listed, strict=True)
    ]


def _lies_between(claimed: Any, found: Sequence[Any]) -> bool:
    """Return whether each number lies between the least and the largest found, and all else is equal.

    Counts are compared exactly, and so is where all findings are equal.
    """
    several = [claimed, *found]
    if all(isinstance(each, dict) for each in several):
        same = all(each.keys() == claimed.keys() for each in found)
        return same and all(_lies_between(claimed[name], [each[name] for each in found]) for name in claimed)
    if all(isinstance(each, list) for each in several):
        same = all(len(each) == len(claimed) for each in found)
        return same and all(_lies_between(one, others) for one, *others in zip(*several, strict=True))
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in several):
        return all(each == claimed for each in found)
    least, most = min(found), max(found)
    slack = 0.0 if isinstance(claimed, int) else _JUDGED * max(abs(least), abs(most))
    return bool(least - slack <= claimed <= most + slack)
