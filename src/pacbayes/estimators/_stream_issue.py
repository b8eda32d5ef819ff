"""What is certified about a stream: its snapshots on average, and the last of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pacbayes._core.types import FloatArray
from pacbayes.bounds import betting_rates
from pacbayes.certificate import Certificate, Choice, data_digest, digest_of_arrays
from pacbayes.estimators._cautions import repetition_note
from pacbayes.estimators._issue import IID, NOTHING_BEFORE, issue, statistics_of
from pacbayes.online import Stream
from pacbayes.summary import Summary

__all__ = ["StreamIssuer"]

_ANYTIME = "The number holds for all lengths of the stream at once, so that it may be looked at and extended at will."


@dataclass(frozen=True, slots=True)
class StreamIssuer:
    """Issues certificates about a stream."""

    stream: Stream
    order: Any
    notes: tuple[str, ...]
    delta: float
    candidates: int

    def of_the_snapshots(self, share: float) -> Certificate:
        """Certify a snapshot picked at random, and by twice the number their vote."""
        union = Choice("statement", "about the snapshots, beside one about the last", "given", "half of delta")
        return self._certificate(
            self.stream.losses,
            share,
            [union] if share < 1.0 else [],
            vote_rule="twice",
            predictor="a snapshot picked at random per row",
        )

    def of_the_last(self) -> Certificate:
        """Half of delta is for all snapshots that ever are the last, the k-th of them getting 1/(k (k + 1)) of it."""
        count = len(self.stream.snapshots)
        union = Choice("snapshot", f"the last of {count}", "the schedule", f"delta/(2 {count} ({count} + 1))")
        return self._certificate(
            self.stream.losses[-self.stream.counts[-1] :],
            0.5 / (count * (count + 1)),
            [union],
            vote_rule="none",
            predictor="the last snapshot, which `predict_last` returns,",
        )

    def _certificate(self, losses: FloatArray, share: float, union: list[Choice], **words: Any) -> Certificate:
        rates, weights = betting_rates()
        copies = repetition_note(self.stream.X, self.stream.y)
        return issue(
            kind="online",
            bound="betting",
            statistics=statistics_of(Summary.from_values(losses, rates=rates, weights=weights)),
            n=losses.size,
            delta=self.delta,
            share=share,
            candidates=self.candidates,
            choices=[
                Choice("schedule", repr(self.stream.schedule), "given"),
                Choice("rate", "best of a grid", "all rows", f"a union over {rates.size} rates, inside the bound"),
                *union,
            ],
            assumptions=(IID, NOTHING_BEFORE, _ANYTIME),
            notes=(*self.notes, *copies),
            digests={
                "data": data_digest(self.stream.X, self.stream.y),
                "order": digest_of_arrays(order=self.order),
            },
            **words,
        )
