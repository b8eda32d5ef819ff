"""A distribution over networks that was learned, and how it is judged: once for a certificate, and again by anyone.

To judge again needs the stored network and the rows, and no training. What is then not proved is that the prior learned
from the learning rows alone.
"""

from __future__ import annotations

import math
import secrets
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from pacbayes._core.notes import Note
from pacbayes._core.rows import labels_of, rows_of
from pacbayes._core.types import FloatArray, IntArray, Labels, RowsLike
from pacbayes.bounds import betting_rates
from pacbayes.certificate import (
    DRAW_SEED,
    DRAW_SHARE,
    DRAWS,
    POSTERIOR_IS_PRIOR,
    Certificate,
    Check,
    Choice,
    Statement,
    compare,
)
from pacbayes.certificate.records import AS_GIVEN
from pacbayes.numerics import kl_inv_lower, kl_inv_upper
from pacbayes.procedures.base import FITTED, Sample, check_order
from pacbayes.procedures.cautions import CertificateWarning, find_cautions, find_repetitions

__all__ = [
    "TIMES",
    "LearnedNetwork",
    "NetworkKeeper",
    "bound_choices",
    "draw_choices",
    "draw_seed",
    "find_cautions_again",
    "judge_again",
    "recheck_network",
    "sum_errors",
]

TIMES = "time_index"  # the note about rows with an index of times

_DRAWS = 18  # apart from whatever else is drawn from a sample's seed
_JUDGED = 1e-4  # expected errors that another machine's single precision gives agree to this, relative
_FEWER_TIES, _MORE_TIES = 0.5, 2.0  # another machine's rounding moves scores by far less than the tolerance
_RATE = 0.02  # rates that another machine's single precision predicts agree to this, relative
_NEVER = 1e-6  # probability with which one of two honest counts leaves its limits


class LearnedNetwork(Protocol):
    """A prior from the learning rows, and a posterior that may have been chosen with the judged rows in sight."""

    @property
    def kl(self) -> float:
        """The divergence of the posterior from the prior, rounded up; 0 if they are equal."""

    @property
    def is_prior(self) -> bool:
        """Whether it was settled before the judged rows were looked at that the posterior is the prior.

        A posterior that was trained and ended at the prior is not: which statement is made would then have been chosen
        on the judged rows.
        """

    @property
    def is_drawn(self) -> bool:
        """Whether its errors are estimated by draws; if not, :meth:`expected_errors` has them."""

    @property
    def rate(self) -> float | None:
        """A rate to bet at, in (0, 1), predicted on the learning rows; None for the library's grid."""

    @property
    def choices(self) -> Sequence[Choice]:
        """What was chosen of prior and posterior, and where."""

    @property
    def digests(self) -> Mapping[str, str]:
        """SHA-256 of what was fitted, by name: "network" has everything that judging needs."""

    @property
    def fitted(self) -> Mapping[str, Any]:
        """What an estimator keeps, under the names of its attributes."""

    @property
    def stored(self) -> Mapping[str, Any]:
        """The predictor's stored form."""

    def expected_errors(self, sample: Sample, start: int) -> FloatArray:
        """Return for each row from a position of the order on at least the probability that a draw misclassifies it."""

    def choices_again(self, certificate: Certificate) -> Sequence[Choice]:
        """Return :attr:`choices` as a certificate has to have them, with its own values where nothing else tells."""

    def rate_again(self, certificate: Certificate, sample: Sample, start: int) -> float | None:
        """Return the rate that the learning rows predict, which are those before a position; None if there is none."""

    def draw_errors(self, sample: Sample, start: int, passes: int, seed: int, *, ties: float = 1.0) -> int:
        """Count the errors of fresh draws from the posterior, an independent one for each row and pass.

        A row whose two largest scores are nearly equal counts as an error; ``ties`` multiplies what counts as nearly.
        """


@runtime_checkable
class NetworkKeeper(Protocol):
    """An estimator that keeps a network with the order of its rows, or one that was loaded from a folder."""

    order_: IntArray
    seed_: int

    def learned_network(self) -> LearnedNetwork:
        """Return what was learned, computed from what is stored and not from what a certificate says."""


