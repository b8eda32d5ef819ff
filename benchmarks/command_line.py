"""The command line on real files: the eight UCI files as CSV, two sets of scikit-learn as Parquet, and a million rows.

Each line is one ``pacbayes certify`` and one ``pacbayes verify`` with the data, in processes of their own; memory is
the peak of certify. Run with PACBAYES_DATA naming the folder of the raw UCI files.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits

from _tables import print_table

UCI = [
    ("adult.data", ["--target", "c15", "--missing-value", "?", "--missing", "category"]),
    ("agaricus-lepiota.data", ["--target", "c1", "--missing-value", "?", "--missing", "category"]),
    (
        "breast-cancer-wisconsin.data",
        ["--target", "c11", "--drop", "c1", "--missing-value", "?", "--missing", "category"],
    ),
    ("data_banknote_authentication.txt", ["--target", "c5"]),
    ("haberman.data", ["--target", "c4"]),
    ("kr-vs-kp.data", ["--target", "c37"]),
    ("spambase.data", ["--target", "c58"]),
    ("tic-tac-toe.data", ["--target", "c10"]),
]
SHOWN = {  # in the page
    "breast-cancer.parquet": "breast cancer of scikit-learn, Parquet",
    "digits.parquet": "digits of scikit-learn, Parquet (10 classes)",
    "digits.parquet, forest": "the same, random forest",
    "million.parquet": "a million rows, 12 columns, Parquet",
}


def measured(arguments: list[str]) -> tuple[float, float, str]:
    """Run a command; return seconds, its peak memory in MB, and its last line."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "pacbayes", *arguments], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{arguments} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024, output.strip().splitlines()[-1]


def run(name: str, data: Path, options: list[str], folder: Path) -> tuple[str, ...]:
    """Certify and verify; print what it took, and return a row of the page."""
    out = folder / f"{name}-out"
    seconds, memory, _ = measured(["certify", str(data), "--out", str(out), "--quiet", *options])
    value = measured(["bound", "--from", str(out / "certificate.json"), "--quiet"])[2]
    again, _, _ = measured(["verify", str(out), "--data", str(data), "--quiet"])
    print(f"{name:34s} {value:>8s} {seconds:8.1f} s {memory:8.0f} MB {again:8.1f} s", flush=True)
    return SHOWN.get(name, name), value, f"{seconds:.1f} s", f"{memory:.0f} MB", f"{again:.1f} s"


def million(path: Path) -> None:
    """Ten numbers, two categories, and a label with noise."""
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.normal(size=(1_000_000, 10)), columns=[f"x{i}" for i in range(10)])
    frame["region"] = generator.choice(["north", "south", "east", "west"], len(frame))
    frame["shop"] = generator.choice([f"s{i}" for i in range(50)], len(frame))
    score = frame["x0"] - frame["x1"] + (frame["region"] == "north") + generator.logistic(size=len(frame))
    frame.assign(sold=np.where(score > 0, "yes", "no")).to_parquet(path)


def main() -> None:
    print(f"{'file':34s} {'at most':>8s} {'certify':>10s} {'memory':>11s} {'verify':>10s}")
    with tempfile.TemporaryDirectory() as place:
        folder, rows = Path(place), []
        given = Path(os.environ.get("PACBAYES_DATA", "."))
        for name, options in UCI:
            if (given / name).exists():
                rows.append(run(name, given / name, ["--no-header", *options], folder))
        for name, bunch in (
            ("breast-cancer", load_breast_cancer(as_frame=True)),
            ("digits", load_digits(as_frame=True)),
        ):
            path = folder / f"{name}.parquet"
            bunch.frame.to_parquet(path)
            rows.append(run(path.name, path, ["--target", "target"], folder))
        forest = ["--target", "target", "--model", "random-forest"]
        rows.append(run("digits.parquet, forest", folder / "digits.parquet", forest, folder))
        million(folder / "million.parquet")
        rows.append(run("million.parquet", folder / "million.parquet", ["--target", "sold"], folder))
    print_table("files", ("file", "true error at most", "certify", "memory", "verify with data"), rows)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"(this script itself: {own:.0f} MB)")


if __name__ == "__main__":
    main()
