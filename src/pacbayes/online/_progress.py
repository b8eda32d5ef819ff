"""How far a chain has come: what its checkpoint holds, and what is checked of it when it is read back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.learners import OneClass
from pacbayes.online._checkpoint import Checkpoint
from pacbayes.online._snapshots import ReferenceEstimator
from pacbayes.online.stream import Stretch

__all__ = ["Progress", "Snapshot", "Snapshots", "load_progress", "save_progress"]

Snapshot: TypeAlias = "ReferenceEstimator | OneClass"
Snapshots: TypeAlias = "list[tuple[int, Snapshot]]"


class Progress(NamedTuple):
    """How far a chain has come."""

    done: int = 0
    model: Snapshot | None = None
    losses: FloatArray = np.zeros(0)
    kept: Snapshots = []  # noqa: RUF012  (replaced, never changed)


def save_progress(checkpoint: Checkpoint, state: Progress, *, warm: bool) -> None:
    """Save the losses, and the models of an estimator whose next fit continues from them; others are fitted again."""
    models = {"model": state.model, "kept": state.kept} if warm else {}
    checkpoint.save({"done": state.done, "losses": state.losses, **models})


def load_progress(checkpoint: Checkpoint, stretches: Sequence[Stretch], keep: int, *, warm: bool) -> Progress:
    """Return the progress that was saved, or none yet; refuse one that does not fit the chain."""
    state = checkpoint.load()
    if state is None:
        return Progress()
    done, losses = state.get("done"), state.get("losses")
    names = {"done", "losses", "model", "kept"} if warm else {"done", "losses"}
    if set(state) != names or type(done) is not int or not 0 < done <= len(stretches):
        raise checkpoint.unreadable("it does not fit the run")
    size = stretches[done - 1].stop - stretches[0].start
    if not isinstance(losses, np.ndarray) or losses.dtype != np.float64 or losses.shape != (size,):
        raise checkpoint.unreadable("it does not hold one loss per example")
    if not np.all((losses >= 0.0) & (losses <= 1.0)):
        raise checkpoint.unreadable("its losses must lie between 0 and 1")
    if not warm:
        return Progress(done, None, losses)
    kept = cast("Snapshots", state["kept"])
    points = [stretch.point for stretch in stretches[:done]]
    if not isinstance(kept, list) or [each[0] for each in kept] != (points[-keep:] if keep else []):
        raise checkpoint.unreadable("it does not hold the snapshots to keep")
    return Progress(done, cast("Snapshot", state["model"]), losses, kept)
