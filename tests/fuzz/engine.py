"""Worker processes that read mutated inputs, and whoever counts how they end: crashes and hangs included."""

from __future__ import annotations

import math
import multiprocessing
import random
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic

from fuzz.outcomes import judge
from fuzz.readers import ENTRIES, READERS, Reader, make_readers

CODES = ("read", "refused", "crash", "hang", "foreign", "accepted")
SECONDS = 120.0  # for one input, on a machine that is busy with others
_BATCH = 25


def make_input(reader: Reader, seed: int, index: int) -> bytes:
    """The input of a number: always the same."""
    rng = random.Random(f"{seed} {reader.name} {index}")
    return reader.mutate(rng, rng.choice(reader.seeds), rng.choice(reader.seeds))


def read_input(reader: Reader, content: bytes, folder: Path, seed: int, index: int) -> tuple[str, str]:
    """Give an input to its reader."""
    return judge(reader.read, content, folder, random.Random(f"{seed} {reader.name} {index} options"))


def serve(pipe: Connection, names: tuple[str, ...], seed: int) -> None:
    """Read the inputs asked for, one after the other, and tell how each ended."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        readers = make_readers(Path(place), names)
        pipe.send("ready")
        while (job := pipe.recv()) is not None:
            name, indices = job
            for index in indices:
                content = make_input(readers[name], seed, index)
                folder = Path(place) / "input"
                folder.mkdir(exist_ok=True)
                pipe.send((index, *read_input(readers[name], content, folder, seed, index)))


@dataclass
class Findings:
    """How many inputs of each reader ended how, and the first that should not have ended so."""

    counts: dict[str, Counter] = field(default_factory=dict)
    bad: list[tuple[str, int, str, str]] = field(default_factory=list)

    def add(self, name: str, index: int, code: str, detail: str) -> None:
        self.counts.setdefault(name, Counter())[code] += 1
        if code not in {"read", "refused"}:
            self.bad.append((name, index, code, detail))

    def table(self) -> str:
        """The counts as text, one row per reader."""
        rows = [("reader", *CODES, "inputs")]
        for name, counts in self.counts.items():
            rows.append((name, *(str(counts[code]) for code in CODES), str(counts.total())))
        whole = sum(self.counts.values(), Counter())
        rows.append(("all", *(str(whole[code]) for code in CODES), str(whole.total())))
        return "\n".join("".join(f"{cell:>12}" for cell in row) for row in rows) + "\n"


@cache
def _new_processes():
    """Processes that begin with nothing of this one; where there are forks, of one that has loaded the libraries."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pacbayes.cli._app", "pacbayes.runs", "pandas", "pyarrow.parquet", "skops.io"])
    return context


class Worker:
    """A process, the batch it is at, and when it last said something."""

    def __init__(self, names: tuple[str, ...], seed: int) -> None:
        self._arguments = (names, seed)
        self.batch: tuple[str, list[int]] | None = None
        self.start()

    def start(self) -> None:
        context = _new_processes()
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other, *self._arguments), daemon=False)
        self._process.start()
        other.close()
        self.heard, self.ready = monotonic(), False

    def take(self, batch: tuple[str, list[int]] | None) -> None:
        self.batch = batch
        self.pipe.send(batch)
        self.heard = monotonic()

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()

    def restart(self) -> None:
        """Start anew with what is left of the batch."""
        self.end()
        self.start()


def plan(inputs: int, names: tuple[str, ...]) -> list[tuple[str, list[int]]]:
    """Share the inputs out over the readers by their weights, in batches, each reader a little at a time."""
    total = sum(ENTRIES[name].weight for name in names)
    batches = []
    for name in names:
        count = math.ceil(inputs * ENTRIES[name].weight / total)
        batches += [(k / max(1, count), name, list(range(k, min(k + _BATCH, count)))) for k in range(0, count, _BATCH)]
    return [(name, indices) for _, name, indices in sorted(batches)]


def run(inputs: int, seed: int = 0, workers: int = 1, names=(), seconds=SECONDS, report=lambda findings: None):
    """Read that many mutated inputs; return the findings."""
    names = names or tuple(READERS)
    findings, waiting = Findings(), plan(inputs, names)[::-1]
    crew = [Worker(names, seed) for _ in range(workers)]
    try:
        while waiting or any(worker.batch for worker in crew):
            ready = wait([worker.pipe for worker in crew], timeout=1.0)
            for worker in crew:
                if worker.pipe in ready:
                    hear(worker, findings)
                elif monotonic() - worker.heard > (seconds if worker.ready else SECONDS):
                    lose(worker, findings, "hang")
                if worker.ready and not worker.batch and waiting:
                    worker.take(waiting.pop())
                    report(findings)
    finally:
        for worker in crew:
            worker.end()
    return findings


def hear(worker: Worker, findings: Findings) -> None:
    """Take a worker's word; if it has none left, it crashed on the input that it was at."""
    try:
        told = worker.pipe.recv()
    except (EOFError, OSError):
        lose(worker, findings, "crash")
        return
    worker.heard = monotonic()
    if told == "ready":
        worker.ready = True
        if worker.batch:
            worker.take(worker.batch)
        return
    index, code, detail = told
    name, indices = worker.batch
    findings.add(name, index, code, detail)
    indices.remove(index)
    if not indices:
        worker.batch = None


def lose(worker: Worker, findings: Findings, code: str) -> None:
    if not worker.ready:
        raise RuntimeError("A worker ended before it had begun.")
    if worker.batch:
        name, indices = worker.batch
        findings.add(name, indices.pop(0), code, "")
        worker.batch = (name, indices) if indices else None
    worker.restart()
