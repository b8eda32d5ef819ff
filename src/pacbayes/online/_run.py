"""A run of a reference along a stream: in chains that can be resumed, or by updates in place after every example."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from pacbayes._core.folders import check_writable
from pacbayes._core.rows import take
from pacbayes._core.types import FloatArray, Labels, Rows
from pacbayes._core.workers import WorkerCall
from pacbayes.online._checkpoint import Checkpoint, digest_of
from pacbayes.online._progress import Progress, Snapshot, Snapshots, load_progress, save_progress
from pacbayes.online._snapshots import ReferenceEstimator, fit_snapshot, reference_losses
from pacbayes.online.schedules import Every, Schedule
from pacbayes.online.stream import Stretch, cut_stream, run_stream

__all__ = ["Run"]

Steps: TypeAlias = "Iterator[tuple[Stretch, Snapshot, FloatArray]]"


@dataclass(frozen=True, slots=True)
class Run:
    """Everything about a run but its data, so that it can be repeated on other data."""

    estimator: ReferenceEstimator
    schedule: Schedule
    loss: str
    classes: Labels
    chains: int
    n_jobs: int | None
    keep: int
    checkpoint: str | os.PathLike[str] | None
    progress: bool

    def __call__(self, X: Rows, y: Labels) -> tuple[FloatArray, list[int], Snapshots]:
        """Return the loss of each example, the points of the schedule, and the snapshots to keep."""
        if isinstance(self.schedule, Every) and self.schedule.period == 1 and hasattr(self.estimator, "partial_fit"):
            return self._update_in_place(X, y), list(range(1, y.size)), []
        points = self.schedule.points(y.size)
        if not points:
            warnings.warn(f"The schedule never refits within {y.size} examples, so every loss is zero.", stacklevel=3)
        values, snapshots = np.zeros(y.size), []
        for start, losses, kept in self._run_chains(X, y, points):
            values[start : start + losses.size] = losses
            snapshots.extend(kept)
        return values, points, snapshots[-self.keep :] if self.keep else []

    def _run_chains(self, X: Rows, y: Labels, points: list[int]) -> list[tuple[int, FloatArray, Snapshots]]:
        """Return what each chain found: the row it starts at, the losses from there on, and the snapshots kept."""
        digest = ""
        if self.checkpoint is not None:
            check_writable(Path(self.checkpoint))
            digest = digest_of(X, y, points, self.chains, self.loss, self.keep, self.estimator)
        stretches = cut_stream(points, y.size)
        parts = [
            [stretches[index] for index in part]
            for part in np.array_split(np.arange(len(points)), min(self.chains, max(1, len(points))))
        ]
        call = delayed(WorkerCall())
        jobs = [
            call(_run_chain, self, X, y, part, Checkpoint(self.checkpoint, chain, digest, self.estimator))
            for chain, part in enumerate(parts)
        ]
        found = zip(parts, Parallel(n_jobs=self.n_jobs)(jobs), strict=True)
        return [(part[0].start, *result) for part, result in found if part]

    def _update_in_place(self, X: Rows, y: Labels) -> FloatArray:
        """Predict each example, then learn from it; the loss of the first, on which nothing is known, is zero."""
        if self.keep or self.checkpoint is not None:
            raise ValueError(
                "online_reference keeps no snapshots and no checkpoint of an estimator that it updates in place: "
                "leave out 'keep' and 'checkpoint', or refit less often than after every example."
            )
        model = clone(self.estimator)
        if hasattr(model, "progressive_losses") and self.loss == "zero_one":
            values = np.asarray(model.progressive_losses(X, y, classes=self.classes), dtype=np.float64)
            values[0] = 0.0
            return values
        values = np.zeros(y.size)
        for index in range(y.size):
            example = slice(index, index + 1)
            row = take(X, example)
            if index:
                values[example] = reference_losses(model, row, y[example].copy(), self.loss)
            model.partial_fit(row, y[example].copy(), classes=self.classes)
        return values


def _run_chain(
    run: Run, X: Rows, y: Labels, stretches: Sequence[Stretch], checkpoint: Checkpoint
) -> tuple[FloatArray, Snapshots]:
    """Run the refits of one chain; return the losses from its first point on, and the snapshots kept."""

    def train(_: int, previous: Snapshot | None, X: Rows, y: Labels) -> Snapshot:
        return fit_snapshot(run.estimator, previous, X, y)

    def judge(model: Snapshot, X: Rows, y: Labels) -> FloatArray:
        return reference_losses(model, X, y, run.loss)

    warm, begun = bool(getattr(run.estimator, "warm_start", False)), time.monotonic()
    state = load_progress(checkpoint, stretches, run.keep, warm=warm)
    with threadpool_limits(1):  # many small fits are far slower on several threads
        if not warm:  # what was kept is fitted again, and has to come out as it was
            state = state._replace(kept=_refit_kept(run, X, y, stretches, state, checkpoint))
        steps: Steps = run_stream(X, y, stretches[state.done :], train, judge, state.model)
        for stretch, model, values in steps:
            kept = [*state.kept, (stretch.point, deepcopy(model))][-run.keep :] if run.keep else state.kept
            state = Progress(state.done + 1, model, np.append(state.losses, values), kept)
            save_progress(checkpoint, state, warm=warm)
            if run.progress:
                _report(state.done, len(stretches), begun)
    return state.losses, state.kept


def _refit_kept(
    run: Run, X: Rows, y: Labels, stretches: Sequence[Stretch], state: Progress, checkpoint: Checkpoint
) -> Snapshots:
    """Return the latest snapshots before a checkpoint, as far as they will be among those kept at the end."""
    first, kept = max(0, len(stretches) - run.keep) if run.keep else len(stretches), []
    for stretch in stretches[first : state.done]:
        past, ahead = slice(0, stretch.point), slice(stretch.start, stretch.stop)
        model = fit_snapshot(run.estimator, None, take(X, past), y[past])
        known = state.losses[stretch.start - stretches[0].start : stretch.stop - stretches[0].start]
        if not np.array_equal(reference_losses(model, take(X, ahead), y[ahead], run.loss), known):
            raise ValueError(
                f"The checkpoint {checkpoint.path} cannot be continued: the snapshot after {stretch.point} examples "
                "came out otherwise this time. Pass the estimator a fixed random_state, or delete the checkpoint."
            )
        kept.append((stretch.point, model))
    return kept


def _report(done: int, total: int, begun: float) -> None:
    left = (time.monotonic() - begun) / done * (total - done)
    end = "\n" if done == total else "\r"
    sys.stderr.write(f"online reference: {done}/{total} refits, about {left:.0f} s left{end}")
    sys.stderr.flush()
