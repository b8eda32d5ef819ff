"""The paper's eight data sets, checked and encoded, and synthetic distributions whose true risk is known."""

from pacbayes.datasets._files import DataFileError
from pacbayes.datasets._load import load, names
from pacbayes.datasets._synthetic import KnownRisk, make_known_risk

__all__ = ["DataFileError", "KnownRisk", "load", "make_known_risk", "names"]
