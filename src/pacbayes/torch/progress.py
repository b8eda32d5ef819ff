"""A bar that shows how far a training has come, on stderr, where somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

__all__ = ["show_progress"]


@contextmanager
def show_progress(epochs: int, shown: bool | None, label: str = "training, loss") -> Iterator[Callable[[float], None]]:
    """Show a bar of epochs; what is yielded is called after each with its mean loss.

    Parameters
    ----------
    epochs : int
        How many there will be at most.
    shown : bool or None
        None shows it where stderr is a terminal and rich is installed.
    label : str
        What stands before the number.

    Examples
    --------
    >>> from pacbayes.torch.progress import show_progress
    >>> with show_progress(2, shown=False) as advance:
    ...     advance(0.5)
    """
    wanted = sys.stderr.isatty() if shown is None else shown
    if not wanted or find_spec("rich") is None:
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415  (not every installation has it)
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=epochs)
        yield lambda loss: bar.update(task, advance=1, description=f"{label} {loss:.4f}")
