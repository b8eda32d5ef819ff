"""Scikit-learn estimators that come with a certificate, and the hold-out certificate every user knows."""

from pacbayes.estimators._cautions import CertificateWarning
from pacbayes.estimators.holdout import holdout_certificate
from pacbayes.estimators.logistic import CertifiedLogisticRegression
from pacbayes.estimators.online import OnlineCertifiedClassifier

__all__ = ["CertificateWarning", "CertifiedLogisticRegression", "OnlineCertifiedClassifier", "holdout_certificate"]
