"""What tests of watch share: streams of losses, certificates without what differs from run to run, a follower."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np


def certificate_of(path="c.json"):
    """Return a certificate without what differs from run to run."""
    record = json.loads(Path(path).read_text())
    del record["created"], record["digest"]
    return record


def random_losses(n, seed=0):
    generator = np.random.default_rng(seed)
    texts = [f"{value!r}" for value in np.where(generator.random(n) < 0.3, generator.random(n), 0.0).tolist()]
    for position in range(0, n, 97):
        texts[position] = "junk"
    texts[n // 2] = ""
    return [f"{text}\n" for text in texts]


class Follower:
    """A watch --follow in a process of its own."""

    def __init__(self, folder, *options):
        command = [sys.executable, "-m", "pacbayes", "watch", "losses.txt", "--follow", "--json", "--every", "1"]
        self.process = subprocess.Popen(
            [*command, "--out", "c.json", *options],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, n):
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(self.process.stderr.read())
            if json.loads(line)["n"] == n:
                return

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        _, error = self.process.communicate(timeout=30)
        return self.process.returncode, " ".join(error.split())


def append(path, text):
    with path.open("a") as file:
        file.write(text)
