"""Measure the tables of numbers in the pages again, and write them in their places.

    python tools/tables.py                      # all of them; hours
    python tools/tables.py widths power         # some, by their names
    python tools/tables.py --list               # names, pages, commands and minutes

A page marks a table by ``<!-- table: NAME -->`` before and ``<!-- end -->`` after it; the benchmark prints it between
the same marks (``benchmarks/_tables.py``). What a benchmark printed is kept in ``.tables``, by the committed state of
the code and the benchmarks, so that a run that was stopped goes on; ``--again`` measures anew. A diff is printed last.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARKED = re.compile(r"<!-- table: (?P<name>[\w-]+) -->\n+(?P<table>(?:\|[^\n]*\n)+)\n*<!-- end -->")


@dataclass(frozen=True)
class Table:
    """Where a table stands, what measures it, and about how many minutes that takes on one core."""

    page: str
    command: str
    minutes: float


THEORY, CERTIFICATES, ONLINE = "docs/theory.md", "docs/certificates.md", "docs/online.md"
COMPARE, SCHEDULES = "benchmarks/compare.py", "benchmarks/schedules.py"
TIGHTNESS = "benchmarks/tightness.py --repeats 20 --jobs -1"
PAPER, RIVALS = "docs/reproduction.md", "docs/rivals.md"
STUDIES = {
    PAPER: "benchmarks/paper_tables.py --repeats 20 --jobs -1",
    RIVALS: "benchmarks/paper_tables.py --rivals --repeats 10 --jobs -1",
}
OF_STUDIES = {
    PAPER: ("published", "corrected", "errata", "methods", "portfolio"),
    RIVALS: ("certificates-small", "certificates-large", "tests", "summary", "deterministic", "rows", "seconds"),
}
TABLES = {
    "rates": Table(THEORY, "benchmarks/betting_rates.py", 1),
    "strengths": Table(THEORY, "benchmarks/portfolio.py", 3),
    "sequential": Table(THEORY, "benchmarks/sequential.py", 5),
    "power": Table(CERTIFICATES, COMPARE, 5),
    "widths": Table(CERTIFICATES, COMPARE, 5),
    "prior-at-zero": Table(CERTIFICATES, TIGHTNESS, 240),
    "prior-informed": Table(CERTIFICATES, TIGHTNESS, 240),
    "hold-out": Table(CERTIFICATES, TIGHTNESS, 240),
    "answered": Table(CERTIFICATES, "benchmarks/selective.py --repeats 10", 60),
    "transfer": Table(CERTIFICATES, "benchmarks/transfer.py --repeats 20", 60),
    "delays": Table(CERTIFICATES, "benchmarks/monitor.py --part delay --streams 101", 10),
    "cost": Table(CERTIFICATES, "benchmarks/certify.py", 5),
    "shares": Table("docs/choosing.md", "benchmarks/any_model.py --repeats 10", 60),
    "one-draw": Table("docs/choosing.md", "benchmarks/one_draw.py --repeats 10", 15),
    "files": Table("docs/command-line.md", "benchmarks/command_line.py", 3),
    "lines": Table("docs/command-line.md", "benchmarks/monitor.py --part speed", 10),
    "numerics-speed": Table("docs/numerics.md", "benchmarks/numerics.py", 2),
    "posteriors-speed": Table("docs/data-and-posteriors.md", "benchmarks/posteriors.py", 1),
    "reference-loss": Table(ONLINE, SCHEDULES, 10),
    "reference-portfolio": Table(ONLINE, SCHEDULES, 10),
    "reference-betting": Table(ONLINE, SCHEDULES, 10),
    "reference-excess": Table(ONLINE, SCHEDULES, 10),
    "refits": Table(ONLINE, "benchmarks/online.py", 3),
    **{f"paper-{name}": Table(PAPER, STUDIES[PAPER], 60) for name in OF_STUDIES[PAPER]},
    **{f"rivals-{name}": Table(RIVALS, STUDIES[RIVALS], 240) for name in OF_STUDIES[RIVALS]},
}


def marked(text: str) -> dict[str, str]:
    """Return the marked tables of a page, or of what a benchmark printed, by name."""
    return {match["name"]: match["table"] for match in MARKED.finditer(text)}


def replaced(text: str, found: dict[str, str]) -> str:
    """Return a page with some of its marked tables exchanged."""

    def fresh(match: re.Match[str]) -> str:
        table = found.get(match["name"], match["table"])
        return f"<!-- table: {match['name']} -->\n\n{table}\n<!-- end -->"

    return MARKED.sub(fresh, text)


def folder_of_results() -> Path:
    """Return where results are kept: by the code and the benchmarks of the last commit."""
    command = ["git", "rev-parse", "HEAD:src", "HEAD:benchmarks"]
    state = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    folder = ROOT / ".tables" / hashlib.sha256(state.encode()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def measure(command: str, *, again: bool) -> str:
    """Run a benchmark, or return what it printed earlier; nothing where it fails."""
    kept = folder_of_results() / (re.sub(r"[^\w.-]+", "-", Path(command).name) + ".txt")
    if kept.exists() and not again:
        sys.stderr.write(f"{command}: as measured before\n")
        return kept.read_text(encoding="utf-8")
    start = time.monotonic()
    sys.stderr.write(f"{command} ...\n")
    script, *options = command.split()
    run = [sys.executable, str(ROOT / script), *options]
    kept_cells = os.environ | {"TABLES_FOLDER": str(folder_of_results())}
    done = subprocess.run(run, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False, env=kept_cells)
    status = "" if done.returncode == 0 else f", FAILED with status {done.returncode}"
    sys.stderr.write(f"  {(time.monotonic() - start) / 60.0:.1f} minutes{status}\n")
    if done.returncode:
        return ""
    kept.with_suffix(".part").write_text(done.stdout, encoding="utf-8")
    kept.with_suffix(".part").replace(kept)
    return done.stdout


def write(page: str, found: dict[str, str]) -> str:
    """Write tables into a page, and return the difference."""
    path = ROOT / page
    before = path.read_text(encoding="utf-8")
    after = replaced(before, found)
    path.write_text(after, encoding="utf-8")
    lines = (text.splitlines(keepends=True) for text in (before, after))
    return "".join(difflib.unified_diff(*lines, page, page, n=0))


def main() -> int:
    """Measure, write, and print the difference; status 1 if a table could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="tables; by default all of them")
    parser.add_argument("--again", action="store_true", help="measure anew what was measured before")
    parser.add_argument("--list", action="store_true", help="list the tables and measure nothing")
    given = parser.parse_args()
    if unknown := set(given.names) - set(TABLES):
        parser.error(f"there is no table {', '.join(sorted(unknown))}; --list has their names")
    asked = {name: TABLES[name] for name in given.names or TABLES}
    if given.list:
        sys.stdout.writelines(
            f"{name:20} {each.page:30} {each.minutes:4g} min  {each.command}\n" for name, each in asked.items()
        )
        return 0
    missing, differences = [], []
    commands = sorted({each.command: each.minutes for each in asked.values()}.items(), key=lambda item: item[1])
    for number, (command, minutes) in enumerate(commands, start=1):
        sys.stderr.write(f"{number} of {len(commands)}, about {minutes:g} minutes: ")
        found = marked(measure(command, again=given.again))
        wanted = {name: each for name, each in asked.items() if each.command == command}
        missing += sorted(set(wanted) - set(found))
        for page in sorted({each.page for each in wanted.values()}):
            fresh = {name: found[name] for name, each in wanted.items() if each.page == page and name in found}
            differences.append(write(page, fresh))
    sys.stdout.write("".join(differences) or "no number has changed\n")
    sys.stderr.writelines(f"not measured: {name} ({asked[name].command})\n" for name in missing)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
