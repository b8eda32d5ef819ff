"""Readers that crash, hang, leak or believe everything, for the tests of the fuzzer itself."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path

from fuzz.outcomes import WronglyAcceptedError
from fuzz.readers import Reader


def make_crashing(place: Path) -> Reader:
    return Reader("crashing", [b"a"], lambda content, folder, rng: rng.random() < 0.5 and ctypes.string_at(0))


def make_hanging(place: Path) -> Reader:
    return Reader("hanging", [b"a"], lambda content, folder, rng: time.sleep(1000 * (rng.random() < 0.5)))


def make_leaking(place: Path) -> Reader:
    return Reader("leaking", [b"a"], lambda content, folder, rng: {}["a"])


def make_gullible(place: Path) -> Reader:
    def read(content, folder, rng):
        raise WronglyAcceptedError("it passed")

    return Reader("gullible", [b"a"], read)
