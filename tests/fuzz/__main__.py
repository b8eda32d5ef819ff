"""``make fuzz``: so many mutated inputs over all readers, and a table of how they ended."""

from __future__ import annotations

import argparse
import sys
from time import monotonic

from fuzz.engine import Findings, run
from fuzz.readers import READERS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--readers", nargs="*", choices=sorted(READERS), default=[])
    given = parser.parse_args()
    begun, shown, told = monotonic(), [0.0], [0]

    def report(findings: Findings) -> None:
        for name, index, code, detail in findings.bad[told[0] :]:
            sys.stderr.write(f"{name} {index} (seed {given.seed}): {code} {detail}\n")
        told[0] = len(findings.bad)
        if monotonic() - shown[0] > 30:
            shown[0] = monotonic()
            done = sum(counts.total() for counts in findings.counts.values())
            sys.stderr.write(f"{done} inputs, {len(findings.bad)} bad, {monotonic() - begun:.0f} s\n")

    findings = run(given.inputs, given.seed, given.workers, tuple(given.readers), report=report)
    sys.stdout.write(findings.table())
    for name, index, code, detail in findings.bad[:200]:
        sys.stdout.write(f"{name} {index} (seed {given.seed}): {code} {detail}\n")
    return 1 if findings.bad else 0


if __name__ == "__main__":
    sys.exit(main())
