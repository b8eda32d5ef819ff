"""Measure the tables of numbers in the pages again, and write them in their places.

    python tools/tables.py                      # all of them, but those that take long by nature
    python tools/tables.py --slow               # these, too
    python tools/tables.py widths power         # some, by their names
    python tools/tables.py --list               # names, pages, commands and minutes

A page marks a table by ``<!-- table: NAME -->`` before and ``<!-- end -->`` after it; the benchmark prints it between
the same marks (``benchmarks/_tables.py``). Benchmarks that measure speed run first, and one at a time; then two run at
once, with one thread each (``--jobs``). What a benchmark printed is kept in ``.tables``, by the committed state of the
code and the benchmarks, so that a run that was stopped goes on; ``--again`` measures anew. Tables that compare with
MAPIE need a Python that has it and what this package needs, named by MAPIE_PYTHON. A diff is printed last.
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
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARKED = re.compile(r"<!-- table: (?P<name>[\w-]+) -->\n+(?P<table>(?:\|[^\n]*\n)+)\n*<!-- end -->")


@dataclass(frozen=True)
class Benchmark:
    """What measures tables, about how many minutes of one core it takes, and when it may run.

    A benchmark that measures speed runs alone; a slow one if it is asked for; and one that compares with MAPIE if there
    is a Python that has it, by which it is run where it says so.
    """

    command: str
    minutes: float
    alone: bool = False
    slow: bool = False
    mapie: bool = False
    by_mapie: bool = False


@dataclass(frozen=True)
class Table:
    """Where a table stands, and what measures it."""

    page: str
    benchmark: Benchmark


THEORY, CERTIFICATES, ONLINE = "docs/theory.md", "docs/certificates.md", "docs/online.md"
CHOOSING, COMMANDS, NUMERICS = "docs/choosing.md", "docs/command-line.md", "docs/numerics.md"
PAPER, RIVALS, SCALE = "docs/reproduction.md", "docs/rivals.md", "docs/scale.md"
ANY_MODEL = Benchmark("benchmarks/any_model.py --repeats 4", 10)
COMPARE = Benchmark("benchmarks/compare.py", 5)
REFERENCES = Benchmark("benchmarks/references.py", 4)
SCHEDULES = Benchmark("benchmarks/schedules.py", 2)
TIGHTNESS = Benchmark("benchmarks/tightness.py --repeats 8", 10)
STUDIES = {
    PAPER: Benchmark("benchmarks/paper_tables.py --repeats 20", 11),
    RIVALS: Benchmark("benchmarks/paper_tables.py --rivals --repeats 10", 23),
}
OF_STUDIES = {
    PAPER: ("published", "corrected", "errata", "methods", "portfolio"),
    RIVALS: ("certificates-small", "certificates-large", "tests", "summary", "deterministic", "rows", "seconds"),
}
TABLES = {
    "rates": Table(THEORY, Benchmark("benchmarks/betting_rates.py", 0.2)),
    "strengths": Table(THEORY, Benchmark("benchmarks/portfolio.py", 1)),
    "sequential": Table(THEORY, Benchmark("benchmarks/sequential.py", 1)),
    "power": Table(CERTIFICATES, COMPARE),
    "widths": Table(CERTIFICATES, COMPARE),
    "prior-at-zero": Table(CERTIFICATES, TIGHTNESS),
    "prior-informed": Table(CERTIFICATES, TIGHTNESS),
    "hold-out": Table(CERTIFICATES, TIGHTNESS),
    "answered": Table(CERTIFICATES, Benchmark("benchmarks/selective.py --repeats 10", 4, mapie=True, by_mapie=True)),
    "transfer": Table(CERTIFICATES, Benchmark("benchmarks/transfer.py --repeats 8", 6)),
    "delays": Table(CERTIFICATES, Benchmark("benchmarks/monitor.py --part delay --streams 51", 2, mapie=True)),
    "cost": Table(CERTIFICATES, Benchmark("benchmarks/certify.py", 2.5, alone=True)),
    "shares-means": Table(CHOOSING, ANY_MODEL),
    "shares": Table(CHOOSING, ANY_MODEL),
    "one-draw": Table(CHOOSING, Benchmark("benchmarks/one_draw.py --repeats 10", 3)),
    "files": Table(COMMANDS, Benchmark("benchmarks/command_line.py", 2, alone=True)),
    "lines": Table(COMMANDS, Benchmark("benchmarks/monitor.py --part speed", 3)),
    "numerics-speed": Table(NUMERICS, Benchmark("benchmarks/numerics.py", 1, alone=True)),
    "posteriors-speed": Table("docs/data-and-posteriors.md", Benchmark("benchmarks/posteriors.py", 0.5, alone=True)),
    "reference-loss": Table(ONLINE, SCHEDULES),
    "reference-portfolio": Table(ONLINE, SCHEDULES),
    "reference-betting": Table(ONLINE, SCHEDULES),
    "reference-excess": Table(ONLINE, SCHEDULES),
    "refits": Table(ONLINE, Benchmark("benchmarks/online.py", 3, alone=True)),
    "portfolio-zero": Table(CERTIFICATES, REFERENCES),
    "portfolio-informed": Table(CERTIFICATES, REFERENCES),
    "learned-bets": Table(THEORY, Benchmark("benchmarks/learned_bets.py", 1)),
    "recursive": Table(THEORY, Benchmark("benchmarks/recursive.py", 3)),
    "picking": Table(THEORY, Benchmark("benchmarks/picking.py", 0.5)),
    "forest": Table("docs/guide.md", Benchmark("benchmarks/votes.py", 1.5)),
    "choice": Table(PAPER, Benchmark("benchmarks/paper_references.py", 3)),
    "conversion": Table(SCALE, Benchmark("benchmarks/conversion.py", 1)),
    "time-shares": Table(SCALE, Benchmark("benchmarks/shares.py", 5)),
    "scale": Table(SCALE, Benchmark("benchmarks/scale.py --table", 25, alone=True, slow=True)),
    "networks": Table("docs/networks.md", Benchmark("benchmarks/networks.py", 20, alone=True, slow=True)),
    "coverage": Table(CERTIFICATES, Benchmark("benchmarks/certificate_coverage.py", 40, slow=True)),
    "accuracy": Table(NUMERICS, Benchmark("benchmarks/accuracy.py", 4)),
    "group-rows": Table(SCALE, Benchmark("benchmarks/group_rows.py", 0.1)),
    **{f"paper-{name}": Table(PAPER, STUDIES[PAPER]) for name in OF_STUDIES[PAPER]},
    **{f"rivals-{name}": Table(RIVALS, STUDIES[RIVALS]) for name in OF_STUDIES[RIVALS]},
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


def environment(benchmark: Benchmark) -> dict[str, str]:
    """Return the variables of a benchmark: where it may keep cells, and one thread where two run at once."""
    found = os.environ | {"TABLES_FOLDER": str(folder_of_results())}
    if benchmark.by_mapie:
        found["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    if not benchmark.alone:
        found |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return found


def measure(benchmark: Benchmark, *, again: bool) -> str:
    """Run a benchmark, or return what it printed earlier; nothing where it fails."""
    command = benchmark.command
    kept = folder_of_results() / (re.sub(r"[^\w.-]+", "-", Path(command).name) + ".txt")
    if kept.exists() and not again:
        sys.stderr.write(f"{command}: as measured before\n")
        return kept.read_text(encoding="utf-8")
    start = time.monotonic()
    sys.stderr.write(f"{command}: about {benchmark.minutes:g} minutes of one core ...\n")
    script, *options = command.split()
    python = os.environ["MAPIE_PYTHON"] if benchmark.by_mapie else sys.executable
    run = [python, str(ROOT / script), *options]
    variables = environment(benchmark)
    done = subprocess.run(run, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False, env=variables)
    status = "" if done.returncode == 0 else f", FAILED with status {done.returncode}"
    sys.stderr.write(f"{command}: {(time.monotonic() - start) / 60.0:.1f} minutes{status}\n")
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


def write_tables(asked: dict[str, Table], benchmark: Benchmark, printed: str) -> tuple[str, list[str]]:
    """Write the tables of a benchmark into their pages; return the difference, and which it did not print."""
    found = marked(printed)
    wanted = {name: each.page for name, each in asked.items() if each.benchmark == benchmark}
    differences = [
        write(page, {name: found[name] for name in wanted if wanted[name] == page and name in found})
        for page in sorted(set(wanted.values()))
    ]
    return "".join(differences), sorted(set(wanted) - set(found))


def reason_to_leave_out(benchmark: Benchmark, *, slow: bool) -> str:
    """Return why a benchmark is left out, or nothing."""
    if benchmark.slow and not slow:
        return f"takes about {benchmark.minutes:g} minutes; --slow, or its name, has it measured"
    if benchmark.mapie and not os.environ.get("MAPIE_PYTHON"):
        return "MAPIE_PYTHON does not name a Python that has MAPIE"
    return ""


def measure_all(asked: dict[str, Table], jobs: int, *, again: bool) -> tuple[str, list[str]]:
    """Measure and write tables: speed first and alone, then the longest first; return differences, and what failed."""
    benchmarks = sorted({each.benchmark for each in asked.values()}, key=lambda each: (-each.minutes, each.command))
    groups = ([each for each in benchmarks if each.alone], 1), ([each for each in benchmarks if not each.alone], jobs)
    minutes = sum(sum(each.minutes for each in group) / workers for group, workers in groups)
    sys.stderr.write(f"{len(benchmarks)} benchmarks, about {minutes:.0f} minutes with an idle core for each job\n")
    differences, missing = [], []
    for group, workers in groups:
        with ThreadPoolExecutor(workers) as pool:
            runs = {pool.submit(measure, each, again=again): each for each in group}
            for run in as_completed(runs):
                difference, absent = write_tables(asked, runs[run], run.result())
                differences.append(difference)
                missing += absent
    return "".join(sorted(differences)), sorted(missing)


def parse() -> argparse.Namespace:
    """Return what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="tables; by default all of them but slow ones")
    parser.add_argument("--again", action="store_true", help="measure anew what was measured before")
    parser.add_argument("--slow", action="store_true", help="also measure the tables that take long by nature")
    parser.add_argument("--jobs", type=int, default=2, help="benchmarks at once, if they do not measure speed")
    parser.add_argument("--list", action="store_true", help="list the tables and measure nothing")
    given = parser.parse_args()
    if unknown := set(given.names) - set(TABLES):
        parser.error(f"there is no table {', '.join(sorted(unknown))}; --list has their names")
    return given


def main() -> int:
    """Measure, write, and print the difference; status 1 if a table could not be measured."""
    given = parse()
    asked = {name: TABLES[name] for name in given.names or TABLES}
    if given.list:
        sys.stdout.writelines(
            f"{name:26} {each.page:30} {each.benchmark.minutes:4g} min  {each.benchmark.command}"
            f"{' (slow)' if each.benchmark.slow else ''}\n"
            for name, each in asked.items()
        )
        return 0
    slow = given.slow or bool(given.names)
    left_out = {name: reason_to_leave_out(each.benchmark, slow=slow) for name, each in asked.items()}
    measured = {name: each for name, each in asked.items() if not left_out[name]}
    difference, missing = measure_all(measured, given.jobs, again=given.again)
    sys.stdout.write(difference or "no number has changed\n")
    sys.stderr.writelines(f"left out: {name}, {why}\n" for name, why in left_out.items() if why)
    sys.stderr.writelines(f"not measured: {name} ({asked[name].benchmark.command})\n" for name in missing)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
