"""A slice of ``make fuzz``: so many inputs, always the same, each of which ends in a value or in one sentence."""

from __future__ import annotations

import pytest

from fuzz.engine import make_input, run
from fuzz.readers import READERS, make_readers

# by count and not by time; those that take a process of their own for each input are few
INPUTS = {"certificate": 400, "model": 250, "skops": 120, "csv": 500, "svmlight": 200, "packed": 500, "parquet": 25,
          "arrow": 40, "watch": 3000, "checkpoint": 150, "cells": 500}  # fmt: skip


def test_every_reader_has_a_share():
    assert set(INPUTS) == set(READERS)


@pytest.mark.parametrize("name", READERS)
def test_a_slice_ends_well(name):
    findings = run(INPUTS[name], seed=1, names=(name,))
    assert findings.bad == []
    assert findings.counts[name].total() == INPUTS[name]
    assert findings.counts[name]["refused"] > 0


@pytest.mark.parametrize("name", READERS)
def test_inputs_are_always_the_same(tmp_path, name):
    made = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        reader = make_readers(folder, (name,))[name]
        made.append([make_input(reader, 3, k) for k in range(20)])
    assert made[0] == made[1]
    assert made[0] != [make_input(reader, 4, k) for k in range(20)]


def test_every_fault_is_noticed():
    from fuzz.outcomes import WronglyAcceptedError, judge

    def fail(error):
        raise error

    assert judge(lambda: None) == ("read", "")
    assert judge(fail, ValueError("One sentence."))[0] == "refused"
    for error in (KeyError("a"), ValueError("two\nlines"), ValueError(""), ValueError("x" * 500),
                  RecursionError("deep"), UnicodeDecodeError("utf-8", b"", 0, 1, "no"), MemoryError()):  # fmt: skip
        assert judge(fail, error)[0] == "foreign", error
    assert judge(fail, WronglyAcceptedError("passed"))[0] == "accepted"


@pytest.mark.parametrize(
    ("name", "code"), [("crashing", "crash"), ("hanging", "hang"), ("leaking", "foreign"), ("gullible", "accepted")]
)
def test_every_bad_end_is_counted(name, code):
    findings = run(4, names=(name,), seconds=1.0)
    assert findings.counts[name].total() == 4
    assert findings.counts[name][code] > 0
    assert {each[2] for each in findings.bad} == {code}
