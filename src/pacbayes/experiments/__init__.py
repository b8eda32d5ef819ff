"""The paper's experiment: a grid of runs, as published, with corrected arithmetic, and with what this library adds.

``python -m pacbayes.experiments`` runs it; :func:`run` is the same from Python. See `docs/experiments.md`.
"""

from pacbayes.experiments._methods import METHODS, Method, method
from pacbayes.experiments._results import Results
from pacbayes.experiments._run import run
from pacbayes.experiments._split import Split
from pacbayes.experiments._store import ExperimentFileError

__all__ = ["METHODS", "ExperimentFileError", "Method", "Results", "Split", "method", "run"]
