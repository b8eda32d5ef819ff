"""One repeat of one data set: a random split, and what the methods share, each computed once and only if asked."""

from __future__ import annotations

import hashlib
import math
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np

from pacbayes._core.types import FloatArray, Labels
from pacbayes.datasets import load
from pacbayes.reproduction.paper import PaperFit, fit_paper

__all__ = ["LabelledRows", "Scaler", "Split", "derive_seed"]

LabelledRows: TypeAlias = tuple[FloatArray, Labels]

_TEST = 0.2


def derive_seed(seed: int, *parts: object) -> int:
    """Return a seed that depends on the run's seed and on what it is for, and on nothing else in the grid."""
    text = repr((seed, *map(str, parts)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


@lru_cache(maxsize=4)
def _load_rows(name: str, encoding: str) -> LabelledRows:
    """Return a data set; a worker process reads each file once."""
    X, y = load(name, encoding, return_X_y=True)
    X.flags.writeable = y.flags.writeable = False
    return X, y


class Split:
    """Rows in random order, the last fifth for testing.

    Parameters
    ----------
    data : str
        Name of a data set.
    repeat : int
        Number of the repeat.
    seed : int, default=0
        Of the whole run.
    """

    def __init__(self, data: str, repeat: int, seed: int = 0) -> None:
        self.data, self.repeat, self.seed = data, repeat, seed
        rows = len(_load_rows(data, "published")[1])
        self._order = np.random.default_rng(derive_seed(seed, data, repeat)).permutation(rows)
        self._cut = rows - math.ceil(_TEST * rows)

    def seed_for(self, method: str) -> int:
        """Return the seed of a method that draws."""
        return derive_seed(self.seed, self.data, self.repeat, method)

    def parts(self, encoding: str) -> tuple[LabelledRows, LabelledRows]:
        """Return training and test rows in one of the encodings of :func:`pacbayes.datasets.load`, in random order."""
        X, y = _load_rows(self.data, encoding)
        train, test = self._order[: self._cut], self._order[self._cut :]
        return (X[train], y[train]), (X[test], y[test])

    def read_rows(self) -> None:
        """Have the rows of the sound encoding at hand, for whoever takes the time of what follows."""
        self.__dict__["train"], self.__dict__["test"] = self.parts("sound")

    @cached_property
    def paper(self) -> PaperFit:
        """The paper's posterior and reference, on its encoding (errata E9 to E11)."""
        return fit_paper(*self.parts("published"))

    @cached_property
    def train(self) -> LabelledRows:
        """Training rows in the sound encoding, not yet scaled, in random order."""
        return self.parts("sound")[0]

    @cached_property
    def test(self) -> LabelledRows:
        """Test rows in the sound encoding, not yet scaled."""
        return self.parts("sound")[1]


class Scaler:
    """Scales features to [-1, 1] with the minimum and maximum of some rows, and clips what lies beyond.

    What is certified must not have helped to choose it: learn it on the prior's rows.
    """

    def __init__(self, X: FloatArray) -> None:
        self._low = X.min(axis=0)
        span = X.max(axis=0) - self._low
        self._span = np.where(span > 0.0, span, 1.0)

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the rows scaled."""
        return np.asarray(np.clip(2.0 * (X - self._low) / self._span - 1.0, -1.0, 1.0))
