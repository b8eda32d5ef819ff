"""Bounds on posteriors around a fit on all rows, with a prior that was declared: Maurer, Ours and the portfolio.

The paper's posterior and prior, but for two things. Features are scaled with a tenth of the rows, which the bounds do
not use. The fit may have one of three penalties: these bounds hold for all posteriors at once, so that it is chosen by
the bound itself, at no cost. All constants are the exact ones.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.bounds import excess_kl, maurer, progressive_chernoff
from pacbayes.learners import RefittedLogistic
from pacbayes.online import OnlineReference
from pacbayes.posteriors import Gaussian
from pacbayes.reproduction.paper import PRIOR_VARIANCE, PaperFit, paper_reference, scale_count
from pacbayes.reproduction.paper_portfolio import portfolio_bound, portfolio_references
from pacbayes.reproduction.random_split import LabelledRows, Scaler, Split

__all__ = ["maurer_on_all_rows", "ours_on_all_rows", "portfolio_on_all_rows"]

_PENALTIES = (0.1, 0.01, 0.001)  # relative to the mean loss; the strongest first


class _Scaled:
    """Training and test rows, scaled by the first tenth of the training rows."""

    def __init__(self, split: Split) -> None:
        X, y = split.train
        self.cut = max(2, len(y) // 10)
        scaler = Scaler(X[: self.cut])
        self.train: LabelledRows = (scaler(X), y)
        self.test: LabelledRows = (scaler(split.test[0]), split.test[1])
        self.judged: LabelledRows = (self.train[0][self.cut :], y[self.cut :])

    def judge_reference(self, reference: OnlineReference) -> OnlineReference:
        """Return a reference that has learned from the first tenth too, on the judged rows."""
        losses = reference.losses[self.cut :]
        return OnlineReference(losses, np.arange(losses.size), [])


def _fit(rows: _Scaled, reference: OnlineReference) -> tuple[PaperFit, list[float]]:
    """Return the posteriors of all penalties and scales, and the test error of each penalty's mean."""
    model, n = RefittedLogistic(), len(rows.judged[1])
    scales = np.sqrt(0.5 ** np.arange(1, scale_count(n) + 1))
    posteriors, votes = [], []
    for penalty in _PENALTIES:
        model.set_params(alpha=penalty).fit(*rows.train)
        posteriors.append(Gaussian(model.weights_.copy(), 1.0, intercept=True))
        votes.append(float(np.mean(model.predict(rows.test[0]) != rows.test[1])))
    prior = Gaussian(np.zeros(posteriors[0].mean.size), PRIOR_VARIANCE, intercept=True)
    errors = partial(_expected_errors, posteriors, scales)
    return PaperFit(
        n=n,
        test=votes[0],
        test_gibbs=errors(rows.test).mean(axis=1),
        expected=errors(rows.judged),
        kl=np.concatenate([each.kl(prior, scales=scales) for each in posteriors]),
        reference=reference,
    ), votes


def _expected_errors(posteriors: list[Gaussian], scales: FloatArray, rows: LabelledRows) -> FloatArray:
    return np.concatenate([each.zero_one(*rows, classes=[0, 1], scales=scales) for each in posteriors])


def _record(rows: _Scaled, fit: PaperFit, votes: list[float], values: FloatArray) -> dict[str, float]:
    """Return the numbers of the posterior with the smallest bound."""
    best = int(np.argmin(values))
    value = min(1.0, float(values[best]))
    return {
        "value": value,
        "test": float(fit.test_gibbs[best]),
        "rows": float(len(rows.train[1])),
        "share": 1.0,
        "risk": float(fit.risk[best]),
        "kl": float(fit.kl[best]),
        "vote_value": min(1.0, 2.0 * value),
        "vote_test": votes[best // (fit.kl.size // len(votes))],
    }


def maurer_on_all_rows(split: Split, delta: float) -> dict[str, float]:
    """Bound the risk itself."""
    rows = _Scaled(split)
    none = OnlineReference(np.zeros(len(rows.judged[1])), np.arange(len(rows.judged[1])), [])
    fit, votes = _fit(rows, none)
    return _record(rows, fit, votes, np.asarray(maurer(fit.risk, fit.kl, fit.n, delta)))


def ours_on_all_rows(split: Split, delta: float) -> dict[str, float]:
    """Bound the excess over the paper's online reference, and the reference by the de-bias theorem (erratum E7)."""
    rows = _Scaled(split)
    fit, votes = _fit(rows, rows.judge_reference(paper_reference(*rows.train)))
    plus, minus = fit.parts()
    excess = excess_kl(plus, minus, fit.kl, fit.n, delta / 2.0)
    values = excess + progressive_chernoff(fit.reference.losses.mean(), fit.n, delta / 2.0)
    return _record(rows, fit, votes, np.asarray(values))


def portfolio_on_all_rows(split: Split, delta: float) -> dict[str, float]:
    """Bet on all strengths of two references that learn."""
    rows = _Scaled(split)
    references = [rows.judge_reference(each) for each in portfolio_references(*rows.train)]
    fit, votes = _fit(rows, references[0])
    value, place = portfolio_bound(fit, references, delta)
    values = np.ones(fit.kl.size)
    values[place - 1] = value
    return _record(rows, fit, votes, values)
