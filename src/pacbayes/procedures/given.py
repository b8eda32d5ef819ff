"""Predictions or losses of a predictor that exists, on examples that played no part in choosing it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.alike import distinct_texts, note_alike
from pacbayes._core.arguments import check_range, to_floats
from pacbayes._core.digests import data_digest, digest_of_arrays
from pacbayes._core.exact import exact_array
from pacbayes._core.foreign import adopt
from pacbayes._core.labels import label_text
from pacbayes._core.notes import Note
from pacbayes._core.predictions import NO_NUMBER, classes_with, finite_numbers, knows_all
from pacbayes._core.rows import numbers_of, rows_of, take
from pacbayes._core.steadiness import seed_of
from pacbayes._core.types import FloatArray, Labels, Predictor, Rows, RowsLike
from pacbayes.certificate import SUBJECTS, Certificate, Check, Choice, Statement, issue
from pacbayes.metrics import LOSSES, Grouping, Judged, LossRule, Questions
from pacbayes.metrics.blocks import observe_blocks
from pacbayes.metrics.grouping import group_again
from pacbayes.metrics.statements import Judgement, choices_of, questions_of
from pacbayes.procedures.base import Issued, Procedure, Sample, compare_certificates, draw_order
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.procedures.classifier_learner import judge_classes
from pacbayes.procedures.given_labels import find_unknown, note_unknown, pair_labels, zero_one_losses
from pacbayes.procedures.regressor_learner import predict_numbers

__all__ = [
    "Given",
    "check_losses",
    "choose_classes",
    "judge_model",
    "note_answers",
    "predicted_numbers",
]

_NONE: Mapping[str, str] = MappingProxyType({})

_ORDER_SEED = 0
_CLASSES = "classes"  # the choice of classes that were given, as texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Given(Procedure):
    """Losses of one fixed predictor.

    Attributes
    ----------
    delta : float
        Allowed probability of failure.
    candidates : int
        How many predictors are compared on these examples.
    questions : Questions
        What is stated of predictions.
    """

    delta: float
    candidates: int = 1
    questions: Questions = field(default_factory=Questions)

    name: ClassVar[str] = "given"
    proves: ClassVar[tuple[str, ...]] = ("predicted_again", "not_collection")
    made: ClassVar[str] = (
        "The predictor is taken to have existed before these rows were looked at. The number is computed on its losses "
        "on them."
    )

    def run(self, sample: Sample) -> Issued:
        """Certify predictions (the single column of X) against labels."""
        judged = Judged(*pair_labels(self.name, sample.y, np.asarray(sample.X)[:, 0]))
        return Issued(self.certify_judged(judged, about="given_predictions"))

    def certify_model(
        self,
        model: Predictor,
        X: Rows,
        y: Labels,
        choices: Sequence[Choice] = (),
        digests: Mapping[str, str] = _NONE,
        notes: tuple[Note, ...] | None = None,
        rule: LossRule | None = None,
        grouping: Grouping | None = None,
        classes: Labels | None = None,
    ) -> Certificate:
        """Certify a fitted model by its predictions on rows, each asked for in several batches and some alone.

        Predictions are labels or, where a rule for their loss with its scale is given, numbers. ``classes`` are those
        among the labels of these rows, unless more are known; those of the model are added.
        """
        known = {"data": data_digest(X, y), **_digests_of_network(model), **digests}
        given: dict[str, Any] = {"about": "given_model", "choices": choices, "digests": known}
        noted = find_repetitions(X, y) if notes is None else notes
        given["grouping"] = self.questions.group("certify", X) if grouping is None else grouping
        if rule is None:
            judged = judge_model(model, X, y, probabilities=self.questions.needs_probabilities, classes=classes)
            noted = (*note_answers([(model, judged)], X), *noted)
            return self.certify_judged(judged, notes=noted, **given)
        found = predict_numbers(model, X, y, seed_of(0, y), rule.fixed)
        return self.certify_numbers(rule, y, found, notes=noted, **given)

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
        grouping: Grouping | None = None,
    ) -> Certificate:
        """Certify predictions that are numbers, by a loss whose scale was fixed beforehand."""
        loss, scale = rule.loss, rule.fixed
        judged = Judged(labels, predictions, scale=scale, assumptions=("scale_before",))
        asked = replace(self.questions, names=(rule.name,))
        statements = self._judgement(asked, about).state(judged, grouping)
        made = [Choice(loss.parameter, scale, "given"), *choices_of(asked, grouping), *choices]
        return self._issue(loss.values(labels, predictions, scale), statements, made, digests, notes)

    def certify_judged(
        self,
        judged: Judged,
        *,
        about: str,
        choices: Sequence[Choice] = (),
        digests: Mapping[str, str] = _NONE,
        notes: tuple[Note, ...] = (),
        grouping: Grouping | None = None,
    ) -> Certificate:
        """Certify predictions that are labels, by what is asked of them.

        A given one that is no class may be a class that is written in another way: every rate counts it as an error.
        """
        notes = (*note_alike(distinct_texts(judged.known_classes, judged.predictions)), *notes)
        if about == "given_predictions" and (unknown := find_unknown(judged.known_classes, judged.predictions)).any():
            judged = replace(judged, unsteady=unknown)
            notes = (*note_unknown(unknown, judged.predictions), *notes)
        losses = np.asarray(judged.labels != judged.predictions, dtype=np.float64)
        made = self._judgement(self.questions, about).state(judged, grouping)
        statements = [
            each if "block_means" in each.observed else replace(each, assumptions=(*each.assumptions, "zero_one"))
            for each in made
        ]
        known = dict(digests) if self.questions == Questions() else {**_digests_of(judged, grouping), **digests}
        return self._issue(losses, statements, [*choices_of(self.questions, grouping), *choices], known, notes)

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
        return self._issue(losses, [statement], choices, digests, notes)

    def _judgement(self, questions: Questions, about: str) -> Judgement:
        return Judgement(
            questions=questions,
            about=about,
            delta=self.delta / self.candidates,
            assumptions=("iid", "unseen", *_asked_singly(about)),
            order=lambda rows: draw_order(_ORDER_SEED, rows)[0],
        )

    def _issue(
        self,
        losses: FloatArray,
        statements: Sequence[Statement],
        choices: Sequence[Choice],
        digests: Mapping[str, str],
        notes: tuple[Note, ...],
    ) -> Certificate:
        return issue(
            self.name,
            statements,
            delta=self.delta,
            candidates=self.candidates,
            choices=[*choices, Choice("bound", statements[0].bound, "losses")],
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
    def recheck(
        cls, certificate: Certificate, X: RowsLike, y: Labels, model: object, grouping: Grouping | None = None
    ) -> list[Check]:
        """Predict again and count again; groups that are no columns of X are given."""
        adopted, X, y = adopt("recheck", {"": model}, X, y if np.size(y) else None)
        model = adopted[""]
        if not hasattr(model, "predict"):
            raise ValueError(
                "The 'model' argument of recheck must be the predictor that a given certificate is about. "
                f"Got {type(model).__name__} instead."
            )
        about, rule, labels = certificate.statements[0].about, _rule_of(certificate), exact_array(y)
        asked = Questions() if about == "given_losses" else questions_of(certificate)
        own = cls(delta=certificate.delta, candidates=certificate.candidates, questions=asked)
        if rule is not None:
            labels = numbers_of("recheck", "y", None, labels)
        rows = rows_of(X, in_blocks="data" in certificate.digests)
        if grouping is None and asked.columns:
            grouping = group_again("recheck", rows, tuple(map(str, asked.columns)))
        if "data" in certificate.digests:
            again = own.certify_model(model, rows, labels, rule=rule, grouping=grouping)
            return compare_certificates(certificate, again)
        if rule is not None:
            found = predicted_numbers(type(model).__name__, model.predict(X), labels.size)
            again = own.certify_numbers(rule, labels, found, about=about, grouping=grouping)
            return compare_certificates(certificate, again)
        if about == "given_losses":
            losses = zero_one_losses("recheck", y, model.predict(X))
            return compare_certificates(certificate, own.certify(losses, about=about))
        labels, predictions = pair_labels("recheck", y, model.predict(X))
        classes, recorded = _classes_of(certificate, labels)
        judged = Judged(labels, predictions, classes=classes)
        again = own.certify_judged(judged, about=about, choices=recorded, grouping=grouping)
        return compare_certificates(certificate, again)


def _digests_of_network(model: object) -> dict[str, str]:
    """Return the SHA-256 of a network's weights, for a model that is one."""
    digest = getattr(model, "network_digest", None)
    return {"network": str(digest)} if digest is not None else {}


