"""Predictions or losses of a predictor that exists, on examples that played no part in choosing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, to_floats
from pacbayes._core.digests import data_digest, digest_of_arrays
from pacbayes._core.notes import Note
from pacbayes._core.predictions import NO_NUMBER, class_numbers, finite_numbers
from pacbayes._core.rows import numbers_of, rows_of, take
from pacbayes._core.steadiness import ask_row_by_row, seed_of
from pacbayes._core.types import FloatArray, IntArray, Labels, Predictor, Rows, RowsLike
from pacbayes.certificate import SUBJECTS, Certificate, Check, Choice, Statement, issue
from pacbayes.metrics import LOSSES, LossRule
from pacbayes.procedures.base import Issued, Procedure, Sample, compare_certificates, draw_order
from pacbayes.procedures.blocks import observe_blocks
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.procedures.regressor_learner import predict_numbers

__all__ = [
    "Given",
    "check_losses",
    "judge_model",
    "predicted_numbers",
    "refuse_fractions",
    "zero_one_losses",
]

_NONE: Mapping[str, str] = MappingProxyType({})

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
        "The predictor is taken to have existed before these rows were looked at. The number is computed on its losses "
        "on them."
    )

    def run(self, sample: Sample) -> Issued:
        """Certify predictions (the single column of X) against labels."""
        predictions = np.asarray(sample.X)[:, 0]
        return Issued(self.certify(zero_one_losses(self.name, sample.y, predictions), about="given_predictions"))

    def certify_model(
        self,
        model: Predictor,
        X: Rows,
        y: Labels,
        choices: Sequence[Choice] = (),
        digests: Mapping[str, str] = _NONE,
        notes: tuple[Note, ...] | None = None,
        rule: LossRule | None = None,
    ) -> Certificate:
        """Certify a fitted model by its predictions on rows, each asked for in several batches and some alone.

        Predictions are labels or, where a rule for their loss with its scale is given, numbers.
        """
        known = {"data": data_digest(X, y), **digests}
        cautions = find_repetitions(X, y) if notes is None else notes
        if rule is None:
            losses = judge_model(model, X, y)
            return self.certify(losses, about="given_model", choices=choices, digests=known, notes=cautions)
        found = predict_numbers(model, X, y, seed_of(0, y), rule.fixed)
        return self.certify_numbers(rule, y, found, about="given_model", choices=choices, digests=known, notes=cautions)

    def certify_numbers(
        self,
        rule: LossRule,
        labels: FloatArray,
        predictions: FloatArray,
        *,
        about: str,
        choices: Sequence[Choice] = (),
        digests: Mapping[str, str] = _NONE,
        notes: tuple[Note, ...] = (),
    ) -> Certificate:
        """Certify predictions that are numbers, by a loss whose scale was fixed beforehand."""
        loss, scale = rule.loss, rule.fixed
        losses = loss.values(labels, predictions, scale)
        made = self._block_statement(losses, about) if loss.is_graded else _count_statement(losses, about)
        assumptions = (*(code for code in made.assumptions if code != "zero_one"), "scale_before")
        statement = replace(made, quantity=loss.quantity, scale=scale, assumptions=assumptions)
        return self._issue(losses, statement, [Choice(loss.parameter, scale, "given"), *choices], digests, notes)

    def certify(
        self,
        losses: FloatArray,
        *,
        about: str,
        choices: Sequence[Choice] = (),
        digests: Mapping[str, str] = _NONE,
        notes: tuple[Note, ...] = (),
    ) -> Certificate:
        """Certify losses: by the exact binomial limit where all are 0 or 1, else by bets that adapt."""
        binary = bool(np.all((losses == 0.0) | (losses == 1.0)))
        statement = _count_statement(losses, about) if binary else self._block_statement(losses, about)
        return self._issue(losses, statement, choices, digests, notes)

    def _issue(
        self,
        losses: FloatArray,
        statement: Statement,
        choices: Sequence[Choice],
        digests: Mapping[str, str],
        notes: tuple[Note, ...],
    ) -> Certificate:
        return issue(
            self.name,
            [statement],
            delta=self.delta,
            candidates=self.candidates,
            choices=[*choices, Choice("bound", statement.bound, "losses")],
            notes=notes,
            digests={"losses": digest_of_arrays(losses=losses), **digests},
        )

    def _block_statement(self, losses: FloatArray, about: str) -> Statement:
        """Bet on the losses in an order drawn with a fixed seed: files are often sorted, by label for example."""
        order, _ = draw_order(_ORDER_SEED, losses.size)
        return Statement(
            about=about,
            quantity="loss",
            n=losses.size,
            observed=observe_blocks(losses[order], self.delta / self.candidates),
            bound="sequential",
            rates="one_n",
            assumptions=("iid", "unseen", *_asked_singly(about)),
        )

    @classmethod
    def recheck(cls, certificate: Certificate, X: RowsLike, y: Labels, model: object) -> list[Check]:
        """Predict again and count again."""
        if not hasattr(model, "predict"):
            raise ValueError(
                "The 'model' argument of recheck must be the predictor that a given certificate is about. "
                f"Got {type(model).__name__} instead."
            )
        about, rule = certificate.statements[0].about, _rule_of(certificate)
        own, labels = cls(delta=certificate.delta, candidates=certificate.candidates), np.asarray(y)
        if rule is not None:
            labels = numbers_of("recheck", "y", None, labels)
        if "data" in certificate.digests:
            return compare_certificates(certificate, own.certify_model(model, rows_of(X), labels, rule=rule))
        if rule is not None:
            found = predicted_numbers(type(model).__name__, model.predict(X), labels.size)
            return compare_certificates(certificate, own.certify_numbers(rule, labels, found, about=about))
        again = own.certify(zero_one_losses("recheck", y, model.predict(X)), about=about)
        return compare_certificates(certificate, again)


def _rule_of(certificate: Certificate) -> LossRule | None:
    """Return the loss of predicted numbers that a certificate is about, if it is."""
    first = certificate.statements[0]
    names = {each.quantity: name for name, each in LOSSES.items()}
    return LossRule(names[first.quantity], first.scale) if first.quantity in names else None


def predicted_numbers(owner: str, predictions: object, n: int, verb: str = "predict") -> FloatArray:
    """Return one predicted number per row, NaN for what is not finite, or say what is wrong with them."""
    found = finite_numbers(owner, predictions, n, verb)
    return np.where(found == NO_NUMBER, np.nan, found)


def _asked_singly(about: str) -> tuple[str, ...]:
    return ("row_by_row",) if "row_by_row" in SUBJECTS[about].assumptions else ()


def _count_statement(losses: FloatArray, about: str) -> Statement:
    return Statement(
        about=about,
        n=losses.size,
        observed={"errors": int(losses.sum())},
        bound="clopper_pearson",
        assumptions=("iid", "unseen", *_asked_singly(about), "zero_one"),
    )


def judge_model(model: Predictor, X: Rows, y: Labels) -> FloatArray:
    """Return whether a model errs on each row; what depends on the batch is an error."""
    classes = np.unique(y)

    def ask(asked: Predictor, part: IntArray) -> IntArray:
        return class_numbers(type(asked).__name__, asked.predict(take(X, part)), classes, part.size)

    truth = np.searchsorted(classes, y)
    found = ask_row_by_row(model, ask, len(y), seed_of(0, y), truth=truth).wrong_where_different(truth)
    return np.asarray(found != truth, dtype=np.float64)


def check_losses(owner: str, losses: ArrayLike) -> FloatArray:
    """Return losses in [0, 1], one per example, or say what is wrong with them."""
    values = to_floats(owner, "losses", losses)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{owner} needs one loss per example and at least one. Got shape {values.shape} instead.")
    check_range(owner, "losses", values, 0.0, 1.0, "lie in [0, 1]")
    return values


def refuse_fractions(owner: str, name: str, values: Labels) -> None:
    """Refuse numbers that are no classes: the 0-1 loss would count every rounding error as an error."""
    if values.dtype.kind != "f":
        return
    if not np.isfinite(values).all():
        raise ValueError(f"The {name!r} argument of {owner} must not contain NaN or infinity.")
    odd = values[values != np.round(values)]
    if odd.size:
        raise ValueError(
            f"The {name!r} argument of {owner} must hold classes. Got numbers with fractions such as {odd[0]:.6g} "
            "instead; for regression pass loss='absolute' or 'squared' with scale=, loss='within' with tolerance=, "
            "or losses= in [0, 1]."
        )


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
        refuse_fractions(owner, name, array)
    return np.asarray(labels != predictions, dtype=np.float64)
