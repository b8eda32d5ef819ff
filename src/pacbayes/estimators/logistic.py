"""Logistic regression with a certificate: a scikit-learn classifier over the functions of this library."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from pacbayes._core.rows import labels_of, rows_of
from pacbayes._core.types import FloatArray
from pacbayes.certificate import Certificate
from pacbayes.estimators._cautions import caution
from pacbayes.estimators._certify import certify
from pacbayes.estimators._html import WithCertificate
from pacbayes.estimators._issue import checked_candidates, checked_delta, forget
from pacbayes.estimators._parts import BOUNDS, Certified, Options

__all__ = ["CertifiedLogisticRegression"]

_LARGEST = 1e300  # of a penalty
_CHOICES = {
    "posterior": ("laplace", "isotropic"),
    "prior": ("informed", "zero"),
    "bound": ("auto", *BOUNDS),
    "reference": ("none", "online", "fixed"),
}


class CertifiedLogisticRegression(WithCertificate, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression for two classes, with a certificate on its true error.

    ``fit`` shuffles the rows and learns scaling, penalty, weights and everything else that has to be fixed beforehand
    from a first part, the prior's. The certificate is computed on the rest. With a bound for posteriors
    (``bound="betting"``, "maurer", ...) the posterior moves on from there towards the fit on all rows as far as
    that lowers the bound. By default it stays where it is, which has measured tightest on all of the paper's data:
    the divergence is then zero and the exact binomial limit holds, for a random draw and for the vote at once.

    Parameters
    ----------
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    alpha : float or "auto", default="auto"
        Penalty ``alpha |w|**2/2`` on the sum of log-losses (``1/C`` of scikit-learn); "auto" chooses it by
        cross-validation on the prior's part.
    prior_fraction : float, default=0.4
        Share of the rows for the prior's part, in (0, 1).
    preprocessing : transformer or None, default=None
        Learned on the prior's part alone; it must transform each row by itself. None standardises; ``"passthrough"``
        leaves the columns as they are.
    posterior : {"laplace", "isotropic"}, default="laplace"
        Shape of the covariance: the inverse Hessian at the prior's fit, or the identity.
    prior : {"informed", "zero"}, default="informed"
        Whether the prior is centred at the fit on its part, or at zero.
    bound : str, default="auto"
        A bound of the catalogue. "auto" is "clopper_pearson" for an informed prior without reference, else "betting".
        "clopper_pearson" and "chernoff" keep the posterior at the prior.
    reference : {"none", "online", "fixed"}, default="none"
        Losses to subtract: of a logistic regression that is refitted as rows come in, or of the prior's fit.
    strength : float or "auto", default="auto"
        How much of the reference is subtracted, in (0, 1]; "auto" chooses on the prior's part.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    random_state : int, RandomState or None
        Of the shuffle and of random draws.

    Attributes
    ----------
    certificate_ : Certificate
        ``value`` is about one random draw from ``posterior_`` per row, ``vote_value`` about :meth:`predict`.
    posterior_, prior_ : Gaussian
        Over the weights of the preprocessed columns, the intercept last.
    reference_ : OnlineReference or None
        The reference's losses on the bound's part.
    coef_, intercept_ : ndarray
        The posterior mean, for the preprocessed columns.
    classes_ : ndarray of two labels
    alpha_ : float
    preprocessing_ : transformer
        As fitted on the prior's part.
    order_ : ndarray
        The shuffled row numbers; the first ``n_prior_`` are the prior's part.

    Notes
    -----
    Inside a Pipeline or a search the certificate holds only if nothing before this step learned from the same rows:
    give a transformer as ``preprocessing=`` instead, and count the settings of a search in ``candidates=``.

    Examples
    --------
    >>> import pacbayes as pb
    >>> sample = pb.datasets.make_known_risk(2000, d=3, random_state=0)
    >>> model = pb.CertifiedLogisticRegression(random_state=0).fit(sample.X, sample.y)
    >>> print(model.certificate_.sentence())
    With probability at least 95 % over the data, the true error of `predict`, and of one draw from the posterior \
per row, is at most 0.1776.
    >>> sample.risk(model.coef_[0], model.intercept_[0]) < model.certificate_.vote_value
    True
    """

    def __init__(
        self,
        delta: float = 0.05,
        *,
        alpha: float | str = "auto",
        prior_fraction: float = 0.4,
        preprocessing: Any = None,
        posterior: str = "laplace",
        prior: str = "informed",
        bound: str = "auto",
        reference: str = "none",
        strength: float | str = "auto",
        candidates: int = 1,
        random_state: Any = None,
    ) -> None:
        self.delta = delta
        self.alpha = alpha
        self.prior_fraction = prior_fraction
        self.preprocessing = preprocessing
        self.posterior = posterior
        self.prior = prior
        self.bound = bound
        self.reference = reference
        self.strength = strength
        self.candidates = candidates
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any) -> CertifiedLogisticRegression:
        """Learn the predictor and issue its certificate.

        Parameters
        ----------
        X : array_like or data frame, shape (n, d)
            Rows.
        y : array_like, shape (n,)
            Labels of two values.
        """
        forget(self, "certificate_")
        given = X
        X, y = self._validated(X, y)
        notes = caution(type(self).__name__, given, y)
        generator = check_random_state(self.random_state)
        order = generator.permutation(len(y))
        self._certify(X, y, order, int(generator.randint(2**31)), tuple(notes))
        return self

    def _certify(self, X: Any, y: Any, order: Any, seed: int, notes: tuple[str, ...]) -> None:
        """Everything after the shuffle, which is a function of data, parameters, order and seed alone."""
        self.order_, self.seed_ = order, seed
        result = certify(X, y, self.classes_, order, seed, self._options(), notes)
        self._set(result)

    def _set(self, result: Certified) -> None:
        self.preprocessing_, self.alpha_, self.n_prior_ = result.preprocessing, result.alpha, result.n_prior
        self.prior_, self.posterior_, self.reference_ = result.prior, result.posterior, result.reference
        self.coef_, self.intercept_ = self.posterior_.mean[None, :-1].copy(), self.posterior_.mean[-1:].copy()
        self.certificate_: Certificate = result.certificate

    def _validated(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Check rows and labels; columns are left to ``preprocessing`` where it is given."""
        self._check_parameters()
        owner = type(self).__name__
        if self.preprocessing is None:
            if sp.issparse(X):
                raise TypeError(
                    f"{owner} standardises, which would fill a sparse matrix; give preprocessing=MaxAbsScaler() or "
                    "preprocessing='passthrough' for sparse rows."
                )
            X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        else:
            X = rows_of(X)
            validate_data(self, X, skip_check_array=True)
        y = labels_of(owner, X, y)
        if y.size < 2:
            raise ValueError(f"{owner} needs at least 2 rows. Got n_samples={y.size} instead.")
        kind = type_of_target(y, input_name="y")
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        self.classes_ = np.unique(y)
        if self.classes_.size < 2:
            raise ValueError(
                f"{owner} needs samples of at least 2 classes in the data. "
                f"Got only one class, {self.classes_[0]!r}, instead."
            )
        return X, y

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        checked_delta(owner, self.delta)
        checked_candidates(owner, self.candidates)
        for name, allowed in _CHOICES.items():
            if not isinstance(getattr(self, name), str) or getattr(self, name) not in allowed:
                raise ValueError(
                    f"The {name!r} parameter of {owner} must be one of {', '.join(map(repr, allowed))}. "
                    f"Got {getattr(self, name)!r} instead."
                )
        if not isinstance(self.prior_fraction, numbers.Real) or not 0.0 < self.prior_fraction < 1.0:
            raise ValueError(
                f"The 'prior_fraction' parameter of {owner} must be a float in (0, 1). Got {self.prior_fraction!r} "
                "instead."
            )
        if isinstance(self.preprocessing, str) and self.preprocessing != "passthrough":
            raise ValueError(
                f"The 'preprocessing' parameter of {owner} must be a transformer, None or 'passthrough'. "
                f"Got {self.preprocessing!r} instead."
            )
        for name, top in (("alpha", _LARGEST), ("strength", 1.0)):
            given = getattr(self, name)
            number = isinstance(given, numbers.Real) and not isinstance(given, bool)
            if not (isinstance(given, str) and given == "auto") and not (number and 0.0 < given <= top < np.inf):
                raise ValueError(
                    f"The {name!r} parameter of {owner} must be 'auto' or a positive float"
                    f"{' of at most 1' if top == 1.0 else ''}. Got {given!r} instead."
                )

    def _options(self) -> Options:
        steps = StandardScaler() if self.preprocessing is None else self.preprocessing
        return Options(
            delta=float(self.delta),
            candidates=int(self.candidates),
            alpha=None if isinstance(self.alpha, str) else float(self.alpha),
            prior_fraction=float(self.prior_fraction),
            preprocessing=FunctionTransformer() if isinstance(steps, str) else clone(steps),
            posterior=self.posterior,
            prior=self.prior,
            bound=self.bound,
            reference=self.reference,
            strength=None if isinstance(self.strength, str) else float(self.strength),
        )

    def _transformed(self, X: Any) -> Any:
        check_is_fitted(self, "certificate_")
        if self.preprocessing is None:
            X = validate_data(self, X, dtype=np.float64, reset=False)
        else:
            validate_data(self, X, skip_check_array=True, reset=False)
        return check_array(self.preprocessing_.transform(X), accept_sparse="csr", dtype=np.float64)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score ``w.x`` of the posterior mean."""
        Z = self._transformed(X)
        return np.asarray(np.asarray(Z @ self.coef_[0]).ravel() + self.intercept_[0])

    def predict(self, X: Any, *, randomized: bool = False, random_state: Any = None) -> Any:
        """Return labels: those of the vote, which is the posterior mean's, or of random draws.

        Parameters
        ----------
        X : array_like or data frame
            Rows.
        randomized : bool, default=False
            Whether to draw new weights from the posterior for each row: the predictor that ``certificate_.value`` is
            about. Otherwise ``certificate_.vote_value`` applies.
        random_state : int, RandomState or None
            Of the draws.
        """
        if not randomized:
            scores = self.decision_function(X)
            return self.classes_[(scores > 0.0).astype(np.int64)]
        # per row the score of drawn weights is normal, so that it can be drawn itself
        spread, centre = self.posterior_.projections(self._transformed(X))
        noise = check_random_state(random_state).standard_normal(centre.size)
        return self.classes_[(centre + spread * noise > 0.0).astype(np.int64)]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of both classes by the logistic model at the posterior mean."""
        p = expit(self.decision_function(X))
        return np.column_stack([1.0 - p, p])
