"""Run a program in a process of its own, and watch how much memory it and the process that reads for it have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

__all__ = ["run_watched"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PAUSE = 0.05  # seconds


def resident(process: int) -> int:
    """Return the bytes that a process and its children have in memory at this moment, where the system tells."""
    total = 0
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
        for each in (process, *map(int, children)):
            total += int(Path(f"/proc/{each}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError):
        return 0
    return total * os.sysconf("SC_PAGE_SIZE")


def run_watched(arguments: list[str], **environment: str) -> dict[str, float]:
    """Run Python on one thread; return what it printed last as JSON, with "seconds" and "both" of all its processes."""
    settings = {**os.environ, **dict.fromkeys(_THREADS, "1"), **environment}
    began, most = time.perf_counter(), [0]
    command = [sys.executable, "-W", "ignore", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=settings) as process:

        def watch() -> None:
            while process.poll() is None:
                most[0] = max(most[0], resident(process.pid))
                time.sleep(_PAUSE)

        watching = threading.Thread(target=watch)
        watching.start()
        told = process.communicate()[0]
        watching.join()
    if process.returncode:
        sys.exit(process.returncode)
    return {"both": most[0], **json.loads(told.splitlines()[-1]), "seconds": time.perf_counter() - began}
