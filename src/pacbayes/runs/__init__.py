"""From a table to a folder with certificate, report and predictor, and back: what the command line does."""

from pacbayes.runs._certify import Run, certify_table
from pacbayes.runs._models import MODELS, classifier
from pacbayes.runs._settings import METHODS, Settings, chosen_method
from pacbayes.runs._store import Stored, read_run, write_run
from pacbayes.runs._stream import LossStream
from pacbayes.runs._verify import verify_run

__all__ = [
    "METHODS",
    "MODELS",
    "LossStream",
    "Run",
    "Settings",
    "Stored",
    "certify_table",
    "chosen_method",
    "classifier",
    "read_run",
    "verify_run",
    "write_run",
]
