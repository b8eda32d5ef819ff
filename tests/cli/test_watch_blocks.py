"""Lines that are read many at once say what they say one by one: every report, warning, state and certificate."""

import io
import json
import math
import os
import re
from pathlib import Path

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.cli import _growing, _lines, _watch_blocks, _watch_streams, _watcher
from pacbayes.cli._line_blocks import LOSS, BlockReader
from pacbayes.cli._line_forms import learn_form
from pacbayes.cli._lines import Block, Lines
from pacbayes.cli._watch_blocks import _ranks_due
from pacbayes.procedures import LossMonitor, decode_line, key_in, loss_in

ODD = [
    *(b"", b" ", b"\x0b", b"\r", b"null", b"true", b"NaN", b"-Infinity", b"1e-400", b"1e400", b"-0", b"-0.0", b"1.5"),
    *(
        b"01",
        b"1.",
        b".5",
        b"+1",
        b"0x1",
        b"1_0",
        b"1e0",
        b"1E-05",
        b"9.99e-00",
        b"0.5e5",
        b"1.0",
        b"0e0",
        b"0 0",
        b"0\xff",
    ),
    *(b"0." + b"3" * 60, b"0." + b"0" * 400 + b"1", b"1" * 5000, b'"0"', b"[0]", b"{}", b"0\x00", b"\xef\xbb\xbf0"),
    *(b"0 ", b'{"loss": 0', b'{"loss": 0}}', b'{"loss": 0, "loss": 1}', b'{"loss": true}'),
    *(b'{"loss": 0.5}{"loss": 1}', b'{"label": 1, "prediction": 1.5}', b'{"label": 1, "prediction": 1.0}'),
    *(b'{"label": "a", "prediction": 1}', b'{"label": null, "prediction": null}', b'{"label": 0, "prediction": true}'),
    *(b'{"label": "\\u0061", "prediction": "a"}', '{"label": "ä", "prediction": "ä"}'.encode(), b'{"label": 1}'),
    *(b'{"label": "\xed\xa0\x80", "prediction": "\xed\xa0\x80"}', b'{"label": 0, "prediction": -0}'),
    *(
        b'{"loss": 0.5, "label": 1, "prediction": 0}',
        b'{"label": 9007199254740993.0, "prediction": 9007199254740992.0}',
        b'{"label": {}, "prediction": {}}',
        b'{"loss": 1e-400}',
        b'{"shop": "a", "loss": 2}',
        b'{"shop": "", "loss": 0}',
    ),
    *(
        b'{"shop": 1, "loss": 0.25}',
        b'{"shop": "1", "loss": 0.25}',
        b'{"shop": 007, "loss": 0}',
        b'{"shop": "x", "loss": NaN}',
    ),
    *(
        b'{"shop": null, "loss": 0}',
        b'{"shop": "' + b"k" * 201 + b'", "loss": 0}',
        b'{"shop": true, "loss": 0}',
        b'{"shop": 1.0, "loss": 0}',
    ),
    *(
        '{"shop": "ß", "loss": 0}'.encode(),
        b'{"shop": "\\n", "loss": 0}',
        b'{"shop": "a\tb", "loss": 0}',
        b'{"shop": -0, "loss": 1}',
    ),
]
SHAPES = {
    "numbers": lambda rng, k: b"%d" % (rng.random() < 0.1),
    "graded": lambda rng, k: repr(float(rng.random() ** 8)).encode(),
    "pairs": lambda rng, k: b'{"label": %d, "prediction": %d}' % (0, rng.random() < 0.1),
    "texts": lambda rng, k: (
        b'{"id": %d, "label": "yes", "prediction": "%s", "time": "12:%02d"}'
        % (k, rng.choice([b"yes", b"no"], p=[0.9, 0.1]), k % 60)
    ),
    "truths": lambda rng, k: b'{"label":true,"prediction":%s}' % rng.choice([b"true", b"false"], p=[0.9, 0.1]),
    "keys": lambda rng, k: (
        b'{"shop": "s%d", "ms": %.3f, "loss": %d}' % (rng.integers(0, 12), rng.random(), rng.random() < 0.1)
    ),
    "whole keys": lambda rng, k: b' {"loss" : %.4f, "shop":%d, "ok": null} ' % (rng.random() ** 6, rng.integers(-3, 5)),
    "pairs of keys": lambda rng, k: '{{"shop": "{}", "label": {}, "prediction": 1}}'.format(
        rng.choice(["ä", "b"]), int(rng.random() > 0.1)
    ).encode(),
}


