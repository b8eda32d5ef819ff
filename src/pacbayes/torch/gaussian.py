"""A network with a Gaussian posterior over some of its layers, and a certificate on one network drawn for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import nn

from pacbayes._core.exact import exact_array
from pacbayes._core.types import FloatArray, IntArray, Labels, RandomState, Rows, RowsLike
from pacbayes.certificate import MOST_PASSES
from pacbayes.estimators.base import CertifiedEstimator, check_candidates, check_delta
from pacbayes.procedures import Procedure
from pacbayes.procedures.network import Network
from pacbayes.torch.arrays import Loaded, code_labels, read_rows
from pacbayes.torch.checks import check_classes, check_name, check_positive, check_share, check_whole
from pacbayes.torch.descent import PosteriorTraining
from pacbayes.torch.gaussian_learner import GaussianLearner, LearnedGaussian
from pacbayes.torch.gaussian_predictor import GaussianPredictor
from pacbayes.torch.layers import LAYERS
from pacbayes.torch.objectives import OBJECTIVES
from pacbayes.torch.outputs import find_device, probabilities
from pacbayes.torch.predictor import check_shape
from pacbayes.torch.row_kinds import RowKind
from pacbayes.torch.stored_forms import StorableNetwork, StoredForm, gaussian_form
from pacbayes.torch.training import Training
from pacbayes.torch.weights import WeightGaussian

__all__ = ["GaussianNetwork"]

_BOUNDS = {"portfolio": "betting", "betting": "betting", "maurer": "maurer"}
_PRIOR_MEANS = ("initial", "zero")
_LEAST_SCALE, _LARGEST_SCALE = 1e-18, 1e18  # whose squares are float32


class GaussianNetwork(StorableNetwork, CertifiedEstimator, ClassifierMixin, BaseEstimator):
    """A Gaussian over weights of a network around a prior from learning rows, with a certificate on its draws.

    ``fit`` shuffles the rows and trains the network on a first part, the learning rows. Its weights are the prior's
    means. The posterior, with means and scales of its own, is then trained on the bound itself over the other rows, the
    judged rows; the divergence from the prior is what that costs. The certificate is about one network drawn from the
    posterior for each row, which is what :meth:`predict` does.

    For the last layer alone the probability of an error is bounded by a proved quadrature. For deeper layers networks
    are drawn, one for each judged row, once the posterior is fixed, and a tenth of delta is for those draws.

    Parameters
    ----------
    module : Module or callable
        A network that returns logits, which is copied; or a function or class that makes one without arguments.
    layers : {"last", "linear", "all"}, default="last"
        Whose weights get a distribution: of the linear layer that gives the logits, of all linear layers, or of all
        convolutions of images, too. Everything else stays as learned on the learning rows.
    prior_scale : float, default=0.03
        Standard deviation of the prior, for each weight. Fixed beforehand.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    objective : {"portfolio", "maurer", "quadratic", "lambda"}, default="portfolio"
        What the posterior is trained on: the certificate's own bound, Maurer's, or the published ones of Perez-Ortiz et
        al. (2021), for comparison. Which it is does not change what the certificate is evaluated by.
    bound : {"portfolio", "maurer"}, default="portfolio"
        Which bound the certificate is evaluated by. A portfolio without references is a mixture of bets.
    split : float, default=0.5
        Share of the rows for learning, in [0, 1). With 0 no row teaches the prior, all rows are judged, and
        ``classes`` must be given.
    prior_mean : {"initial", "zero"}, default="initial"
        Where the prior is centred: at the module's weights, after training if there are learning rows, or at zero.
    training : Training, optional
        How the network learns from the learning rows.
    posterior_training : PosteriorTraining, optional
        How the posterior is optimised. With ``epochs=0`` the posterior is the prior. That is settled before a judged
        row is looked at, so that Clopper-Pearson on one draw for each row applies, at no cost for the divergence. An
        optimised posterior may end at the prior too, but is then evaluated by ``bound``: which of two bounds applies
        must not be chosen by their values.
    held_out : float, default=0.05
        Share of the learning rows that the network does not learn from, in [0, 1). Its errors on them predict the rate
        at which the portfolio bets, which costs less than a grid of rates. With 0 the bets are on the library's grid,
        as they are without learning rows or with ``prior_mean="zero"``, where nothing predicts the divergence.
    passes : int, default=1
        How many networks are drawn for each judged row, for deeper layers; at most 1000.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    classes : array_like, optional
        The labels in the order of the logits; by default those that occur, sorted, all of them in learning rows.
    device : str, default="cpu"
        Where to compute; "auto" is CUDA where there is one.
    progress : bool, optional
        Whether to show a bar while prior and posterior are trained; by default where stderr is a terminal.
    random_state : int, RandomState or None
        Of the shuffle, of learning and of draws.

    Attributes
    ----------
    certificate_ : Certificate
        About one network drawn from ``posterior_`` for each row.
    prior_, posterior_ : WeightGaussian
        Over the weights and biases of ``layers_``.
    module_ : Module
        The network at the posterior's means, which is not certified.
    predictor_ : GaussianPredictor
        All of these together: draws, expected errors, and the numbers as bytes.
    layers_ : tuple of str
        Names of the layers with a distribution.
    classes_ : ndarray
    input_shape_ : tuple of int
        Of one row.
    row_kind_ : RowKind
        Names of columns and kind of numbers: :meth:`predict` refuses rows that would be taken for others.
    order_ : ndarray
        The shuffled row numbers; the first ``n_learning_`` are the learning rows.
    n_learning_ : int

    Notes
    -----
    The posterior is the one with the smallest certificate among those compared along the way, the prior among them.
    That costs nothing, as a PAC-Bayes bound holds for all posteriors at once. Draws for that choice, and the draws that
    the certificate counts, are independent.

    References
    ----------
    Perez-Ortiz, Rivasplata, Shawe-Taylor and Szepesvari, "Tighter risk certificates for neural networks", 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from pacbayes.torch import GaussianNetwork, Training, fully_connected
    >>> X, y = load_digits(return_X_y=True)
    >>> training = Training(epochs=20, learning_rate=1e-2)
    >>> model = GaussianNetwork(lambda: fully_connected(64, 64, 10), training=training, random_state=0).fit(X / 16, y)
    >>> bool(model.certificate_.value < 0.1), model.layers_
    (True, ('2',))
    >>> model.predict(X[:3] / 16, random_state=0).tolist()
    [0, 1, 2]
    """

    classes_: Labels
    input_shape_: tuple[int, ...]
    module_: nn.Module
    prior_: WeightGaussian
    posterior_: WeightGaussian
    predictor_: GaussianPredictor

    def __init__(
        self,
        module: nn.Module | Callable[[], nn.Module],
        layers: str = "last",
        prior_scale: float = 0.03,
        *,
        delta: float = 0.05,
        objective: str = "portfolio",
        bound: str = "portfolio",
        split: float = 0.5,
        prior_mean: str = "initial",
        training: Training | None = None,
        posterior_training: PosteriorTraining | None = None,
        held_out: float = 0.05,
        passes: int = 1,
        candidates: int = 1,
        classes: ArrayLike | None = None,
        device: str | torch.device = "cpu",
        progress: bool | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.module = module
        self.layers = layers
        self.prior_scale = prior_scale
        self.delta = delta
        self.objective = objective
        self.bound = bound
        self.split = split
        self.prior_mean = prior_mean
        self.training = training
        self.posterior_training = posterior_training
        self.held_out = held_out
        self.passes = passes
        self.candidates = candidates
        self.classes = classes
        self.device = device
        self.progress = progress
        self.random_state = random_state

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        if not callable(self.module):  # as modules are, too
            raise ValueError(  # noqa: TRY004
                f"The 'module' argument of {owner} must be a torch module or what makes one. "
                f"Got {self.module!r:.60} instead."
            )
        check_delta(owner, self.delta)
        check_candidates(owner, self.candidates)
        check_name(owner, "layers", self.layers, LAYERS)
        check_name(owner, "objective", self.objective, OBJECTIVES)
        check_name(owner, "bound", self.bound, _BOUNDS)
        check_name(owner, "prior_mean", self.prior_mean, _PRIOR_MEANS)
        check_positive(owner, "prior_scale", self.prior_scale, least=_LEAST_SCALE, most=_LARGEST_SCALE)
        check_share(owner, "split", self.split)
        check_share(owner, "held_out", self.held_out)
        check_whole(owner, "passes", self.passes, 1, MOST_PASSES)
        check_classes(owner, self.classes)
        find_device(owner, self.device)
        for name, kind in (("training", Training), ("posterior_training", PosteriorTraining)):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise ValueError(
                    f"The {name!r} argument of {owner} must be a {kind.__name__}. Got {value!r:.60} instead."
                )

    def fit(self, X: Loaded, y: ArrayLike | None = None, *, in_order: bool = False) -> Self:
        """Learn prior and posterior, and issue the certificate.

        Parameters
        ----------
        X : tensor, array_like, Dataset or DataLoader
            Rows of any shape.
        y : array_like, shape (n,), optional
            Labels; a Dataset or DataLoader has them itself.
        in_order : bool, default=False
            Whether to take the rows as they come instead of shuffling them: the first learn, the later judge, and the
            certificate is about rows like the later ones.
        """
        return super().fit(X, y, in_order=in_order)

    def reissue(self, X: RowsLike, y: Labels) -> Self:
        """Return a new estimator, fitted on these rows in the order of this one: how a certificate is rechecked."""
        found = read_rows(type(self).__name__, X, y, labelled=False)
        return super().reissue(found.X.reshape(len(found.X), *self.input_shape_), y)

    def learned_network(self) -> LearnedGaussian:
        """Return prior and posterior for whoever judges them again."""
        check_is_fitted(self, "certificate_")
        settled = self._posterior_training.epochs == 0
        return LearnedGaussian(self.predictor_, self.layers, settled, (), self.predictor_.kl)

    def read_rows(self, owner: str, X: Loaded, y: ArrayLike | None) -> tuple[Rows, Labels, tuple[int, ...]]:
        """Return rows in two dimensions, their labels, and the shape of one row."""
        rows, labels, shape = read_rows(owner, X, y)
        self.row_kind_.check(owner, X, rows)
        return rows, np.asarray(labels), shape

    @property
    def _posterior_training(self) -> PosteriorTraining:
        return PosteriorTraining() if self.posterior_training is None else self.posterior_training

    def _certify(self, given: RowsLike, rows: Rows, labels: Labels, order: IntArray, seed: int) -> Self:
        del given  # rows as they were read: a loader may give them once only
        return super()._certify(rows, rows, labels, order, seed)

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        self._check_parameters()
        owner = type(self).__name__
        rows, labels, shape = read_rows(owner, X, y)
        assert labels is not None  # noqa: S101  (labelled rows were asked for)
        self.classes_ = np.unique(labels) if self.classes is None else exact_array(self.classes)
        if len(self.classes_) < 2 or len(np.unique(self.classes_)) < len(self.classes_):
            raise ValueError(
                f"{owner} needs at least 2 classes, each once. Got {self.classes_.tolist()!r:.60} instead."
            )
        code_labels(labels, self.classes_)  # refuses labels that are none of the classes
        self.input_shape_, self.row_kind_ = shape, RowKind.of(X, rows)
        validate_data(self, X if self.row_kind_.columns else rows, skip_check_array=True)
        return rows, labels

    def _procedure(self, rows: int) -> Procedure:
        del rows
        learner = GaussianLearner(
            module=self.module,
            classes=self.classes_,
            shape=self.input_shape_,
            layers=self.layers,
            prior_scale=float(self.prior_scale),
            prior_mean=self.prior_mean,
            delta=float(self.delta) / int(self.candidates),
            objective=self.objective,
            bound=_BOUNDS[self.bound],
            training=Training() if self.training is None else self.training,
            posterior_training=self._posterior_training,
            held_out=float(self.held_out),
            are_classes_given=self.classes is not None,
            device=self.device,
            progress=self.progress,
        )
        return Network(
            learner=learner,
            fraction=float(self.split),
            delta=float(self.delta),
            bound=_BOUNDS[self.bound],
            candidates=int(self.candidates),
            passes=int(self.passes),
        )

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return every fitted number, for whoever runs the fit again."""
        tensors = {name: value.numpy() for name, value in self.predictor_.tensors().items()}
        return {"classes_": self.classes_, "mean": self.predictor_.mean_logits(self._rows(X)), **tensors}

    def _stored_form(self) -> StoredForm:
        return gaussian_form(self)

    def fitted_digests(self) -> dict[str, str]:
        """Return the SHA-256 of prior, posterior and the rest of the network, as the certificate has it."""
        return {"network": self.predictor_.digest}

    def predict(self, X: RowsLike, *, random_state: RandomState = None) -> Labels:
        """Return labels: a network is drawn from the posterior for each row, as the certificate says.

        Parameters
        ----------
        X : tensor or array_like
            Rows.
        random_state : int, RandomState or None
            Of the draws; with None each call draws others.
        """
        rows = self._rows(X)
        return self.predictor_.draw_classes(rows, int(check_random_state(random_state).randint(2**31)))

    def predict_mean(self, X: RowsLike) -> Labels:
        """Return the labels of the network at the posterior's means. The certificate is **not** about these."""
        return np.asarray(self.classes_[self.predictor_.mean_logits(self._rows(X)).argmax(axis=1)])

    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the softmax of the network at the posterior's means. The certificate is **not** about it."""
        return probabilities(self.predictor_.mean_logits(self._rows(X)))

    def _rows(self, X: RowsLike) -> Any:
        check_is_fitted(self, "certificate_")
        owner = type(self).__name__
        rows, _, shape = read_rows(owner, X, labelled=False)
        check_shape(owner, shape, self.input_shape_)
        self.row_kind_.check(owner, X, rows)
        return rows
