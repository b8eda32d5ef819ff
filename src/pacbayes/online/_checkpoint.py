"""Checkpoints of an online run: one file per chain, written atomically, with a checksum and without pickle."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import joblib
from sklearn.base import BaseEstimator

from pacbayes._core.files import write_atomically
from pacbayes.learners import OneClass, RefittedLogistic
from pacbayes.online._state import StateError, name_classes, pack, unpack

__all__ = ["Checkpoint", "digest_of"]

_FIRST = b"pacbayes checkpoint 2\n"
_DIGITS = 64  # of a SHA-256


def digest_of(*parts: object) -> str:
    """Return a digest over the whole content of arrays, frames, estimators and numbers, by joblib."""
    return str(joblib.hash(parts, hash_name="sha1"))


class Checkpoint:
    """One chain's progress on disk.

    Parameters
    ----------
    folder : path or None
        None keeps nothing.
    chain : int
    digest : str
        Of everything that the result depends on; a file of another run is refused.
    estimator : object
        What the run fits: its class and those of its parts are the ones of which objects are stored.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, chain: int, digest: str, estimator: object) -> None:
        self.path = None if folder is None else Path(folder) / f"chain-{chain}.checkpoint"
        self._digest = digest
        self._estimator = estimator

    def load(self) -> dict[str, object] | None:
        """Return the saved state, or None; refuse one of another run, or one of which a single bit has changed."""
        if self.path is None or not os.path.lexists(self.path):
            return None
        try:
            digest, state = _split_content(unpack(_checked_content(self.path), self._classes()))
        except StateError as error:
            raise self.unreadable(str(error)) from None
        if digest != self._digest:
            raise ValueError(
                f"The checkpoint {self.path} is of another run (other data, order, schedule or estimator). "
                "Delete it, or choose another folder."
            )
        return state

    def unreadable(self, reason: str) -> ValueError:
        """Return the refusal of this file."""
        return ValueError(f"The checkpoint {self.path} cannot be read ({reason}). Delete it to start anew.")

    def save(self, state: dict[str, object]) -> None:
        """Replace the file, so that a killed run leaves either the old one or the new one."""
        if self.path is None:
            return
        try:
            content = pack({"digest": self._digest, "state": state}, self._classes())
        except StateError as error:
            raise ValueError(
                f"A checkpoint of {type(self._estimator).__name__} cannot be written without pickle: {error}. "
                "Set its warm_start to False, or leave out 'checkpoint'."
            ) from None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path, _FIRST + hashlib.sha256(content).hexdigest().encode() + b"\n" + content)

    def _classes(self) -> dict[str, type]:
        parts = self._estimator.get_params().values() if isinstance(self._estimator, BaseEstimator) else ()
        own = [type(each) for each in (self._estimator, *parts) if isinstance(each, BaseEstimator)]
        return name_classes([OneClass, RefittedLogistic, type(self._estimator), *own])


def _split_content(content: object) -> tuple[object, dict[str, object]]:
    if not isinstance(content, dict) or set(content) != {"digest", "state"} or not isinstance(content["state"], dict):
        raise StateError("it is not as this version writes it")
    return content["digest"], content["state"]


def _checked_content(path: Path) -> bytes:
    """Return what the checksum is taken over, if it is right."""
    if not path.is_file():
        raise StateError("it is no file")
    content = path.read_bytes()
    start = len(_FIRST) + _DIGITS + 1
    if not content.startswith(_FIRST) or content[start - 1 : start] != b"\n":
        raise StateError("it is not a checkpoint of this version")
    rest = content[start:]
    if hashlib.sha256(rest).hexdigest().encode() != content[len(_FIRST) : start - 1]:
        raise StateError("its checksum is wrong")
    return rest