def draw_lines(rng, count, by=False):
    """A program's lines, with odd ones among them, ends of any kind, and a change for the worse."""
    names = [name for name in SHAPES if not by or "keys" in name]
    shapes = [SHAPES[name] for name in rng.choice(names, size=rng.integers(1, 4), replace=False)]
    odd, worse = rng.choice([0.0, 0.02, 0.3]), rng.random() < 0.5
    lines = []
    for number in range(count):
        if rng.random() < odd:
            line = ODD[rng.integers(len(ODD))]
        else:
            line = shapes[rng.integers(len(shapes))](rng, number)
            if worse and number > count // 2:
                line = line.replace(b'"loss": 0', b'"loss": 1').replace(b'"prediction": 0', b'"prediction": 1')
                line = b"1" if line == b"0" and rng.random() < 0.5 else line
        lines.append(line + (b"\r\n" if rng.random() < 0.1 else b"\n"))
    content = (b"\xef\xbb\xbf" if rng.random() < 0.3 else b"") + b"".join(lines)
    return content[:-1] if rng.random() < 0.3 else content


def outcome(run, folder, arguments, monkeypatch, *, chunk, fewest):
    """All that a watch says and leaves behind, but for the time and where it was."""
    for module in (_lines, _growing):
        monkeypatch.setattr(module, "CHUNK", chunk)
    monkeypatch.setattr(_lines, "_FEWEST", fewest)
    folder.mkdir()
    result = run("watch", *(each.format(folder=folder) for each in arguments))
    kept = {}
    for path in sorted(folder.iterdir()):
        record = json.loads(path.read_text())
        kept[path.name] = {name: record[name] for name in record if name not in ("created", "digest", "checksum")}
    said = (result.stdout + result.stderr).replace(str(folder), "")
    return result.exit_code, re.sub(r"[0-9a-f]{64}", "", said), kept


def draw_options(rng):
    options = ["--every", str(rng.choice([40, 100, 256, 1000])), "--json"] if rng.random() < 0.7 else ["--every", "90"]
    if rng.random() < 0.6:
        options += ["--certificate", "certificate.json", "--window", "50", "--alarm", str(rng.choice([0.01, 0.3]))]
        options += ["--until-alarm"] if rng.random() < 0.3 else []
    options += ["--unreadable", "stop"] if rng.random() < 0.15 else []
    if rng.random() < 0.5:
        options += ["--by", "shop", *(["--streams", str(rng.choice([3, 40]))] if rng.random() < 0.5 else [])]
    elif rng.random() < 0.5:
        options += ["--out", "{folder}/out.json"]
    return [*options, "--state", "{folder}/state.json"] if rng.random() < 0.6 else options


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(10, 60))])
def test_blocks_say_what_lines_say(run, tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_watcher, "_PAUSE", rng.choice([-1.0, 1e12]))  # as the clock would, but the same twice
    pb.certify_predictions([0, 1] * 500, [0, 1] * 440 + [1, 1] * 60).to_json(Path("certificate.json"))
    for module in (_watch_streams, _watch_blocks):
        monkeypatch.setattr(module, "MOST_WAITING", 8 if seed % 3 else 256)
    arguments = ["lines.txt", *draw_options(rng)]
    by = "--by" in arguments and rng.random() < 0.9
    Path("lines.txt").write_bytes(draw_lines(rng, int(rng.integers(30, 900)), by))
    alone = outcome(run, tmp_path / "alone", arguments, monkeypatch, chunk=65_536, fewest=10**9)
    for chunk in (int(rng.integers(40, 400)), int(rng.integers(400, 20_000)), 524_288):
        together = outcome(
            run, tmp_path / str(chunk), arguments, monkeypatch, chunk=chunk, fewest=int(rng.integers(1, 9))
        )
        assert together == alone


@pytest.mark.parametrize(("waiting", "until"), [(8, False), (64, False), (256, True)])
def test_every_alarm_comes_at_its_line(run, tmp_path, monkeypatch, waiting, until):
    rng = np.random.default_rng(waiting)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_watcher, "_PAUSE", 1e12)
    for module in (_watch_streams, _watch_blocks):
        monkeypatch.setattr(module, "MOST_WAITING", waiting)
    pb.certify_predictions([0, 1] * 500, [0, 1] * 440 + [1, 1] * 60).to_json(Path("certificate.json"))
    risks = np.repeat([0.05, 0.5], 2500)
    lines = [b'{"shop": %d, "loss": %d}\n' % (rng.integers(5), rng.random() < risk) for risk in risks]
    Path("lines.txt").write_bytes(b"".join(lines))
    arguments = ["lines.txt", "--by", "shop", "--certificate", "certificate.json", "--every", "900", "--json"]
    arguments += ["--until-alarm"] if until else ["--state", "{folder}/state.json"]
    alone = outcome(run, tmp_path / "alone", arguments, monkeypatch, chunk=65_536, fewest=10**9)
    assert outcome(run, tmp_path / "together", arguments, monkeypatch, chunk=524_288, fewest=16) == alone
    assert alone[1].count("Alarm at row") >= (1 if until else 5)


