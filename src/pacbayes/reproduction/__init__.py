"""The paper's table: a grid of runs, as published, with corrected arithmetic, and with what this library adds.

And the table of its rivals: one learner, the same rows, and the certificates of the field. ``pacbayes reproduce`` is
the command; :func:`reproduce` is the same from Python, and :func:`run` computes the numbers alone. See
`docs/reproduction.md` and `docs/rivals.md`.
"""

from pacbayes.reproduction.cell_store import ResultsFileError
from pacbayes.reproduction.method_role import Method, Rival
from pacbayes.reproduction.methods import METHODS, method
from pacbayes.reproduction.random_split import Split
from pacbayes.reproduction.results import Results
from pacbayes.reproduction.rivals import RIVALS
from pacbayes.reproduction.runner import reproduce, run

__all__ = ["METHODS", "RIVALS", "Method", "Results", "ResultsFileError", "Rival", "Split", "method", "reproduce", "run"]