def _digests_of(judged: Judged, grouping: Grouping | None) -> dict[str, str]:
    """Return the SHA-256 of predictions and groups, from which more than errors is counted."""
    given = {"predictions": digest_of_arrays(labels=judged.labels, predictions=judged.predictions)}
    if grouping is not None:
        given["grouping"] = grouping.digest
    if judged.probabilities is not None:
        given["probabilities"] = digest_of_arrays(probabilities=judged.probabilities.together)
    return given


def _rule_of(certificate: Certificate) -> LossRule | None:
    """Return the loss of predicted numbers that a certificate is about, if it is."""
    first = certificate.statements[0]
    names = {each.quantity: name for name, each in LOSSES.items()}
    return LossRule(names[first.quantity], first.scale) if first.quantity in names else None


def choose_classes(classes: Labels | None) -> tuple[Choice, ...]:
    """Return the record of classes that were given, by which predictions are counted; none where none were."""
    return () if classes is None else (Choice(_CLASSES, json.dumps([*map(label_text, classes)]), "given"),)


def _classes_of(certificate: Certificate, labels: Labels) -> tuple[Labels, tuple[Choice, ...]]:
    """Return the classes that given predictions were counted by, and their record: none where the labels tell them."""
    own = np.unique(labels)
    recorded = [each for each in certificate.choices if each.what == _CLASSES]
    if not recorded:
        return own, ()
    readers: dict[type, Callable[[str], Any]] = {int: int, float: float, bool: "True".__eq__}
    read = readers.get(type(own.tolist()[0]), str)
    try:
        classes = classes_with("recheck", [read(each) for each in json.loads(str(recorded[0].value))], own)
    except (TypeError, ValueError):  # of no labels such as these
        return own, ()
    return classes, choose_classes(classes)


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


