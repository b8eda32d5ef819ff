"""Certify a million rows with this tree and with the one before tables in batches: time and peak memory, in one run.

The tree of an earlier commit is unpacked into a temporary folder, and both certify the same Parquet file with the
defaults, each in a process of its own and on one thread: first the one, then the other, as often as is asked for. Time
is that of the whole process, imports and saving included; the least of each tree counts. Memory is the peak of the
process; that of the process which reads the file for it is printed beside it, as is the most that both had at once.

    python benchmarks/before.py --repeats 2
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from _memory import run_watched
from scale import write

ROOT = Path(__file__).resolve().parent.parent
COMMIT = "4562ecf"  # the last before rows were judged in blocks
FASTER, SMALLER = 2.0, 0.5
PROGRAM = """
import json, resource, sys
from pathlib import Path
from pacbayes.runs import Settings, certify_file

path, model = sys.argv[1:]
run = certify_file(path, Settings(target="label", model=model))
run.save(Path(path).with_suffix(".certificate"), force=True)
own, reader = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
work = sum((each.ru_utime + each.ru_stime) for each in (own, reader))
first = run.certificate.statements[0]
found = {"memory": own.ru_maxrss * 1024, "reader": reader.ru_maxrss * 1024, "work": work}
print(json.dumps({**found, "learned": run.model.n_learning_, "judged": first.n, "value": first.value}))
"""


def unpack(commit: str, folder: Path) -> Path:
    """Write the sources of a commit into a folder, and return what to import them from."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed, check=True)
    return folder / "src"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default=1_000_000, type=lambda text: int(float(text)))
    parser.add_argument("--columns", default=12, type=int)
    parser.add_argument("--model", default="logistic")
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument("--repeats", default=2, type=int)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, old = Path(folder) / "table.parquet", Path(folder) / "before"
        old.mkdir()
        try:
            trees = {"before": unpack(given.commit, old), "now": ROOT / "src"}
        except subprocess.CalledProcessError:
            sys.exit(f"The commit {given.commit} is not here: this comparison needs the repository with its history.")
        write(path, given.rows, given.columns)
        found: dict[str, list[dict[str, float]]] = {name: [] for name in trees}
        for _ in range(given.repeats):
            for name, source in trees.items():
                each = run_watched(["-c", PROGRAM, str(path), given.model], PYTHONPATH=str(source))
                found[name].append(each)
                print(
                    f"{name:>6}: {each['seconds']:6.1f} s ({each['work']:5.1f} s of processor time), "
                    f"{each['memory'] / 1e9:5.3f} GB, reader {each['reader'] / 1e9:5.3f} GB, both at once "
                    f"{each['both'] / 1e9:5.3f} GB, {each['learned']:,} learned from, limit {each['value']:.6f}",
                    flush=True,
                )
    best = {name: {key: min(each[key] for each in runs) for key in runs[0]} for name, runs in found.items()}
    faster = best["before"]["seconds"] / best["now"]["seconds"]
    work = best["before"]["work"] / best["now"]["work"]
    smaller, both = (best["now"][key] / max(best["before"][key], 1.0) for key in ("memory", "both"))
    same = best["before"]["value"] == best["now"]["value"]
    print(f"{faster:.2f} times faster (target {FASTER:g}; {work:.2f} times by processor time)")
    print(f"{smaller:.2f} of the memory (target {SMALLER:g}; with the reader {both:.2f}); same limit: {same}")
    held = faster >= FASTER and smaller <= SMALLER and same
    print("held" if held else "MISSED")
    sys.exit(not held)


if __name__ == "__main__":
    main()
