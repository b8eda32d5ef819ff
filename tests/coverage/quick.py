"""Learners for simulations of many fits: they do what scikit-learn's do, and leave out its checks of what is given."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler


class QuickScaler(StandardScaler):
    """The numbers of ``StandardScaler``; a certificate asks for them row by row, and its checks take most of that."""

    def transform(self, X):
        return (X - self.mean_) / self.scale_


class NearestMean(ClassifierMixin, BaseEstimator):
    """The class whose mean is nearer: a linear rule, whose true risk on a known distribution is exact."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        means = np.stack([X[y == each].mean(axis=0) for each in self.classes_])
        self.slopes_ = means[-1] - means[0]
        self.intercept_ = -self.slopes_ @ (means[0] + means[-1]) / 2.0 if len(means) == 2 else 0.0
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return self.classes_[-1 if self.classes_.size == 1 else (X @ self.slopes_ + self.intercept_ > 0.0).astype(int)]
