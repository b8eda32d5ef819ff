"""One draw from an optimised Gaussian posterior over linear weights, kept as the predictor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pacbayes._core.types import FloatArray, IntArray
from pacbayes.certificate import Statement
from pacbayes.posteriors import Gaussian
from pacbayes.procedures.base import Issued, Sample
from pacbayes.procedures.learned_posterior import LearnedPosterior
from pacbayes.procedures.linear import LinearForm, TransformedRows, gaussian_digest
from pacbayes.procedures.posterior import Posterior

__all__ = ["KeptDraw"]

_STREAM = 0x6B647277  # of the draw; nothing else is drawn from it
_ASSUMPTIONS = ("iid", "nothing_before", "row_by_row", "one_draw")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDraw(Posterior):
    """A posterior as :class:`Posterior` chooses it, one draw from it, and the bound for that draw.

    The draw is deterministic from then on. Its errors on the judged rows are counted, and the logarithm of the ratio of
    the densities at it is charged in place of the divergence. The posterior is settled before the draw, whose seed
    follows from that of the order and serves for nothing else; there is one draw.

    Attributes
    ----------
    bound : {"maurer", "betting", "portfolio"}
        By which the posterior is chosen; the draw has its form for one kept draw.
    """

    name: ClassVar[str] = "kept_draw"
    made: ClassVar[str] = (
        "A first distribution over models was learned from a first part of the rows. It was then adjusted to all of "
        "them, one model was drawn from it at random, and that model was kept. The number is computed from its errors "
        "on the rest, and counts how much more likely the adjusted distribution was to give this very model."
    )

    def run(self, sample: Sample) -> Issued:
        """Learn the posterior, draw from it once, count the errors of the draw, bound it and issue."""
        learned = self._learn(sample)
        weights = draw_once(learned.posterior, sample.seed)
        losses = _count_errors(learned.rows, weights, sample.seed)
        statement = self._statement(learned, weights, losses)
        digest = gaussian_digest(self.classes, learned.prior, learned.posterior, weights)
        certificate = self._issue(sample, learned, statement, losses, digest)
        form = LinearForm(learned.rows.preprocessing, weights[:-1], float(weights[-1]))
        return Issued(certificate, {**learned.fitted(), "draw_": weights}, {"linear": form})

    def _statement(self, learned: LearnedPosterior, weights: FloatArray, losses: FloatArray) -> Statement:
        task = learned.task
        return Statement(
            about="kept_draw",
            n=losses.size,
            observed=_whole(task.count(losses)) | {"log_ratio": learned.posterior.log_ratio(learned.prior, weights)},
            bound=f"{task.bound}_draw",
            rates=self._rates(learned.plan),
            references=self._reference_kinds(task),
            assumptions=_ASSUMPTIONS,
        )


def draw_once(posterior: Gaussian, seed: int) -> FloatArray:
    """Return the one draw that a seed gives, by a generator whose numbers stay the same from version to version.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.procedures.kept_draw import draw_once
    >>> posterior = pb.Gaussian([1.0, -0.5], 0.1)
    >>> bool((draw_once(posterior, 0) == draw_once(posterior, 0)).all())
    True
    """
    bits = np.random.MT19937(np.random.SeedSequence([seed, _STREAM]))
    return np.asarray(posterior.sample(1, np.random.RandomState(bits))[0])


def _count_errors(rows: TransformedRows, weights: FloatArray, seed: int) -> FloatArray:
    """Return which judged rows the draw misclassifies, in whichever batch a row comes."""
    truth = (rows.signs[rows.count :] > 0.0).astype(np.int64)

    def answer(places: IntArray, block: Any) -> IntArray:
        del places
        scores = np.asarray(block @ weights[:-1]).ravel() + weights[-1]
        return np.asarray((scores > 0.0).astype(np.int64))

    answers = rows.ask(answer, rows.count, seed, truth=truth)
    return np.asarray((answers.wrong_where_different(truth) != truth).astype(np.float64))


def _whole(counts: dict[str, float | list[float]]) -> dict[str, Any]:
    """Return counts of one predictor as the whole numbers that they are."""
    return {name: [round(x) for x in each] if isinstance(each, list) else round(each) for name, each in counts.items()}
