"""The alarm of ``pb.Monitor``: delays against MAPIE's RiskMonitoring, false alarms, lines per second and memory.

    python benchmarks/monitor.py [--part delay|false-alarms|speed] [--streams 101] [--rows 1e6] [--python PYTHON]

MAPIE (1.6 or later) is for this comparison alone and no dependency: ``python -m venv mapie && mapie/bin/pip install
mapie``, and name ``mapie/bin/python`` with --python. Without it the delays are printed without a comparison.

Both watch the same streams of 0-1 losses, whose risk is the certified one for a while, which is the hardest case, and
higher from then on. MAPIE's online test is given the certified value as its threshold and the same level: it spends
half of its ``test_level`` online, so that it is given twice ``alpha``.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

import pacbayes as pb

from _tables import print_table

VALUE, ALPHA = 0.1, 0.01
JUMPS = {0.02: 40_000, 0.05: 12_000, 0.10: 9_000}
GOOD = (0, 1000, 50_000)
LINES = {
    "losses of 0 and 1": "{loss}\n",
    "losses between 0 and 1": "{part!r}\n",
    "labels and predictions": '{{"label": 0, "prediction": {loss}}}\n',
    "objects that all differ": '{{"id": {row}, "label": 0, "prediction": {loss}}}\n',
    "of 1,000 keys": '{{"shop": "s{key}", "id": {row}, "loss": {loss}}}\n',
    "rows of CSV": "{row},0,{loss}\n",
    "rows of CSV of 1,000 keys": "s{key},{row},{loss}\n",
}
KEYS = 1000
COLUMNS = {"rows of CSV": "id,label,prediction", "rows of CSV of 1,000 keys": "shop,id,loss"}
WANTED = 300_000  # lines per second of processor time
_REMEDY = "mapie is not there: python -m venv mapie && mapie/bin/pip install mapie, then --python mapie/bin/python"
# its own largest memory, which that of a child process is not: it begins with the parent's
_WATCH = """
import sys, time
import pyarrow.compute
from pacbayes.cli import _lines, _watcher, main, watch
if sys.argv[1] == "alone":
    _lines._FEWEST = 10**9  # no number of lines is a block
del sys.argv[1]
begun = time.process_time(), time.perf_counter()
try:
    main()
finally:
    print(time.process_time() - begun[0], time.perf_counter() - begun[1])
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
# MAPIE says after which rows its lower limit exceeded the threshold; it is run in its own environment
_MAPIE = """
import math, sys
import numpy as np
from mapie.exchangeability_testing import RiskMonitoring
from mapie.exchangeability_testing.bounds import GammaExponentialMixtureBound

# Its boundary takes a search per row, and depends on one number alone: searched once per 0.2 % of that number, rounded
# down, which makes MAPIE notice up to 0.1 % earlier.
search, known = GammaExponentialMixtureBound.__call__, {}
def remembered(self, v, alpha, **options):
    step = (math.floor(500.0 * math.log(v)) if v > 0.01 else None, alpha)
    if step not in known:
        known[step] = search(self, 0.0 if step[0] is None else math.exp(step[0] / 500.0), alpha, **options)
    return known[step]
GammaExponentialMixtureBound.__call__ = remembered

losses, value, alpha = np.load(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
for row in losses:
    monitor = RiskMonitoring("accuracy", test_level=2 * alpha, threshold=value, warn=False)
    monitor.update(np.zeros(len(row), dtype=int), row.astype(int))
    above = np.flatnonzero(monitor.online_risk_lower_bound_sequence_history > value)
    print(above[0] + 1 if above.size else -1, flush=True)
"""


def draw(good: int, jump: float, streams: int, seed: int) -> np.ndarray:
    """Return streams of losses at the certified risk, and above it after the good rows."""
    rng = np.random.default_rng(seed)
    risks = np.concatenate([np.full(good, VALUE), np.full(JUMPS[jump], VALUE + jump)])
    return rng.random((streams, risks.size)) < risks