def test_a_restart_goes_on_as_if_there_had_been_none(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    content = b"".join(SHAPES["keys"](rng, k) + b"\n" for k in range(3000))
    half = content.index(b"\n", len(content) // 2) + 1
    for name, parts in {"once": [content], "twice": [content[:half], content]}.items():
        for part in parts:
            Path("lines.txt").write_bytes(part)
            result = run("watch", "lines.txt", "--by", "shop", "--every", "100", "--json", "--state", f"{name}.json")
            assert result.exit_code == 0, result.stderr
    once, twice = (json.loads(Path(f"{name}.json").read_text()) for name in ("once", "twice"))
    assert (once["streams"], once["position"], once["prefix"]) == (twice["streams"], twice["position"], twice["prefix"])


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


def test_what_is_due_comes_at_its_loss():
    for count, report, every, room in [(1000, 3, 7, 256), (1000, 100, 100, 1), (600, 1000, 1000, 20), (5, 9, 9, None)]:
        waiting, length, expected = 256 - (room or 0), every - report, []
        for rank in range(1, count + 1):
            waiting, length = waiting + 1, length + 1
            full = room is not None and waiting >= 256
            if full or length % every == 0:
                expected.append(rank)
                waiting = 0
        assert _ranks_due(count, report, every, room) == expected


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


def draw_shops(rng, shops, count):
    """Lines of many shops, interleaved; some go bad, some lines are junk, and some have no shop."""
    bad = rng.random(shops) < 0.3
    lines = []
    for number in range(count):
        shop, chance = int(rng.integers(shops)), rng.random()
        risk = 0.5 if bad[shop] and number > count // 3 else 0.05
        if chance < 0.01:
            lines.append(ODD[rng.integers(len(ODD))])
        elif chance < 0.02:
            lines.append(b'{"loss": %d}' % (rng.random() < risk))
        elif chance < 0.03:
            lines.append(b'{"shop": "s%d", "loss": %s}' % (shop, rng.choice([b"2", b"null", b'"0"', b"NaN"])))
        else:
            loss = rng.choice([b"0.25", b"1e-3"]) if chance > 0.99 else b"%d" % (rng.random() < risk)
            lines.append(b'{"shop": "s%d", "row": %d, "loss": %s}' % (shop, number, loss))
    return b"\n".join(lines) + b"\n"


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 30))])
def test_many_keys_with_alarms_say_in_blocks_what_they_say_line_by_line(run, tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(100 + seed)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_watcher, "_PAUSE", rng.choice([-1.0, 1e12]))
    waiting = int(rng.choice([4, 16, 256]))
    for module in (_watch_streams, _watch_blocks):
        monkeypatch.setattr(module, "MOST_WAITING", waiting)
    pb.certify_predictions([0, 1] * 500, [0, 1] * 440 + [1, 1] * 60).to_json(Path("certificate.json"))
    shops = int(rng.integers(5, 80))
    Path("lines.txt").write_bytes(draw_shops(rng, shops, 1500))
    arguments = ["lines.txt", "--by", "shop", "--certificate", "certificate.json", "--alarm", "0.2", "--window", "20"]
    arguments += ["--every", str(rng.choice([60, 10_000])), "--json"]
    arguments += ["--streams", str(rng.choice([shops // 2, 200]))] if rng.random() < 0.5 else []
    arguments += ["--state", "{folder}/state.json"] if rng.random() < 0.5 else []
    alone = outcome(run, tmp_path / "alone", arguments, monkeypatch, chunk=65_536, fewest=10**9)
    for chunk in (int(rng.integers(200, 3000)), int(rng.integers(3000, 60_000))):
        together = outcome(run, tmp_path / str(chunk), arguments, monkeypatch, chunk=chunk, fewest=2)
        assert together == alone
    if "--streams" not in arguments:
        assert alone[1].count("Alarm at row") >= 1


def test_more_streams_than_the_usual_number_may_be_announced(monkeypatch):
    monkeypatch.setattr(_watch_streams, "_MOST_STREAMS", 3)
    announced = _watch_streams.Streams(_watch_streams.Watching(delta=0.05, by="shop", most=5))
    for key in "abcde":
        announced.get(key)
    assert (announced.count, announced.room) == (5, 0)
    with pytest.raises(ValueError, match="more than 5 streams"):
        announced.get("f")


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
