"""Where the time of ``certify`` goes: what share of it is not model fitting, on UCI files and on a million rows.

Each table is certified in a process of its own, on one thread, after the imports, whose time is printed beside it. The
clock runs inside ``fit`` of the classifier, inside whatever asks it for predictions, and around reading, digests,
repeated rows, and the report with all that is saved. What is left is preprocessing and the rest. Times are those of the
processor, that of the process that reads included, so that others on the machine do not count.

    PACBAYES_DATA=folder/of/uci python benchmarks/shares.py --model logistic hist-gradient-boosting
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _tables import print_table

TARGET = 0.25
TITLES = {"logistic": "logistic", "hist-gradient-boosting": "boosting", "random-forest": "forest"}
UNKNOWN = {"missing": "category", "missing_values": ("?",)}
FILES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "haberman": ("haberman.data", "c4", {}),
    "breast-cancer": ("breast-cancer-wisconsin.data", "c11", {"drop": ("c1",), **UNKNOWN}),
    "tictactoe": ("tic-tac-toe.data", "c10", {}),
    "banknote": ("data_banknote_authentication.txt", "c5", {}),
    "kr-vs-kp": ("kr-vs-kp.data", "c37", {}),
    "spambase": ("spambase.data", "c58", {}),
    "mushroom": ("agaricus-lepiota.data", "c1", {}),
    "adult": ("adult.data", "c15", UNKNOWN),
}


def now() -> float:
    """Return the seconds of the processor that this process took, and those that it waited for."""
    took = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in took)


class Clock:
    """Seconds by what is done; what happens inside something that is timed already is not counted twice."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside = False

    def watch(self, owner: Any, name: str, what: str) -> None:
        """Time a function from now on."""
        inner: Callable[..., Any] = getattr(owner, name)

        @functools.wraps(inner)
        def timed(*given: Any, **named: Any) -> Any:
            if self._inside:
                return inner(*given, **named)
            self._inside, began = True, now()
            try:
                return inner(*given, **named)
            finally:
                self._inside = False
                self.seconds[what] = self.seconds.get(what, 0.0) + now() - began

        setattr(owner, name, timed)


def certify(path: str, target: str, model: str, options: dict[str, Any]) -> None:
    """Certify in this process, and print where its time went."""
    began = now()
    import jinja2  # noqa: F401, PLC0415  (what is needed to save, and loaded then)
    import skops.io  # noqa: F401, PLC0415
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier  # noqa: PLC0415

    from pacbayes.learners import CrossValidatedLogistic  # noqa: PLC0415
    from pacbayes.procedures import base, split  # noqa: PLC0415
    from pacbayes.runs import Run, Settings, certify_file  # noqa: PLC0415
    from pacbayes.runs import run as runs  # noqa: PLC0415

    imports, clock = now() - began, Clock()
    for learner in (CrossValidatedLogistic, HistGradientBoostingClassifier, RandomForestClassifier):
        clock.watch(learner, "fit", "fitting")
        clock.watch(learner, "predict", "predicting")
    clock.watch(runs, "load_table", "reading")
    clock.watch(base.Sample, "digests", "digests")
    clock.watch(split, "find_repetitions", "repeated rows")
    clock.watch(Run, "save", "saving")
    began = now()
    settings = Settings(target=target, model=model, **options)
    certify_file(path, settings).save(Path(path).parent / "certificate", force=True)
    total = now() - began
    rest = total - sum(clock.seconds.values())
    print(json.dumps({"total": total, "imports": imports, **clock.seconds, "preparing, rest": rest}))


def measure(path: Path, target: str, model: str, options: dict[str, Any]) -> dict[str, float]:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    request = json.dumps({"path": str(path), "target": target, "model": model, "options": options})
    command = [sys.executable, "-W", "ignore", __file__, "--certify", request]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **threads})
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def show(name: str, model: str, found: dict[str, float]) -> str:
    """Print where the time went; return what was not fitting, as the page has it."""
    total = found["total"]
    share = 1.0 - found.get("fitting", 0.0) / total
    parts = sorted(set(found) - {"total", "imports", "fitting"}, key=lambda each: -found[each])
    others = ", ".join(f"{each} {100 * found[each] / total:.0f} %" for each in parts)
    print(
        f"{name:>14} {model:>23}: {total:7.2f} s after {found['imports']:.1f} s of imports; not fitting "
        f"{100 * share:3.0f} % ({'at most' if share <= TARGET else 'MORE than'} {100 * TARGET:.0f} %): {others}",
        flush=True,
    )
    return f"{share * total:.2g} s, {100 * share:.0f} %"


def measure_all(model: str, rows: int, columns: int) -> dict[tuple[str, str], str]:
    """Certify the UCI files, and numbers unless by a forest; return a column of the page by file and rows."""
    from scale import write  # noqa: PLC0415

    folder, found = os.environ.get("PACBAYES_DATA"), {}
    with tempfile.TemporaryDirectory() as place:
        for name, (file, target, options) in FILES.items() if folder else ():
            copy = Path(place) / file
            copy.write_bytes((Path(folder or "") / file).read_bytes())
            count = sum(1 for line in copy.read_text(encoding="utf-8").splitlines() if line.strip())
            cell = show(name, model, measure(copy, target, model, {"header": False, **options}))
            found[name, f"{count:,}"] = cell
        if model != "random-forest":
            path, name = Path(place) / "table.parquet", f"{columns} columns of numbers"
            write(path, rows, columns)
            found[name, f"{rows:,}"] = show(name, model, measure(path, "label", model, {}))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", nargs="+", default=tuple(TITLES))
    parser.add_argument("--rows", default=1_000_000, type=lambda text: int(float(text)))
    parser.add_argument("--columns", default=12, type=int)
    parser.add_argument("--certify", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.certify:
        certify(**json.loads(given.certify))
        return
    columns = {model: measure_all(model, given.rows, given.columns) for model in given.model}
    first = next(iter(columns.values()))
    rows = [(*file, *(column.get(file, "not measured") for column in columns.values())) for file in first]
    print_table("time-shares", ("file", "rows", *(TITLES[model] for model in columns)), rows)


if __name__ == "__main__":
    main()