def draw_seed(seed: int) -> int:
    """Return the seed of the draws on judged rows, from a sample's seed; nothing else is drawn from it.

    Examples
    --------
    >>> from pacbayes.procedures import draw_seed
    >>> draw_seed(0) == draw_seed(0), draw_seed(0) == draw_seed(1)
    (True, False)
    """
    return int(np.random.SeedSequence([seed, _DRAWS]).generate_state(1, np.uint32)[0])


def sum_errors(errors: FloatArray, rows: int) -> float:
    """Return the expected number of errors on all judged rows, rounded up, at most their number.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.judged_network import sum_errors
    >>> sum_errors(np.array([0.25, 1.0, 0.5]), 3) >= 1.75
    True
    """
    values = np.asarray(errors, dtype=np.float64)
    if values.shape != (rows,) or not np.all((values >= 0.0) & (values <= 1.0)):
        raise ValueError(
            f"The expected errors must be {rows} numbers in [0, 1], one for each judged row. "
            f"Got an array of shape {values.shape}, or other numbers, instead."
        )
    total = math.fsum(values)  # correctly rounded: the next double is above the exact sum
    return 0.0 if total == 0.0 else min(math.nextafter(total, math.inf), float(rows))


def judge_again(
    certificate: Certificate, sample: Sample, learned: LearnedNetwork, *, fresh_seed: int | None = None
) -> list[Check]:
    """Judge a stored network again on the rows of its certificate, and compare everything that follows from them.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    sample : Sample
        The rows in the recorded order.
    learned : LearnedNetwork
        Computed from what is stored.
    fresh_seed : int, optional
        Of draws that nobody can have chosen; a new one by default.
    """
    statement, start = certificate.statements[0], len(sample.y) - certificate.n
    found = sample.digests() | dict(learned.digests)
    checks = [
        compare("rows", _chosen(certificate, "learning_rows"), start),
        *(compare(name, certificate.digests.get(name), each) for name, each in found.items()),
        compare("divergence", statement.kl, float(learned.kl), within=FITTED),
        compare("notes", _plain_notes(certificate.notes), _plain_notes(_find_notes(sample, start))),
        compare("settled_prior", POSTERIOR_IS_PRIOR in certificate.choices, bool(learned.is_prior)),
        compare("draws", statement.drawn is not None, bool(learned.is_drawn) and not learned.is_prior),
        Check("choices", held=_are_own(certificate, learned)),
    ]
    if not all(check.held for check in checks):
        return checks
    if isinstance(statement.rates, float):
        checks.append(compare("rate", statement.rates, learned.rate_again(certificate, sample, start), within=_RATE))
    if statement.drawn is None and not learned.is_prior:
        errors = sum_errors(learned.expected_errors(sample, start), statement.n)
        return [*checks, compare("expected_errors", statement.observed.get("errors"), errors, within=_JUDGED)]
    return [*checks, *_count_again(certificate, sample, learned, fresh_seed)]


def draw_choices(passes: Any, seed: Any, share: float | None = None) -> list[Choice]:
    """Return what is recorded of draws: how many for each row, what they cost, and their seed."""
    cost = ("none", None) if share is None else ("part_of_delta", share)
    return [Choice(DRAWS, passes, "given", *cost), Choice(DRAW_SEED, seed, "given")]


def bound_choices(statement: Statement, delta: float, candidates: int) -> list[Choice]:
    """Return what is recorded of the bound, the number of settings that are compared, and the rates."""
    cost = ("candidates", candidates) if candidates > 1 else ("none", None)
    choices = [Choice("bound", statement.bound, "given"), Choice("candidates", candidates, "given", *cost)]
    if statement.rates == "one_n":
        size = betting_rates(n=statement.n, delta=delta / candidates)[0].size
        return [*choices, Choice("rate", "grid", "all_rows", "mixture_of_rates", size)]
    return choices if statement.rates is None else [*choices, Choice("rate", statement.rates, "learning_rows")]


