"""Settings to run to folder to verification: everything the command line does, as a library."""

from pacbayes.metrics.asked import Asked
from pacbayes.procedures import LossMonitor
from pacbayes.runs.check import CheckedPredictions, PredictionFile, check_file
from pacbayes.runs.comparison import ComparedPredictions, ComparisonFile, compare_file
from pacbayes.runs.folder import StoredRun, load_run, read_certificate
from pacbayes.runs.methods import METHODS, choose_method
from pacbayes.runs.models import MODELS, make_classifier, trust_needed
from pacbayes.runs.outlook import Outlook, PlannedStatement, plan_rows
from pacbayes.runs.remarks import StrictError
from pacbayes.runs.run import Baseline, Run, certify_file, certify_table
from pacbayes.runs.settings import Settings
from pacbayes.runs.table import load_rows, load_table
from pacbayes.runs.use import Predictions, RunPredictor
from pacbayes.runs.verify import Verified, verify_folder, verify_run

__all__ = [
    "METHODS",
    "MODELS",
    "Asked",
    "Baseline",
    "CheckedPredictions",
    "ComparedPredictions",
    "ComparisonFile",
    "LossMonitor",
    "Outlook",
    "PlannedStatement",
    "PredictionFile",
    "Predictions",
    "Run",
    "RunPredictor",
    "Settings",
    "StoredRun",
    "StrictError",
    "Verified",
    "certify_file",
    "certify_table",
    "check_file",
    "choose_method",
    "compare_file",
    "load_rows",
    "load_run",
    "load_table",
    "make_classifier",
    "plan_rows",
    "read_certificate",
    "trust_needed",
    "verify_folder",
    "verify_run",
]
