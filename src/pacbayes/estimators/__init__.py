"""Scikit-learn estimators that come with a certificate, and certificates for predictions that exist."""

from pacbayes.estimators.classifier import CertifiedClassifier
from pacbayes.estimators.comparison import compare, compare_predictions
from pacbayes.estimators.forest import CertifiedForest
from pacbayes.estimators.logistic import CertifiedLogisticRegression
from pacbayes.estimators.online import OnlineCertifiedClassifier
from pacbayes.estimators.picking import PickToLearn
from pacbayes.estimators.predictions import certify, certify_predictions
from pacbayes.estimators.recursive import RecursiveLogisticRegression
from pacbayes.estimators.regressor import CertifiedRegressor
from pacbayes.estimators.selective import SelectiveClassifier
from pacbayes.procedures import CertificateWarning

__all__ = [
    "CertificateWarning",
    "CertifiedClassifier",
    "CertifiedForest",
    "CertifiedLogisticRegression",
    "CertifiedRegressor",
    "OnlineCertifiedClassifier",
    "PickToLearn",
    "RecursiveLogisticRegression",
    "SelectiveClassifier",
    "certify",
    "certify_predictions",
    "compare",
    "compare_predictions",
]
