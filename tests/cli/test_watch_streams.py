"""watch with a certificate and a key: each stream has its share of the alarm, its state, and its line of the page."""

import json
from pathlib import Path

import numpy as np
import pytest

from pacbayes.monitoring import stream_share

from cli.alarms import WATCH, expected, records, reseal


def keyed(keys=12, rows=6000, bad=3, seed=1):
    rng = np.random.default_rng(seed)
    found = []
    for row in range(rows):
        key = int(rng.integers(keys))
        risk = 0.3 if key == bad and row > rows // 2 else 0.03
        found.append((f"shop {key}", int(rng.random() < risk)))
    return found


def test_many_streams_each_with_its_share(run, watched):
    rows = keyed()
    Path("keyed.txt").write_text("".join(json.dumps({"shop": key, "label": 0, "prediction": loss}) + "\n"
                                         for key, loss in rows))  # fmt: skip
    result = run("watch", "keyed.txt", *WATCH, "--by", "shop", "--state", "s.json", "--json")
    assert result.exit_code == 3
    last = {each["key"]: each for each in records(result)}
    order = list(dict.fromkeys(key for key, _ in rows))
    assert set(last) == set(order)
    for position, key in enumerate(order, start=1):
        monitor = expected([loss for name, loss in rows if name == key], 0.01 * stream_share(position))
        assert last[key]["log_evidence"] == monitor.log_evidence
        assert (last[key]["alarm"] is None) == (monitor.alarm is None)
    assert [key for key in order if last[key]["alarm"]] == ["shop 3"]
    again = run("watch", "keyed.txt", *WATCH, "--by", "shop", "--state", "s.json")
    assert again.exit_code == 3
    assert "12 streams, 1 with an alarm." in again.stdout


def test_streams_in_parts_are_the_streams_at_once(run, watched):
    rows = [json.dumps({"shop": key, "loss": loss}) + "\n" for key, loss in keyed(5, 1500)]
    for end in (1, 700, 701, 1500):
        Path("keyed.txt").write_text("".join(rows[:end]))
        run("watch", "keyed.txt", *WATCH, "--by", "shop", "--state", "s.json")
    run("watch", "keyed.txt", *WATCH, "--by", "shop", "--state", "t.json")
    parts, whole = (json.loads(Path(name).read_text()) for name in ("s.json", "t.json"))
    from pacbayes.cli._watch_state import _unpack

    for one, other in zip(parts["streams"], whole["streams"], strict=True):
        assert one[0] == other[0]
        assert _unpack(one[1])["monitor"] == _unpack(other[1])["monitor"]
        assert _unpack(one[1])["alarm"]["monitor"] == _unpack(other[1])["alarm"]["monitor"]


def test_a_number_of_streams_that_is_fixed(run, watched):
    lines = "".join(json.dumps({"shop": k, "loss": 0}) + "\n" for k in (1, 2, 1, 2, 3))
    result = run("watch", "-", *WATCH, "--by", "shop", "--streams", "2", input=lines)
    assert result.exit_code == 2
    assert "There are more than 2 streams." in result.stderr
    assert run("watch", "-", *WATCH, "--by", "shop", "--streams", "3", input=lines).exit_code == 0


def test_lines_without_a_key_belong_to_no_stream(run, watched):
    lines = ['{"shop": "a", "loss": 0}'] * 20 + ["0", "junk", '{"shop": null, "loss": 0}', '{"shop": "a", "loss": 2}']
    lines += ['{"loss": 0}', json.dumps({"shop": "x" * 201, "loss": 0}), '{"shop": "", "loss": 0}']
    result = run("watch", "-", *WATCH, "--by", "shop", "--json", input="\n".join(lines))
    assert result.exit_code == 0
    assert records(result)[-1] | {"key": "a", "n": 21, "unreadable": 1} == records(result)[-1]
    assert "Lines that have no readable key and belong to no stream: 6." in result.stderr


FORGED_STREAMS = {
    "no list": {"streams": 1},
    "a count": {"unassigned": -1},
    "half a stream": {"streams": [["a"]]},
    "junk": {"streams": [["a", "junk"]]},
    "not packed": {"streams": [["a", "anVuaw=="]]},
}


@pytest.mark.parametrize("change", FORGED_STREAMS.values(), ids=FORGED_STREAMS)
def test_forged_streams_are_refused(run, watched, change):
    Path("keyed.txt").write_text('{"shop": "a", "loss": 0}\n' * 30)
    assert run("watch", "keyed.txt", *WATCH, "--by", "shop", "--state", "s.json").exit_code == 0
    record = json.loads(Path("s.json").read_text())
    twice = {"streams": record["streams"] * 2}
    for forged in (change, twice):
        Path("s.json").write_text(json.dumps(reseal({**record, **forged})))
        result = run("watch", "keyed.txt", *WATCH, "--by", "shop", "--state", "s.json")
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_the_page_of_many_streams(run, watched):
    lines = "".join(json.dumps({"shop": f"<i>{key}", "loss": loss}) + "\n" for key, loss in keyed())
    assert run("watch", "-", *WATCH, "--by", "shop", "--page", "page.html", input=lines).exit_code == 3
    page = Path("page.html").read_text()
    assert "<i>" not in page
    assert page.index("&lt;i&gt;shop 3") < page.index("&lt;i&gt;shop 1")
