"""A network as a learner of a split: trained on the first rows, judged on the others."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.base import clone

from pacbayes._core.rows import take
from pacbayes.procedures import Sample
from pacbayes.procedures.classifier_learner import LearnedClassifier
from pacbayes.torch.classifier import NetworkClassifier

__all__ = ["NetworkClassifierLearner"]


@dataclass(frozen=True, slots=True)
class NetworkClassifierLearner:
    """A network that learns from the first rows of a sample, with the sample's seed.

    Attributes
    ----------
    classifier : NetworkClassifier
        Cloned before it learns.
    probabilities : bool
        Whether judged rows are asked for probabilities, too.
    """

    classifier: NetworkClassifier
    probabilities: bool = False

    def learn(self, sample: Sample, count: int) -> LearnedClassifier:
        """Train on the first rows of the order."""
        rows = sample.order[:count]
        model = clone(self.classifier).set_params(random_state=sample.seed)
        model.fit(take(sample.X, rows), sample.y[rows])
        return LearnedClassifier(model, probabilities=self.probabilities, digests=model.network_digests)
