"""How often certificates were below the true risk, where it is known: the simulations of the tests, as a table.

Three synthetic distributions, and Adult's rows as a population; what is fitted is that of
``tests/coverage/test_certificates.py``. With --share .1 there are a tenth as many fits, to see whether it runs.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import pacbayes as pb

from _tables import print_table
from coverage import test_certificates as simulated

DELTAS = (0.05, 0.5)
OTHERS = [name for name in simulated.OPTIONS if name != "betting"]


def failures(value: np.ndarray, truth: np.ndarray, *_: np.ndarray) -> float:
    """Return the share of certificates below the true risk, in percent."""
    return 100.0 * float(np.mean(value < truth))


def option(name: str, runs: int, delta: float) -> float:
    return failures(*simulated.fits(simulated.law_of(name), runs, delta, simulated.OPTIONS[name]))


def adult(runs: int, delta: float, **options: Any) -> float:
    return failures(*simulated.adult_fits(None, runs, delta, options))


def spread(found: list[float]) -> str:
    """Return the range of several shares."""
    return f"{min(found):.0f} to {max(found):.0f} %" if min(found) < max(found) else f"{found[0]:.0f} %"


def rows(share: float) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the page, with so many of their fits."""
    many, some, few, most = (max(2, round(share * count)) for count in (500, 200, 100, 2500))
    each = [[failures(*simulated.fits(law, many, delta, {})) for law in simulated.LAWS] for delta in DELTAS]
    laws = (", ".join(f"{value:.1f} %" for value in found) for found in each)
    yield f"defaults ({many} fits each): {', '.join(simulated.LAWS)}", *laws
    yield f"betting ({few})", *(f"{option('betting', few, delta):.0f} %" for delta in DELTAS)
    kinds = (spread([option(name, few, delta) for name in OTHERS]) for delta in DELTAS)
    yield f"each other option ({few} each)", *kinds
    yield (
        f"a stream with an update ({some})",
        *(f"{failures(*simulated.stream_fits(some, delta)):.0f} %" for delta in DELTAS),
    )
    defaults = (f"{adult(many, delta):.1f} %" for delta in DELTAS)
    yield f"defaults on samples of 2000 from Adult's rows ({many})", *defaults
    given = (f"{adult(most, delta, alpha=0.01):.1f} %" for delta in DELTAS)
    yield f"the same with alpha given ({most})", *given
    there = (spread([adult(few, delta, **simulated.OPTIONS[name]) for name in OTHERS]) for delta in DELTAS)
    yield f"each other option there ({few} each)", *there
    yield (
        f"a planted leak: prior learned from all rows, pure noise ({few})",
        f"{100.0 * simulated.count_wrong_by_a_leak(few) / few:.0f} %",
        "",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="of the fits")
    given, table = parser.parse_args(), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.CertificateWarning)
        for row in rows(given.share):
            table.append(row)
            print(*row, sep=" | ", flush=True)
    print_table("coverage", ("", *(f"delta {delta:g}".replace("0.", ".") for delta in DELTAS)), table)


if __name__ == "__main__":
    main()