def _are_own(certificate: Certificate, learned: LearnedNetwork) -> bool:
    """Return whether the choices are those that the procedure records, none left out and none invented."""
    statement = certificate.statements[0]
    told = {each.what: each.value for each in certificate.choices}
    drawn = draw_choices(told.get(DRAWS), told.get(DRAW_SEED), None if statement.drawn is None else DRAW_SHARE)
    expected = [
        Choice("learning_rows", told.get("learning_rows"), "given"),
        *learned.choices_again(certificate),
        *([POSTERIOR_IS_PRIOR] if learned.is_prior else []),
        *(drawn if learned.is_prior or statement.drawn is not None else []),
        *bound_choices(statement, certificate.delta, certificate.candidates),
        *([AS_GIVEN] if certificate.in_order else []),
    ]
    return _by_name(certificate.choices) == _by_name(expected)


def _by_name(choices: Sequence[Choice]) -> list[Choice]:
    return sorted(choices, key=lambda each: each.what)


def _count_again(
    certificate: Certificate, sample: Sample, learned: LearnedNetwork, fresh_seed: int | None
) -> list[Check]:
    """The recorded seed has to be the sample's and to give the recorded count, and fresh draws must not contradict."""
    statement, seed = certificate.statements[0], draw_seed(sample.seed)
    claimed, draws = _recorded_count(statement)
    start, passes = len(sample.y) - statement.n, draws // statement.n
    fewest, most = (learned.draw_errors(sample, start, passes, seed, ties=each) for each in (_FEWER_TIES, _MORE_TIES))
    fresh = learned.draw_errors(sample, start, passes, secrets.randbits(32) if fresh_seed is None else fresh_seed)
    limit = math.log(1.0 / _NEVER) / draws
    least = [float(kl_inv_lower(count / draws, limit)) for count in (fresh, claimed)]
    largest = [float(kl_inv_upper(count / draws, limit)) for count in (fresh, claimed)]
    return [
        compare("draw_seed", _chosen(certificate, DRAW_SEED), seed),
        Check("draws", fewest <= claimed <= most, claimed, fewest if claimed < fewest else most),
        Check("fresh_draws", max(least) <= min(largest), claimed, fresh),
    ]


def _recorded_count(statement: Statement) -> tuple[int, int]:
    """Return the recorded number of errors, and of draws: one for each row where the posterior is the prior."""
    if statement.drawn is not None:
        return statement.drawn.errors, statement.drawn.draws
    return int(statement.observed["errors"]), statement.n


def _chosen(certificate: Certificate, what: str) -> object:
    return next((each.value for each in certificate.choices if each.what == what), None)


def _find_notes(sample: Sample, start: int) -> tuple[Note, ...]:
    """Return what is noticed about the rows, as the procedure does."""
    return (*sample.notes, *find_repetitions(sample.X, sample.y, sample.order[:start]))


def _plain_notes(notes: Sequence[Note]) -> list[dict[str, object]]:
    return [each.to_dict() for each in notes]


def find_cautions_again(certificate: Certificate, rows: Any, labels: Labels) -> tuple[Note, ...]:
    """Return what is noticed about rows and labels; that they had an index of times no array can tell again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        found = find_cautions("recheck", rows, labels)
    known = {each.code for each in found}
    return (*found, *(each for each in certificate.notes if each.code == TIMES and each.code not in known))


def _read(X: RowsLike, y: Labels, keeper: NetworkKeeper) -> tuple[Any, Labels]:
    """Return rows and labels as the network reads them, whose rows may be images."""
    reader = getattr(keeper, "read_rows", None)
    if reader is not None:
        rows, labels, _ = reader("recheck", X, y)
        return rows, labels
    rows = rows_of(X)
    return rows, labels_of("recheck", rows, y)


def recheck_network(certificate: Certificate, X: RowsLike, y: Labels, keeper: NetworkKeeper) -> list[Check]:
    """Judge the network of an estimator or a folder again on its rows, after the order of these was checked."""
    checks = check_order(certificate, len(y), keeper)
    if not all(check.held for check in checks):
        return checks
    rows, labels = _read(X, y, keeper)
    notes = find_cautions_again(certificate, rows, labels)
    sample = Sample(rows, labels, keeper.order_, keeper.seed_, certificate.seed, notes, certificate.in_order)
    return [*checks, *judge_again(certificate, sample, keeper.learned_network())]
