"""How soon a command answers, against what its numbers need at least: ``python -c "import numpy, scipy.special"``.

Each command runs 15 times in processes of its own, in turn with the others, so that other work on the machine slows
all alike; medians are compared. Exits with 1 if a command takes more than twice as long.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

from _timing import timed, verdict

RUNS, TARGET = 15, 2.0
FLOOR = 'python -c "import numpy, scipy.special"'
COMMANDS = {
    FLOOR: ["-c", "import numpy, scipy.special"],
    "python -c 'import pacbayes'": ["-c", "import pacbayes"],
    "pacbayes --version": ["-m", "pacbayes", "--version"],
    "pacbayes --help": ["-m", "pacbayes", "--help"],
    "pacbayes bound": ["-m", "pacbayes", "bound", "maurer", "--risk", "0.04", "--kl", "5", "--n", "1000"],
    "pacbayes bounds": ["-m", "pacbayes", "bounds"],
    "pacbayes plan": ["-m", "pacbayes", "plan", "--target", "0.06", "--risk", "0.02"],
}


def run(arguments: list[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for arguments in COMMANDS.values():  # once for the file system's cache
        run(arguments)
    for _ in range(RUNS):
        for name, arguments in COMMANDS.items():
            seconds[name].append(timed(lambda arguments=arguments: run(arguments))[0])
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    ratios = {name: medians[name] / medians[FLOOR] for name in COMMANDS}
    print(f"{'command':42s} {'median':>9s} {'ratio':>6s}   target {TARGET:g}")
    for name, ratio in ratios.items():
        print(f"{name:42s} {1000 * medians[name]:6.0f} ms {ratio:6.2f}   {verdict(ratio <= TARGET)}")
    return 0 if max(ratios.values()) <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
