"""A stand-in for a network: a linear layer with a diagonal Gaussian over it, in numpy, that learns in no time.

Rows are one of few points, so that the true error of a draw is a finite sum.
"""

from dataclasses import dataclass, field

import numpy as np

from pacbayes.certificate import Choice, digest_of_arrays
from pacbayes.posteriors import expected_zero_one

TIE = 1e-4


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


@dataclass
class LinearNetwork:
    """Means and deviations of a linear layer, by class, before and after it saw the judged rows."""

    prior: np.ndarray
    mean: np.ndarray
    prior_scale: float
    scale: float
    is_prior: bool = False
    is_drawn: bool = False
    rate: float | None = None
    choices: tuple = (Choice("prior_scale", 0.5, "given"),)
    fitted: dict = field(default_factory=dict)

    @property
    def kl(self):
        size, ratio = self.mean.size, (self.scale / self.prior_scale) ** 2
        apart = np.sum((self.mean - self.prior) ** 2) / self.prior_scale**2
        return float(0.5 * (apart + size * (ratio - 1.0 - np.log(ratio)))) * (1.0 + 1e-12)

    @property
    def digests(self):
        scales = np.array([self.prior_scale, self.scale])
        return {"network": digest_of_arrays(prior=self.prior, mean=self.mean, scales=scales)}

    def choices_again(self, certificate):
        del certificate
        return self.choices

    def rate_again(self, certificate, sample, start):
        del certificate, sample, start
        return self.rate

    @property
    def stored(self):
        return {"prior": self.prior, "mean": self.mean}

    def scores(self, X):
        """Means and variances of the scores of each row."""
        rows = with_ones(X)
        variances = self.scale**2 * np.sum(rows**2, axis=1)
        return rows @ self.mean.T, np.repeat(variances[:, None], len(self.mean), axis=1)

    def expected_errors(self, sample, start):
        judged = sample.order[start:]
        return expected_zero_one(*self.scores(sample.X[judged]), sample.y[judged])

    def draw_errors(self, sample, start, passes, seed, *, ties=1.0):
        judged, generator = sample.order[start:], np.random.default_rng(seed)
        means, variances = self.scores(sample.X[judged])
        return sum(
            count_errors(means + np.sqrt(variances) * generator.normal(size=means.shape), sample.y[judged], ties)
            for _ in range(passes)
        )


def count_errors(scores, labels, ties):
    two = np.sort(scores, axis=1)[:, -2:]
    near = two[:, 1] - two[:, 0] < ties * TIE * np.maximum(1.0, np.abs(scores).max(axis=1))
    return int(np.count_nonzero(near | (scores.argmax(axis=1) != labels)))


@dataclass(frozen=True)
class LinearLearner:
    """Class means as weights: those of the learning rows for the prior, those of all rows for the posterior."""

    is_prior: bool = False
    is_drawn: bool = False
    rate: float | None = None
    prior_scale: float = 0.5
    scale: float = 0.4
    classes: int = 2

    def learn(self, sample, count):
        prior = self._means(sample, sample.order[:count])
        mean = prior if self.is_prior else self._means(sample, sample.order)
        scale = self.prior_scale if self.is_prior else self.scale
        return LinearNetwork(
            prior, mean, self.prior_scale, scale, is_prior=self.is_prior, is_drawn=self.is_drawn, rate=self.rate
        )

    def _means(self, sample, rows):
        weights = np.zeros((self.classes, sample.X.shape[1] + 1))
        for label in range(self.classes):
            own = sample.X[rows][sample.y[rows] == label]
            if len(own):
                weights[label, :-1] = own.mean(axis=0)
                weights[label, -1] = -0.5 * np.sum(own.mean(axis=0) ** 2)
        return 2.0 * weights
