"""Lines that are read many at once say what they say one by one: every report, warning, state and certificate."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.cli import _growing, _lines, _watch_blocks, _watch_streams, _watcher
from pacbayes.cli._watch_blocks import _ranks_due

from cli.odd_lines import ODD, SHAPES, draw_lines


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
