"""Build sdist and wheel of the last commit twice, compare them byte by byte, and list what they hold.

    python tools/distribution.py dist

Exit status 1 if the two builds differ, if the wheel holds anything but the package, or if the sdist lacks what a
packager needs. The environment has ``build`` and ``twine`` (the extra ``release``).
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
NEEDED = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "SECURITY.md", "Makefile", "tests"}


def build(into: Path) -> list[Path]:
    """Build from the files of the last commit alone, in the time of that commit, and return what was built."""
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "pacbayes"
        tree.mkdir()
        packed = str(Path(folder) / "tree.tar")
        subprocess.run(["git", "archive", "--output", packed, "HEAD"], cwd=ROOT, check=True)  # noqa: S607
        with tarfile.open(packed) as archive:
            filtered = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # from 3.11.4 on
            archive.extractall(tree, **filtered)  # noqa: S202  (the archive is our own)
        command = [sys.executable, "-m", "build", "--outdir", str(into), str(tree)]
        subprocess.run(command, check=True, capture_output=True)
    return sorted(into.iterdir())


def wheel_problems(names: list[str]) -> list[str]:
    """Return what a wheel holds besides the package and its metadata, or does not hold."""
    tops = {PurePosixPath(name).parts[0] for name in names}
    strange = sorted(top for top in tops if top != "pacbayes" and not top.endswith(".dist-info"))
    lacking = sorted({"pacbayes/py.typed", "pacbayes/certificate/schema.json"} - set(names))
    compiled = [name for name in names if name.endswith((".pyc", ".so"))]
    return [f"the wheel holds {each}" for each in strange + compiled] + [f"the wheel lacks {each}" for each in lacking]


def sdist_problems(names: list[str]) -> list[str]:
    """Return what an sdist lacks to be built, tested and packaged from."""
    tops = {PurePosixPath(name).parts[1] for name in names if len(PurePosixPath(name).parts) > 1}
    return [f"the sdist lacks {each}" for each in sorted(NEEDED - tops)]


def contents(path: Path) -> list[str]:
    """Return the names of the files in an archive."""
    if path.suffix == ".whl":
        return zipfile.ZipFile(path).namelist()
    with tarfile.open(path) as archive:
        return archive.getnames()


def describe(path: Path) -> list[str]:
    """Say what an archive holds, and return what is wrong with it."""
    names = contents(path)
    depth = 1 if path.suffix == ".whl" else 2
    counts = Counter("/".join(PurePosixPath(name).parts[:depth]) for name in names)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes, {len(names)} files, SHA-256 {digest}\n")
    sys.stdout.writelines(f"  {count:5} {name}\n" for name, count in sorted(counts.items()))
    return wheel_problems(names) if path.suffix == ".whl" else sdist_problems(names)


def main() -> None:
    """Build into the given folder, and compare, list and check what was built."""
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    first = build(out)
    with TemporaryDirectory() as folder:
        again = {each.name: each.read_bytes() for each in build(Path(folder))}
    wrong = [f"{each.name} differs between two builds" for each in first if again.get(each.name) != each.read_bytes()]
    for each in first:
        wrong += describe(each)
    checked = subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, first)], check=False)
    sys.stdout.writelines(f"{each}\n" for each in wrong)
    sys.stdout.write("built twice, the same bytes\n" if not wrong else "")
    sys.exit(bool(wrong) or checked.returncode)


if __name__ == "__main__":
    main()
