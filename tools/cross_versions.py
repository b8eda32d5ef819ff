"""Issue folders with one environment, verify them with another, in both directions: certificates survive upgrades.

    python tools/cross_versions.py PYTHON PYTHON

Both interpreters must have pacbayes with its ``cli`` extra. Exit status 1 if an honest certificate does not verify, or
if a changed one does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

RUNS = {
    "logistic": ["--model", "logistic"],
    "forest": ["--model", "random-forest", "--method", "split"],
    "forest-stream": ["--model", "random-forest", "--method", "online"],
    "boosting": ["--model", "hist-gradient-boosting", "--method", "split"],
    "boosting-stream": ["--model", "hist-gradient-boosting", "--method", "online"],
}
# Versions of scikit-learn differ in where boosting cuts columns of more than 255 different values; it is another model
# then. Columns are therefore rounded, and the fine table is tried to see that the versions are named as the cause.
TABLE = """
import sys
from sklearn.datasets import load_breast_cancer
bunch = load_breast_cancer(as_frame=True)
fine = bunch.data.assign(label=bunch.target)
fine.to_csv(sys.argv[2], index=False)
coarse = bunch.data.rank(pct=True).mul(200).round().assign(label=bunch.target)
coarse.to_csv(sys.argv[1], index=False)
"""


def run(python: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line of one environment."""
    return subprocess.run([python, "-m", "pacbayes", *arguments], capture_output=True, text=True, check=False)


def versions(python: str) -> str:
    """Name the numerical libraries of an environment."""
    code = "import numpy, scipy, sklearn; print(numpy.__version__, scipy.__version__, sklearn.__version__)"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def check(issuer: str, verifier: str, folder: Path) -> list[str]:
    """Issue with one environment and verify with the other; return what went wrong."""
    table, fine, wrong = str(folder / "table.csv"), str(folder / "fine.csv"), []
    subprocess.run([issuer, "-c", TABLE, table, fine], check=True)
    for name, options in RUNS.items():
        out = folder / name
        issued = run(issuer, "certify", table, "--target", "label", "--out", str(out), "-q", "--no-baseline", *options)
        found = run(verifier, "verify", str(out), "--data", table)
        sys.stdout.write(f"  {name:16} issued {issued.returncode}, verified {found.returncode}\n")
        if issued.returncode or found.returncode:
            wrong.append(f"{name}: {issued.stderr} {found.stdout} {found.stderr}")
            continue
        record = json.loads((out / "certificate.json").read_text())
        record["statements"][0]["value"] *= 0.99
        (out / "certificate.json").write_text(json.dumps(record))
        if run(verifier, "verify", str(out), "--data", table).returncode != 1:
            wrong.append(f"{name}: a changed certificate was not refused")
    out = str(folder / "fine")
    run(issuer, "certify", fine, "--target", "label", "--out", out, "-q", "--no-baseline", *RUNS["boosting"])
    found = run(verifier, "verify", out, "--data", fine)
    sys.stdout.write(f"  {'boosting, fine':16} verified {found.returncode}: {found.stdout.splitlines()[-1]}\n")
    return wrong


def main() -> int:
    """Check both directions."""
    one, two = sys.argv[1:3]
    wrong = []
    for issuer, verifier in ((one, two), (two, one)):
        sys.stdout.write(
            f"issued with {versions(issuer)}, verified with {versions(verifier)} (numpy, scipy, sklearn)\n"
        )
        with TemporaryDirectory() as folder:
            wrong += check(issuer, verifier, Path(folder))
    sys.stdout.writelines(f"WRONG {each}\n" for each in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