def delays_of_mapie(python: str, losses: np.ndarray, good: int) -> list[float]:
    """Return how many rows after the change MAPIE noticed; infinite if it did not."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "losses.npy"
        np.save(place, losses)
        command = [python, "-c", _MAPIE, str(place), str(VALUE), str(ALPHA)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float("inf") if row < 0 else row - good for row in map(int, done.stdout.split())]


def delays_of_monitor(losses: np.ndarray, good: int) -> list[float]:
    """Return how many rows after the change the alarm came; a false alarm before it counts as noticed at once."""
    alarms = [pb.Monitor(VALUE, ALPHA, window=1).update(each) for each in losses]
    return [float("inf") if alarm is None else max(0, alarm.row - good) for alarm in alarms]


def show_delays(python: str | None, streams: int) -> None:
    """Print median delays over streams."""
    print(f"median delay in rows, {streams} streams, certified {VALUE}, alpha {ALPHA}")
    print(f"{'good rows':>10} {'jump':>6} {'Monitor':>9} {'MAPIE':>9} {'ratio':>7}")
    rows = []
    for good in GOOD:
        for jump in JUMPS:
            losses = draw(good, jump, streams, seed=good + round(1000 * jump))
            mine = statistics.median(delays_of_monitor(losses, good))
            theirs = statistics.median(delays_of_mapie(python, losses, good)) if python else float("nan")
            print(f"{good:>10} {jump:>6.2f} {mine:>9.0f} {theirs:>9.0f} {mine / theirs:>7.2f}", flush=True)
            rows.append(
                (f"{good:,}", f"{100 * jump:g} points", f"{mine:,.0f}", f"{theirs:,.0f}", f"{mine / theirs:.2f}")
            )
    if python:  # without MAPIE there is half a table
        print_table("delays", ("good rows before", "jump", "`pb.Monitor`", "MAPIE", "ratio"), rows)


def show_false_alarms(streams: int = 10_000, rows: int = 10_000) -> None:
    """Print how many streams at the certified risk raised an alarm, and the exact test of the promise."""
    rng = np.random.default_rng(11)
    print(f"false alarms in {streams} streams of {rows} rows at the certified risk")
    for alpha in (0.01, 0.1):
        found = 0
        for _ in range(streams):
            found += pb.Monitor(VALUE, alpha, window=1).update(rng.random(rows) < VALUE) is not None
        test = binomtest(found, streams, alpha, alternative="greater").pvalue
        print(f"alpha {alpha:g}: {found} of {streams}; test of 'at most alpha': p = {test:.3g}", flush=True)


def measure(place: Path, options: list[str], how: str) -> tuple[float, float, float]:
    """Return processor time and time by the clock of a watch once all is loaded, and its largest memory in MB."""
    command = [sys.executable, "-c", _WATCH, how, "watch", str(place), *options, "--every", "10000", "--quiet"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    used, clock, _, memory, _ = done.stdout.split()[-5:]
    return float(used), float(clock), int(memory) / 1024


def write_lines(place: Path, text: str, count: int, rng: np.random.Generator) -> None:
    """Write lines of one form, with errors at random, in keys at random."""
    losses, keys = (rng.random(count) < 0.04).astype(int).tolist(), rng.integers(0, KEYS, count).tolist()
    parts = (rng.random(count) ** 30).tolist()
    rows = zip(losses, parts, keys, strict=True)
    given = ({"row": row, "loss": loss, "part": part, "key": key} for row, (loss, part, key) in enumerate(rows))
    place.write_text("".join(text.format(**each) for each in given))


def show_speed(rows: int) -> None:
    """Print lines per second through the command line, many at once against one by one, and the memory."""
    rng, few, met = np.random.default_rng(12), rows // 10, []
    with tempfile.TemporaryDirectory() as folder:
        certificate, place = Path(folder) / "certificate.json", Path(folder) / "lines.txt"
        pb.certify_predictions([0, 1] * 500, [0, 1] * 450 + [1, 1] * 50).to_json(certificate)
        table = []
        for name, text in LINES.items():
            cells = []
            for alarm in ([], ["--certificate", str(certificate)]):
                options = [*alarm, *(["--by", "shop", "--streams", str(KEYS)] if "{key}" in text else [])]
                options += ["--columns", COLUMNS[name]] if name in COLUMNS else []
                write_lines(place, text, few, rng)
                slow, _, low = measure(place, options, "alone")
                write_lines(place, text, rows, rng)
                used, clock, high = measure(place, options, "blocks")
                rate, alone = rows / used, few / slow
                cells += [f"{rate:,.0f}", f"{alone:,.0f}"]
                met.append(rate >= WANTED)
                print(f"{name}{', with an alarm' if alarm else ''}: {rate / alone:.1f} times as fast as one by one")
                print(f"  {rate:,.0f} lines per second of processor time, {rate / WANTED:.2f} of {WANTED:,} wanted")
                print(f"  {rows / clock:,.0f} by the clock; one by one {alone:,.0f} of processor time")
                print(f"  memory {low:.0f} MB after {few:,} lines, {high:.0f} MB after {rows:,}", flush=True)
            table.append((name, *cells))
    print_table("lines", ("lines", "at once", "one by one", "with an alarm", "one by one"), table)
    print(f"{sum(met)} of {len(met)} kinds of lines reach {WANTED:,} lines per second of processor time")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=["delay", "false-alarms", "speed"])
    parser.add_argument("--streams", type=int, default=101)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=1_000_000, help="lines of the speed")
    parser.add_argument("--python", default=os.environ.get("MAPIE_PYTHON"), help="a Python that has mapie")
    options = parser.parse_args()
    python: str | None = options.python or sys.executable
    asked = [python, "-c", "import mapie.exchangeability_testing"]
    if options.part in (None, "delay"):
        if subprocess.run(asked, capture_output=True, check=False).returncode:
            python = None
            print(_REMEDY)
        show_delays(python, options.streams)
    if options.part in (None, "false-alarms"):
        show_false_alarms()
    if options.part in (None, "speed"):
        show_speed(options.rows)


if __name__ == "__main__":
    main()
