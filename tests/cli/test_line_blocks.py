"""Lines that are read many at once are those that are read one by one, to the last bit of their losses."""

import io
import json
import math
import os

import numpy as np
import pytest

from pacbayes.cli import _lines
from pacbayes.cli._line_blocks import LOSS, BlockReader
from pacbayes.cli._line_forms import learn_form
from pacbayes.cli._lines import Block, Lines
from pacbayes.procedures import LossMonitor, decode_line, key_in, loss_in

from cli.odd_lines import ODD, draw_lines


@pytest.mark.parametrize("seed", range(6))
def test_what_is_read_at_once_is_what_is_read_alone(seed):
    rng = np.random.default_rng(seed)
    for by in (None, "shop"):
        reader, lines = BlockReader(by), draw_lines(rng, 400).splitlines(keepends=True)
        lines = [line for line in b"".join(lines).split(b"\n") if line]
        for line in lines:
            try:
                given = decode_line(line + b"\n")
                loss_in(given, line)
                if by is not None:
                    key_in(given, by)
            except ValueError:
                continue
            reader.learn(line + b"\n", given)
        lines = [*lines, *ODD]
        content = b"\n".join(each.replace(b"\n", b" ") for each in lines) + b"\n"
        valid = [each for each in content.splitlines(keepends=True) if is_text(each)]
        for part in (content, b"".join(valid)):
            read = reader.read(part)
            for line, kind, key, loss in zip(part.split(b"\n"), read.kinds, read.keys, read.losses, strict=False):
                if kind == LOSS:
                    given = decode_line(line + b"\n")
                    assert math.copysign(1, loss) == 1
                    assert loss_in(given, line).hex() == float(loss).hex()
                    assert reader.names[key] == (None if by is None else key_in(given, by))
        assert read.kinds.any() or by is not None


def is_text(content):
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_numbers_are_read_to_the_last_bit():
    rng, reader = np.random.default_rng(1), BlockReader(None)
    reader.learn(b"0.5\n", 0.5)
    bits = rng.integers(0, 0x3FF0000000000000, 20_000)
    values = np.concatenate([rng.random(20_000), bits.view(np.float64)]).tolist()
    texts = [f"{each!r}\n" for each in values] + [f"{each:.25g}\n" for each in values[:20_000]]
    read = reader.read("".join(texts).encode())
    found = read.kinds == LOSS
    assert found[:20_000].mean() > 0.99
    exact = np.array([float(text) for text in texts])
    np.testing.assert_array_equal(read.losses[found], exact[found])


@pytest.mark.parametrize(
    "line",
    [b'{"loss": 0.5, "a": [1]}', b'{"loss": 0.5, "a": "\\n"}', b'{"loss": 0.5, "a": {}}', b'{"\\u0061": 1, "loss": 0}'],
)
def test_unusual_lines_have_no_form(line):
    assert learn_form(line, json.loads(line), None) is None


def test_a_line_that_is_cut_by_the_end_of_a_chunk_is_one():
    lines, found = Lines(), []
    for chunk in (b"\xef\xbb\xbf0\n" + b"1\n" * 20 + b'{"loss"', b": 0.25}\n0\n", b"1"):
        for each in lines.split(chunk):
            if isinstance(each, Block):
                lines.take_many(each.content, each.content.count(b"\n"))
                found.append(each.content)
            else:
                lines.take()
                found.append(each.content)
    assert found == [b"0\n", b"1\n" * 20, b'{"loss": 0.25}\n', b"0\n"]
    assert (lines.number, [each.content for each in lines.rest()]) == (23, [b"1"])


def test_a_pipe_is_answered_before_it_is_waited_for():
    """One line at a time, each followed by a rest; nothing waits for a block to fill."""
    lines = Lines()

    class Slow(io.BufferedIOBase):
        left = iter([b"0\n", b"1\n", b"0\n1\n" * 20, b"1"])

        def read1(self, _size=-1):
            return next(self.left, b"")

    seen = []
    for each in _lines.read_pipe(Slow(), lines):
        if isinstance(each, Block):
            lines.take_many(each.content, each.content.count(b"\n"))
        elif each is not None:
            lines.take()
        seen.append(None if each is None else "block" if isinstance(each, Block) else "line")
    assert seen == ["line", None, "line", None, "block", None, None, "line"]


@pytest.mark.parametrize("kind", ["counts", "graded", "late"])
def test_losses_in_an_array_are_those_one_by_one(kind):
    rng = np.random.default_rng(3)
    losses = (rng.random(9000) < 0.1) * 1.0
    if kind != "counts":
        losses[slice(None) if kind == "graded" else slice(8500, None)] *= rng.random()
    one, many, start = LossMonitor(), LossMonitor(), 0
    one.extend(losses.tolist())
    while start < losses.size:
        size = int(rng.integers(1, 3000))
        LossMonitor.add_together([many], losses[start : start + size], [losses[start : start + size].size])
        start += size
    again = LossMonitor.from_dict(one.to_dict())
    assert one.to_dict() == many.to_dict() == again.to_dict()
    observed = {"errors": round(losses.sum())} if kind == "counts" else None
    for each in (one, many, again):
        (statement,) = each.certificate().statements
        assert statement.value == one.certificate().value
        assert observed is None or statement.observed == observed


@pytest.mark.parametrize("bad", [math.nan, -0.1, 1.1])
def test_an_array_with_something_else_is_refused_as_a_whole(bad):
    monitor = LossMonitor()
    with pytest.raises(ValueError, match=r"^Losses must lie in \[0, 1\]\. Got others instead\."):
        LossMonitor.add_together([monitor], np.array([0.0, bad, 1.0]), [3])
    assert len(monitor) == 0


def test_a_pipe_is_read_as_far_as_it_is_full():
    """A pipe holds little; what is there is taken together, and nothing is waited for."""
    read, write = os.pipe()
    with os.fdopen(read, "rb") as raw, os.fdopen(write, "wb", buffering=0) as pipe:
        pipe.write(b"0\n" * 100)
        assert _lines._read_all(raw) == b"0\n" * 100
        pipe.write(b"1\n" * 30)
        assert _lines._read_all(raw) == b"1\n" * 30
        pipe.close()
        assert _lines._read_all(raw) == b""