def judge_model(
    model: Predictor, X: Rows, y: Labels, *, probabilities: bool = False, classes: Labels | None = None
) -> Judged:
    """Return what a model predicts for each row; what depends on the batch is an error."""
    known = np.unique(y) if classes is None else classes
    return judge_classes(model, X, y, known, seed_of(0, y), probabilities=probabilities)


def note_answers(judged: Sequence[tuple[Predictor, Judged]], X: Rows) -> tuple[Note, ...]:
    """Return the note on predictions of models that are no label and in doubt, if there are such."""
    count, example = 0, ""
    for model, each in judged:
        if knows_all(model, np.unique(each.labels)):  # what is in doubt depends on the batch, or is close to a tie
            continue
        unknown = find_unknown(each.labels, each.predictions)
        unknown = (unknown if each.unknown is None else unknown | each.unknown) & each.doubted
        if not count and unknown.any():  # what is no class was not kept
            said = model.predict(take(X, np.array([unknown.argmax()])))
            example = label_text(np.asarray(said).reshape(-1)[0])
        count += int(np.count_nonzero(unknown))
    return (Note("unknown_predictions", {"count": count, "example": example}),) if count else ()


def check_losses(owner: str, losses: ArrayLike) -> FloatArray:
    """Return losses in [0, 1], one per example, or say what is wrong with them."""
    values = to_floats(owner, "losses", losses)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{owner} needs one loss per example and at least one. Got shape {values.shape} instead.")
    check_range(owner, "losses", values, 0.0, 1.0, "lie in [0, 1]")
    return values
