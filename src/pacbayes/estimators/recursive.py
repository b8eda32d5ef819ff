"""Recursive PAC-Bayes as a scikit-learn classifier: logistic regression whose posterior was learned part by part."""

from __future__ import annotations

import numbers

from sklearn.preprocessing import FunctionTransformer, StandardScaler

from pacbayes._core.types import RandomState, Transformer
from pacbayes.certificate import MOST_STEPS, PARTS
from pacbayes.estimators.base import check_candidates, check_delta
from pacbayes.estimators.logistic import CertifiedLogisticRegression
from pacbayes.estimators.logistic_options import check_preprocessing
from pacbayes.metrics import Questions
from pacbayes.posteriors import Gaussian
from pacbayes.procedures import Procedure, Recursive

__all__ = ["RecursiveLogisticRegression"]

_BOUNDS = {"portfolio": "recursive_portfolio", "split_kl": "recursive"}
_CHOICES = {"bound": tuple(_BOUNDS), "parts": PARTS, "posterior": ("laplace", "isotropic")}
_LARGEST = 1e300  # of a penalty


class RecursiveLogisticRegression(CertifiedLogisticRegression):
    """Logistic regression for two classes by recursive PAC-Bayes, with a certificate on its error.

    ``fit`` shuffles the rows and divides them into ``steps`` parts. Scaling, penalty and a first Gaussian over the
    weights are learned from the first part; then a posterior is learned from each further part together with all before
    it, for which the posterior before is the prior. Each step is judged on its part and all parts after it, in exact
    expectations. The certificate is about one random draw from the last posterior, which has learned from all rows, per
    row; for :meth:`predict`, the vote, it is twice that.

    Parameters
    ----------
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1), shared evenly by the steps.
    steps : int, default=4
        How many parts and posteriors there are, from 2 to 100. In our benchmarks 2 were tightest for linear
        classifiers (`docs/theory.md`).
    gamma : float, default=0.5
        How much of the loss of the posterior before is subtracted, in [0, 1], for ``bound="split_kl"``.
    bound : {"portfolio", "split_kl"}, default="portfolio"
        Bets in each step (:func:`pacbayes.bounds.recursive_portfolio`), over all strengths in place of ``gamma``, or
        the published bound (:func:`pacbayes.bounds.recursive`), which is looser.
    parts : {"even", "geometric"}, default="even"
        Parts of one size, or each as large as all before it.
    alpha : float or "auto", default="auto"
        Penalty ``alpha |w|**2/2`` on the sum of log-losses; "auto" chooses it by cross-validation on the first part.
    preprocessing : transformer or None, default=None
        Learned on the first part alone; it must transform each row by itself. None standardises; ``"passthrough"``
        leaves the columns as they are.
    posterior : {"laplace", "isotropic"}, default="laplace"
        Shape of the first covariance: the inverse Hessian at its fit, or the identity.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    random_state : int, RandomState or None
        Of the shuffle and of random draws.

    Attributes
    ----------
    certificate_ : Certificate
        ``value`` is about one random draw from ``posterior_`` per row, ``vote_value`` about :meth:`predict`.
    posteriors_ : tuple of Gaussian
        Over the weights of the preprocessed columns, the intercept last; ``prior_`` is the first of them and
        ``posterior_`` the last.
    coef_, intercept_ : ndarray
        The last posterior's mean, for the preprocessed columns.
    classes_, alpha_, preprocessing_, order_
        As in :class:`CertifiedLogisticRegression`; the first ``n_learning_`` rows of the order are the first part.

    References
    ----------
    Wu, Zhang, Cherief-Abdellatif and Seldin, "Recursive PAC-Bayes", 2024.

    Examples
    --------
    >>> import pacbayes as pb
    >>> sample = pb.datasets.make_known_risk(2000, d=3, random_state=0)
    >>> model = pb.RecursiveLogisticRegression(steps=2, random_state=0).fit(sample.X, sample.y)
    >>> print(model.certificate_.sentence())
    With probability at least 95 % over the data, the true error of one draw from the last posterior per row is at \
most 19.41 %, and that of their vote, which `predict` returns, at most 38.81 %.
    >>> model.certificate_.statements[0].observed["step_n"]  # the rows that the second posterior is judged on
    [1000]
    """

    posteriors_: tuple[Gaussian, ...]

    def __init__(
        self,
        delta: float = 0.05,
        *,
        steps: int = 4,
        gamma: float = 0.5,
        bound: str = "portfolio",
        parts: str = "even",
        alpha: float | str = "auto",
        preprocessing: Transformer | str | None = None,
        posterior: str = "laplace",
        candidates: int = 1,
        random_state: RandomState = None,
    ) -> None:
        self.delta = delta
        self.steps = steps
        self.gamma = gamma
        self.bound = bound
        self.parts = parts
        self.alpha = alpha
        self.preprocessing = preprocessing
        self.posterior = posterior
        self.candidates = candidates
        self.random_state = random_state

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_delta(owner, self.delta)
        check_candidates(owner, self.candidates)
        for name, allowed in _CHOICES.items():
            if not isinstance(getattr(self, name), str) or getattr(self, name) not in allowed:
                raise _refusal(owner, name, f"be one of {', '.join(map(repr, allowed))}", getattr(self, name))
        whole = isinstance(self.steps, numbers.Integral) and not isinstance(self.steps, bool)
        if not whole or not 2 <= self.steps <= MOST_STEPS:
            raise _refusal(owner, "steps", f"be a whole number from 2 to {MOST_STEPS}", self.steps)
        if not _is_number(self.gamma) or not 0.0 <= self.gamma <= 1.0:
            raise _refusal(owner, "gamma", "be a float in [0, 1]", self.gamma)
        if self.alpha != "auto" and not (_is_number(self.alpha) and 0.0 < float(self.alpha) <= _LARGEST):
            raise _refusal(owner, "alpha", "be 'auto' or a positive float", self.alpha)
        check_preprocessing(owner, self.preprocessing)

    def _questions(self) -> Questions:
        return Questions()

    def _procedure(self, rows: int) -> Procedure:
        if rows < 2 * self.steps:
            raise ValueError(
                f"{type(self).__name__} with steps={self.steps!r} needs at least {2 * self.steps} rows. "
                f"Got n_samples={rows} instead."
            )
        prepare = StandardScaler() if self.preprocessing is None else self.preprocessing
        return Recursive(
            classes=self.classes_,
            preprocessing=FunctionTransformer() if isinstance(prepare, str) else prepare,
            delta=float(self.delta),
            steps=int(self.steps),
            bound=_BOUNDS[self.bound],
            gamma=float(self.gamma) if self.bound == "split_kl" else None,
            parts=self.parts,
            alpha=None if isinstance(self.alpha, str) else float(self.alpha),
            shape=self.posterior,
            candidates=int(self.candidates),
        )


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _refusal(owner: str, name: str, words: str, given: object) -> ValueError:
    return ValueError(f"The {name!r} parameter of {owner} must {words}. Got {given!r} instead.")
