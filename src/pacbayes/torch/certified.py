"""A network with a certificate: trained on a part of the rows, judged on the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from pacbayes._core.alignment import refuse_other_order
from pacbayes._core.exact import align_exactly, exact_array
from pacbayes._core.types import BoolArray, FloatArray, Labels, RandomState, Rows
from pacbayes.estimators.asked import find_groups
from pacbayes.estimators.wrapped import CertifiedSplit
from pacbayes.metrics import Grouping, Questions, read_questions
from pacbayes.procedures import Adaptive, Procedure, Split, Stop
from pacbayes.torch.arrays import Loaded, read_rows
from pacbayes.torch.classifier import Fitter, ModuleFactory, NetworkClassifier
from pacbayes.torch.learner import NetworkClassifierLearner
from pacbayes.torch.outputs import TIE
from pacbayes.torch.predictor import check_shape
from pacbayes.torch.row_kinds import RowKind
from pacbayes.torch.stored_forms import StorableNetwork, StoredForm, certified_form
from pacbayes.torch.training import Training

__all__ = ["CertifiedNetwork"]

_SNAPSHOTS = (
    0.05,
    0.1,
    0.2,
    0.4,
)  # fewer than for other learners: with the last possible stop fits on 1.55 times all rows


class CertifiedNetwork(StorableNetwork, ClassifierMixin, CertifiedSplit):
    """A network with an exact limit on its true error: trained on a part of the rows, evaluated on the rest.

    As :class:`pacbayes.CertifiedClassifier`, for modules of PyTorch. The rows are shuffled, the network is trained on a
    first part and evaluated on the rest, where the exact binomial limit holds for its deterministic :meth:`predict`.
    A judged row whose two largest outputs are too close to call counts as an error, so that another machine's rounding
    cannot turn the count; so does one with an output that is not finite, and one whose prediction depends on its batch.

    What the factory brings along, such as pretrained layers, must not have seen these rows: that is an assumption of
    the certificate, which names it. Layers that a factory hands out are copied before they learn. Fitted estimators,
    and arrays, tensors, datasets and loaders that a factory or fitter holds, are refused where they can be seen.

    Parameters
    ----------
    module_factory : callable
        Called without arguments, returns a fresh torch module with an output for each class.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    training : Training, optional
        How it learns; see :class:`pacbayes.torch.Training`.
    fitter : callable, optional
        In place of ``training``: your own training, called with the module, the learning rows as a tensor in its
        precision and their labels as positions of classes. It returns the module, or None if it trained the one it was
        given.
    split : float or "adaptive", default="adaptive"
        Share of the rows to learn from, in (0, 1). "adaptive" has it found on the way: networks are trained on 5, 10,
        20 and 40 % of the rows as well, so that all trainings together see at most 1.55 times all rows per epoch. A
        fixed share costs one training.
    metrics, differences, cost
        What is certified, as in :class:`pacbayes.CertifiedClassifier`; all of it holds together.
    groups : int or sequence of int, default=None
        Columns of flat rows, by position. Groups of images are given to :meth:`fit`.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    classes : array_like, optional
        The labels of the outputs, in their order; by default those of the learning rows, sorted.
    device : str or device, default="cpu"
        "auto" is CUDA where there is one.
    progress : bool, optional
        Whether to show a bar on stderr; by default where that is a terminal and rich is installed.
    random_state : int, RandomState or None
        Of the shuffle and of everything in training. The same machine with the same number of threads learns the same
        network; another machine's rounding leads to another one.

    Attributes
    ----------
    certificate_ : Certificate
        About :meth:`predict`; its digest "network" is the SHA-256 of the weights, as safetensors.
    estimator_ : NetworkClassifier
        Trained on the learning rows; ``estimator_.module_`` is the module.
    classes_ : ndarray
    input_shape_ : tuple of int
        Of one row.
    row_kind_ : RowKind
        Names of columns and kind of numbers: :meth:`predict` refuses rows that would be taken for others.
    order_ : ndarray
        The shuffled row numbers; the first ``n_learning_`` are the learning rows.
    n_learning_ : int
    curve_ : tuple of Point
        The learning curve that the stop was chosen by; empty if the share was fixed.

    Examples
    --------
    >>> from functools import partial
    >>> from sklearn.datasets import load_digits
    >>> from pacbayes.torch import CertifiedNetwork, Training, convolutional
    >>> X, y = load_digits(return_X_y=True)
    >>> factory = partial(convolutional, (1, 8, 8), (16,), 64, 10, standardize=True)
    >>> training = Training(epochs=10, batch_size=64, learning_rate=1e-2)
    >>> model = CertifiedNetwork(factory, training=training, split=0.6, random_state=0)
    >>> certificate = model.fit(X.reshape(-1, 1, 8, 8), y).certificate_
    >>> model.n_learning_, certificate.statements[0].n, certificate.value < 0.05
    (1078, 719, True)
    """

    _learns_by: ClassVar[str] = "'module_factory' or 'fitter' parameter"
    _forgets: ClassVar[bool] = False  # a fitter of somebody's own may keep a history as long as it likes
    estimator_: NetworkClassifier
    classes_: Labels
    input_shape_: tuple[int, ...]
    row_kind_: RowKind

    def __init__(
        self,
        module_factory: ModuleFactory,
        delta: float = 0.05,
        *,
        training: Training | None = None,
        fitter: Fitter | None = None,
        split: float | str = "adaptive",
        metrics: str | Sequence[str] | Mapping[str, float] = ("error",),
        groups: int | Sequence[int] | None = None,
        differences: bool = False,
        cost: Mapping[tuple[Any, Any], float] | ArrayLike | None = None,
        candidates: int = 1,
        classes: ArrayLike | None = None,
        device: str | torch.device = "cpu",
        progress: bool | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.module_factory = module_factory
        self.delta = delta
        self.training = training
        self.fitter = fitter
        self.split = split
        self.metrics = metrics
        self.groups = groups
        self.differences = differences
        self.cost = cost
        self.candidates = candidates
        self.classes = classes
        self.device = device
        self.progress = progress
        self.random_state = random_state

    def base_estimator(self) -> NetworkClassifier:
        """Return the untrained classifier that learns."""
        return NetworkClassifier(
            self.module_factory,
            training=self.training,
            fitter=self.fitter,
            classes=self.classes,
            input_shape=getattr(self, "input_shape_", None),
            device=self.device,
            progress=self.progress,
        )

    def fit(  # type: ignore[override]
        self,
        X: Loaded,
        y: ArrayLike | None = None,
        *,
        in_order: bool = False,
        grouping: Grouping | Mapping[str, ArrayLike] | ArrayLike | None = None,
    ) -> Self:
        """Train the network and issue its certificate.

        Parameters
        ----------
        X : tensor, array_like, frame, Dataset or DataLoader
            Rows of any shape; whole numbers of eight bits are divided by 255. A Dataset or DataLoader is gone through
            once, with whatever it draws at random.
        y : array_like, shape (n,)
            Labels of any kind; None where a Dataset or DataLoader has them.
        in_order : bool, default=False
            Whether to take the rows as they come, the earliest first, instead of shuffling them.
        grouping : mapping, array_like or Grouping, optional
            The group of each row, or several columns of such by their names: each metric is stated for each group.

        Examples
        --------
        >>> from functools import partial
        >>> from sklearn.datasets import load_digits
        >>> from pacbayes.torch import CertifiedNetwork, Training, fully_connected
        >>> X, y = load_digits(return_X_y=True)
        >>> model = CertifiedNetwork(
        ...     partial(fully_connected, 64, 32, 10), training=Training(epochs=2), split=0.5, random_state=0
        ... )
        >>> certificate = model.fit(X, y, grouping={"dark": X.mean(axis=1) > 5}).certificate_
        >>> [each.group for each in certificate.statements]
        [None, {'dark': 'False'}, {'dark': 'True'}]
        """
        owner = f"{type(self).__name__}.fit"
        refuse_other_order(owner, {"X": X, "y": y, "grouping": grouping})
        return super().fit(X, y, in_order=in_order, grouping=_read_grouping(owner, grouping))

    def _validate(self, X: Loaded, y: ArrayLike | None) -> tuple[Rows, Labels]:
        self._forget("input_shape_")
        self.base_estimator().check_parameters(type(self).__name__)
        rows, labels = super()._validate(X, y)
        named = labels if self.classes is None else exact_array(self.classes)
        self.classes_ = np.unique(np.concatenate(align_exactly(labels, named)))
        self._check_groups(self._questions(), rows)
        return rows, labels

    def _validate_rows(self, X: Loaded, y: ArrayLike | None, *, reset: bool) -> tuple[NDArray[Any], Labels]:
        rows, labels, self.input_shape_ = read_rows(type(self).__name__, X, y)
        self.row_kind_ = RowKind.of(X, rows)
        validate_data(self, X if self.row_kind_.columns else rows, skip_check_array=True, reset=reset)
        return rows, np.asarray(labels)

    def _rows(self, X: Loaded) -> NDArray[Any]:
        check_is_fitted(self, "certificate_")
        owner = type(self).__name__
        rows, _, shape = read_rows(owner, X, labelled=False)
        check_shape(owner, shape, self.input_shape_)
        self.row_kind_.check(owner, X, rows)
        return rows

    def _stop(self) -> Stop:
        return Adaptive(_SNAPSHOTS) if isinstance(self.split, str) else super()._stop()

    def _questions(self) -> Questions:
        return read_questions(
            type(self).__name__,
            self.metrics,
            self._group_columns(),
            differences=self.differences,
            cost=self.cost,
            classes=self.classes_,
        )

    def _procedure(self, rows: int) -> Procedure:
        del rows
        asked = self._questions()
        return Split(
            learner=NetworkClassifierLearner(self.base_estimator(), asked.needs_probabilities),
            questions=asked,
            stop=self._stop(),
            delta=float(self.delta),
            candidates=int(self.candidates),
        )

    def scores(self, X: Loaded) -> FloatArray:
        """Return the outputs for each row, one for each of ``estimator_.classes_``, as doubles."""
        return self.estimator_.scores(self._rows(X))

    def near_ties(self, X: Loaded, tolerance: float = TIE) -> BoolArray:
        """Return for each row whether its two largest outputs are too close to call, or one is not finite."""
        return self.estimator_.near_ties(self._rows(X), tolerance)

    def predict_proba(self, X: Loaded) -> FloatArray:
        """Return the softmax of the outputs; zero for classes without learning rows."""
        given, known = self.estimator_.predict_proba(self._rows(X)), self.estimator_.classes_
        found: FloatArray = np.zeros((len(given), self.classes_.size))
        found[:, np.searchsorted(self.classes_, known)] = given
        return found

    @property
    def network_digest(self) -> str:
        """SHA-256 of the weights, as safetensors."""
        return self.estimator_.network_digest

    def read_rows(self, owner: str, X: Loaded, y: ArrayLike | None) -> tuple[NDArray[Any], Labels, tuple[int, ...]]:
        """Return rows in two dimensions, their labels, and the shape of one row."""
        found = self.estimator_.read_rows(owner, X, y)
        self.row_kind_.check(owner, X, found[0])
        return found

    def with_shape(self, shape: tuple[int, ...]) -> Self:
        """Return this model, for rows of a shape that it takes."""
        check_shape(type(self).__name__, shape, self.input_shape_)
        return self

    def _stored_form(self) -> StoredForm:
        return certified_form(self)

    def fitted_digests(self) -> dict[str, str]:
        """Return the SHA-256 of the weights."""
        return {"network": self.network_digest}

    def fitted_numbers(self, X: Loaded) -> dict[str, Any]:
        """Return the classes, all weights, and what is predicted for these rows."""
        state = self.estimator_.module_.state_dict()
        weights = {f"network.{name}": value.detach().cpu().double().numpy() for name, value in state.items()}
        return {"classes_": self.classes_, "known": self.estimator_.classes_, **weights, "predict": self.predict(X)}


def _read_grouping(owner: str, given: Any) -> Grouping | None:
    """Return which group each row is in, from a mapping of names to values, or values."""
    if given is None or isinstance(given, Grouping):
        return given
    first = next(iter(given.values()), ()) if isinstance(given, Mapping) else given
    return find_groups(owner, given, len(np.asarray(first)), None)[1]
