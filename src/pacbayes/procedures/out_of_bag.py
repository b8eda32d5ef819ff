"""A vote that learns from all rows: each voter from a sample, judged on the rows that its sample leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.repetitions import count_copied
from pacbayes.certificate import Choice, Statement, issue
from pacbayes.learners import WeightedVote
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.procedures.classifier_learner import ClassifierLearner
from pacbayes.procedures.vote_weights import VoteBound, Weighing
from pacbayes.procedures.voters import Judgement, draw_samples, judge_voters, learn_voters

__all__ = ["OutOfBag"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfBag(Procedure):
    """A weighted vote of learners that were trained on samples of the rows, all rows taken together.

    Which rows are in which sample is drawn without looking at them. So each voter is a fixed predictor for the rows
    that its sample leaves out, and so are two voters for the rows that both leave out; the bounds on votes need no
    more (`docs/theory.md`, section 14). The prior over voters is even, and the bound is chosen beforehand.

    Attributes
    ----------
    learner : ClassifierLearner
        What learns; its ``random_state``, if it has one, is another for each voter.
    voters : int
        How many vote.
    fraction : float
        Share of the rows in a sample.
    replacement : bool
        Whether samples are drawn with replacement.
    delta : float
        Allowed probability of failure.
    candidates : int
        How many settings are compared by their certificates on these rows.
    bound : str
        One of :data:`pacbayes.procedures.VOTE_BOUNDS`.
    optimised : bool
        Whether the weights are those with the smallest bound, and not even.
    """

    learner: ClassifierLearner
    voters: int = 100
    fraction: float = 0.4
    replacement: bool = False
    delta: float = 0.05
    candidates: int = 1
    bound: str = "tandem"
    optimised: bool = True

    name: ClassVar[str] = "out_of_bag"
    made: ClassVar[str] = (
        "The model is a vote. Each of those who vote learned everything from a sample of the rows, and is judged on "
        "the rows that its sample leaves out; all of them together learned from all rows."
    )
    proves: ClassVar[tuple[str, ...]] = ("learned_out_of_bag", "not_collection")

    def run(self, sample: Sample) -> Issued:
        """Draw samples, train, judge out of bag, weigh and issue."""
        rows = len(sample.order)
        most = rows if self.replacement else rows - 1
        size = min(max(round(self.fraction * rows), 1), most)
        samples = list(draw_samples(sample, self.voters, size, replacement=self.replacement))
        voters = learn_voters(self.learner, sample, samples)
        judgement = judge_voters(voters, sample, samples)
        self._refuse_few(judgement)
        found = VoteBound(self.bound, judgement, self.delta / self.candidates)
        weighing = found.weigh() if self.optimised else found.weigh_evenly()
        vote = WeightedVote(voters, weighing.weights, np.unique(sample.y))
        certificate = issue(
            self.name,
            [self._statement(weighing, judgement)],
            delta=self.delta,
            candidates=self.candidates,
            choices=self._choices(size),
            notes=(*sample.notes, *find_repetitions(sample.X, sample.y, _count_copied)),
            digests=sample.digests(),
            seed=sample.random_state,
        )
        errors, asked = judgement.vote_errors(weighing.weights)
        fitted = {"estimator_": vote, "weights_": weighing.weights, "oob_error_": errors / asked}
        return Issued(certificate, fitted, {"predictor": vote})

    def _refuse_few(self, judgement: Judgement) -> None:
        """A pair of voters without a common row tells nothing."""
        if judgement.pair_sizes().min() < 1:
            raise ValueError(
                f"Each two voters must leave out a row in common, which {judgement.judged.shape[1]} rows and samples "
                f"of {self.fraction:g} of them do not give. Take smaller samples, or more rows."
            )

    def _statement(self, weighing: Weighing, judgement: Judgement) -> Statement:
        errors, asked = judgement.vote_errors(weighing.weights)
        return Statement(
            about="forest",
            n=weighing.n,
            observed={**weighing.observed, "risk": errors / asked},
            bound=self.bound,
            kl=weighing.kl,
            assumptions=("iid", "nothing_before", "row_by_row"),
        )

    def _choices(self, size: int) -> list[Choice]:
        cost = ("candidates", self.candidates) if self.candidates > 1 else ("none", None)
        chosen = ("optimised", "judged_rows", "all_posteriors") if self.optimised else ("even", "given", "none")
        return [
            Choice("voters", self.voters, "given"),
            Choice("sample_rows", size, "given"),
            Choice("sampling", "with_replacement" if self.replacement else "without_replacement", "given"),
            Choice("vote_weights", *chosen),
            Choice("bound", self.bound, "given"),
            Choice("candidates", self.candidates, "given", *cost),
        ]


def _count_copied(hashes: NDArray[np.uint64]) -> tuple[int, int]:
    """Count rows that have a copy: those who judge one of them may have learned the other."""
    return count_copied(hashes), hashes.size
