"""Predictors that exist against one of them: how much more often each errs, on rows that played no part in training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from pacbayes._core.alike import distinct_texts, note_alike
from pacbayes._core.digests import data_digest, digest_of_arrays
from pacbayes._core.exact import exact_array
from pacbayes._core.foreign import adopt
from pacbayes._core.notes import Note
from pacbayes._core.rows import rows_of
from pacbayes._core.types import BoolArray, FloatArray, Labels, Predictor, Rows, RowsLike
from pacbayes.bounds import betting_rates
from pacbayes.certificate import SUBJECTS, Certificate, Check, Choice, Statement, issue, side_delta
from pacbayes.metrics.blocks import observe_blocks
from pacbayes.procedures.base import Issued, Procedure, Sample, compare_certificates, draw_order
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.procedures.given import check_losses, judge_model, note_answers
from pacbayes.procedures.given_labels import find_unknown, note_unknown, pair_labels

__all__ = ["Comparison", "Judgements"]

_ORDER_SEED = 0
_NONE: Mapping[str, str] = MappingProxyType({})
_OWNER = "recheck"


@dataclass(frozen=True, slots=True)
class Judgements:
    """The losses of several predictors on the same rows.

    Attributes
    ----------
    about : str
        Where they come from: a code of :data:`pacbayes.certificate.SUBJECTS`.
    losses : mapping
        Of each predictor by its name, in [0, 1]; the last is the one that all others are compared with.
    unsteady : mapping
        Rows on which a predictor's answer depends on its batch, or is no label that occurs, by its name; those that
        are not named have none.
    notes : tuple of Note
        What was noticed about the answers.
    """

    about: str
    losses: Mapping[str, FloatArray]
    unsteady: Mapping[str, BoolArray] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @classmethod
    def of_predictions(cls, pairs: Mapping[str, tuple[Labels, Labels]]) -> Judgements:
        """Judge labels and predictions, by the name of who made these.

        Limits are stated from both sides, so that a prediction which is no label that occurs is neither right nor
        wrong: it may be a class that is written in another way.
        """
        unknown = {name: find_unknown(*pair) for name, pair in pairs.items()}
        losses = {name: np.asarray(one != two, dtype=np.float64) for name, (one, two) in pairs.items()}
        everyone = np.concatenate([*unknown.values()])
        noted = note_unknown(everyone, np.concatenate([two.astype(object) for _, two in pairs.values()]))
        notes = (*noted, *note_alike(distinct_texts(*(each for pair in pairs.values() for each in pair))))
        return cls("compared_predictions", losses, {name: each for name, each in unknown.items() if each.any()}, notes)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The names of each predictor and of the one that it is compared with."""
        *others, last = self.losses
        return [(name, last) for name in others]

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(next(iter(self.losses.values())))

    @property
    def is_binary(self) -> bool:
        """Whether all losses are 0 or 1."""
        return all(bool(np.all((each == 0.0) | (each == 1.0))) for each in self.losses.values())

    def find_unsteady(self, pair: tuple[str, str]) -> BoolArray:
        """Return on which rows the answer of either of two is not certain."""
        found = np.zeros(self.n, dtype=bool)
        for name in pair:
            found |= self.unsteady.get(name, False)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Procedure):
    """Limits from both sides on how much more often one predictor errs than another, on the same rows.

    Attributes
    ----------
    delta : float
        Allowed probability of failure; several comparisons share it evenly.
    candidates : int
        How many such comparisons are made on these rows elsewhere.
    anytime : bool
        Whether the limits hold for all numbers of rows at once, so that one may look after every batch.
    """

    delta: float
    candidates: int = 1
    anytime: bool = False

    name: ClassVar[str] = "comparison"
    proves: ClassVar[tuple[str, ...]] = ("predicted_again", "not_collection")
    made: ClassVar[str] = (
        "The models are taken to have existed before these rows were looked at. All of them predicted the same rows; "
        "the numbers are computed on the rows where one model errs and another does not."
    )

    def run(self, sample: Sample) -> Issued:
        """Compare predictions, the columns of X; the last is the one that the others are compared with."""
        columns = np.asarray(sample.X).T
        pairs = {f"{place}": pair_labels(self.name, sample.y, each) for place, each in enumerate(columns)}
        return Issued(self.certify(Judgements.of_predictions(pairs)))

    def certify_models(self, models: Mapping[str, Predictor], X: Rows, y: Labels) -> Certificate:
        """Compare fitted classifiers by their predictions, each row asked for in several batches and some alone."""
        judged = {name: judge_model(model, X, y) for name, model in models.items()}
        losses = {name: (each.labels != each.predictions).astype(np.float64) for name, each in judged.items()}
        unsteady = {name: each.unsteady for name, each in judged.items() if each.unsteady is not None}
        alike = note_alike(distinct_texts(y, *(each.predictions for each in judged.values())))
        notes = (*note_answers([(models[name], each) for name, each in judged.items()], X), *alike)
        found = Judgements("compared_models", losses, unsteady, notes)
        return self.certify(found, {"data": data_digest(X, y)}, find_repetitions(X, y))

    def certify(
        self, judged: Judgements, digests: Mapping[str, str] = _NONE, notes: tuple[Note, ...] = ()
    ) -> Certificate:
        """Compare each predictor with the last one."""
        share = 1.0 / len(judged.pairs)
        state = self._count if judged.is_binary else self._bet
        statements = [state(judged, pair, share) for pair in judged.pairs]
        losses = digest_of_arrays(losses=np.stack([*judged.losses.values()]))
        return issue(
            self.name,
            statements,
            delta=self.delta,
            candidates=self.candidates,
            choices=[Choice("bound", statements[0].bound, "losses")],
            notes=(*judged.notes, *notes),
            digests={"losses": losses, **digests},
        )

    def _count(self, judged: Judgements, pair: tuple[str, str], share: float) -> Statement:
        """State the difference of two errors: rows on which one errs; an uncertain one counts against each limit."""
        one, two = (judged.losses[name] > 0.0 for name in pair)
        unsteady = judged.find_unsteady(pair)
        return self._statement(
            judged,
            pair,
            share,
            quantity="error_difference",
            bound="betting" if self.anytime else "paired",
            rates="all_n" if self.anytime else None,
            observed={
                "only_first": int(np.count_nonzero(one & ~two & ~unsteady)),
                "only_second": int(np.count_nonzero(two & ~one & ~unsteady)),
                "unsteady": int(np.count_nonzero(unsteady)),
            },
        )

    def _bet(self, judged: Judgements, pair: tuple[str, str], share: float) -> Statement:
        """State the difference of two mean losses: bets on it, and on its opposite."""
        one, two = (judged.losses[name] for name in pair)
        scaled = {"upper": (1.0 + one - two) / 2.0, "lower": (1.0 + two - one) / 2.0}
        observe = _observe_growth if self.anytime else self._observe_blocks
        return self._statement(
            judged,
            pair,
            share,
            quantity="loss_difference",
            bound="betting" if self.anytime else "sequential",
            rates="all_n" if self.anytime else "one_n",
            observed={
                f"{side}_{name}": value
                for side, values in scaled.items()
                for name, value in observe(np.clip(values, 0.0, 1.0), share).items()
            },
        )

    def _observe_blocks(self, values: FloatArray, share: float) -> dict[str, Any]:
        order, _ = draw_order(_ORDER_SEED, values.size)  # files are often sorted, by label for example
        return observe_blocks(values[order], side_delta(self.delta / self.candidates, share))

    def _statement(self, judged: Judgements, pair: tuple[str, str], share: float, **given: Any) -> Statement:
        codes = {
            "row_by_row": "row_by_row" in SUBJECTS[judged.about].assumptions,
            "arrival_order": self.anytime,
            "zero_one": judged.is_binary,
        }
        assumptions = ("iid", "unseen", *(code for code, so in codes.items() if so))
        return Statement(
            about=judged.about, side="both", compared=pair, n=judged.n, share=share, assumptions=assumptions, **given
        )

    @classmethod
    def recheck(cls, certificate: Certificate, X: RowsLike, y: Labels, model: object) -> list[Check]:
        """Predict again with all models and count again; of losses, which are the columns of X, count alone."""
        first = certificate.statements[0]
        own = cls(delta=certificate.delta, candidates=certificate.candidates, anytime=first.anytime)
        names = [*(each.compared[0] for each in certificate.statements), first.compared[1]]
        if first.about == "compared_losses":
            columns = np.asarray(X, dtype=np.float64).T
            losses = {name: check_losses(_OWNER, each) for name, each in zip(names, columns, strict=True)}
            return compare_certificates(certificate, own.certify(Judgements(first.about, losses)))
        models, X, y = adopt(_OWNER, _named_models(names, model), X, y if np.size(y) else None)
        if first.about == "compared_models":
            return compare_certificates(
                certificate, own.certify_models(models, rows_of(X, in_blocks=True), exact_array(y))
            )
        pairs = {name: pair_labels(_OWNER, y, each.predict(X)) for name, each in models.items()}
        return compare_certificates(certificate, own.certify(Judgements.of_predictions(pairs)))


def _observe_growth(values: FloatArray, share: float) -> dict[str, Any]:
    """Return the mean of values in [0, 1] and their growth at the rates for all numbers of rows, in any order."""
    del share
    rates, _ = betting_rates()
    growth = np.zeros(rates.size)
    edges = [*range(0, values.size, 4096), values.size]
    for start, stop in pairwise(edges):
        growth += np.log1p(-rates[:, None] * values[None, start:stop]).sum(axis=1)
    return {"risk": float(values.mean()), "log_growth": growth / values.size}


def _named_models(names: Sequence[str], model: object) -> dict[str, Predictor]:
    """Return the models in the order of a certificate, or say that they are not all there."""
    if not isinstance(model, Mapping) or set(model) != set(names):
        raise ValueError(
            "The 'model' argument of recheck must be a mapping from the names of the compared models, "
            f"{', '.join(map(repr, names))}, to the models. Got {type(model).__name__} instead."
        )
    return {name: model[name] for name in names}
