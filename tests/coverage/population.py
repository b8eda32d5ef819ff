"""A population of rows whose every rate is known: groups, labels and scores with a joint distribution in a table."""

from dataclasses import dataclass

import numpy as np

CHANCES = np.array([0.1, 0.3, 0.6, 0.9])  # the probability of class 1 that each of four scores stands for
COSTS = np.array([[0.0, 1.0], [5.0, 0.0]])


@dataclass(frozen=True)
class Population:
    """Joint probabilities by group, label and score; a score of 2 or 3 predicts class 1."""

    joint: np.ndarray

    @classmethod
    def draw(cls, generator, *, groups=12, share=0.3):
        """Groups of unequal size, each with its own share of class 1 and its own errors."""
        sizes = generator.dirichlet(np.full(groups, 2.0))
        ones = np.clip(share * generator.uniform(0.5, 1.5, groups), 0.01, 0.99)
        scores = np.stack([generator.dirichlet([8, 4, 1, 0.5], groups), generator.dirichlet([0.5, 1, 4, 8], groups)], 1)
        labels = np.stack([1.0 - ones, ones], 1)
        return cls(sizes[:, None, None] * labels[:, :, None] * scores)

    def rows(self, generator, n):
        """Group, label, prediction and probabilities of n rows, in the order of the cells."""
        counts = generator.multinomial(n, self.joint.ravel())
        group, label, score = (np.repeat(each, counts) for each in np.indices(self.joint.shape).reshape(3, -1))
        chance = CHANCES[score]
        return group, label, (score >= 2).astype(int), np.stack([1.0 - chance, chance], 1)

    def truth(self, name, group=None):
        """The true value of a metric, for all rows or for a group."""
        cells = self.joint if group is None else self.joint[group : group + 1]
        table = np.stack([cells[:, :, :2].sum(axis=(0, 2)), cells[:, :, 2:].sum(axis=(0, 2))], 1)  # label by prediction
        scores = cells.sum(axis=0)
        recall, fpr = table[1, 1] / table[1].sum(), table[0, 1] / table[0].sum()
        values = {
            "error": (table[0, 1] + table[1, 0]) / table.sum(),
            "recall:1": recall,
            "fnr:1": 1.0 - recall,
            "fpr:1": fpr,
            "specificity:1": 1.0 - fpr,
            "precision:1": table[1, 1] / table[:, 1].sum(),
            "balanced-error": (1.0 - recall + fpr) / 2.0,
            "cost": (table * COSTS).sum() / table.sum() / COSTS.max(),
            "brier": (scores * np.stack([CHANCES**2, (1.0 - CHANCES) ** 2])).sum() / scores.sum(),
            "log-loss": (scores * -np.log(np.stack([1.0 - CHANCES, CHANCES]))).sum() / scores.sum() / 7.0,
        }
        return float(values[name])

    def holds(self, statement):
        """Whether a statement is true."""
        if statement.groups:
            shares = [self.truth(statement.name, int(each["group"])) for each in statement.groups]
            gap = max(shares) - min(shares)
            return statement.lower <= gap <= statement.value
        group = None if statement.group is None else int(statement.group["group"])
        found = self.truth(statement.name, group)
        return found >= statement.value if statement.side == "lower" else found <= statement.value
