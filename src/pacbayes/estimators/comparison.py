"""Is one model better than another: certified differences, from examples that played no part in training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.alignment import refuse_other_order
from pacbayes._core.arguments import single_number
from pacbayes._core.foreign import adopt, collect
from pacbayes._core.rows import labels_of, rows_of
from pacbayes._core.types import FloatArray, Predictor, RowsLike, RowSource
from pacbayes.certificate import Certificate
from pacbayes.estimators.asked import caution_alike, warn_of_unknown
from pacbayes.estimators.base import check_candidates
from pacbayes.estimators.predictions import refuse_fitted_rows, refuse_regressor
from pacbayes.procedures.comparison import Comparison, Judgements
from pacbayes.procedures.given import check_losses
from pacbayes.procedures.given_labels import pair_labels, refuse_fractions

__all__ = ["compare", "compare_predictions"]


def compare(
    a: Predictor | Mapping[str, Predictor] | Sequence[Predictor],
    b: Predictor | Mapping[str, Predictor],
    X: RowsLike | RowSource,
    y: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    anytime: bool = False,
    candidates: int = 1,
) -> Certificate:
    """Certify which of two fitted classifiers errs more often on new cases, and by how much at least and at most.

    Both predict the same rows, which played no part in training or choosing either. The limits on the true error of
    ``a`` minus that of ``b`` come from the rows on which one of them errs: that one is better is said exactly where
    McNemar's exact two-sided test says so at level ``delta`` (:func:`pacbayes.bounds.paired`).

    Parameters
    ----------
    a : classifier, mapping or sequence of classifiers
        Fitted; anything with ``predict``, or modules of PyTorch as for :func:`pacbayes.certify`. Several are each
        compared with ``b``, and share delta evenly: all their limits hold together. A mapping gives them names.
    b : classifier, or mapping with one
        The one that they are compared with.
    X : array_like or data frame, shape (n, d)
        Rows that none of them has seen; also a Dask DataFrame or Array. They are asked in several batches, and some
        rows alone; a row on which an answer depends on its batch counts against each limit, and a model with many of
        them is refused.
    y : array_like, shape (n,)
        Their labels, of the kind that the models predict.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    anytime : bool, default=False
        Whether the limits hold for all numbers of rows at once, so that one may look after every batch, and stop or go
        on as one likes, by :func:`pacbayes.bounds.betting`. They are wider, by up to nine tenths.
    candidates : int, default=1
        How many such comparisons are made on these same rows; each gets its share of delta.

    Returns
    -------
    Certificate
        A statement per pair: ``lower`` and ``value`` are the limits on the difference, ``compared`` the two names.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_digits(return_X_y=True)
    >>> bayes = GaussianNB().fit(X[:800], y[:800])
    >>> logistic = LogisticRegression(max_iter=5000).fit(X[:800], y[:800])
    >>> certificate = pb.compare({"Bayes": bayes}, {"logistic": logistic}, X[800:], y[800:])
    >>> print(certificate.sentence())
    With probability at least 95 % over the data, of 100 new cases model Bayes misclassifies on average at least 8.89 \
