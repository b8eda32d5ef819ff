"""Every reader of a file that may come from a stranger: valid inputs to start from, how they are mutated, and read."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from fuzz.mutations import mutate_bytes


@dataclass(frozen=True)
class Reader:
    """One reader.

    ``read`` is given the content, an empty folder of its own and a source of random choices; it raises ValueError or
    OSError in one sentence, WronglyAcceptedError if a change went unnoticed, and nothing else.
    """

    name: str
    seeds: list[bytes]
    read: Callable[[bytes, Path, random.Random], object]
    mutate: Callable[[random.Random, bytes, bytes], bytes] = mutate_bytes


class Entry(NamedTuple):
    """The module that makes a reader, and its share of the inputs: a process per input costs as much as fifty."""

    module: str
    weight: float


READERS = {
    "certificate": Entry("fuzz.stored", 10),
    "model": Entry("fuzz.stored", 6),
    "skops": Entry("fuzz.stored", 5),
    "csv": Entry("fuzz.tables", 8),
    "svmlight": Entry("fuzz.tables", 4),
    "packed": Entry("fuzz.tables", 8),
    "parquet": Entry("fuzz.tables", 2),
    "arrow": Entry("fuzz.tables", 2),
    "watch": Entry("fuzz.streams", 12),
    "checkpoint": Entry("fuzz.streams", 5),
    "cells": Entry("fuzz.streams", 6),
}

# readers that do not end well, with which the counting is tested
FAULTY = {name: Entry("fuzz.faults", 1) for name in ("crashing", "hanging", "leaking", "gullible")}
ENTRIES = READERS | FAULTY


def make_readers(place: Path, names: tuple[str, ...]) -> dict[str, Reader]:
    """Make the readers of those names, with what they need in a folder."""
    return {name: getattr(import_module(ENTRIES[name].module), f"make_{name}")(place) for name in names}
