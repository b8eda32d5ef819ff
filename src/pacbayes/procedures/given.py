"""Predictions or losses of a predictor that exists, on examples that played no part in choosing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, to_floats
from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.types import FloatArray, Labels, RowsLike
from pacbayes.bounds import sequential_statistics
from pacbayes.certificate import Certificate, Check, Choice, Statement, issue
from pacbayes.certificate.blocks import BLOCK_NAMES
from pacbayes.procedures.base import Issued, Procedure, Sample, compare_certificates, draw_order

__all__ = ["Given", "check_losses", "zero_one_losses"]

_ORDER_SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Given(Procedure):
    """Losses of one fixed predictor.

    Attributes
    ----------
    delta : float
        Allowed probability of failure.
    candidates : int
        How many predictors are compared on these examples.
    """

    delta: float
    candidates: int = 1

    name: ClassVar[str] = "given"
    proves: ClassVar[tuple[str, ...]] = ("predicted_again", "not_collection")
    made: ClassVar[str] = (
        "The predictor existed before these rows were looked at. The number is computed on its losses on them."
    )

    def run(self, sample: Sample) -> Issued:
        """Certify predictions (the single column of X) against labels."""
        predictions = np.asarray(sample.X)[:, 0]
        return Issued(self.certify(zero_one_losses(self.name, sample.y, predictions), about="given_predictions"))

    def certify(self, losses: FloatArray, *, about: str) -> Certificate:
        """Certify losses: by the exact binomial limit where all are 0 or 1, else by bets that adapt."""
        binary = bool(np.all((losses == 0.0) | (losses == 1.0)))
        statement = _count_statement(losses, about) if binary else self._block_statement(losses, about)
        return issue(
            self.name,
            [statement],
            delta=self.delta,
            candidates=self.candidates,
            choices=[Choice("bound", statement.bound, "losses")],
            digests={"losses": digest_of_arrays(losses=losses)},
        )

    def _block_statement(self, losses: FloatArray, about: str) -> Statement:
        """Bet on the losses in an order drawn with a fixed seed: files are often sorted, by label for example."""
        order, _ = draw_order(_ORDER_SEED, losses.size)
        found = sequential_statistics(losses[order], self.delta / self.candidates, n=losses.size)
        blocks = (found.means, found.squares, found.cubes, found.log_growth)
        return Statement(
            about=about,
            quantity="loss",
            n=losses.size,
            observed={
                "risk": float((found.sizes * found.means).sum() / losses.size),
                **dict(zip(BLOCK_NAMES, blocks, strict=True)),
            },
            bound="sequential",
            rates="one_n",
            assumptions=("iid", "unseen"),
        )

    @classmethod
    def recheck(cls, certificate: Certificate, X: RowsLike, y: Labels, model: object) -> list[Check]:
        """Predict again and count again."""
        if not hasattr(model, "predict"):
            raise ValueError(
                "The 'model' argument of recheck must be the predictor that a given certificate is about. "
                f"Got {type(model).__name__} instead."
            )
        losses = zero_one_losses("recheck", y, model.predict(X))
        about = certificate.statements[0].about
        again = cls(delta=certificate.delta, candidates=certificate.candidates).certify(losses, about=about)
        return compare_certificates(certificate, again)


def _count_statement(losses: FloatArray, about: str) -> Statement:
    return Statement(
        about=about,
        n=losses.size,
        observed={"errors": int(losses.sum())},
        bound="clopper_pearson",
        assumptions=("iid", "unseen", "zero_one"),
    )


def check_losses(owner: str, losses: ArrayLike) -> FloatArray:
    """Return losses in [0, 1], one per example, or say what is wrong with them."""
    values = to_floats(owner, "losses", losses)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{owner} needs one loss per example and at least one. Got shape {values.shape} instead.")
    check_range(owner, "losses", values, 0.0, 1.0, "lie in [0, 1]")
    return values


def zero_one_losses(owner: str, y_true: ArrayLike, y_pred: ArrayLike) -> FloatArray:
    """Return whether each prediction differs from its label, or say what is wrong with them."""
    labels, predictions = np.asarray(y_true), np.asarray(y_pred)
    if labels.shape != predictions.shape or labels.ndim != 1:
        raise ValueError(
            f"The 'y_pred' argument of {owner} must have one prediction per label, in one dimension. "
            f"Got shapes {labels.shape} and {predictions.shape} instead."
        )
    if (labels.dtype.kind in "OUS") != (predictions.dtype.kind in "OUS"):
        raise ValueError(
            f"The 'y_pred' argument of {owner} must hold labels of the kind in 'y_true'. "
            f"Got {predictions.dtype} and {labels.dtype} instead."
        )
    for name, array in (("y_true", labels), ("y_pred", predictions)):
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"The {name!r} argument of {owner} must not contain NaN or infinity.")
    return np.asarray(labels != predictions, dtype=np.float64)
