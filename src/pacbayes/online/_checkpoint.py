"""Checkpoints of an online run: one file per chain, written atomically, tied to the run by a digest."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Generic, TypeVar

import joblib

from pacbayes._core.files import write_atomically

__all__ = ["Checkpoint", "digest_of"]

State = TypeVar("State")


def digest_of(*parts: object) -> str:
    """Return a digest over the whole content of arrays, frames, estimators and numbers, by joblib."""
    return str(joblib.hash(parts, hash_name="sha1"))


class Checkpoint(Generic[State]):
    """One chain's progress on disk; it holds pickled estimators, so load none that is not your own."""

    def __init__(self, folder: str | os.PathLike[str] | None, chain: int, digest: str) -> None:
        self._path = None if folder is None else Path(folder) / f"chain-{chain}.joblib"
        self._digest = digest

    def load(self) -> State | None:
        """Return the saved state, or None; refuse one of another run."""
        if self._path is None or not self._path.exists():
            return None
        try:
            content = joblib.load(self._path)
            digest, state = content["digest"], content["state"]
        except Exception as error:
            raise ValueError(
                f"The checkpoint {self._path} cannot be read ({error}). Delete it to start anew."
            ) from error
        if digest != self._digest:
            raise ValueError(
                f"The checkpoint {self._path} is of another run (other data, order, schedule or estimator). "
                "Delete it, or choose another folder."
            )
        return state  # type: ignore[no-any-return]

    def save(self, state: State) -> None:
        """Replace the file, so that a killed run leaves either the old one or the new one."""
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        content = io.BytesIO()
        joblib.dump({"digest": self._digest, "state": state}, content)
        write_atomically(self._path, content.getvalue())