and at most 14.51 more than model logistic: logistic is better.
    """
    owner = "compare"
    refuse_other_order(owner, {"X": X, "y": y})
    models, taken, told = adopt(owner, join_pairs(owner, a, b), X, y)
    for model in models.values():
        if not hasattr(model, "predict"):
            raise ValueError(f"{owner} must be given fitted classifiers. Got {model!r:.60} instead.")
        refuse_regressor(owner, model)
    rows = rows_of(taken, in_blocks=True)
    told = collect(told, rows)
    refuse_fractions(owner, "y", np.asarray(told))
    labels = labels_of(owner, rows, told)
    if labels.size == 0:
        raise ValueError(f"{owner} needs at least one row. Got none.")
    for model in models.values():
        refuse_fitted_rows(owner, model, rows, labels)
    certificate = _procedure(owner, delta, candidates, anytime=anytime).certify_models(models, rows, labels)
    warn_of_unknown(owner, certificate.notes)
    return certificate


def compare_predictions(
    y_true: ArrayLike | None,
    a: ArrayLike | Mapping[str, ArrayLike],
    b: ArrayLike | Mapping[str, ArrayLike],
    delta: float = 0.05,
    *,
    anytime: bool = False,
    candidates: int = 1,
) -> Certificate:
    """Certify which of two predictors errs more often, from predictions on examples that neither has seen.

    Parameters
    ----------
    y_true : array_like, shape (n,), or None
        Labels. A prediction that is none of those that occur counts against each limit, since it may be a class that is
        written in another way, and there is a warning. None if ``a`` and ``b`` are losses in [0, 1], one per example;
        then the difference of the mean losses is bounded, by bets that adapt (:func:`pacbayes.bounds.sequential`).
    a, b : array_like, shape (n,), or mapping
        Predictions on the same examples, or losses. A mapping names them; several in ``a`` are each compared with
        ``b``.
    delta, anytime, candidates
        As for :func:`compare`.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import pacbayes as pb
    >>> y = [0, 1] * 200
    >>> old, new = [1, 0] * 20 + [0, 1] * 180, [1, 1] * 10 + [0, 1] * 190
    >>> print(pb.compare_predictions(y, {"new": new}, {"old": old}).sentence())
    With probability at least 95 % over the data, of 100 new cases model new misclassifies on average at least 4.54 \
and at most 10.81 fewer than model old: new is better.
    >>> certificate = pb.compare_predictions(None, [0.1, 0.3, 0.2] * 100, [0.2, 0.3, 0.3] * 100)
    >>> round(certificate.statements[0].lower, 3), round(certificate.value, 3)
    (-0.082, -0.05)
    """
    owner = "compare_predictions"
    refuse_other_order(owner, {"y_true": y_true, "a": a, "b": b})
    y_true = collect(y_true)
    given = {name: collect(each) for name, each in join_pairs(owner, a, b, of_arrays=True).items()}
    procedure = _procedure(owner, delta, candidates, anytime=anytime)
    if y_true is None:
        losses = {name: check_losses(owner, each) for name, each in given.items()}
        return procedure.certify(Judgements("compared_losses", _of_one_size(owner, losses)))
    pairs = {name: pair_labels(owner, y_true, each) for name, each in given.items()}
    judged = Judgements.of_predictions(pairs)
    caution_alike(owner, next(iter(pairs.values()))[0])
    warn_of_unknown(owner, judged.notes)
    return procedure.certify(judged)


def _procedure(owner: str, delta: object, candidates: object, *, anytime: bool) -> Comparison:
    return Comparison(
        delta=single_number(owner, "delta", delta),
        candidates=check_candidates(owner, candidates),
        anytime=bool(anytime),
    )


def _of_one_size(owner: str, losses: dict[str, FloatArray]) -> dict[str, FloatArray]:
    sizes = {each.size for each in losses.values()}
    if len(sizes) > 1:
        raise ValueError(f"The losses of {owner} must be of the same examples. Got {sorted(sizes)} of them instead.")
    return losses


def join_pairs(owner: str, a: Any, b: Any, *, of_arrays: bool = False) -> dict[str, Any]:
    """Return what is compared by name, the one that it is compared with last, or say what is wrong with it.

    Examples
    --------
    >>> from pacbayes.estimators.comparison import join_pairs
    >>> list(join_pairs("me", {"new": 1}, {"old": 2})), list(join_pairs("me", [1, 2], 3))
    (['new', 'old'], ['A1', 'A2', 'B'])
    """
    several = isinstance(a, list | tuple) and not of_arrays
    named = (
        dict(a) if isinstance(a, Mapping) else {f"A{k + 1}": each for k, each in enumerate(a)} if several else {"A": a}
    )
    base = dict(b) if isinstance(b, Mapping) else {"B": b}
    joined = {**named, **base}
    if not named or len(base) != 1 or len(joined) != len(named) + 1:
        raise ValueError(
            f"{owner} must be given at least one model in 'a' and one in 'b', each under a name of its own. "
            f"Got the names {list(map(str, named))} and {list(map(str, base))} instead."
        )
    if not all(isinstance(name, str) and name for name in joined):
        raise ValueError(f"The names of models in {owner} must be text. Got {list(joined)!r:.80} instead.")
    return joined
