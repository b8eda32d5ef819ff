"""Install the built wheel in environments that hold nothing else, and use it there as its README says.

    python tools/clean_installs.py dist --python python3.11 python3.12 python3.13 [--lowest requirements-lowest.txt]

In each environment the README's lines of Python run; with each extra alone, what that extra is for. Exit status 1 if
anything fails. A Python that is not to be had is named and left out, and so is PyTorch where no local folder of wheels
(`PIP_FIND_LINKS`) has a build: that of an index may bring gigabytes of CUDA, and is installed with `--torch` only.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
TORCH = "torch==2.13.0"  # a version that has a build without CUDA
README = "import doctest, sys; sys.exit(doctest.testfile(sys.argv[1], module_relative=False).failed)"
DEMO = (
    "import subprocess, sys; "
    "call = lambda *words: subprocess.run([sys.executable, '-m', 'pacbayes', *words], check=True); "
    "call('demo', '--out', 'demo-report'); call('verify', 'demo-report')"
)
SAMPLE = "import pacbayes as pb; made = pb.datasets.make_known_risk(600, d=3, separation=2.0, random_state=0); "
FIT = SAMPLE + "model = pb.CertifiedClassifier(random_state=0).fit(made.X, made.y); "
USES = {  # what each extra is for, in an environment that has no other
    "": README,
    "cli": DEMO,
    "report": FIT + "from pacbayes.report import render; assert '</html>' in render(model.certificate_)",
    "data": SAMPLE + "import pandas; from pacbayes.tables import read_table; "
    "pandas.DataFrame(made.X).add_prefix('x').assign(y=made.y).to_parquet('t.parquet'); "
    "assert len(read_table('t.parquet')) == 600",
    "excel": SAMPLE + "import pandas; from pacbayes.tables import read_table; "
    "pandas.DataFrame(made.X).add_prefix('x').assign(y=made.y).to_excel('t.xlsx', index=False); "
    "assert len(read_table('t.xlsx')) == 600",
    "dask": SAMPLE + "import dask.array as da; "
    "model = pb.CertifiedClassifier(random_state=0).fit(da.from_array(made.X), da.from_array(made.y))",
    "torch": SAMPLE + "import pacbayes.torch as pt; assert float(pt.maurer(0.1, 5.0, 1000, 0.05)) < 0.2",
}


def install(python: str, folder: Path, wheel: Path, extra: str, constraints: list[str]) -> str:
    """Make an environment with the wheel and one extra, and return its interpreter."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    inside = str(folder / "bin" / "python")
    what = f"{wheel}[{extra}]" if extra else str(wheel)
    pinned = [TORCH] if extra == "torch" else []
    subprocess.run([inside, "-m", "pip", "install", "--quiet", *constraints, *pinned, what], check=True)
    return inside


def attempt(python: str, wheel: Path, extra: str, constraints: list[str]) -> bool:
    """Install and use; say how it went."""
    with TemporaryDirectory() as folder:
        try:
            inside = install(python, Path(folder) / "environment", wheel, extra, constraints)
            command = [inside, "-c", USES[extra], str(ROOT / "README.md")]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            found = done.returncode == 0, (done.stdout + done.stderr)[-2000:]
        except subprocess.CalledProcessError as error:
            found = False, str(error)
    passed, said = found
    name = f"pacbayes[{extra}]" if extra else "pacbayes"
    sys.stdout.write(f"{python:12} {name:18} {'passed' if passed else 'FAILED'}{'' if passed else said}\n")
    sys.stdout.flush()
    return passed


def has_torch(python: str) -> bool:
    """Tell whether a local folder of wheels has PyTorch for an interpreter."""
    command = [python, "-m", "pip", "install", "--no-index", "--no-deps", "--dry-run", "--ignore-installed", TORCH]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def extras_for(python: str, asked: list[str], *, torch: bool) -> list[str]:
    """Return which of the extras to try with an interpreter, and say which are left out."""
    if "torch" not in asked or torch or has_torch(python):
        return asked
    sys.stdout.write(f"{python:12} {'pacbayes[torch]':18} left out: no local build of {TORCH}\n")
    return [extra for extra in asked if extra != "torch"]


def main() -> None:
    """Try the wheel of a folder in every environment that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path)
    parser.add_argument("--python", nargs="+", default=["python3.11", "python3.12", "python3.13"])
    parser.add_argument("--extra", nargs="+", default=list(USES), choices=USES)
    parser.add_argument("--torch", action="store_true", help="install PyTorch from an index, however large it is")
    parser.add_argument("--lowest", type=Path, help="a file of constraints: the README and the demo on these versions")
    given = parser.parse_args()
    (wheel,) = given.dist.resolve().glob("*.whl")
    passed = []
    for python in given.python:
        if shutil.which(python) is None or subprocess.run([python, "-V"], capture_output=True, check=False).returncode:
            sys.stdout.write(f"{python:12} is not to be had here\n")
            continue
        passed += [attempt(python, wheel, extra, []) for extra in extras_for(python, given.extra, torch=given.torch)]
        if given.lowest is not None and python == given.python[0]:
            pins = ["-c", str(given.lowest.resolve())]
            passed += [attempt(python, wheel, extra, pins) for extra in ("", "cli")]
    sys.exit(not passed or not all(passed))


if __name__ == "__main__":
    main()
