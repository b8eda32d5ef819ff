"""Snapshots of a stream, each judged on rows it has not seen: their average error, at all lengths at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.digests import data_digest, digest_of_arrays
from pacbayes._core.notes import Note
from pacbayes._core.repetitions import count_learned_before
from pacbayes._core.rows import take
from pacbayes._core.types import Classifier, FloatArray, IntArray
from pacbayes.bounds import betting_rates
from pacbayes.certificate import Certificate, Choice, Statement, issue, last_share
from pacbayes.online import Schedule, Stream
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.procedures.cautions import find_repetitions

__all__ = ["Online"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Online(Procedure):
    """Any classifier as a stream of snapshots, each trained on the rows so far and judged on those that follow.

    Attributes
    ----------
    classifier : classifier
        Cloned for each snapshot.
    schedule : Schedule
        When to train.
    delta : float
        Allowed probability of failure, over the whole stream.
    candidates : int
        How many settings are compared by their certificates on these rows.
    certify_last : bool
        Whether to make a second statement, about the last snapshot.
    """

    classifier: Classifier
    schedule: Schedule
    delta: float
    candidates: int = 1
    certify_last: bool = False

    name: ClassVar[str] = "online"
    grows: ClassVar[bool] = True
    proves: ClassVar[tuple[str, ...]] = ("learned_before", "not_collection")
    made: ClassVar[str] = (
        "The rows were taken as a stream. From time to time a snapshot of the model was trained on the rows so far and "
        "then predicted the following rows, none of which it had seen. The first number is a limit on the "
        "average true error of these snapshots, at every length of the stream at once; for their vote it is doubled, "
        "since a vote is wrong only where at least half of the snapshots are."
    )

    def run(self, sample: Sample) -> Issued:
        """Judge the stream to its end and issue."""
        stream = Stream(take(sample.X, sample.order), sample.y[sample.order], self.schedule)
        return self.advance(stream, sample.order, sample.notes, sample.random_state)

    def advance(self, stream: Stream, order: IntArray, notes: tuple[Note, ...], seed: int | None) -> Issued:
        """Judge a stream that may have grown to its end, and issue; the stream given stays as it was."""
        stream = stream.judged(self.classifier, seed or 0)
        certificate = self._certificate(stream, order, notes, seed)
        fitted = {
            "snapshots_": list(stream.snapshots),
            "weights_": stream.weights,
            "losses_": stream.losses,
            "classes_": np.unique(stream.y),
            "stream_": stream,
        }
        stored = {"snapshots": [model for _, model in stream.snapshots], "weights": stream.weights}
        return Issued(certificate, fitted, stored)

    def _certificate(self, stream: Stream, order: IntArray, notes: tuple[Note, ...], seed: int | None) -> Certificate:
        # only the rows of the first fit are shuffled
        further = ("arrival_order",) if stream.y.size > order.size else ()
        statements = [_bet("snapshot", stream.losses, 0.5 if self.certify_last else 1.0, further)]
        choices = [
            Choice("schedule", repr(stream.schedule), "given"),
            Choice("rate", "grid", "all_rows", "mixture_of_rates", betting_rates()[0].size),
        ]
        if self.certify_last:
            last, more = self._certify_last(stream, order.size, further)
            statements.append(last)
            choices += more
        return issue(
            self.name,
            statements,
            delta=self.delta,
            candidates=self.candidates,
            choices=choices,
            notes=(*notes, *find_repetitions(stream.X, stream.y, partial(_count_learned, stream))),
            digests={"data": data_digest(stream.X, stream.y), "order": digest_of_arrays(order=order)},
            seed=seed,
        )

    def _certify_last(self, stream: Stream, rows: int, further: tuple[str, ...]) -> tuple[Statement, list[Choice]]:
        """Return the statement about the last snapshot; ``rows`` are those of the first fit.

        On these alone it is judged once, on a number of rows that was known before: a count of errors says it exactly.
        """
        points, count = self.schedule.points(rows), len(stream.snapshots)
        losses, planned = stream.losses[-stream.counts[-1] :], stream.y.size == rows
        share = last_share(count, len(points), planned=planned)
        last = _bet("last_snapshot", losses, share, further)
        choices = [
            Choice("last_of", count, "schedule", "part_of_delta", share),
            Choice("expected_last", len(points), "schedule"),
            Choice("expected_rows", rows - points[-1], "schedule"),
        ]
        return (replace(last, bound="clopper_pearson", rates=None) if planned else last), choices


def _bet(about: str, losses: FloatArray, share: float, further: tuple[str, ...]) -> Statement:
    return Statement(
        about=about,
        n=losses.size,
        observed={"errors": int(losses.sum())},
        bound="betting",
        share=share,
        rates="all_n",
        assumptions=("iid", "nothing_before", "row_by_row", *further),
    )


def _count_learned(stream: Stream, hashes: NDArray[np.uint64]) -> tuple[int, int]:
    """Count judged rows that are copies of rows from which the snapshot that judged them learned."""
    points = [point for point, _ in stream.snapshots]
    return count_learned_before(hashes, points), stream.losses.size
