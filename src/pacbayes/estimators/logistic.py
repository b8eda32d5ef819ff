"""Logistic regression with a certificate: a scikit-learn classifier over a Gaussian posterior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from pacbayes._core.arguments import refuse_masked
from pacbayes._core.rows import labels_of, refuse_text, rows_of
from pacbayes._core.state import State
from pacbayes._core.types import FloatArray, Labels, RandomState, Rows, RowsLike, Transformer
from pacbayes.estimators.base import CertifiedEstimator
from pacbayes.estimators.hints import COLUMNS, hint_at_preprocessing
from pacbayes.estimators.logistic_options import check_bound, check_parameters, resolve_references
from pacbayes.metrics import Questions, read_questions
from pacbayes.posteriors import Gaussian
from pacbayes.procedures import Issued, KeptDraw, Posterior, Procedure
from pacbayes.procedures.linear import gaussian_digest
from pacbayes.procedures.posterior_statements import check_draws

__all__ = ["CertifiedLogisticRegression"]


class CertifiedLogisticRegression(CertifiedEstimator, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A Gaussian posterior over the weights of a logistic regression for two classes, with a certificate on its error.

    ``fit`` shuffles the rows and learns scaling, penalty, the prior and everything else that has to be fixed beforehand
    from a first part, the learning rows. The posterior is learned from all rows: its mean, shape and scale are
    optimised by the bound's own gradient. The certificate is computed on the rest of the rows, the judged rows, and is
    about one random draw from the posterior per row; for :meth:`predict`, the vote, it is twice that. The exact limit
    for one deterministic predictor, without the factor two, is what :class:`pacbayes.CertifiedClassifier` has, whose
    estimator by default is logistic regression too.

    Parameters
    ----------
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    alpha : float or "auto", default="auto"
        Penalty ``alpha |w|**2/2`` on the sum of log-losses (``1/C`` of scikit-learn); "auto" chooses it by
        cross-validation on the learning rows.
    prior_fraction : float, default=0.4
        Share of the rows for learning, in (0, 1).
    preprocessing : transformer or None, default=None
        Learned on the learning rows alone; it must transform each row by itself. None standardises; ``"passthrough"``
        leaves the columns as they are.
    posterior : {"laplace", "isotropic"}, default="laplace"
        Shape of the covariance: the inverse Hessian at the prior's fit, which an optimised posterior may stretch along
        its axes, or the identity.
    prior : {"informed", "zero"}, default="informed"
        Whether the prior is centred at the fit on the learning rows, which was tighter on all of the paper's data, or
        at zero.
    bound : str, default="portfolio"
        A bound of the catalogue for posteriors. "portfolio" bets on all strengths of its references at once, with most
        of the weight on the bet that an informed prior's learning rows predict; in our benchmarks it is within 1 % of
        "betting", which has that bet alone, and far below it where the prediction is wrong.
    reference : {"auto", "none", "fixed", "online", "learned"} or tuple of names, default="auto"
        Losses to subtract: of the prior's fit ("fixed"), of a logistic regression that is refitted as rows come in
        ("online"), or of one that learns at every row ("learned"). Several, as in ``("fixed", "learned")``, stand in
        one portfolio. "auto" is "none"; for a portfolio it is "fixed" with an informed prior and "learned" with one at
        zero.
    strength : float or "auto", default="auto"
        How much of the reference is subtracted, in (0, 1]; "auto" chooses on the learning rows. A portfolio takes none.
    derandomize : {"vote", "draw"}, default="vote"
        What :meth:`predict` answers by. "vote" is the posterior mean, for which the certificate is twice that of draws.
        "draw" is one draw from the posterior, made once from ``random_state`` and kept: a deterministic predictor whose
        certificate has no factor two, with the logarithm of the ratio of the densities at it in place of the
        divergence. It holds for the first draw: whoever tries several values of ``random_state`` and keeps one counts
        them in ``candidates``. For the bounds "maurer", "betting" and "portfolio".
    metrics : str, sequence of str or mapping, default=("error",)
        What is certified of draws: "error", which comes first, "recall:CLASS", "fnr:CLASS", "fpr:CLASS",
        "specificity:CLASS". All of them hold together; each has an even part of delta, or one by its weight in a
        mapping.
    groups : str, int or sequence of them, default=None
        Columns of X by whose values rows are grouped, each group with statements of its own: positions, or with a
        ``preprocessing`` that takes frames names.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    random_state : int, RandomState or None
        Of the shuffle and of random draws.

    Attributes
    ----------
    certificate_ : Certificate
        ``value`` is about one random draw from ``posterior_`` per row, or about the one that is kept; ``vote_value`` is
        about :meth:`predict`.
    posterior_, prior_ : Gaussian
        Over the weights of the preprocessed columns, the intercept last.
    reference_ : OnlineReference, tuple of them, or None
        The references' losses on the judged rows.
    coef_, intercept_ : ndarray
        The posterior mean, or the draw that is kept, for the preprocessed columns.
    draw_ : ndarray
        The draw that is kept, the intercept last; with ``derandomize="draw"`` alone.
    classes_ : ndarray of two labels
    alpha_ : float
    preprocessing_ : transformer
        As fitted on the learning rows.
    order_ : ndarray
        The shuffled row numbers; the first ``n_learning_`` are the learning rows.

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
    With probability at least 95 % over the data, the true error of one draw from the posterior per row is at most \
18.56 %, and that of their vote, which `predict` returns, at most 37.12 %.
    >>> sample.risk(model.coef_[0], model.intercept_[0]) < model.certificate_.vote_value
    True
    >>> kept = pb.CertifiedLogisticRegression(derandomize="draw", random_state=0).fit(sample.X, sample.y)
    >>> print(kept.certificate_.sentence())
    With probability at least 95 % over the data and the draw, the true error of `predict`, one draw from the \
posterior that was kept, is at most 18.44 %.
    """

    classes_: Labels
    preprocessing_: Transformer
    prior_: Gaussian
    posterior_: Gaussian

    def __init__(
        self,
        delta: float = 0.05,
        *,
        alpha: float | str = "auto",
        prior_fraction: float = 0.4,
        preprocessing: Transformer | str | None = None,
        posterior: str = "laplace",
        prior: str = "informed",
        bound: str = "portfolio",
        reference: str | tuple[str, ...] = "auto",
        strength: float | str = "auto",
        derandomize: str = "vote",
        metrics: str | Sequence[str] | Mapping[str, float] = ("error",),
        groups: str | int | Sequence[str | int] | None = None,
        candidates: int = 1,
        random_state: RandomState = None,
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
        self.derandomize = derandomize
        self.metrics = metrics
        self.groups = groups
        self.candidates = candidates
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        """Check rows and labels; columns are left to ``preprocessing`` where it is given."""
        self._check_parameters()
        owner = type(self).__name__
        rows = self._validate_rows(X)
        labels = labels_of(owner, rows, y)
        if labels.size < 2:
            raise ValueError(f"{owner} needs at least 2 rows. Got n_samples={labels.size} instead.")
        kind = type_of_target(labels, input_name="y")
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        self.classes_ = np.unique(labels)
        if self.classes_.size < 2:
            raise ValueError(
                f"{owner} needs samples of at least 2 classes in the data. "
                f"Got only one class, {self.classes_[0]!r}, instead."
            )
        self._questions().group(owner, rows)  # a column that is not there is found out before the work
        return rows, labels

    def _check_parameters(self) -> None:
        check_parameters(self)

    def _validate_rows(self, X: RowsLike) -> Rows:
        if self.preprocessing is not None:
            rows: Rows = rows_of(X)
            validate_data(self, rows, skip_check_array=True)
            return rows
        if sp.issparse(X):
            raise TypeError(
                f"{type(self).__name__} standardises, which would fill a sparse matrix; pass "
                "preprocessing=MaxAbsScaler() or preprocessing='passthrough' for sparse rows."
            )
        refuse_masked(f"The 'X' argument of {type(self).__name__}", X)
        try:
            refuse_text(f"The 'X' argument of {type(self).__name__}", X)
            return validate_data(self, X, dtype=np.float64, ensure_min_samples=2)  # type: ignore[no-any-return]
        except ValueError as error:
            hint_at_preprocessing(error, X, COLUMNS)
            raise

    def _procedure(self, rows: int) -> Procedure:
        del rows
        references = resolve_references(self)
        check_bound(self, references)
        steps = StandardScaler() if self.preprocessing is None else self.preprocessing
        make = KeptDraw if self.derandomize == "draw" else Posterior
        return make(
            classes=self.classes_,
            preprocessing=FunctionTransformer() if isinstance(steps, str) else steps,
            fraction=float(self.prior_fraction),
            delta=float(self.delta),
            bound=self.bound,
            candidates=int(self.candidates),
            prior=self.prior,
            references=references,
            alpha=None if isinstance(self.alpha, str) else float(self.alpha),
            strength=None if isinstance(self.strength, str) else float(self.strength),
            shape=self.posterior,
            questions=self._questions(),
        )

    def _what_learns(self) -> list[Any]:
        return [self.preprocessing]

    def _questions(self) -> Questions:
        owner = type(self).__name__
        asked = read_questions(owner, self.metrics, self.groups, classes=self.classes_)
        check_draws(owner, asked)
        return asked

    def _keep(self, issued: Issued) -> None:
        self._forget("draw_")
        super()._keep(issued)
        weights = self._weights
        self.coef_, self.intercept_ = weights[None, :-1].copy(), weights[-1:].copy()

    @property
    def _weights(self) -> FloatArray:
        """What `predict` answers by: the draw that is kept, or the posterior mean."""
        return self.posterior_.mean if self._kept is None else self._kept

    @property
    def _kept(self) -> FloatArray | None:
        kept: FloatArray | None = self.issued_.fitted.get("draw_")
        return kept

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return every fitted number and what is predicted for these rows, for whoever runs the fit again."""
        draw = getattr(self, "draw_", None)
        return {
            **({} if self._kept is None or draw is None else {"draw_": draw / _spreads(self.posterior_)}),
            **_in_spreads("prior", self.prior_),
            **_in_spreads("posterior", self.posterior_),
            "coef_": np.append(self.coef_, self.intercept_) / _spreads(self.posterior_),
            "classes_": self.classes_,
            "preprocessing_": State.of(self.preprocessing_),
            "decision_function": self.decision_function(X),
            "predict": self.predict(X),
        }

    def fitted_digests(self) -> dict[str, str]:
        """Return the SHA-256 of prior and posterior, as the certificate has it."""
        return {"model": gaussian_digest(self.classes_, self.prior_, self.posterior_, self._kept)}

    def _transformed(self, X: RowsLike) -> Any:
        check_is_fitted(self, "certificate_")
        if self.preprocessing is None:
            X = validate_data(self, X, dtype=np.float64, reset=False)
        else:
            validate_data(self, X, skip_check_array=True, reset=False)
        return check_array(self.preprocessing_.transform(X), accept_sparse="csr", dtype=np.float64)

    def decision_function(self, X: RowsLike) -> FloatArray:
        """Return the score ``w.x`` of the posterior mean, or of the draw that is kept."""
        Z = self._transformed(X)
        return np.asarray(np.asarray(Z @ self.coef_[0]).ravel() + self.intercept_[0])

    def predict(self, X: RowsLike, *, randomized: bool = False, random_state: RandomState = None) -> Labels:
        """Return labels: of the vote, which is the posterior mean's, of the draw that is kept, or of random draws.

        Parameters
        ----------
        X : array_like or data frame
            Rows.
        randomized : bool, default=False
            Whether to draw new weights from the posterior for each row: the predictor that ``certificate_.value`` is
            about. Otherwise ``certificate_.vote_value`` applies. Refused if one draw is kept, since the certificate is
            about that one.
        random_state : int, RandomState or None
            Of the draws.
        """
        if not randomized:
            scores = self.decision_function(X)
            return np.asarray(self.classes_[(scores > 0.0).astype(np.int64)])
        if self._kept is not None:
            raise ValueError(
                f"The 'randomized' argument of predict must be False: the certificate of {type(self).__name__} with "
                "derandomize='draw' is about the one draw that is kept. Got True instead."
            )
        # per row the score of drawn weights is normal, so that it can be drawn itself
        spread, centre = self.posterior_.projections(self._transformed(X))
        noise = check_random_state(random_state).standard_normal(centre.size)
        return np.asarray(self.classes_[(centre + spread * noise > 0.0).astype(np.int64)])

    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the probabilities of both classes by the logistic model at the weights that predict."""
        p = expit(self.decision_function(X))
        return np.column_stack([1.0 - p, p])


def _spreads(gaussian: Gaussian) -> FloatArray:
    return np.asarray(np.sqrt(np.diagonal(gaussian.covariance)))


def _in_spreads(name: str, gaussian: Gaussian) -> dict[str, FloatArray]:
    """Return the numbers of a Gaussian in units of its deviations, whatever units its columns have."""
    spreads = _spreads(gaussian)
    scaled = gaussian.covariance / spreads / spreads[:, None]
    return {f"{name} mean": gaussian.mean / spreads, f"{name} covariance": spreads**2, f"{name} correlation": scaled}
