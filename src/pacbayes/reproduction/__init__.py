"""The paper's table: a grid of runs, as published, with corrected arithmetic, and with what this library adds.

``pacbayes reproduce`` is its command; :func:`reproduce` is the same from Python, and :func:`run` computes the numbers
alone. See `docs/reproduction.md`.
"""

from pacbayes.reproduction.cell_store import ResultsFileError
from pacbayes.reproduction.method_role import Method
from pacbayes.reproduction.methods import METHODS, method
from pacbayes.reproduction.random_split import Split
from pacbayes.reproduction.results import Results
from pacbayes.reproduction.runner import reproduce, run

__all__ = ["METHODS", "Method", "Results", "ResultsFileError", "Split", "method", "reproduce", "run"]
